"""Inspection: suggests roles, and finds the columns that single people out, before any work.

Roles are suggestions, read off the name of a column (see `vocabulary`), its kind, and how many rows
share a value. A column that nothing is known about is suggested to be dropped: that is the safe
side. Columns are understood as `anonymize` understands them (`declare/understanding`), so that the
command and the call which follow from an inspection run as they are printed. No cell is ever shown,
but for well-known words that mean missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts
from shoal.declare.columns import Kind, is_text, kind_of, whole
from shoal.declare.roles import Roles
from shoal.declare.understanding.codes import codes_in, may_be_codes
from shoal.declare.understanding.column import Understood, understand
from shoal.declare.understanding.missing import proposed
from shoal.encode.profile import is_mixed, profile
from shoal.errors import DataError
from shoal.groups import Groups, Note
from shoal.review.identifiers import NEARLY_UNIQUE, identifying
from shoal.review.inspection_screen import notices_of, screen_of
from shoal.review.person_columns import person_columns
from shoal.review.prechecks.entropy import sampled
from shoal.review.prechecks.kept import taking_leaks
from shoal.review.prechecks.repeated import Repeats, repeats_of, worst_repeats
from shoal.review.recount import coded, keys, numbered, recount
from shoal.review.risks.separation import separation
from shoal.review.suggested_command import SUGGESTED, Suggestion, suggested_call, suggested_command
from shoal.review.vocabulary import Role, rule_for
from shoal.screen import Screen, Shown
from shoal.wording import Option, Sentence, Set

ENOUGH_ROWS = 20  # fewer say nothing about a column
PAIRED = 12  # quasi-identifiers that are looked at in pairs
WORK = 50_000_000  # rows times pairs; a table of a million rows has 50 pairs looked at
# different values over rows, from which an `id` points at people rather than at kinds
POINTS_AT = 0.05
FEW_VALUES = 4  # different codes that need no levels
OWN_VALUE = "nearly every row has a value of its own"
OWN_NUMBER = "nearly every row has a number of its own, which works like an identifier"
UNKNOWN = Sentence(
    "nothing tells what it is: ",
    Option("quasi"),
    " if someone could know it of a person, ",
    Option("sensitive"),
    " if it must stay secret, ",
    Option("keep"),
    " if neither",
)


@dataclass(frozen=True)
class ColumnView:
    """One column: its contents, how far it singles people out, and the role it should have."""

    name: str
    kind: Kind
    different: int
    missing: int
    alone: float
    """Share of rows that nobody shares the value with."""
    entropy: float
    """Bits; missing counts as one more value."""
    role: Role
    reason: str
    understood: str = ""
    """What its cells were taken for, in a line."""
    read_as: str | None = None
    """What has to be said about it, so that it can be used."""
    hierarchy: str | None = None
    """The hierarchy that is suggested."""
    may_be_code: bool = False
    """Whether its numbers could be codes of categories: only its owner knows."""
    missing_words: tuple[str, ...] = ()
    """Words in it that often mean missing: taken as such only when named."""


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

    def call(self, file_name: str, table: str | None = None) -> str:
        """Write every suggestion as one call of Python."""
        return suggested_call(self._suggestion, file_name, table)

    @property
    def _suggestion(self) -> Suggestion:
        chosen = [column for column in self.columns if column.role in ("quasi", "sensitive")]
        return Suggestion(
            {role: tuple(self.names(role)) for role in SUGGESTED},
            {column.name: column.read_as for column in chosen if column.read_as},
            {column.name: column.hierarchy for column in chosen if column.hierarchy},
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for `--json`."""
        return asdict(self)


def inspect(table: pa.Table) -> Inspection:
    """Look at every column of a table, and at quasi-identifiers in pairs and together."""
    if not table.num_rows or not table.num_columns:
        raise DataError(
            "the table has no rows, so there is nothing to inspect", {"columns": table.num_columns}
        )
    looked_at = [_looked_at(name, table[name].combine_chunks()) for name in table.column_names]
    read = pa.table({view.name: values for view, values in looked_at})
    views, repeats = _with_person(table, [view for view, _ in looked_at])
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


