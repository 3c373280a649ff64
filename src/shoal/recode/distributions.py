"""Distributions: publish the shares of a column's values among several rows as columns.

`columns`: one column for each value, `<column>=<value>`, which holds shares; `<column>=` is the
share of missing values. `text`: one column of JSON, `{"flu": 0.4, "cold": 0.6}`, without the values
that don't occur; missing is the empty key.
"""

from __future__ import annotations

import json
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Floats
from shoal.declare.columns import text_of, whole
from shoal.encode.profile import Profile
from shoal.errors import DataError

Written = Literal["columns", "text"]
# The most columns of one distribution: nobody reads more, and files grow by rows times values.
COLUMNS = 1_000
DIGITS = 6


def written(column: Profile, shares: Floats, how: Written) -> dict[str, pa.Array]:
    """Convert shares `[rows, values and missing]` to published columns by name."""
    labels = [*text_of(column.values).to_pylist(), ""]
    if "" in labels[:-1] and shares[:, column.size].any():
        problem = (
            f"'{column.name}' holds missing values and empty texts, whose shares would stand "
            "in one place"
        )
        raise DataError(problem, remedy="merge them")
    if how == "text":
        texts = [_text(labels, row) for row in np.round(shares, DIGITS)]
        return {column.name: pa.array(texts, pa.string())}
    _refuse_many_columns(column)
    there = [place for place in range(len(labels)) if place < column.size or shares[:, place].any()]
    return {
        f"{column.name}={labels[place]}": pa.array(np.round(shares[:, place], DIGITS))
        for place in there
    }


def _refuse_many_columns(column: Profile) -> None:
    """Refuse a column each for the values of one that has too many."""
    if column.size > COLUMNS:
        facts = {
            "different values": column.size,
            "columns at most": COLUMNS,
            "published": "nothing",
        }
        problem = f"'{column.name}' has too many values for a column each"
        raise DataError(
            problem, facts, "round or group its values, or write distributions as text (write=text)"
        )


def shares_in(table: pa.Table, column: Profile) -> Floats:
    """Read the shares of a column from a release, in any form: `[rows, values]`.

    A plain value has a share of 1.
    """
    labels = text_of(column.values).to_pylist()
    if column.name not in table.column_names:
        absent = pa.array(np.zeros(table.num_rows))
        there = [f"{column.name}={label}" for label in labels]
        columns = [table[name] if name in table.column_names else absent for name in there]
        return np.array([_numbers(one, column.name) for one in columns]).reshape(len(labels), -1).T
    texts = text_of(whole(table[column.name])).to_pylist()
    told = {text: _told(text) for text in set(texts)}
    return np.array([[told[text].get(label, 0.0) for label in labels] for text in texts]).reshape(
        len(texts), -1
    )


def _numbers(shares: pa.ChunkedArray, name: str) -> Floats:
    try:
        return np.asarray(pc.cast(shares, pa.float64()), np.float64)
    except pa.ArrowInvalid:
        raise DataError(f"the shares of '{name}' are not all numbers") from None


def _told(text: str | None) -> dict[str, float]:
    """Read a cell as shares of values."""
    if text is None:
        return {}
    try:
        shares = json.loads(text)
    except ValueError:
        shares = None
    return shares if isinstance(shares, dict) else {text: 1.0}


def _text(labels: list[str], shares: Floats) -> str:
    said = {labels[place]: round(float(shares[place]), DIGITS) for place in np.flatnonzero(shares)}
    return json.dumps(said, ensure_ascii=False, sort_keys=True)
