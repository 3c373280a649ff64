"""Identifiers: tells whether the values of a sensitive column are names or numbers of people.

A sensitive value is one that no outsider knows, so it is never judged by how rare it is: every
real table holds rare diagnoses. Only two shapes are refused, because nothing but an identifier has
them:

- **text** in which at least 10 values occur once, and these are over 80 % of its different values:
  names, passport numbers, free text;
- **whole numbers** of at least 10 rows that are all different, within a range below ten times
  these rows: running numbers. Values at an open end (`90+`) stand for many, and are left out.

Texts that are numbers or dates are judged as such: a date, or an amount with decimals, is no name,
whether its column was read as text or not.

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
from shoal.declare.open_ends import bare_texts
from shoal.declare.understanding.column import understand
from shoal.encode.profile import Profile

ONCE = 10  # values that must occur once before a column can be an identifier
SHARE = 0.8  # of the different values of a text; above it, they are names
DENSE = 10  # times the rows; running numbers have a range below it
NEARLY_UNIQUE = 0.5  # different values over rows; above it, most rows have a value of their own


def identifying(column: Profile) -> str | None:
    """Say why a sensitive column is an identifier; None where it is none."""
    once = int(np.count_nonzero(column.counts == 1))
    if once < ONCE or once <= SHARE * column.size:
        return None
    seen = in_its_kind(column.name, column.shown, column.counts)
    if is_text(seen.values.type):
        return (
            f"column '{column.name}' is an identifier: {once:,} of its {column.size:,} different "
            "values occur once"
        )
    once = int(np.count_nonzero(seen.counts == 1))
    if seen.kind == "number" and ONCE <= once == seen.size and _runs(seen.values):
        return f"column '{column.name}' is an identifier: it numbers {once:,} rows one by one"
    return None


def nearly_unique(columns: Iterable[Profile]) -> list[str]:
    """Name the columns of which most rows have a value of their own."""
    return [column.name for column in columns if has_own_values(column.counts)]


def has_own_values(counts: Counts) -> bool:
    """Tell whether over half of the rows that have a value have one of their own."""
    return len(counts) >= ONCE and len(counts) > NEARLY_UNIQUE * int(counts.sum())


def in_its_kind(name: str, values: pa.Array, counts: Counts) -> Profile:
    """Profile published values: texts as numbers or dates, if all of them are spelled so.

    Numbers and dates at an open end are left out, as each stands for many. Codes with a leading
    zero are no numbers, and neither are digits in groups without decimals: telephone numbers.
    """
    if is_text(values.type):
        bare = bare_texts(values)
        read = _numbers(bare)
        if read is None:
            read = _as_understood(name, bare, counts)
        if read is not None:
            inside = pc.equal(bare, values)
            values = read.filter(inside)
            counts = counts[np.asarray(inside, np.bool_)]
    return Profile(name, kind_of(values.type, name), values, np.zeros(0, np.int32), counts)


def _numbers(texts: pa.Array) -> pa.Array | None:
    """Read plain numbers; None where some text is none."""
    if not pc.any(pc.match_substring_regex(texts, "^-?0[0-9]")).as_py():
        with suppress(pa.ArrowInvalid):
            return pc.cast(texts, pa.float64())
    return None


def _as_understood(name: str, texts: pa.Array, counts: Counts) -> pa.Array | None:
    """Read dates and numbers in any spelling; None where texts are neither."""
    column = understand(texts, counts, name)
    if column.choices and all(word.startswith("date:") for word in column.choices):
        column = understand(texts, counts, name, word=column.choices[0])
    grouped = pc.any(pc.match_substring_regex(texts, "[0-9][^0-9]+[0-9]")).as_py()
    if column.reading is None or (pa.types.is_integer(column.kind) and grouped):
        return None
    return column.values(texts)


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
