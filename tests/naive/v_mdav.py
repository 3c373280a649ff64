"""V-MDAV (Solanas & Martínez-Ballesté 2006), row by row, on numbers and trees; distances and
centres are those of MDAV.

Distances are compared squared. Ties go to the lowest row, and to the group whose first taken row is
lowest.
"""

from __future__ import annotations

from naive.mdav import number, tree


def v_mdav(columns, k, gamma):
    space = [number(column) for column in columns if column.tree is None]
    space += [tree(column) for column in columns if column.tree is not None]

    def distance(point, row):
        total = 0.0
        for (cells, _, apart), cell in zip(space, point, strict=True):
            total += apart(cells[row], cell)
        return total

    def at(row):
        return [cells[row] for cells, _, _ in space]

    def centre(rows):
        return [middle(rows) for _, middle, _ in space]

    free = list(range(len(columns[0].cells)))
    whole = centre(free)
    groups = {}
    while len(free) >= k:
        e = max(free, key=lambda row: (distance(whole, row), -row))
        group = sorted(free, key=lambda row: (row != e, distance(at(e), row), row))[:k]
        free = [row for row in free if row not in group]
        while len(group) < 2 * k - 1 and len(free) > 1:
            inside = {row: min(distance(at(member), row) for member in group) for row in free}
            x = min(free, key=lambda row: (inside[row], row))
            outside = min(distance(at(x), row) for row in free if row != x)
            if not inside[x] < gamma * gamma * outside:
                break
            group.append(x)
            free.remove(x)
        groups[e] = group
    centres = {e: centre(sorted(group)) for e, group in groups.items()}
    for row in free:
        groups[min(groups, key=lambda e: (distance(centres[e], row), e))].append(row)
    return list(groups.values())
