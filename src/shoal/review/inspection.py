"""Inspection: suggests roles, and finds the columns that single people out, before any work.

Roles are suggestions, read off the name of a column or its label (see `vocabulary`), its kind, and
how many rows share a value. A column that nothing is known about is suggested to be dropped: that
is the safe side. Columns are understood as `anonymize` understands them (`declare/understanding`),
so that the command and the call which follow from an inspection run as they are printed. No cell is
ever shown, but for well-known words that mean missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.declare.columns import whole
from shoal.declare.roles import Roles
from shoal.encode.profile import profile
from shoal.errors import DataError
from shoal.groups import Groups, Note
from shoal.review.identifiers import NEARLY_UNIQUE, identifying
from shoal.review.inspected_column import ENOUGH_ROWS, OWN_NUMBER, UNKNOWN, ColumnView, looked_at
from shoal.review.inspection_screen import notices_of, screen_of
from shoal.review.person_columns import person_columns
from shoal.review.prechecks.entropy import sampled
from shoal.review.prechecks.kept import taking_leaks
from shoal.review.prechecks.repeated import Repeats, repeats_of, worst_repeats
from shoal.review.recount import coded, keys, numbered, recount
from shoal.review.risks.separation import separation
from shoal.review.suggested_command import SUGGESTED, Suggestion, suggested_call, suggested_command
from shoal.review.vocabulary import Role
from shoal.screen import Screen, Shown

PAIRED = 12  # quasi-identifiers that are looked at in pairs
WORK = 50_000_000  # rows times pairs; a table of a million rows has 50 pairs looked at


@dataclass(frozen=True)
class PairView:
    """Two quasi-identifiers together."""

    columns: tuple[str, str]
    alone: float
    separation: float


@dataclass(frozen=True, repr=False)
class Inspection(Shown):
    """Every column, the most telling pairs (most first), and all quasi-identifiers together."""

    rows: int
    columns: tuple[ColumnView, ...]
    pairs: tuple[PairView, ...]
    alone: float
    """Share of rows that nobody shares all suggested quasi-identifiers with."""
    people: int | None = None
    """How many people the rows are about, where a column tells that some have several rows."""
    repeated: tuple[str, ...] = ()
    """Name and birth date, where both together repeat and no other column tells people apart."""

    @property
    def notices(self) -> tuple[Note, ...]:
        """Questions that only the owner of the table can answer."""
        return notices_of(self)

    @property
    def screen(self) -> Screen:
        """The table in a few lines: who stands alone, and what each column is."""
        return screen_of(self)

    def names(self, role: Role) -> list[str]:
        """List the columns with a suggested role."""
        return [column.name for column in self.columns if column.role == role]

    def most_telling(self, count: int = 5) -> list[ColumnView]:
        """List the columns that single out most rows by themselves, most first."""
        return sorted(self.columns, key=lambda column: (-column.alone, -column.entropy))[:count]

    def command(self, file_name: str, table: str | None = None) -> str:
        """Write every suggestion as one command for a POSIX shell; `table` is one of a database."""
        return suggested_command(self._suggestion, file_name, table)

    def call(self, file_name: str | None = None, table: str | None = None) -> str:
        """Write every suggestion as one call of Python; of `table`, where no file is named."""
        return suggested_call(self._suggestion, file_name, table)

    @property
    def asked_about(self) -> list[ColumnView]:
        """List the columns of which notices ask what only the owner knows."""
        return [column for column in self.columns if column.role in ("quasi", "sensitive")]

    @property
    def _suggestion(self) -> Suggestion:
        chosen = self.asked_about
        return Suggestion(
            {role: tuple(self.names(role)) for role in SUGGESTED},
            {column.name: column.read_as for column in chosen if column.read_as},
            {column.name: column.hierarchy for column in chosen if column.hierarchy},
            {column.name: column.missing_words for column in chosen if column.leans_on_words},
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for `--json`."""
        return asdict(self)


def inspect(table: pa.Table, labels: Mapping[str, str] | None = None) -> Inspection:
    """Look at every column of a table, and at quasi-identifiers in pairs and together.

    `labels` tell more than the names of columns, where a statistics program made the file.
    """
    if not table.num_rows or not table.num_columns:
        raise DataError(
            "the table has no rows, so there is nothing to inspect", {"columns": table.num_columns}
        )
    told = labels or {}
    columns = [
        looked_at(name, table[name].combine_chunks(), told.get(name, ""))
        for name in table.column_names
    ]
    read = pa.table({view.name: values for view, values in columns})
    views, repeats = _with_person(table, [view for view, _ in columns])
    views = _without_doubles(read, views)
    views = _without_leaks(table, read, _with_quasi(views))
    quasi = [view for view in views if view.role == "quasi"]
    together = recount([read[view.name].combine_chunks() for view in quasi])
    inspection = Inspection(table.num_rows, tuple(views), _pairs(read, quasi), _alone(together))
    if repeats is None:
        return inspection
    people = repeats.everyone(table.num_rows)
    if repeats.of.points_at == "named":
        return replace(inspection, people=people, repeated=repeats.of.columns)
    return replace(inspection, people=people)


