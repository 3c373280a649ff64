"""Groups: the currency of the house, one label for each row; and the guard that judges them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags, Labels, Longs
from shoal.kernels.guards import Rules

WITHHELD = -1


class Watch(Protocol):
    """Told now and then how far a stage has come; raises KeyboardInterrupt to stop it."""

    def __call__(self, share: float) -> None:
        """Take note that this share, in [0, 1], of the stage is done."""


def unwatched(share: float) -> None:
    """Nobody looks on."""


class Guard(Protocol):
    """What the privacy models ask of a group, as far as a method needs to know."""

    @property
    def least(self) -> int:
        """The smallest size a safe group can have."""

    @property
    def survives_merging(self) -> bool:
        """Whether the union of two safe groups is always safe."""

    @property
    def only_size(self) -> bool:
        """Whether a group of `least` rows is safe whoever stands in it."""

    @property
    def rules(self) -> Rules | None:
        """What the models ask for besides size, as kernels test it; None where some model has no rule."""

    def safe(self, groups: Groups) -> Flags:
        """A verdict for each group of the table's rows; withheld rows are not looked at."""


@dataclass(frozen=True)
class Groups:
    """A label for each row: 0 to count-1, every group held by someone, -1 for a withheld row.

    >>> Groups.of(np.array([7, 3, 7, -1])).labels
    array([ 0,  1,  0, -1], dtype=int32)
    """

    labels: Labels
    count: int
    notes: tuple[str, ...] = ()  # what the method says about its search, for the private certificate

    @classmethod
    def of(cls, labels: AnyArray, notes: tuple[str, ...] = ()) -> Groups:
        """Groups numbered by their first row, so that equal partitions have equal labels."""
        labels = np.asarray(labels)
        kept = labels >= 0
        some = labels[kept]
        if some.max(initial=0) > len(labels):  # sparse labels are closed up first
            _, some = np.unique(some, return_inverse=True)
        first = np.full(int(some.max(initial=-1)) + 1, len(some), np.int64)
        first[some[::-1]] = np.arange(len(some))[::-1]  # of several rows the one that is written last stays: the first
        held = np.flatnonzero(first < len(some))
        rank = np.empty(len(first), np.int32)
        rank[held[np.argsort(first[held])]] = np.arange(len(held), dtype=np.int32)
        numbered = np.full(len(labels), WITHHELD, np.int32)
        numbered[kept] = rank[some]
        return cls(numbered, len(held), notes)

    @cached_property
    def sizes(self) -> Counts:
        """How many rows each group holds."""
        return np.bincount(self.labels[self.labels >= 0], minlength=self.count).astype(np.int64)

    @property
    def withheld(self) -> int:
        """How many rows stand in no group."""
        return int(np.count_nonzero(self.labels < 0))

    @cached_property
    def by_group(self) -> tuple[Longs, Longs]:
        """Row numbers ordered by group (withheld ones left out), and where each group starts."""
        order = np.argsort(self.labels, kind="stable")[self.withheld :]
        return order, np.concatenate(([0], np.cumsum(self.sizes)))

    def counts(self, codes: AnyArray, values: int) -> Counts:
        """`counts[group, value]` of a coded column; codes outside 0..values-1 (missing) are left out."""
        there = (self.labels >= 0) & (codes >= 0) & (codes < values)
        flat = self.labels[there].astype(np.int64) * values + codes[there]
        return np.bincount(flat, minlength=self.count * values).reshape(self.count, values).astype(np.int64)

    def withhold(self, groups: AnyArray) -> Groups:
        """The same groups without the rows of some."""
        dropped = np.zeros(self.count + 1, np.bool_)
        dropped[groups] = True
        return Groups.of(np.where(dropped[self.labels], WITHHELD, self.labels), self.notes)