def _looked_at(name: str, column: pa.Array) -> tuple[ColumnView, pa.Array]:
    """Look at one column; return it with its cells as they are understood."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind_of(column.type, name)  # refuses what holds no single value
    understood = understand(*_different(column), name)
    read = understood.values(column)
    view = _view(name, read, understood)
    values, counts = _different(read)
    unread = understood.problem is not None and view.reason == OWN_VALUE
    if view.role == "quasi" or unread or view.reason in (UNKNOWN, OWN_NUMBER):
        view = _readable(view, values, counts, understood)
    elif view.role == "sensitive" and view.kind == "number" and understood.reading is not None:
        view = replace(view, read_as=understood.reading.word)
    words = proposed(values, counts)
    return replace(view, missing_words=words, may_be_code=may_be_codes(values, name)), read


def _different(column: pa.Array) -> tuple[pa.Array, Counts]:
    """Return the different values of a column, and the rows of each."""
    counted = pc.value_counts(column.drop_null())
    return counted.field(0), np.asarray(counted.field(1), np.int64)


def _view(name: str, column: pa.Array, understood: Understood) -> ColumnView:
    kind = kind_of(column.type, name)
    codes, different = coded(column)
    counts = np.bincount(codes, minlength=different + 1).astype(np.int64)
    role, reason = _role(name, kind, counts)
    alone = int(np.count_nonzero(counts == 1)) / len(codes)
    missing = int(counts[-1])
    return ColumnView(
        name, kind, different, missing, alone, _entropy(counts), role, reason, understood.said
    )


def _readable(
    view: ColumnView, values: pa.Array, counts: Counts, understood: Understood
) -> ColumnView:
    """Say about a quasi-identifier what has to be said, so that nothing of it is refused.

    One whose reading is unclear is left to its owner: nothing is guessed here either.
    """
    if understood.problem is not None:
        first, *others = [Set("read_as", {view.name: word}) for word in understood.choices]
        either = [part for other in others for part in (" or ", other)]
        reason = Sentence("how to read it has to be said first: ", first, *either)
        return replace(view, role="drop", reason=reason)
    plain = understood.reading is None or understood.reading.plain
    may_have_levels = view.different > FEW_VALUES and plain
    codes = codes_in(values, view.name) if may_have_levels else None
    if codes is not None:
        said = view.understood if is_text(values.type) else f"numbers: {codes.said}"
        return replace(view, hierarchy=codes.hierarchy, understood=said)
    mixed = view.kind == "category" and is_mixed(values, counts)
    return replace(view, read_as="text") if mixed else view


def _role(name: str, kind: Kind, counts: Counts) -> tuple[Role, str]:
    """Suggest a role and give the reason.

    `counts` are the rows of each value, the last those without one.
    """
    different = len(counts) - 1
    held = int(counts[:-1].sum())
    if different == 0:
        return "drop", "it holds no value at all"
    if different == 1 and not counts[-1]:
        return "drop", "all rows hold the same value"
    enough = held >= ENOUGH_ROWS
    unique = enough and different / held > NEARLY_UNIQUE
    either_or = enough and different <= 2
    rule = rule_for(name, points=different >= POINTS_AT * held, either_or=either_or)
    if kind in ("date", "time") and (rule is None or rule.role != "quasi"):
        return "quasi", "a date: others may know when it happened"
    if rule is not None and not (unique and kind == "category" and rule.role == "sensitive"):
        return rule.role, rule.reason
    if unique and kind == "category":
        return "identifier", OWN_VALUE
    if unique:
        return "drop", OWN_NUMBER
    return "drop", UNKNOWN


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


def _entropy(counts: Counts) -> float:
    shares = counts[counts > 0] / counts.sum()
    return abs(float(-(shares * np.log2(shares)).sum()))


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
