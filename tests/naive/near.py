"""Groups of near rows in long tables of numbers: blocks, then MDAV in each, as one would do it by
hand. None is missing.
"""

from __future__ import annotations


def blocks(points, outer, most, enough=4096):
    """The rows furthest from the middle, then halves of halves of the others."""
    rows = list(range(len(points)))
    columns = range(len(points[0]))
    middle = [sum(point[c] for point in points) / len(points) for c in columns]
    out = sorted(
        rows, key=lambda row: (-sum((points[row][c] - middle[c]) ** 2 for c in columns), row)
    )[:outer]
    found = [out] if 0 < outer < len(points) else []
    rest = [row for row in rows if row not in out] if found else rows
    return found + halves(points, rest, most, enough)


def halves(points, rows, most, enough):
    if len(rows) <= most:
        return [rows]

    step = 1
    while len(rows) // step > enough:
        step *= 2

    def spread(column):
        values = [points[row][column] for row in rows if row % step == 0]
        return sum(v * v for v in values) - sum(values) * sum(values) / max(len(values), 1)

    widest = max(range(len(points[0])), key=lambda c: (spread(c), -c))
    rows = sorted(rows, key=lambda row: (points[row][widest], row))
    half = len(rows) // 2
    return halves(points, rows[:half], most, enough) + halves(points, rows[half:], most, enough)


def mdav(points, far, rows, k):
    """Groups of k around the rows furthest out; ties by lowest row."""
    columns = range(len(points[0]))

    def apart(point, other):
        total = 0.0
        for c in columns:
            if (point[c] is None) != (other[c] is None):
                total += far[c]
            elif point[c] is not None:
                total += (point[c] - other[c]) ** 2
        return total

    def centre(free):
        there = [[points[row][c] for row in free if points[row][c] is not None] for c in columns]
        return [sum(values) / len(values) if values else None for values in there]

    def furthest(point, free):
        return max(free, key=lambda row: (apart(points[row], point), -row))

    free = sorted(rows)
    groups = []
    while len(free) >= 2 * k:
        pair = len(free) >= 3 * k
        point = centre(free)
        for _ in range(2 if pair else 1):
            point = points[furthest(point, free)]
            group = sorted(free, key=lambda row: (apart(points[row], point), row))[:k]
            groups.append(group)
            free = [row for row in free if row not in group]
    return [*groups, free]
