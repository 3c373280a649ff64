"""Leaving out: the worst whole groups, as long as the loss of those who are published falls.

    for each group, the dearest box first, ties by size and by the codes of its rows:
        end where its box costs no more than that of a published row on average
        leave the group out if its rows fit into what may still be left out
    if the others are not at least 1 % more exact by it, leave nobody out
    if the guard does not call all other groups safe, leave out half as many, and so on

Groups are left out whole, so the others stay as they are and keep their size. Costs are whole
numbers without prices, so that every engine leaves the same rows out. Other groups may become
unsafe where a model compares them with all published rows, so the guard judges them again. After
that the rows that are left out might be regrouped with less loss; that is not tried.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal.arrays import Counts, Longs
from shoal.encode.rows import Rows
from shoal.groups import Groups, Guard, Note
from shoal.partition.repair import boxed_groups

LEAST_GAIN = Fraction(1, 100)


@dataclass(frozen=True)
class LeavingRoom:
    """Number of rows that may be left out and that each group stands for, and what rows are."""

    rows: int
    sizes: Counts
    whom: str = "people"


@dataclass(frozen=True)
class LeavingGain:
    """Shares of the loss that are spared by leaving rows out."""

    out: int
    rows: int
    whom: str
    published: Fraction
    """For a published row."""
    charged: Fraction
    """For all rows, those left out being lost in full; below 0 where that costs more."""

    @property
    def note(self) -> Note:
        """Say how much more exact the published rows are, and what that is worth for all."""
        than = "less" if self.charged < 0 else "more"
        gained = f"what is published is {_percent(self.published)} more exact"
        counted = f"{_percent(abs(self.charged))} {than} exact if they count as lost"
        text = f"left out {self.out:,} of {self.rows:,} {self.whom}: {gained} ({counted})"
        return Note("left-out", text)


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.0f} %"


def without_worst(groups: Groups, units: Rows, guard: Guard, room: LeavingRoom) -> Groups:
    """Leave the worst groups out, if that lowers the loss of the others; note what was gained."""
    chosen = _worst(groups, units, room)
    while chosen:
        gain = _gain(groups, units, room, chosen)
        if gain.published < LEAST_GAIN:
            return groups
        fewer = groups.withhold(np.array(chosen))
        if guard.only_size or guard.safe(fewer).all():
            return replace(fewer, notes=(*fewer.notes, gain.note))
        chosen = chosen[: len(chosen) // 2]
    return groups


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
        if size <= left:
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
    out = int(room.sizes[chosen].sum())
    before = int(costs @ room.sizes)
    rest = before - int(costs[chosen] @ room.sizes[chosen])
    return LeavingGain(
        out=out,
        rows=rows,
        whom=room.whom,
        published=1 - Fraction(rest * rows, before * (rows - out)),
        charged=1 - Fraction(rest + out * int(units.costs.full.sum()), before),
    )
