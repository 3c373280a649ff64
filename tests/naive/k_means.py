"""Algorithms No. 1, 2 and 3 of El-Rashidy et al. 2011, row by row. Empty groups keep their centre,
or (No. 3) get a row.
"""

from __future__ import annotations

from naive.centroids import Rounds, Space, adjust, grouped, recentre


def k_means_adjusted(columns, k, rng, centre, iterations):
    space, centres, _ = _begin(columns, k, rng, centre)
    rounds = Rounds(iterations)
    while True:
        groups = grouped(
            [space.nearest(row, centres) for row in range(len(columns[0].cells))], len(centres)
        )
        groups = adjust(space, groups, centres, k, rng)
        if rounds.over(groups, space.error(groups)):
            return rounds.best


def k_means_filled(columns, k, rng, centre, iterations):
    space, centres, queue = _begin(columns, k, rng, centre)
    rounds = Rounds(iterations)
    while True:
        groups = [[] for _ in centres]
        for row in queue:
            lacking = [g for g, rows in enumerate(groups) if len(rows) < k]
            groups[space.nearest(row, centres, lacking or None)].append(row)
        recentre(space, groups, centres)
        if rounds.over(groups, space.error(groups)):
            return rounds.best


def k_means_adjusted_once(columns, k, rng, centre, iterations):
    space, centres, _ = _begin(columns, k, rng, centre)
    rounds = Rounds(iterations)
    while True:
        groups = grouped(
            [space.nearest(row, centres) for row in range(len(columns[0].cells))], len(centres)
        )
        _reseed(space, groups, centres)
        recentre(space, groups, centres)
        if rounds.over(groups, space.error(groups)):
            return adjust(space, rounds.best, centres, k, rng)


def _begin(columns, k, rng, centre):
    space = Space(columns, centre)
    count = len(columns[0].cells)
    centres = [
        space.centre([seed]) for seed in rng.choice(count, count // k, replace=False).tolist()
    ]
    return space, centres, rng.permutation(count).tolist()


def _reseed(space, groups, centres):
    """Each empty group takes the row that is farthest from its centre, if any is, out of a group
    that has others.
    """
    far = {row: space.distance(row, centres[g]) for g, rows in enumerate(groups) for row in rows}
    for empty in [rows for rows in groups if not rows]:
        spare = [row for rows in groups if len(rows) > 1 for row in rows if far[row] > 0]
        if spare:
            row = max(spare, key=lambda row: (far[row], -row))
            next(rows for rows in groups if row in rows).remove(row)
            empty.append(row)
