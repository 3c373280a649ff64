"""Values: the profiles of columns that are read part by part, and the codes of rows along them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts, Ints
from shoal.declare.banded import with_asked
from shoal.declare.coding import Coding
from shoal.declare.columns import kind_of, whole
from shoal.declare.understanding.column import Understood, refuse_unclear
from shoal.declare.understanding.table import ColumnsAsked
from shoal.encode.profile import Profile, without_nan
from shoal.errors import DataError
from shoal.wording import Remedy, Set

PENDING = 2**19  # values that wait before they are added up
BYTES = (
    100  # of a different value, about: itself, its count, and its place in the tables that find it
)


@dataclass(frozen=True)
class Streamed(Profile):
    """The profile of a column whose rows are elsewhere: it has no codes."""

    rows: int = 0
    understood: Understood | None = None
    """How cells become values; None where they are values already."""

    @property
    def missing(self) -> int:
        """The number of rows without a value."""
        return self.rows - int(self.counts.sum())

    def coded_as(self, asked: Coding | None) -> Streamed:
        """Round and cap the values as asked, or as they came."""
        came = self.understood.came if self.understood is not None else None
        return self.coded(with_asked(came, asked))

    def code(self, column: pa.Array) -> Ints:
        """Encode some rows."""
        if self.understood is not None:
            column = self.understood.values(column)
        plain = _plain(column, self.name)
        if self.coding is not None:
            plain = self.coding.coded(plain)
        encoded = pc.dictionary_encode(plain)
        places = pc.index_in(encoded.dictionary, value_set=self.values)
        if places.null_count:
            raise DataError(
                f"column '{self.name}' changed while it was read",
                remedy="wait until it is complete",
            )
        rank = np.append(np.asarray(places, np.int32), np.int32(self.size))
        # Index -1, a missing value, reads the last place.
        return rank[np.asarray(pc.fill_null(encoded.indices, -1))]


class Counting:
    """Counts the values of a column that comes in parts."""

    def __init__(self, name: str, most: int) -> None:
        self.name = name
        self.most = most
        self.rows = 0
        self._waiting = 0
        self._parts: list[pa.Table] = []

    def add(self, column: pa.Array) -> None:
        """Count more rows."""
        counted = pc.value_counts(pc.drop_null(_plain(column, self.name)))
        self._parts.append(pa.table({"value": counted.field(0), "times": counted.field(1)}))
        self.rows, self._waiting = self.rows + len(column), self._waiting + len(counted)
        if self._waiting > max(PENDING, self._parts[0].num_rows):
            self._add_up()

    def profile(self) -> Streamed:
        """Give the counts, values in ascending order."""
        self._add_up()
        values, times = (whole(self._parts[0][name]) for name in ("value", "times"))
        order = pc.sort_indices(values)
        counts = np.asarray(times.take(order), np.int64)
        return Streamed(
            self.name,
            kind_of(values.type, self.name),
            values.take(order),
            np.zeros(0, np.int32),
            counts,
            self.rows,
        )

    def _add_up(self) -> None:
        table = pa.concat_tables(self._parts).group_by("value").aggregate([("times", "sum")])
        self._parts = [table.rename_columns(["value", "times"])]
        self._waiting = 0
        if table.num_rows > self.most:
            raise DataError(
                f"column '{self.name}' has too many different values for this memory",
                {"different values": f"more than {self.most:,}"},
                Remedy(Set("memory", "8GB", "allow more memory"), "round the column"),
            )


def profiles(tables: Iterable[pa.Table], names: Sequence[str], memory: int) -> list[Streamed]:
    """Count the values of some columns of a table that comes in parts."""
    counting = [Counting(name, memory // (4 * BYTES * max(len(names), 1))) for name in names]
    for table in tables:
        for column in counting:
            column.add(whole(table[column.name]))
    return [column.profile() for column in counting]


def understood_profiles(
    columns: Mapping[str, Streamed], asked: ColumnsAsked
) -> tuple[dict[str, Streamed], tuple[Understood, ...]]:
    """Understand columns by their counted values, as a table in memory is understood."""
    profiles = dict(columns)
    looked_at = []
    for name, column in columns.items():
        if asked.concerns(name, column.values.type):
            understood = asked.understand(column.values, column.counts, name)
            looked_at.append(understood)
            if understood.changes and understood.problem is None:
                profiles[name] = _read(column, understood)
    refuse_unclear(looked_at)
    return profiles, tuple(looked_at)


def _read(column: Streamed, understood: Understood) -> Streamed:
    """Read the values of a column; several texts may be one value."""
    values, counts = understood.counted(column.values, column.counts)
    kind = kind_of(values.type, column.name)
    return replace(column, kind=kind, values=values, counts=counts, understood=understood)


def _plain(column: pa.Array, name: str) -> pa.Array:
    """Spell what counts as one value in one way, as `profile` has it."""
    if pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py():
        raise DataError(
            f"column '{name}' holds infinite numbers",
            remedy="replace them by the largest real value",
        )
    column = without_nan(column, name)
    return pc.cast(column, pa.string()) if pa.types.is_null(column.type) else column


def totals(column: Streamed) -> Counts:
    """Count each code, missing last."""
    return np.append(column.counts, column.missing)
