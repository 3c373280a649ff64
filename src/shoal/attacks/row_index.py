"""`row-index`: does a column number the rows as the original did?

*The attacker knows* the place of a person in the original table, and nothing else.

    suspects = columns of the release that have no role, and kept or sensitive ones that number rows
               one by one
    guess    = the row whose number is the person's place; right if it fits the person in all that
             is published
    control  = any row of the release

Frames carry such a column away unseen (`Unnamed: 0`, `__index_level_0__`). It gates always. A
release without a suspect tells nothing, and the attack stops there.

By hand: the release has a column `Unnamed: 0`. Ada was row 17 of the original: the row that holds
17 is hers, whatever its other cells say.

Cost: one pass over each column that is looked at.

When to use it: on every release: a forgotten column of row numbers undoes all else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Floats, Longs
from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.row_order import fitting, payload
from shoal.attacks.sight import Seen, Sight
from shoal.declare.columns import text_of

# Numbers that reach further than this multiple of the people number something else.
SPARSE = 2


@dataclass(frozen=True)
class RowIndex(Attack):
    """Find people by a column that numbers the rows."""

    name = "row-index"
    gates = "always"
    stops_it = (
        "drop the column: name it under no role, or publish without an index (to_csv(index=False))"
    )

    def _tries(self, material: Material) -> Iterator[Tries]:
        suspects = numbering(material.release, material.scored.num_rows)
        published, truth = payload(material) if suspects else (np.zeros(0, np.int64),) * 2
        for name, numbers in suspects.items():
            sight = material.exactly
            row = _row_of(numbers, material.scored.num_rows)[sight.picked]
            right = _fits(sight, row) & (published[row] == truth[sight.picked]) & (row >= 0)
            blind = fitting(sight, published, truth) * sight.candidates / max(len(published), 1)
            yield Tries(
                right.astype(np.float64),
                blind,
                sight.population,
                "Takes a column for the person's place.",
                name,
            )
        if not suspects:
            yield Tries(np.zeros(0), np.zeros(0), None, "not possible: no column numbers the rows")


def numbering(seen: Seen, people: int) -> dict[str, Longs]:
    """Find columns of different whole numbers that may be row numbers.

    Numbers reach no further than there could be people, and are counted from 0.
    """
    boxes = {f"{name}_{end}" for name in seen.quasi for end in ("lo", "hi")} | set(seen.quasi)
    numberings = {}
    for name in seen.table.column_names:
        numbers = None if name in boxes else _whole(seen.table[name].combine_chunks())
        if (
            numbers is not None
            and numbers.max() <= SPARSE * people
            and len(np.unique(numbers)) == len(numbers)
        ):
            numberings[name] = numbers
    return numberings


def _whole(column: pa.Array) -> Longs | None:
    """Convert whole numbers from 0 or 1 on to places from 0 on; None for other columns."""
    if column.null_count or not len(column):
        return None
    try:
        numbers = np.asarray(pc.cast(text_of(column), pa.int64()), np.int64)
    except pa.ArrowInvalid:
        return None
    return None if numbers.min() < 0 else numbers - int(numbers.min() > 0)


def _row_of(numbers: Longs, people: int) -> Longs:
    """Find the row that bears each person's number, -1 for none."""
    row = np.full(max(people, int(numbers.max()) + 1), -1, np.int64)
    row[numbers] = np.arange(len(numbers))
    return row


def _fits(sight: Sight, row: Longs) -> Floats:
    """Mark people whom the cells of their row fit, as 0 or 1."""
    group = np.repeat(sight.boxes.groups.labels[row], np.diff(sight.starts))
    person = np.repeat(np.arange(sight.count), np.diff(sight.starts))
    return np.asarray(np.bincount(person, sight.matched == group, minlength=sight.count) > 0)
