"""Gain of a round of refinement while it is under way, for whoever looks on.

A round over a million rows takes long, and the loss of all groups is computed once a round. In
between, some of the parts that changed are weighed, before and after; the others are taken for
average. A part that stayed as it was gained nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.partition.pieces import Pieces

EACH = 32  # of the first parts that change, so many are weighed ...
THEN = 32  # ... and then one in so many


class RoundGain:
    """Follow one round, part by part."""

    def __init__(self, loss: Callable[[Pieces], int]) -> None:
        self.loss = loss
        self.moves = 0
        """Parts that changed."""
        self._weighed = 0
        self._gained = 0

    def add(self, before: Pieces, after: Pieces) -> float:
        """Take note of a part; return what the round gained so far, about."""
        if not _alike(before, after):
            if self.moves < EACH or self.moves % THEN == 0:
                self._gained += self.loss(before) - self.loss(after)
                self._weighed += 1
            self.moves += 1
        return self.moves * self._gained / max(self._weighed, 1)


def _alike(one: Pieces, other: Pieces) -> bool:
    """Tell whether a part stayed as it was."""
    return one is other or (
        np.array_equal(one.group, other.group)
        and np.array_equal(one.held, other.held)
        and np.array_equal(one.count, other.count)
    )
