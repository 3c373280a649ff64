"""Identifiers: tells whether the values of a sensitive column are names or numbers of people.

A sensitive value is one that no outsider knows, so it is never judged by how rare it is: every
real table holds rare diagnoses. Only two shapes are refused, because nothing but an identifier has
them:

- **text** in which at least 10 values occur once, and these are over 80 % of its different values:
  names, passport numbers, free text;
- **whole numbers** of at least 10 rows that are all different, within a range below ten times
  these rows: running numbers.

A column of which over half of the rows have a value of their own, such as costs to the cent, is
published with a warning: whoever learns one value finds the row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts
from shoal.declare.columns import is_text, kind_of, points_of
from shoal.encode.profile import Profile

ONCE = 10  # values that must occur once before a column can be an identifier
SHARE = 0.8  # of the different values of a text; above it, they are names
DENSE = 10  # times the rows; running numbers have a range below it
NEARLY_UNIQUE = 0.5  # different values over rows; above it, most rows have a value of their own


def identifying(column: Profile) -> str | None:
    """Say why a sensitive column is an identifier; None where it is none."""
    once = int(np.count_nonzero(column.counts == 1))
    if once < ONCE:
        return None
    if is_text(column.values.type) and once > SHARE * column.size:
        return (
            f"column '{column.name}' is an identifier: {once:,} of its {column.size:,} different "
            "values occur once"
        )
    if column.kind == "number" and once == column.size and _runs(column.values):
        return f"column '{column.name}' is an identifier: it numbers {once:,} rows one by one"
    return None


def nearly_unique(columns: Iterable[Profile]) -> list[str]:
    """Name the columns of which most rows have a value of their own."""
    return [column.name for column in columns if has_own_values(column.counts)]


def has_own_values(counts: Counts) -> bool:
    """Tell whether over half of the rows that have a value have one of their own."""
    return len(counts) >= ONCE and len(counts) > NEARLY_UNIQUE * int(counts.sum())


def in_its_kind(name: str, values: pa.Array, counts: Counts) -> Profile:
    """Profile a column that was read as text: as numbers, if all of its texts are spelled so.

    Codes with a leading zero are no numbers.
    """
    none = np.zeros(0, np.int32)
    if is_text(values.type) and not pc.any(pc.match_substring_regex(values, "^-?0[0-9]")).as_py():
        with suppress(pa.ArrowInvalid):
            values = pc.cast(values, pa.float64())
    return Profile(name, kind_of(values.type, name), values, none, counts)


def stated(names: Sequence[str]) -> list[str]:
    """Write for a certificate which sensitive columns are nearly unique."""
    return [
        f"Most values of '{name}' occur in one row alone: whoever learns such a value of a person "
        "finds the row. Nothing is promised against that."
        for name in names
    ]


def _runs(values: pa.Array) -> bool:
    """Tell whether different numbers are whole and lie close together."""
    points = points_of(values, "number")
    whole = bool((points == np.round(points)).all())
    return whole and float(points.max()) - float(points.min()) < DENSE * len(points)
