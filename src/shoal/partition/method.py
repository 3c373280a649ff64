"""Method: the base class of all algorithms that divide rows into groups.

Validation lives here, once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from shoal.encode.costs import BOX_LOSSES
from shoal.encode.rows import Rows
from shoal.errors import PrivacyNotMet, ShoalError
from shoal.groups import Groups, Guard, Watch, heard, unwatched

Suppressed = Literal["rows", "cells"]
"""What becomes of rows that one level for each column leaves unsafe: they are left out, or blanked
cell by cell.
"""


@dataclass(frozen=True)
class Solution:
    """One choice of levels that is safe: the groups under it, and what is lost there."""

    groups: Groups
    loss: float
    """The loss that was minimized, importance in it; a sum of squares for `discernibility`."""
    nodes: int
    """The combinations of levels that there are."""


class Method(ABC):
    """An algorithm that divides rows into groups.

    Its parameters are the fields of a frozen dataclass, with defaults.
    """

    name: ClassVar[str]
    """What users type."""
    losses: ClassVar[tuple[str, ...]] = BOX_LOSSES
    """The losses it can minimize."""
    serves: ClassVar[tuple[str, ...]] = ("group",)
    """What models it serves may judge: each group, the `release` as a whole, groups beside a
    `population`.
    """
    needs_ladders: ClassVar[bool] = False
    """True if numbers and dates without a hierarchy get a `ladder`, chosen by their range."""
    sets_levels: ClassVar[bool] = False
    """True if it publishes every column at one level in all rows: its groups carry the levels."""
    takes_suppress: ClassVar[bool] = False
    """True if it has a field `suppress`, and can blank single cells after it has set levels."""
    takes_withhold: ClassVar[bool] = False
    """True if it has a field `withhold`: the share of rows that it may leave out, up to 1."""
    takes_effort: ClassVar[bool] = False
    """True if it has a field `effort`: how much work it spends on lowering the loss."""
    takes_time_limit: ClassVar[bool] = False
    """True if it has a field `time_limit`, in seconds, and then stops with what it has."""
    peels: ClassVar[bool] = False
    """True if it begins by peeling: what a quick look at all rows has peeled is done then."""

    centres_ladders: ClassVar[bool] = False
    """True if the widest bands of a chosen ladder begin where the median lies near their middle."""
    nests: ClassVar[bool] = False
    """True if each column has one ladder or hierarchy, of which every published cell is a node:
    numbers and dates get a ladder, and any two cells of a column are equal, nested or disjoint.
    """

    @property
    def leaves_out(self) -> bool:
        """True if it leaves rows out by itself, as far as the recipe allows."""
        return False

    @property
    def seeks_the_best(self) -> bool:
        """True if it looks for the best grouping of a small table: then it pays to prove it."""
        return False

    def with_parameters(self, **changed: Any) -> Self:
        """Give the same method with some of its parameters changed."""
        return replace(self, **changed)  # type: ignore[type-var]  # every method is a dataclass

    def divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch = unwatched
    ) -> Groups:
        """Divide rows into groups of at least k rows.

        Nothing else is promised: repair merges what the guard does not call safe.
        """
        if rows.count < k:
            raise PrivacyNotMet(
                f"{rows.count:,} rows can't form a group of {k:,}",
                {"rows": rows.count, "k": k, "published": "nothing"},
                f"lower k to at most {rows.count:,}, or add rows",
            )
        groups = self._divide(rows, k, guard, rng, heard(watch))
        if len(groups.labels) != rows.count or (groups.count and int(groups.sizes.min()) < k):
            raise ShoalError(
                f"method '{self.name}' made a group below k = {k:,}", {"published": "nothing"}
            )
        return groups

    def solutions(
        self, rows: Rows, k: int, guard: Guard, watch: Watch, *, wanted: int
    ) -> Iterator[Solution]:
        """Find the best choices of levels, the best first; none where it sets no levels."""
        return iter(())

    @abstractmethod
    def _divide(
        self, rows: Rows, k: int, guard: Guard, rng: np.random.Generator, watch: Watch
    ) -> Groups:
        """Run the algorithm itself; there are at least k rows."""
