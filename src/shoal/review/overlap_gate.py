"""Concealed: the gate for rows with boxes of their own, from the printed cells and the original.

Nobody can count groups here: rows differ. What can be recounted, with the original at hand, is how
many records each printed row fits, how many rows fit each record, and how many of those could be
its own while everybody else has one too (`k possible matches`). Rows are in no order that tells
whose they are, so a way to give every record a row is looked for first; where there is none, the
table is not a release of these records.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from shoal.arrays import Codes
from shoal.encode.axes import Axis
from shoal.encode.rows import Rows
from shoal.errors import DataError, PrivacyNotMet, ShoalError
from shoal.overlap.concealment import Concealment, check
from shoal.recode import reading

WORDS = {
    "k-1": "published rows fit fewer than {k:,} people",
    "1-k": "people are fitted by fewer than {k:,} published rows",
    "k-concealment": "people have fewer than {k:,} possible matches",
}


def printed_boxes(table: pa.Table, axes: Sequence[Axis]) -> tuple[Codes, Codes]:
    """Read the first and the last code that each published row fits on each axis."""
    absent = reading.lacking(table, [axis.name for axis in axes])
    if absent:
        raise DataError(f"the release has no column {', '.join(map(repr, absent))}")
    lo, hi = (np.empty((len(axes), table.num_rows), np.int32) for _ in range(2))
    for a, axis in enumerate(axes):
        column = reading.printed(table, axis.name)
        runs = reading.runs(axis, column.cells)
        lo[a] = runs.first[column.cell]
        hi[a] = runs.last[column.cell]
    return lo, hi


def recount(table: pa.Table, rows: Rows, k: int) -> Concealment:
    """Count how well the printed rows hide the records that they were made from."""
    return check(rows.codes, *printed_boxes(table, rows.axes), k, paired=False)


def refuse_exposed(counts: Concealment, promise: str, *, rows: int) -> None:
    """Refuse rows that do not keep a promise. `k-k` is two promises."""
    if counts.unpaired:
        facts = {"rows that could be nobody's": counts.unpaired, "published": "nothing"}
        raise ShoalError("the published rows do not cover the people whom they are about", facts)
    below = {
        "k-1": counts.covered_below,
        "1-k": counts.covering_below,
        "k-concealment": counts.matches_below,
    }
    for part in ("k-1", "1-k") if promise == "k-k" else (promise,):
        if below[part]:
            problem = f"{below[part]:,} of {rows:,} {WORDS[part].format(k=counts.k)}"
            raise PrivacyNotMet(
                problem, {"promise": promise, "k": counts.k, "published": "nothing"}, "lower k"
            )
