"""Leaving out: the worst whole groups, as long as the loss of those who are published falls.

    for each group, the dearest box first, ties by size and by the codes of its rows:
        end where its box costs no more than that of a published row on average
        leave the group out if its rows fit into what may still be left out, and if each kept
            combination of values that it takes people away from stays with k others
    if the others are not at least 1 % more exact by it, leave nobody out
    if the guard does not call all other groups safe, leave out half as many, and so on

Groups are left out whole, so the others stay as they are and keep their size. Costs are whole
numbers without prices, so that every engine leaves the same rows out. Other groups may become
unsafe where a model compares them with all published rows, so the guard judges them again. Kept
values stay common in each part of a table by itself, and so in all of it. After that the rows that
are left out might be regrouped with less loss; that is not tried.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np

from shoal.arrays import AnyArray, Counts, Longs
from shoal.encode.rows import Rows
from shoal.groups import Groups, Guard, Note
from shoal.partition.repair import boxed_groups

LEAST_GAIN = Fraction(1, 100)


class CommonValues:
    """Counts of people for each kept combination of values: at least k, or as many as before.

    A person stands in one group, so that people are counted once.
    """

    def __init__(
        self, groups: Groups, combination: AnyArray, k: int, person: AnyArray | None = None
    ) -> None:
        there = np.flatnonzero(groups.labels >= 0)
        whose = there if person is None else person[there]
        kept = np.unique(combination, return_inverse=True)[1]
        held = np.unique(np.array([groups.labels[there], kept[there], whose], np.int64), axis=1)
        pairs, times = np.unique(held[:2], axis=1, return_counts=True)
        self.k = k
        self.blocked = False
        self._values = pairs[1]
        self._times = times
        self._starts = np.searchsorted(pairs[0], np.arange(groups.count + 1))
        self._left = np.bincount(pairs[1], times).astype(np.int64)

    def give(self, group: int) -> bool:
        """Take the people of a group away, if k others hold each of their combinations."""
        held = slice(self._starts[group], self._starts[group + 1])
        values = self._values[held]
        rest = self._left[values] - self._times[held]
        if (rest < self.k).any():
            self.blocked = True
            return False
        self._left[values] = rest
        return True


@dataclass(frozen=True)
class LeavingRoom:
    """Number of rows that may be left out and that each group stands for, and what rows are."""

    rows: int
    sizes: Counts
    whom: str = "people"
    common: CommonValues | None = None
    """Kept values that have to stay common."""


@dataclass(frozen=True)
class LeavingGain:
    """The detail that leaving rows out spares, in whole numbers that add up over parts."""

    out: int
    rows: int
    whom: str
    before: int
    """Loss of all rows, had nobody been left out."""
    rest: int
    """Loss of the published rows."""
    full: int
    """Loss of a row of which everything is lost."""

    @property
    def published(self) -> Fraction:
        """The share of the loss of a published row that is spared."""
        if not self.before or self.rows == self.out:
            return Fraction(0)
        return 1 - Fraction(self.rest * self.rows, self.before * (self.rows - self.out))

    @property
    def charged(self) -> Fraction:
        """The share for all rows, those left out being lost in full; below 0 if it costs more."""
        if not self.before:
            return Fraction(0)
        return 1 - Fraction(self.rest + self.out * self.full, self.before)

    def __add__(self, other: LeavingGain) -> LeavingGain:
        return replace(
            self,
            out=self.out + other.out,
            rows=self.rows + other.rows,
            before=self.before + other.before,
            rest=self.rest + other.rest,
        )

    @property
    def said(self) -> str:
        """Say how much more exact the published rows are, and what that is worth for all."""
        than = "less" if self.charged < 0 else "more"
        gained = f"what is published is {_percent(self.published)} more exact"
        counted = f"{_percent(abs(self.charged))} {than} exact if they count as lost"
        return f"left out {self.out:,} of {self.rows:,} {self.whom}: {gained} ({counted})"


class LeavingNote(Note):
    """A note about what was left out of a part of a table, which adds up with those of others."""

    gain: LeavingGain

    def __new__(cls, gain: LeavingGain) -> Self:
        """Make a note that knows its numbers."""
        note = super().__new__(cls, "left-out", gain.said)
        note.gain = gain
        return note

    def __getnewargs__(self) -> tuple[LeavingGain]:  # type: ignore[override]
        return (self.gain,)


def notes_together(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Put the notes of all parts of a table together: what was left out as one, others once."""
    every = list(notes)
    gains = [note.gain for note in every if isinstance(note, LeavingNote)]
    others = dict.fromkeys(note for note in every if not isinstance(note, LeavingNote))
    if not gains:
        return tuple(others)
    gain = sum(gains[1:], gains[0])
    return (*others, LeavingNote(gain)) if gain.out else tuple(others)


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.0f} %"


def without_worst(
    groups: Groups, units: Rows, guard: Guard, room: LeavingRoom, *, alone: bool = True
) -> Groups:
    """Leave the worst groups out, if that lowers the loss of the others; note what was gained.

    The note of a part of a table (not `alone`) also counts where nobody is left out.
    """
    chosen = _worst(groups, units, room)
    while chosen:
        gain = _gain(groups, units, room, chosen)
        if gain.published < LEAST_GAIN:
            break
        fewer = groups.withhold(np.array(chosen))
        if guard.only_size or guard.safe(fewer).all():
            return replace(fewer, notes=(*fewer.notes, LeavingNote(gain)))
        chosen = chosen[: len(chosen) // 2]
    if alone:
        return groups
    nobody = LeavingNote(_gain(groups, units, room, []))
    return replace(groups, notes=(*groups.notes, nobody))


def _worst(groups: Groups, units: Rows, room: LeavingRoom) -> list[int]:
    """List the groups to leave out, the dearest first."""
    costs = _costs(groups, units)
    loss = int(costs @ room.sizes)
    published = int(room.sizes.sum())
    left = room.rows
    chosen = []
    for group in _dearest_first(groups, units, costs):
        size = int(room.sizes[group])
        cost = int(costs[group])
        if cost * published <= loss or left < int(room.sizes.min()):
            break
        if size <= left and (room.common is None or room.common.give(group)):
            chosen.append(group)
            left -= size
            published -= size
            loss -= size * cost
    return chosen


def _costs(groups: Groups, units: Rows) -> Longs:
    """Compute what the box of each group costs a row."""
    boxed = boxed_groups(groups, units)
    return np.asarray(boxed.losses // np.maximum(boxed.sizes, 1), np.int64)


def _dearest_first(groups: Groups, units: Rows, costs: Longs) -> list[int]:
    """Order groups by cost; ties by sums of codes, so that the order of rows does not matter."""
    there = groups.labels >= 0
    labels = groups.labels[there]
    columns = [*units.codes, *(column.codes for column in units.sensitive)]
    sums = [np.bincount(labels, codes[there], groups.count).astype(np.int64) for codes in columns]
    return [int(group) for group in np.lexsort((*sums[::-1], groups.sizes, -costs))]


def _gain(groups: Groups, units: Rows, room: LeavingRoom, chosen: list[int]) -> LeavingGain:
    """Measure what leaving groups out gains."""
    costs = _costs(groups, units)
    rows = int(room.sizes.sum())
    gone = np.array(chosen, np.int64)
    out = int(room.sizes[gone].sum())
    before = int(costs @ room.sizes)
    rest = before - int(costs[gone] @ room.sizes[gone])
    return LeavingGain(
        out=out,
        rows=rows,
        whom=room.whom,
        before=before,
        rest=rest,
        full=int(units.costs.full.sum()),
    )
