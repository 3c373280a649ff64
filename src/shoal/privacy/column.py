"""Column: the facts about a sensitive column that a model may use beside counts of groups.

Values stand in ascending order: as numbers where all of them are numbers, also where a file holds
them as text or some have an open end (`90+`), and else as Arrow sorts them. `totals` counts the
published rows by value, the last place being *missing*: models that compare a group with the whole
table compare with these, so withheld rows are no part of the comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Counts, Flags, Ints
from shoal.declare.columns import is_text, kind_of, text_of
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.hierarchies.tree import Tree
from shoal.declare.open_ends import bare_texts


@dataclass(frozen=True, eq=False)
class Column:
    """The different values of a sensitive column, none missing, and the tree above them."""

    name: str
    values: pa.Array
    totals: Counts
    tree: Tree | None = None
    leaf: Ints | None = None  # of each value in the tree

    @classmethod
    def nothing(cls, rows: int) -> Column:
        """Stand in for an absent column: `rows` rows without a value."""
        return cls("", pa.array([], pa.string()), np.array([rows], np.int64))

    @property
    def size(self) -> int:
        """The number of different values, which is also the code of a missing one."""
        return len(self.values)

    @property
    def numeric(self) -> bool:
        """True if every value is a finite number, even if spelled as text."""
        kind = kind_of(self.values.type, self.name)
        if kind == "number":
            return True
        try:
            return kind == "category" and bool(
                np.isfinite(np.asarray(pc.cast(_bare(self.values), pa.float64()))).all()
            )
        except pa.ArrowInvalid:
            return False

    def numbers(self, codes: AnyArray) -> list[Fraction]:
        """Return some values of a numeric column, exactly as they are spelled."""
        return [Fraction(text) for text in _bare(self.values.take(pa.array(codes))).to_pylist()]

    def named(self, texts: Sequence[str]) -> Flags:
        """Mark values that are spelled like one of the texts."""
        return np.asarray(
            pc.is_in(text_of(self.values), value_set=pa.array(texts, pa.string())), np.bool_
        )

    def only(self, codes: Ints) -> tuple[Ints, Column]:
        """Reduce the column to the values that some rows hold, and recode these rows.

        All other values of the table stand behind them as one, which borrows a name: no row here
        has it.
        """
        held = np.unique(codes[codes < self.size])
        others = int(self.totals[:-1].sum() - self.totals[held].sum())
        places = held
        if others:
            places = np.append(held, held[:1] if len(held) else 0)
        totals = np.concatenate(
            (self.totals[held], [others] if others else [], self.totals[-1:])
        ).astype(np.int64)
        rank = np.where(codes < self.size, np.searchsorted(held, codes), len(places))
        leaf = None if self.leaf is None else self.leaf[places]
        return rank.astype(np.int32), Column(
            self.name, self.values.take(pa.array(places)), totals, self.tree, leaf
        )

    def of(self, totals: Counts) -> Column:
        """Return this column with other totals of its values."""
        return replace(self, totals=totals)


@dataclass(frozen=True, eq=False)
class Sensitive:
    """A sensitive column, and the code of each row: the place of its value.

    A missing value has the number of values as its code.
    """

    column: Column
    codes: Ints
    elsewhere: Counts | None = None
    """The rows of other shards by value, where these rows are a shard; `totals` holds them too."""

    @classmethod
    def of(
        cls,
        name: str,
        codes: Ints,
        values: pa.Array,
        hierarchy: Hierarchy | None = None,
        elsewhere: Counts | None = None,
    ) -> Sensitive:
        """Build a column from codes that follow any order of its values.

        The highest code is a missing value.
        """
        order = ascending(values)
        rank = np.full(len(values) + 1, len(values), np.int32)
        rank[order] = np.arange(len(values), dtype=np.int32)
        codes = rank[codes]
        values = values.take(pa.array(order))
        totals = np.bincount(codes, minlength=len(values) + 1).astype(np.int64)
        if elsewhere is not None:
            elsewhere = elsewhere[[*order, -1]]
            totals = totals + elsewhere
        if hierarchy is None:
            return cls(Column(name, values, totals), codes, elsewhere)
        fitted = hierarchy.fit(values, kind_of(values.type, name), name, totals[:-1])
        return cls(Column(name, values, totals, fitted.tree, fitted.leaf), codes, elsewhere)


def ascending(values: pa.Array) -> Ints:
    """Return the places of the values in ascending order.

    Texts that are all numbers are compared as numbers, then as text.
    """
    if is_text(values.type):
        try:
            numbers = pc.cast(_bare(values), pa.float64())
        except pa.ArrowInvalid:
            return np.asarray(pc.sort_indices(values), np.int32)
        both = pa.table({"number": numbers, "text": values})
        return np.asarray(
            pc.sort_indices(both, sort_keys=[("number", "ascending"), ("text", "ascending")]),
            np.int32,
        )
    return np.asarray(pc.sort_indices(values), np.int32)


def _bare(values: pa.Array) -> pa.Array:
    """Spell values as text, without the marks of open ends: `90+` stands at 90."""
    return bare_texts(text_of(values))
