"""Groups: the currency of the house, one label for each row; and the guard that judges them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from typing import Literal, Protocol, Self

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags, Labels, Longs
from shoal.kernels.guards import Rules

WITHHELD = -1
DIVIDING = "dividing into groups"
"""The stage in which a method works: it may be interrupted, and what it has reached is used."""


NoteKind = Literal[
    "begun-with",  # which first groups a search went on from
    "untried",  # what a search left out, because there was too much of it
    "prices",  # which columns got a price for `*`, so that they are not sacrificed
    "left-out",  # how many rows were left out, and what the others gained by it
    "guarding",  # what guarding sensitive columns cost, as an estimate
    "rounds",  # why a search of several rounds stopped, and which was the best
    "interrupted",  # somebody stopped the search; what it had reached is used
    "time-limit",  # a time limit was set, or stopped the search
    "shards",  # the table was divided in parts
    "unmeasured",  # figures that are left out
    "loss",  # another loss than the one that was asked for
    "values",  # what the values of a column make impossible
    "noise",  # what a distortion did
    "dropped",  # columns that are not published, as nobody gave them a role
    "leak",  # columns that are published and give much away
    "file",  # what was left out or counted while a file was read
    "repeated",  # columns that may say that several rows are about one person
    "understood",  # what the cells of a column were taken for
    "hierarchy",  # oddities of a hierarchy file that were let pass
    "coded",  # how many rows stand at an open end of a coded column
    "exact",  # columns in intervals of which single values are published all the same
    "lost",  # columns that tell nothing about most people
    "blanked",  # how many cells of which column were blanked after global recoding
    "levels",  # the level of each column that one scheme for all rows takes
    "ledger",  # what a release tells together with earlier ones, and where that is written down
    "second-release",  # another release of the same table stands in the same folder
    "ladders",  # bands that were chosen by the table
]


class Note(str):
    """A text for people about a run, with a kind for code: no code reads the text.

    >>> note = Note("shards", "divided in 4 shards")
    >>> note.kind, f"{note}"
    ('shards', 'divided in 4 shards')
    """

    kind: NoteKind
    words: str
    """The text as it was given: a `Sentence` is spelled anew by each door."""

    def __new__(cls, kind: NoteKind, text: str) -> Self:
        """Make a text that knows its kind."""
        note = super().__new__(cls, text)
        note.kind = kind
        note.words = text
        return note

    def __getnewargs__(self) -> tuple[NoteKind, str]:  # type: ignore[override]
        return self.kind, self.words


class Watch(Protocol):
    """Told now and then how far a stage has come and what is lost so far; raises KeyboardInterrupt
    to stop it.

    The loss is the one that is minimized, as a share of what the rows divided so far would lose
    were each of their columns generalized to the top (or, for squared error, were they one group).
    So it is `height-share`, `leaf-share` or `squared-error-share`, unless columns differ in
    importance. It is that of the groups which stopping now would leave.
    """

    def __call__(self, share: float, loss: float | None = None) -> None:
        """Take note that this share, in [0, 1], of the stage is done; and of the loss, where it is
        known.
        """


def unwatched(share: float, loss: float | None = None) -> None:
    """Nobody looks on."""


def heard(watch: Callable[..., None]) -> Watch:
    """The watch, or one that keeps losses from it: whoever looks at shares alone need not know of
    them.
    """
    try:
        signature(watch).bind(0.0, None)
    except TypeError:
        return lambda share, loss=None: watch(share)
    return watch


def within(watch: Watch, begin: float, end: float) -> Watch:
    """The watch of a part of the stage: from one share of it to another."""
    return lambda share, loss=None: watch(min(begin + (end - begin) * share, end), loss)


@dataclass
class InTurn:
    """One watch for parts of a table, one after the other: shares are of all rows, losses of the
    rows so far.
    """

    watch: Watch
    rows: int  # of the table
    done: int = 0  # of the parts before
    lost: float = 0.0  # by those, together
    size: int = 0  # of this part
    loss: float = 0.0  # of this part, for each row; nan while nobody knows

    def part(self, size: int) -> Watch:
        """The watch of the next part."""
        self.done = self.done + self.size
        self.lost = self.lost + self.size * self.loss
        self.size = size
        self.loss = math.nan
        return self

    def __call__(self, share: float, loss: float | None = None) -> None:
        """Take note of what is done of this part."""
        self.loss = math.nan if loss is None else loss
        so_far = (self.lost + self.size * self.loss) / max(self.done + self.size, 1)
        self.watch(
            (self.done + share * self.size) / self.rows, None if math.isnan(so_far) else so_far
        )


class Guard(Protocol):
    """Demands of the privacy models on a group, as far as a method needs to know."""

    @property
    def least(self) -> int:
        """Name the smallest size that a safe group can have."""

    @property
    def survives_merging(self) -> bool:
        """Tell whether the union of two safe groups is always safe."""

    @property
    def only_more_helps(self) -> bool:
        """Tell whether a safe group stays safe whoever joins it."""

    @property
    def survives_recoding(self) -> bool:
        """Tell whether one scheme for all rows stays safe when a column moves to a higher level."""

    @property
    def only_size(self) -> bool:
        """Tell whether a group of `least` rows is safe whoever stands in it."""

    @property
    def rules(self) -> Rules | None:
        """Return the demands besides size as rules that kernels test.

        None where some model has no rule.
        """

    def safe(self, groups: Groups) -> Flags:
        """Tell for each group whether it is safe; withheld rows are not looked at."""


@dataclass(frozen=True)
class Groups:
    """A label for each row: 0 to count-1, every group held by someone, -1 for a withheld row.

    >>> Groups.of(np.array([7, 3, 7, -1])).labels
    array([ 0,  1,  0, -1], dtype=int32)
    """

    labels: Labels
    count: int
    notes: tuple[Note, ...] = ()
    """What the method says about its search, for the private certificate."""
    levels: tuple[int, ...] | None = field(default=None, kw_only=True)
    """The level of each column at which all rows are published; None where boxes are."""

    @classmethod
    def of(
        cls, labels: AnyArray, notes: tuple[Note, ...] = (), levels: tuple[int, ...] | None = None
    ) -> Groups:
        """Groups numbered by their first row, so that equal partitions have equal labels."""
        labels = np.asarray(labels)
        kept = labels >= 0
        some = labels[kept]
        if some.max(initial=0) > len(labels):  # sparse labels are closed up first
            _, some = np.unique(some, return_inverse=True)
        first = np.full(int(some.max(initial=-1)) + 1, len(some), np.int64)
        # Of several rows the one that is written last stays: the first.
        first[some[::-1]] = np.arange(len(some))[::-1]
        held = np.flatnonzero(first < len(some))
        rank = np.empty(len(first), np.int32)
        rank[held[np.argsort(first[held])]] = np.arange(len(held), dtype=np.int32)
        numbered = np.full(len(labels), WITHHELD, np.int32)
        numbered[kept] = rank[some]
        return cls(numbered, len(held), notes, levels=levels)

    @cached_property
    def sizes(self) -> Counts:
        """Count the rows of each group."""
        return np.bincount(self.labels[self.labels >= 0], minlength=self.count).astype(np.int64)

    @property
    def interrupted(self) -> bool:
        """Whether somebody stopped the search for these groups."""
        return any(note.kind == "interrupted" for note in self.notes)

    @property
    def withheld(self) -> int:
        """Count the rows that stand in no group."""
        return int(np.count_nonzero(self.labels < 0))

    @cached_property
    def by_group(self) -> tuple[Longs, Longs]:
        """Order the rows by group, withheld ones left out; return them and where groups start."""
        order = np.argsort(self.labels, kind="stable")[self.withheld :]
        return order, np.concatenate(([0], np.cumsum(self.sizes)))

    def counts(self, codes: AnyArray, values: int) -> Counts:
        """Count each value of a coded column in each group: `counts[group, value]`.

        Codes outside 0..values-1 (missing) are left out.
        """
        there = (self.labels >= 0) & (codes >= 0) & (codes < values)
        flat = self.labels[there].astype(np.int64) * values + codes[there]
        return (
            np.bincount(flat, minlength=self.count * values)
            .reshape(self.count, values)
            .astype(np.int64)
        )

    def withhold(self, groups: AnyArray) -> Groups:
        """Withhold the rows of some groups."""
        dropped = np.zeros(self.count + 1, np.bool_)
        dropped[groups] = True
        labels = np.where(dropped[self.labels], WITHHELD, self.labels)
        return Groups.of(labels, self.notes, self.levels)
