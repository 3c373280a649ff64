"""Profile: the different values of a column, how often each occurs, and the code of each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts, Flags, Ints
from shoal.declare.coding import Coding
from shoal.declare.columns import Kind, is_text, kind_of, refuse_distant_days
from shoal.declare.numbering import dictionary_of
from shoal.declare.understanding.bands import is_banded
from shoal.declare.understanding.reading import trimmed
from shoal.errors import DataError, row_numbers
from shoal.wording import Remedy, Sentence, Set

NUMBER = r"^\s*[-+]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+)?\s*$"


@dataclass(frozen=True)
class Profile:
    """Values of a column in ascending order; `codes` count along them.

    The code `len(values)` means missing.
    """

    name: str
    kind: Kind
    values: pa.Array
    codes: Ints
    counts: Counts
    coding: Coding | None = field(default=None, kw_only=True)
    """The rounding and the ends of the values, where they were coded."""

    @property
    def size(self) -> int:
        """Count the different values, missing not among them."""
        return len(self.values)

    @property
    def missing(self) -> int:
        """Count the rows that have no value."""
        return len(self.codes) - int(self.counts.sum())

    @property
    def shown(self) -> pa.Array:
        """The values as they are published beside cells: as text where an end is open."""
        return self.values if self.coding is None else self.coding.shown(self.values)

    def coded(self, coding: Coding | None) -> Self:
        """Round and cap the values, which stay in ascending order; those that meet become one."""
        if coding is None:
            return self
        encoded = pc.dictionary_encode(coding.coded(self.values))
        place = np.append(np.asarray(encoded.indices, np.int32), len(encoded.dictionary))
        counts = np.bincount(place[:-1], self.counts, len(encoded.dictionary)).astype(np.int64)
        return replace(
            self,
            values=encoded.dictionary,
            codes=place.astype(np.int32)[self.codes],
            counts=counts,
            coding=coding,
        )


def profile(column: pa.Array, name: str) -> Profile:
    """Profile one column. NaN is missing; infinite numbers and distant dates are refused."""
    kind = kind_of(column.type, name)
    column = without_nan(column, name)
    if pa.types.is_null(column.type):
        column = pc.cast(column, pa.string())
    encoded = dictionary_of(column)
    order = np.asarray(pc.sort_indices(encoded.dictionary), np.int64)
    rank = np.empty(len(order) + 1, np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    rank[-1] = len(order)  # index -1, a missing value, reads the last place
    codes = rank[np.asarray(pc.fill_null(encoded.indices, -1))]
    values = encoded.dictionary.take(pa.array(order))
    return Profile(
        name,
        kind,
        values,
        codes,
        np.bincount(codes, minlength=len(order) + 1)[:-1].astype(np.int64),
    )


def without_nan(column: pa.Array, name: str) -> pa.Array:
    """Write NaN as missing and -0.0 as 0.0: one spelling for what counts as one value.

    Refuses infinite numbers, and dates beyond the years 1 to 9999.
    """
    refuse_distant_days(column, name)
    if not pa.types.is_floating(column.type):
        return column
    infinite = pc.fill_null(pc.is_inf(column), False)
    if pc.any(infinite).as_py():
        where = np.flatnonzero(np.asarray(infinite))
        raise DataError(
            f"column '{name}' holds infinite numbers",
            {"rows concerned": len(where), "first rows": row_numbers(where[:6])},
            "replace them by the largest real value, or leave them empty",
        )
    column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    # -0.0 and 0.0 are one value.
    return pc.if_else(pc.equal(column, 0.0), pa.scalar(0.0, column.type), column)


def refuse_missing(columns: Sequence[Profile]) -> None:
    """Refuse columns with missing values, all of them in one error."""
    gaps = {column.name: column.missing for column in columns if column.missing}
    if gaps:
        facts = {f"missing in '{name}'": count for name, count in gaps.items()}
        raise DataError(
            f"{len(gaps)} quasi-identifiers have missing values",
            facts,
            Remedy("fill them in", Sentence("use ", Set("missing", "own"))),
        )


def refuse_mixed(columns: Sequence[Profile]) -> None:
    """Refuse text columns that are mostly numbers.

    Each odd entry would turn the whole column into categories.
    """
    for column in columns:
        if column.kind == "category" and is_mixed(column.values, column.counts):
            numeric = _numeric(column.values)
            numbers = int(column.counts[numeric].sum())
            others = int(column.counts[~numeric].sum())
            where = np.flatnonzero(np.append(~numeric, False)[column.codes])
            rows = row_numbers(where[:6])
            facts = {"numbers": numbers, "others": others, "first rows with others": rows}
            categories = Set("hierarchies", {column.name: "flat"}, "treat all as categories")
            words = Set("na", ["unknown"], "name words that mean a missing value")
            remedy = Remedy("mend those rows (an empty field is missing)", words, categories)
            raise DataError(f"column '{column.name}' mixes numbers and text", facts, remedy)


def is_mixed(values: pa.Array, counts: Counts) -> bool:
    """Tell whether most rows of a text column hold numbers, and some do not.

    Codes with a zero in front, and bands such as `7+` beside numbers, are meant so.
    """
    if not is_text(values.type) or is_banded(trimmed(values)):
        return False
    numeric = _numeric(values)
    others = int(counts[~numeric].sum())
    mostly = others and int(counts[numeric].sum()) >= others
    return bool(mostly) and not _are_codes(values.filter(pa.array(numeric)))


def _numeric(values: pa.Array) -> Flags:
    """Mark texts that are numbers."""
    return np.asarray(pc.match_substring_regex(values, NUMBER), np.bool_)


def _are_codes(texts: pa.Array) -> bool:
    """Tell whether texts of digits are codes such as postcodes: some begin with a zero."""
    return bool(pc.any(pc.match_substring_regex(texts, "^0[0-9]")).as_py())
