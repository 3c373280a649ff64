"""Overlap: the parts that all methods share that give each row a box of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from shoal.arrays import Codes, Ints
from shoal.encode.costs import BOX_LOSSES
from shoal.encode.rows import Rows
from shoal.errors import PrivacyNotMet, ShoalError
from shoal.groups import Note, Watch, unwatched

Match = Literal["ring", "k-concealment", "mutual", "k-k", "1-k"]
Values = Literal["sampled", "noisy", "groups"]
Write = Literal["columns", "text"]


@dataclass(frozen=True)
class Neighbourhoods:
    """For each row k rows, itself the first, and the least box around them.

    The box of row r reaches from `lo[axis, r]` to `hi[axis, r]`.
    """

    members: Ints  # [rows, k]
    lo: Codes
    hi: Codes
    notes: tuple[Note, ...] = ()
    """What the method says about its search, for the private certificate."""


@dataclass(frozen=True)
class Overlap(ABC):
    """An algorithm. Its parameters are the fields of a frozen dataclass, with defaults.

    All have these: `l`, of which no sensitive value may be in more than one of l members; how boxes
    are widened until people hide (`match`); how sensitive values are told (`values`, with `epsilon`
    and `cap` where they are noisy) and spelled (`write`).
    """

    name: ClassVar[str]
    """The name that users type."""
    losses: ClassVar[tuple[str, ...]] = BOX_LOSSES
    """The losses it can minimize."""
    l: int = 1
    """No sensitive value stands in more than one of l rows of a neighbourhood."""
    match: Match = "ring"
    """How boxes are widened until people are hidden in them."""
    values: Values = "sampled"
    """Which sensitive values a row is published with."""
    write: Write = "columns"
    """How a distribution of values is written: a column for each value, or one text."""
    epsilon: float = 1.0
    """How much of a person's value noisy shares may tell."""
    cap: int = 20
    """Neighbourhoods that a person has a part in, at most, where shares are noisy."""

    def cover(
        self, rows: Rows, k: int, rng: np.random.Generator, watch: Watch = unwatched
    ) -> Neighbourhoods:
        """Find a neighbourhood of k rows for every row.

        This alone does not hide anybody (see concealment).
        """
        if rows.count < k:
            raise PrivacyNotMet(
                f"{rows.count:,} rows can't form a neighbourhood of {k:,}",
                {"rows": rows.count, "k": k, "published": "nothing"},
                f"lower k to at most {rows.count:,}, or add rows",
            )
        near = self._cover(rows, k, rng, watch)
        is_complete = near.members.shape == (rows.count, k)
        if not is_complete or (near.members[:, 0] != np.arange(rows.count)).any():
            problem = f"method '{self.name}' made no neighbourhood of {k:,} around each row"
            raise ShoalError(problem, {"published": "nothing"})
        return near

    def as_in_paper(self) -> Overlap:
        """Return the method without what only repairs need."""
        return self

    @abstractmethod
    def refuse_unhidden(self, rows: Rows, k: int) -> None:
        """Refuse, before any work, people who could not be hidden as it was asked for."""

    @abstractmethod
    def _cover(self, rows: Rows, k: int, rng: np.random.Generator, watch: Watch) -> Neighbourhoods:
        """Run the algorithm; there are at least k rows."""
