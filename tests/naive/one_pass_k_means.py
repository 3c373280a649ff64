"""One-pass k-means (Lin & Wei 2008), row by row. Random: the seeds, and the order of the pool in
the adjustment.
"""

from __future__ import annotations

from naive.centroids import Space, adjust
from naive.mondrian import rank


def one_pass_k_means(columns, k, rng, order="sorted"):
    groups, space, centres = one_pass(columns, k, rng, order)
    return adjust(space, groups, centres, k, rng)


def one_pass(columns, k, rng, order="sorted"):
    """Groups of any size, and the centres they have."""
    space = Space(columns, "ancestor")
    rows = list(range(len(columns[0].cells)))
    groups = [[seed] for seed in rng.choice(len(rows), len(rows) // k, replace=False).tolist()]
    centres = [space.centre(group) for group in groups]
    queue = [row for row in rows if [row] not in groups]
    if order == "sorted":
        queue.sort(key=lambda row: [rank(column, column.cells[row]) for column in columns])
    for row in queue:
        g = space.nearest(row, centres)
        groups[g].append(row)
        centres[g] = space.centre(groups[g])
    return groups, space, centres
