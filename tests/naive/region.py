"""Regions of near groups, read literally."""

from __future__ import annotations


def gather(costs, groups, order, most):
    """The region of each group (a list of rows): the first without one gets one with those whose
    common box costs least.
    """
    region = [None] * len(groups)
    regions = 0
    for first in order:
        if region[first] is None:
            free = [g for g in range(len(groups)) if region[g] is None and g != first]
            free.sort(
                key=lambda g: (2 * costs.of(groups[first] + groups[g]) - costs.of(groups[g]), g)
            )
            for g in [first, *free[: most - 1]]:
                region[g] = regions
            regions += 1
    return region
