"""Downhill steps of microaggregation, read literally: every squared error is summed anew, in whole
numbers.

Points are lists of whole numbers; groups are lists of rows. A row that leaves is replaced by the
last of its group.
"""

from __future__ import annotations

Point = list[int]
Groups = list[list[int]]
WHOLE = 840  # a multiple of every size of a group up to 8, so that errors are whole numbers


def error(points: list[Point], group: list[int]) -> int:
    """The squared distances of a group's rows to their mean, times WHOLE: the sum of squares less
    the square of the sum.
    """
    total = 0
    for line in range(len(points[0])):
        cells = [points[row][line] for row in group]
        total += WHOLE * sum(x * x for x in cells) - WHOLE // max(len(cells), 1) * sum(cells) ** 2
    return total


def apart(points: list[Point], row: int, other: int) -> int:
    return sum((x - y) ** 2 for x, y in zip(points[row], points[other], strict=True))


def neighbours(points: list[Point], most: int) -> list[list[int]]:
    """The nearest other rows of each row, ties by lowest row."""
    rows = range(len(points))
    return [
        sorted((o for o in rows if o != row), key=lambda o: (apart(points, row, o), o))[:most]
        for row in rows
    ]


def descend(points: list[Point], groups: Groups, k: int, most: int) -> Groups:
    """Steps that lower the squared error, until there are none. Groups without rows stay as empty
    lists.
    """
    near = neighbours(points, most)
    groups = [list(group) for group in groups] + [[] for _ in range(len(points) // k - len(groups))]
    empty = [g for g in reversed(range(len(groups))) if not groups[g]]
    changed = True
    while changed:
        changed = False
        for row in range(len(points)):
            changed |= step(points, groups, empty, near, row, k)
        for g in range(len(groups)):
            changed |= bool(groups[g]) and dissolve(points, groups, empty, near, g, k)
    return groups


def home(groups: Groups, row: int) -> int:
    return next(g for g, group in enumerate(groups) if row in group)


def without(group: list[int], row: int) -> list[int]:
    """The group without a row: the last one takes its place."""
    rest = list(group)
    rest[rest.index(row)] = rest[-1]
    return rest[:-1]


def put(points: list[Point], groups: Groups, changes: dict[int, list[int]]) -> bool:
    """Groups as they would be, if that lowers the squared error."""
    before = sum(error(points, groups[g]) for g in changes)
    if sum(error(points, group) for group in changes.values()) >= before:
        return False
    for g, group in changes.items():
        groups[g] = group
    return True


def step(
    points: list[Point], groups: Groups, empty: list[int], near: list[list[int]], row: int, k: int
) -> bool:
    for other in near[row]:
        here = home(groups, row)
        there = home(groups, other)
        if here == there:
            continue
        if len(groups[here]) > k and move(points, groups, empty, row, there, k):
            return True
        for partner in list(groups[there]):
            one = [partner if r == row else r for r in groups[here]]
            two = [row if r == partner else r for r in groups[there]]
            if put(points, groups, {here: one, there: two}):
                return True
    return False


def move(
    points: list[Point], groups: Groups, empty: list[int], row: int, there: int, k: int
) -> bool:
    here = home(groups, row)
    left = without(groups[here], row)
    if len(groups[there]) < 2 * k - 1:
        return put(points, groups, {here: left, there: [*groups[there], row]})
    rest = groups[there]
    taken = sorted(groups[there], key=lambda other: apart(points, row, other))[: k - 1]
    for other in taken:
        rest = without(rest, other)
    if not put(points, groups, {here: left, there: rest, empty[-1]: [row, *taken]}):
        put_back(groups, here, there, row, rest, taken)
        return False
    empty.pop()
    return True


def put_back(
    groups: Groups, here: int, there: int, row: int, rest: list[int], taken: list[int]
) -> None:
    """Rows that went and came back stand last in their groups."""
    groups[there] = [*rest, *taken]
    groups[here] = [*without(groups[here], row), row]


def dissolve(
    points: list[Point], groups: Groups, empty: list[int], near: list[list[int]], g: int, k: int
) -> bool:
    trial = {h: list(group) for h, group in enumerate(groups)}
    for row in groups[g]:
        costs: dict[int, int] = {}
        for other in near[row]:
            there = next(h for h, group in trial.items() if other in group)
            if there != g and there not in costs and len(trial[there]) < 2 * k - 1:
                costs[there] = error(points, [*trial[there], row]) - error(points, trial[there])
        if not costs:
            return False
        cheapest = min(costs, key=lambda h: costs[h])
        trial[cheapest].append(row)
        trial[g].remove(row)
    if not put(points, groups, {h: group for h, group in trial.items() if group != groups[h]}):
        return False
    empty.append(g)
    return True
