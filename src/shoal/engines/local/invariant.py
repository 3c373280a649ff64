"""Invariant: people of sticky groups stand beside the same sensitive values in every release.

The *signature* of a group are the values that it showed when it was published last.

    somebody has another value now   the group is no longer published
    newcomers who look like a group  join it, if all of their values are in its signature
    other newcomers who look alike   are one group; beside a group that is kept as it was, they wait
    old groups that look alike now   are no longer published: nobody could tell them apart

A signature is kept in the ledger as keyed hashes. A value that nobody in the table has any more is
read from the file of the release that showed it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags, Ints, Longs
from shoal.declare.columns import text_of, whole
from shoal.encode.profile import Profile
from shoal.encode.rows import Rows
from shoal.engines.promises import OldCells, published_cells
from shoal.errors import RecipeError
from shoal.groups import Groups
from shoal.ledger.past import Past, PastRelease
from shoal.ledger.published import Hashing, keys_of, looks_of
from shoal.ledger.sticky import Standing
from shoal.recipe import Plan
from shoal.review.counterfeits import CounterfeitsOfGroup
from shoal.wording import Remedy, Set

NOWHERE = -1


@dataclass(frozen=True)
class Signatures:
    """Values that old groups have to show."""

    due: Flags
    """[old groups, values of the table]"""
    absent: dict[int, list[str]]
    """Values that nobody in the table has, by old group."""

    @classmethod
    def of(cls, past: Past, stand: Standing, column: Profile, hashing: Hashing) -> Signatures:
        """Look up what each old group showed when it was published last."""
        due = np.zeros((len(stand.group), column.size), np.bool_)
        absent: dict[int, list[str]] = {}
        hashes = hashing(text_of(column.shown)) if column.size else pa.array([], pa.binary(16))
        for number in np.unique(stand.release):
            release = past.releases[int(number)]
            units = np.flatnonzero(stand.release == number)
            counts = release.values().get(column.name)
            if counts is None:
                raise _unshown(release, column.name)
            code = np.asarray(pc.fill_null(pc.index_in(counts["value"], hashes), -1), np.int64)
            unit = _units(np.asarray(counts["group"], np.int32), stand.group[units], units)
            known = (unit >= 0) & (code >= 0)
            due[unit[known], code[known]] = True
            lacking = np.flatnonzero((unit >= 0) & (code < 0))
            if len(lacking):
                texts = _texts_of(release, column.name, hashing)
                for place in lacking.tolist():
                    text = texts[counts["value"][place].as_py()]
                    absent.setdefault(int(unit[place]), []).append(text)
        return cls(due, absent)


def _unshown(release: PastRelease, column: str) -> RecipeError:
    """Refuse groups that were published without the column whose values they have to keep."""
    facts = {"that release": release.called, "published": "nothing"}
    problem = f"people stand in groups of a release without the sensitive column '{column}'"
    guard = Set("across", "guard", "make groups anew")
    return RecipeError(problem, facts, Remedy(guard, "leave the model out"))


def _units(groups: Ints, of_units: Ints, units: Longs) -> Longs:
    """Find the unit of each group; -1 where it has none."""
    unit = np.full(int(max(groups.max(initial=0), of_units.max(initial=0))) + 1, NOWHERE, np.int64)
    unit[of_units] = units
    return unit[groups]


def _texts_of(release: PastRelease, column: str, hashing: Hashing) -> dict[bytes, str]:
    """Read the values of a release from its file, by their hash."""
    values = text_of(pc.unique(whole(release.rows()[column])).drop_null())
    return dict(zip(hashing(values).to_pylist(), values.to_pylist(), strict=True))


@dataclass(frozen=True)
class InvariantGroups:
    """Labels of rows: old groups by their number, and groups of newcomers behind them."""

    labels: Ints
    signatures: Signatures
    dropped: int
    """How many people are there and no longer published."""

    def due(self, first: Longs) -> tuple[Flags, dict[int, list[str]]]:
        """Give the values that groups have to show, `first` being the label of each."""
        signatures = self.signatures
        due = np.zeros((len(first), signatures.due.shape[1]), np.bool_)
        old = np.flatnonzero(first < len(signatures.due))
        due[old] = signatures.due[first[old]]
        absent = {
            int(group): signatures.absent[int(first[group])]
            for group in old
            if int(first[group]) in signatures.absent
        }
        return due, absent


OldOf = Callable[[Longs], OldCells | None]
"""Gives the old cells of groups, by the first label of each."""


def invariant_labels(
    rows: Rows, labels: Ints, signatures: Signatures, plan: Plan, old_of: OldOf, kept: pa.Table
) -> InvariantGroups:
    """Change labels such that groups look different and old ones show what they showed."""
    old = len(signatures.due)
    codes = rows.sensitive[0].codes
    beside = np.column_stack([signatures.due, np.zeros(old, np.bool_)])  # missing is no value
    inside = (labels >= 0) & (labels < old)
    changed = np.zeros(len(labels), np.bool_)
    changed[inside] = ~beside[labels[inside], codes[inside]]
    settled = np.where(np.isin(labels, labels[changed]), NOWHERE, labels)
    while True:
        told = _told_apart(settled, _looks(rows, settled, plan, old_of, kept), beside, codes)
        if np.array_equal(told, settled):
            break
        settled = told
    dropped = int(np.count_nonzero(inside & (settled < 0)))
    return InvariantGroups(settled.astype(np.int32), signatures, dropped)


def first_labels(groups: Groups, labels: Ints) -> Longs:
    """Give the label of the first row of each group."""
    first = np.zeros(groups.count, np.int64)
    there = np.flatnonzero(groups.labels >= 0)[::-1]
    first[groups.labels[there]] = labels[there]
    return first


def _looks(rows: Rows, labels: Ints, plan: Plan, old_of: OldOf, kept: pa.Table) -> Ints:
    """Number how rows will look; below -1 where they would look like a group that is kept."""
    groups = Groups.of(labels)
    if not groups.count:
        return labels
    old = old_of(first_labels(groups, labels))
    look, cells = looks_of(published_cells(rows, groups, plan, old), groups)
    same = np.asarray(pc.is_in(keys_of(cells), keys_of(kept.select(cells.column_names))), np.bool_)
    return np.where((look >= 0) & np.append(same, False)[look], -2 - look, look)


def _told_apart(labels: Ints, looks: Ints, beside: Flags, codes: Ints) -> Ints:
    """Join, merge or leave out groups that look alike."""
    result = np.where(looks < NOWHERE, NOWHERE, labels)
    old = len(beside)
    pairs = np.unique(np.stack([looks, labels])[:, looks >= 0], axis=1)
    shared = np.flatnonzero(np.bincount(pairs[0], minlength=1) > 1)
    for look in shared:
        of_look = pairs[1][pairs[0] == look]
        before = of_look[of_look < old]
        new = of_look[of_look >= old]
        if len(before) > 1:
            result[looks == look] = NOWHERE
        elif not len(before):
            result[np.isin(labels, new)] = new[0]
        else:
            for each in new:
                inside = labels == each
                fits = beside[before[0], codes[inside]].all()
                result[inside] = before[0] if fits else NOWHERE
    return result


def counterfeits_kept(past: Past, kept: Ints, column: str) -> tuple[CounterfeitsOfGroup, ...]:
    """Count counterfeits in groups that are published as they were: rows that are nobody's."""
    if not len(kept):
        return ()
    last = past.releases[-1]
    counts = last.values()[column]
    rows = np.bincount(
        np.asarray(counts["group"]), np.asarray(counts["count"]), last.cells().num_rows
    )
    people = np.bincount(last.group, minlength=last.cells().num_rows)
    cells = last.cells()
    return tuple(
        CounterfeitsOfGroup(cells=cells.slice(group, 1).to_pylist()[0], rows=number)
        for group in kept.tolist()
        if (number := int(rows[group] - people[group]))
    )
