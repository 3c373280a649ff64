"""Widest cells: rows whose cells may be no wider than these are divided alone.

    put rows together that share the widest cell allowed on every column that has one
    divide each such part like a table; models compare its groups with the whole table
    a part that can't keep a promise is left out as far as the recipe allows, or all is refused

Without such columns the table is one part, and is divided as it is. Parts are taken in the order of
the axes, so nothing depends on the order of the rows. A person with rows in several parts can't
stand in one group, and so in none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags, Ints
from shoal.encode.rows import Rows, combined
from shoal.engines import dividing
from shoal.engines.dividing import Elsewhere, refuse_impossible, without_unsafe
from shoal.engines.pacing import hurried, timed
from shoal.engines.promises import promises_of
from shoal.errors import PrivacyNotMet
from shoal.groups import Groups, InTurn, Note, Watch
from shoal.partition.leaving_out import notes_together
from shoal.recipe import Plan
from shoal.wording import Remedy, Set


def divided(
    rows: Rows,
    plan: Plan,
    rng: np.random.Generator,
    watch: Watch,
    elsewhere: Elsewhere | None = None,
) -> Groups:
    """Divide a table, or a shard of one, into groups numbered by their first row.

    No group reaches beyond the widest cell allowed.
    """
    part = parts_of(rows)
    if part is None or plan.method.sets_levels:  # levels of all rows are chosen among those allowed
        return dividing.divided(rows, plan, rng, watch, elsewhere)
    away = elsewhere or _nothing(rows)
    promises = promises_of(rows, plan, away.values)
    refuse_impossible(rows, plan, promises)
    groups = _Parts(rows, plan, part, away, elsewhere is not None).divided(rng, watch)
    if not groups.withheld:
        return groups
    of_table = rows.count + away.rows
    _refuse_left_out(groups, rows, plan, of_table)
    return Groups.of(without_unsafe(groups, plan, promises, of_table).labels, groups.notes)


def parts_of(rows: Rows) -> Ints | None:
    """Number the part of each row, in the order of the axes; None where all rows are one."""
    parts = [
        (axis.parts[codes], int(axis.parts[-1]) + 1)
        for axis, codes in zip(rows.axes, rows.codes, strict=True)
        if axis.parts is not None
    ]
    if not parts:
        return None
    keys = combined(np.array([part for part, _ in parts]), [size for _, size in parts])
    return np.unique(keys, return_inverse=True)[1].astype(np.int32)


@dataclass(frozen=True)
class _Parts:
    """The parts of a table or shard, each of which is divided alone."""

    rows: Rows
    plan: Plan
    part: Ints
    elsewhere: Elsewhere
    inside: bool
    """Whether the parts are those of a shard, whose notes are put together with others'."""

    def divided(self, rng: np.random.Generator, watch: Watch) -> Groups:
        """Divide part after part; rows of a part that can't keep a promise have no group."""
        plan = self.plan
        labels = np.full(self.rows.count, -1, np.int32)
        notes = list[Note]()
        count = 0
        torn = self._torn
        in_turn = InTurn(watch, self.rows.count)
        seeds = rng.integers(2**62, size=int(self.part.max(initial=-1)) + 1)
        for number, seed in enumerate(seeds.tolist()):
            members = np.flatnonzero((self.part == number) & ~torn)
            here = in_turn.part(len(members))
            groups = self._of_part(members, plan, np.random.default_rng(seed), here)
            if groups is None:
                continue
            labels[members] = np.where(groups.labels < 0, -1, groups.labels + count)
            count += groups.count
            notes += groups.notes
            if groups.interrupted:
                plan = hurried(plan)
        return Groups.of(labels, tuple(notes) if self.inside else notes_together(notes))

    def _of_part(
        self, members: AnyArray, plan: Plan, rng: np.random.Generator, watch: Watch
    ) -> Groups | None:
        """Divide the rows of one part; None where they can't keep every promise."""
        if len(members) < plan.recipe.k:
            return None
        some = self.rows.shard(members)
        share = some.count / (self.rows.count + self.elsewhere.rows)
        try:
            return dividing.divided(some, timed(plan, share), rng, watch, self._others(some))
        except PrivacyNotMet:
            return None

    def _others(self, some: Rows) -> Elsewhere:
        """Count the rows of all other parts and shards by their sensitive values."""
        values = tuple(
            away + _counted(all_rows.codes, all_rows.size) - _counted(column.codes, column.size)
            for away, all_rows, column in zip(
                self.elsewhere.values, self.rows.sensitive, some.sensitive, strict=True
            )
        )
        return Elsewhere(self.elsewhere.rows + self.rows.count - some.count, values)

    @property
    def _torn(self) -> Flags:
        """Mark the rows of people who have rows in several parts."""
        person = self.rows.person
        if person is None:
            return np.zeros(self.rows.count, np.bool_)
        people = int(person.max(initial=-1)) + 1
        first = np.full(people, np.iinfo(np.int32).max, np.int32)
        last = np.full(people, -1, np.int32)
        np.minimum.at(first, person, self.part)
        np.maximum.at(last, person, self.part)
        return np.asarray((first != last)[person], np.bool_)


def _nothing(rows: Rows) -> Elsewhere:
    return Elsewhere(0, tuple(np.zeros(column.size + 1, np.int64) for column in rows.sensitive))


def _counted(codes: Ints, size: int) -> Counts:
    return np.bincount(codes, minlength=size + 1).astype(np.int64)


def _refuse_left_out(groups: Groups, rows: Rows, plan: Plan, of_table: int) -> None:
    """Refuse to leave out more rows than the recipe allows, with what would be enough."""
    allowed = dividing.may_be_withheld(plan, of_table)
    if groups.withheld <= allowed:
        return
    columns = [axis.name for axis in rows.axes if axis.parts is not None]
    share = math.ceil(1000 * groups.withheld / of_table) / 1000
    coarser = f"allow coarser cells of {' or '.join(map(repr, columns))}"
    out = Set("withhold", share, "leave these rows out") if share < 1 else "lower k"
    raise PrivacyNotMet(
        f"{groups.withheld:,} of {of_table:,} rows find no group inside the coarsest cells allowed",
        {
            "coarsest cells are set for": ", ".join(map(repr, columns)),
            "rows that may be left out": allowed,
            "published": "nothing",
        },
        Remedy(out, coarser, "lower k"),
    )
