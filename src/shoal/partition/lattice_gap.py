"""Gap: a lattice that is too large is searched with fewer levels; what that may cost is bounded.

    every node of the whole lattice lies below one of the smaller lattice: each column goes up to
        the next level that was kept
    going up only joins groups, so rows in groups that are too small above are so below
    so a node loses at least what the lowest levels between two kept ones lose,
        and what the rows lose in full that the node above leaves out

The least of these bounds over all nodes of the smaller lattice that leave out few enough rows is
below the loss of every safe node of the whole one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shoal.groups import Watch
from shoal.partition.lattice import BestNode, Look
from shoal.partition.levels_weighed import WeighedLevels
from shoal.partition.nodes import Nodes


def fewer_levels(levels: Sequence[WeighedLevels], most: int) -> list[WeighedLevels]:
    """Leave out levels until the lattice has few enough nodes; the first and the last stay.

    Of the column with most levels, that level goes whose neighbours are nearest in loss.
    """
    chosen = list(levels)
    while math.prod(len(each.number) for each in chosen) > most:
        column = max(range(len(chosen)), key=lambda at: (len(chosen[at].number), -at))
        each = chosen[column]
        count = len(each.number)
        if count < 3:
            places = [count - 1]  # nothing but everything is left to choose
        else:
            mean = each.share @ _weights(each)
            gaps = mean[2:] - mean[:-2]
            gone = 1 + int(np.argmin(gaps))
            places = [place for place in range(count) if place != gone]
        chosen[column] = each.some(places)
    return chosen


def _weights(levels: WeighedLevels) -> np.ndarray:
    counts = np.append(levels.axis.counts, 0)
    return counts / max(int(counts.sum()), 1)


def least_of_all(
    nodes: Nodes, every: Sequence[WeighedLevels], chosen_node: BestNode, watch: Watch
) -> float:
    """Bound the loss of all nodes of the whole lattice from below."""
    low = [_lowest_between(kept, whole) for kept, whole in zip(nodes.levels, every, strict=True)]
    bounding = _Bounding(nodes.rows, low, nodes.guard, nodes.least, nodes.may, nodes.weighing)
    looks = [each.look for each in (chosen_node, *bounding.search(watch).run())]
    return nodes.reported(min(looks, key=lambda look: look.loss))


def _lowest_between(kept: WeighedLevels, whole: WeighedLevels) -> WeighedLevels:
    """Give each kept level the shares of the lowest one above the kept one before it."""
    shares = []
    before = -1
    for number in kept.number:
        shares.append(whole.share[before + 1])
        before = whole.number.index(number)
    return replace(kept, share=np.array(shares))


class _Bounding(Nodes):
    """Nodes whose loss is a bound of those below them: rows count as left out by size alone."""

    def look(self, node: np.ndarray, limit: float) -> Look:
        """Count the rows in groups that are too small, and bound what nodes below lose."""
        division = self._rolled_up(node)
        return self._weighed(node, division, self._small(node, division), safe=True)
