"""Inspection: suggests roles, and finds the columns that single people out, before any work.

Roles are suggestions, read off the name of a column (see `vocabulary`), its kind, and how many rows
share a value. A column that nothing is known about is suggested to be dropped: that is the safe
side. No cell is ever shown.
"""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import PurePath
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts
from shoal.declare.columns import Kind, kind_of
from shoal.errors import DataError
from shoal.groups import Groups
from shoal.review.identifiers import NEARLY_UNIQUE
from shoal.review.recount import coded, keys, numbered, recount
from shoal.review.risks.separation import separation
from shoal.review.vocabulary import Role, rule_for
from shoal.wording import Option, Sentence

ENOUGH_ROWS = 20  # fewer say nothing about a column
PAIRED = 12  # quasi-identifiers that are looked at in pairs
WORK = 50_000_000  # rows times pairs; a table of a million rows has 50 pairs looked at
# different values over rows, from which an `id` points at people rather than at kinds
POINTS_AT = 0.05
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


@dataclass(frozen=True)
class PairView:
    """Two quasi-identifiers together."""

    columns: tuple[str, str]
    alone: float
    separation: float


@dataclass(frozen=True)
class Inspection:
    """Every column, the most telling pairs (most first), and all quasi-identifiers together."""

    rows: int
    columns: tuple[ColumnView, ...]
    pairs: tuple[PairView, ...]
    alone: float
    """Share of rows that nobody shares all suggested quasi-identifiers with."""

    def names(self, role: Role) -> list[str]:
        """List the columns with a suggested role."""
        return [column.name for column in self.columns if column.role == role]

    def most_telling(self, count: int = 5) -> list[ColumnView]:
        """List the columns that single out most rows by themselves, most first."""
        return sorted(self.columns, key=lambda column: (-column.alone, -column.entropy))[:count]

    def command(self, file_name: str, table: str | None = None) -> str:
        """Write every suggestion as one command for a POSIX shell; `table` is one of a database."""
        options = [("-q", "quasi"), ("-s", "sensitive"), ("-i", "identifier"), ("--keep", "keep")]
        where = [] if table is None else ["--table", table]
        target = "released.csv" if table else _safe(_released(file_name))
        words = ["shoal", "anonymize", _safe(file_name), *where, "-o", target]
        for option, role in options:
            names = self.names(role)  # type: ignore[arg-type]
            if names or role == "quasi":
                words += [option, _listed(names) or "COLUMNS"]
        return shlex.join([*words, "-k", "5"])

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for `--json`."""
        return asdict(self)


def _listed(names: Sequence[str]) -> str:
    """Join names by commas, as -q reads them.

    A name that holds a comma or a quote stands in quotes.
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def inspect(table: pa.Table) -> Inspection:
    """Look at every column of a table, and at quasi-identifiers in pairs and together."""
    if not table.num_rows or not table.num_columns:
        raise DataError(
            "the table has no rows, so there is nothing to inspect", {"columns": table.num_columns}
        )
    views = [_view(name, table[name].combine_chunks()) for name in table.column_names]
    views = _without_doubles(table, views)
    quasi = [view for view in views if view.role == "quasi"]
    together = recount([table[view.name].combine_chunks() for view in quasi])
    return Inspection(table.num_rows, tuple(views), _pairs(table, quasi), _alone(together))


def _view(name: str, column: pa.Array) -> ColumnView:
    kind = kind_of(
        column.type.value_type if pa.types.is_dictionary(column.type) else column.type, name
    )
    codes, different = coded(column)
    counts = np.bincount(codes, minlength=different + 1).astype(np.int64)
    role, reason = _role(name, kind, counts)
    alone = int(np.count_nonzero(counts == 1)) / len(codes)
    return ColumnView(name, kind, different, int(counts[-1]), alone, _entropy(counts), role, reason)


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
        return "identifier", "nearly every row has a value of its own"
    if unique:
        return "drop", "nearly every row has a number of its own, which works like an identifier"
    return "drop", UNKNOWN


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


def _released(file_name: str) -> str:
    """Name the file of the release: beside the table, in its form."""
    if file_name == "-":
        return "-"
    path = PurePath(file_name)
    return str(path.with_name(f"{path.stem}.released{path.suffix or '.csv'}"))


def _safe(file_name: str) -> str:
    """Return a file name that no option parser takes for an option."""
    return f"./{file_name}" if file_name.startswith("-") and file_name != "-" else file_name
