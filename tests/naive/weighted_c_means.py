"""C-means with weights of columns (after Chiu & Tsai 2007), then groups merged and divided, row by
row.
"""

from __future__ import annotations

from math import fsum

from naive.centroids import Rounds, Space, grouped, recentre, squared_errors
from naive.costs import UNIT, Costs
from naive.k_member import k_member


def weighted_c_means(columns, k, rng, rule, iterations):
    space = Space(columns, "medoid")
    costs = Costs(columns)
    count = len(columns[0].cells)
    centres = [
        space.centre([seed]) for seed in rng.choice(count, count // k, replace=False).tolist()
    ]
    weights = [1 / len(columns)] * len(columns)
    rounds = Rounds(iterations)
    while True:
        stretched = space.stretched([weight / max(weights) for weight in weights])
        groups = grouped([stretched.nearest(row, centres) for row in range(count)], len(centres))
        recentre(space, groups, centres)
        if rounds.over(groups, space.error(groups)):
            break
        ratios = (
            _separation(space, groups)
            if rule == "separation"
            else _narrowness(costs, groups, count)
        )
        if any(ratios):
            weights = [
                (weight + ratio / fsum(ratios)) / 2
                for weight, ratio in zip(weights, ratios, strict=True)
            ]
    merged = _merged(costs, sorted(filter(None, rounds.best)), k)
    return [
        part
        for rows in merged
        for part in (k_member(columns, k, rng, rows=rows) if len(rows) >= 2 * k else [rows])
    ]


def _separation(space, groups):
    """Squared distances of centres to the table's centre, once for each row, over those of rows to
    their centres.
    """
    middle = space.centre([row for rows in groups for row in rows])
    between = [
        sum(
            len(rows) * space.on(axis, space.centre(rows)[axis], middle[axis]) ** 2
            for rows in groups
            if rows
        )
        / UNIT**2
        for axis in range(len(space.columns))
    ]
    within = squared_errors(space, groups)
    return [b / (a + 1.0) for a, b in zip(within, between, strict=True)]


def _narrowness(costs, groups, count):
    """One over the mean width of the groups, one row at full width added."""
    wide = [
        sum(len(rows) * costs.on(axis, rows) for rows in groups if rows)
        for axis in range(len(costs.columns))
    ]
    return [count / (width / UNIT + 1.0) for width in wide]


def _merged(costs, groups, k):
    """The smallest group below k joins the one where size times cost grows least, ties to the
    lowest first row.
    """
    while min(map(len, groups)) < k:
        small = min(groups, key=len)
        others = [rows for rows in groups if rows is not small]
        partner = min(others, key=lambda rows, small=small: _growth(costs, small, rows))
        groups = sorted(
            [sorted(small + partner), *(rows for rows in others if rows is not partner)]
        )
    return groups


def _growth(costs, a, b):
    return len(a + b) * costs.of(a + b) - len(a) * costs.of(a) - len(b) * costs.of(b)