def _with_person(
    table: pa.Table, views: list[ColumnView]
) -> tuple[list[ColumnView], Repeats | None]:
    """Suggest the column that says whose row it is, where `anonymize` would ask for it."""
    identifiers = tuple(view.name for view in views if view.role == "identifier")
    single = [field.name for field in table.schema if not pa.types.is_nested(field.type)]
    repeats = [
        repeats_of(of, [whole(table[name]) for name in of.columns])
        for of in person_columns(single, Roles((), identifiers=identifiers))
    ]
    worst = worst_repeats(repeats, table.num_rows)
    if worst is None or len(worst.of.columns) > 1:
        return views, worst
    people = worst.everyone(table.num_rows)
    said = f"identifier, {people:,} people in {table.num_rows:,} rows"
    reason = "several rows are about one person"
    (place,) = (i for i, view in enumerate(views) if view.name == worst.of.columns[0])
    suggested = replace(
        views[place], role="person", reason=reason, understood=said, read_as=None, hierarchy=None
    )
    return [*views[:place], suggested, *views[place + 1 :]], worst


def _with_quasi(views: list[ColumnView]) -> list[ColumnView]:
    """Suggest columns that nothing is known about as quasi-identifiers, where there are no others.

    That is the safe side too: whatever others may know is generalized. One column alone is left to
    its owner.
    """
    if any(view.role == "quasi" for view in views):
        return views
    unknown = [view for view in views if view.reason is UNKNOWN]
    if len(unknown) < 2:
        unknown += [view for view in views if view.reason is OWN_NUMBER]
    if len(unknown) < 2:
        return views
    reason = "nothing tells what it is, and no other column tells who someone is"
    return [
        replace(view, role="quasi", reason=reason) if view in unknown else view for view in views
    ]


def _without_leaks(
    table: pa.Table, read: pa.Table, views: Sequence[ColumnView]
) -> list[ColumnView]:
    """Drop columns that would be refused beside the quasi-identifiers: they tell too much."""
    chosen = sampled(table.num_rows)
    quasi = {
        view.name: profile(whole(read[view.name]), view.name).codes[chosen]
        for view in views
        if view.role == "quasi"
    }
    kept: list[ColumnView] = []
    for view in views:
        if view.role == "sensitive":
            column = profile(whole((read if view.read_as else table)[view.name]), view.name)
            if identifying(column) or taking_leaks(quasi, {view.name: column.codes[chosen]}, {}):
                reason = (
                    f"{view.reason}, but it tells too much about another column to be published"
                )
                view = replace(view, role="drop", reason=reason)
        kept.append(view)
    return kept


def _without_doubles(table: pa.Table, views: Sequence[ColumnView]) -> list[ColumnView]:
    """Drop quasi-identifiers that repeat an earlier one: education-num beside education.

    Only where that is no accident: two columns agree by chance if nearly all their values differ,
    or hardly any do.
    """
    kept: list[ColumnView] = []
    for view in views:
        judged = (
            view.role == "quasi"
            and table.num_rows >= ENOUGH_ROWS
            and 2 < view.different <= NEARLY_UNIQUE * table.num_rows
        )
        alike = [
            other.name
            for other in kept
            if judged and other.role == "quasi" and _profile(view) == _profile(other)
        ]
        same = next((name for name in alike if _one_to_one(table, view.name, name)), None)
        if same is not None:
            view = replace(view, role="drop", reason=f"says the same as '{same}'")
        kept.append(view)
    return kept


def _profile(view: ColumnView) -> tuple[int, int, float]:
    """Return what two columns with the same partition have in common.

    Cells are compared only where these agree.
    """
    return view.different, view.missing, round(view.entropy, 9)


def _one_to_one(table: pa.Table, one: str, other: str) -> bool:
    groups = [
        recount([table[name].combine_chunks() for name in names]).count
        for names in ((one,), (one, other))
    ]
    return groups[0] == groups[1]


def _pairs(table: pa.Table, quasi: Sequence[ColumnView]) -> tuple[PairView, ...]:
    """Measure pairs of the quasi-identifiers with most entropy, most telling first.

    There are as many pairs as the work allows.
    """
    chosen = sorted(quasi, key=lambda view: -view.entropy)[:PAIRED]
    limit = max(WORK // table.num_rows, 1)
    pairs = sorted(combinations(chosen, 2), key=lambda pair: -(pair[0].entropy + pair[1].entropy))
    codes = {view.name: coded(table[view.name].combine_chunks()) for view in chosen}
    views = []
    for a, b in pairs[:limit]:
        one, size = codes[a.name]
        other, width = codes[b.name]
        groups = Groups(*numbered(keys([one, other], [size + 1, width + 1])))
        views.append(PairView((a.name, b.name), _alone(groups), separation(groups)))
    return tuple(sorted(views, key=lambda pair: (-pair.alone, -pair.separation)))


def _alone(groups: Groups) -> float:
    """Return the share of rows that are a group by themselves."""
    return int(np.count_nonzero(groups.sizes == 1)) / max(int(groups.sizes.sum()), 1)
