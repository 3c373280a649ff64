"""Singling: counts the people whom columns single out, and how each column changes the count.

Rows are alike where they agree on every chosen column, a missing value being one more value.
Whoever is alone stays alone with one column more, so only the others are counted again; without a
column everyone is. Where several rows are about one person, a group's people are counted, and rows
are called alone whose group holds one person.

All rows of a table of up to four million are counted, beyond that four million drawn at random.
Fewer people are alike in a part of a table, so what is said of it is the careful side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts, Ints, Longs
from shoal.review.recount import coded, keys, numbered
from shoal.studio.work.inspecting import opened
from shoal.studio.work.telling import Tell

MOST_ROWS = 4_000_000
MOST_COLUMNS = 20
# the least people of every kind of group but the first: alone, 2 to 4, 5 to 9, 10 and more
EDGES = (2, 5, 10)

Coded = tuple[Ints, int]


@dataclass(frozen=True)
class Alike:
    """Groups of rows: the group of each row, and the numbers of rows and people in each."""

    labels: Ints
    rows: Counts
    people: Counts

    @property
    def alone(self) -> int:
        """Count the rows whose group holds one person."""
        return int(self.rows[self.people == 1].sum())


def do(
    tell: Tell, table: str, quasi: Sequence[str], others: Sequence[str], person: str | None = None
) -> dict[str, Any]:
    """Report the picture first, then what each column does to it, chosen columns first."""
    tell("counting")
    whole = opened(table)
    names = dict.fromkeys([*quasi, *others, *([person] if person else [])])
    rows = _drawn(whole.select(list(names)))
    who = None if person is None else coded(rows[person].combine_chunks())
    chosen = [coded(rows[name].combine_chunks()) for name in quasi]
    groups = alike(_together(chosen, rows.num_rows), who)
    tell.say("picture", rows=rows.num_rows, of=whole.num_rows, bars=_bars(groups))
    for place, name in enumerate(quasi[:MOST_COLUMNS]):
        rest = chosen[:place] + chosen[place + 1 :]
        alone = alike(_together(rest, rows.num_rows), who).alone
        tell.say("effect", column=name, people=groups.alone - alone)
    crowd = np.flatnonzero(groups.people[groups.labels] > 1)
    for name in others[: max(MOST_COLUMNS - len(quasi), 0)]:
        more = alike(*_refined(groups, coded(rows[name].combine_chunks()), who, crowd)).alone
        tell.say("effect", column=name, people=more)
    return {"columns": min(len(quasi) + len(others), MOST_COLUMNS)}


def alike(row_keys: Longs, who: Coded | None) -> Alike:
    """Group the rows that have equal keys."""
    labels, count = numbered(row_keys)
    rows = np.bincount(labels, minlength=count).astype(np.int64)
    if who is None:
        return Alike(labels, rows, rows)
    pairs = np.unique(labels.astype(np.int64) * (who[1] + 1) + who[0])
    return Alike(labels, rows, np.bincount(pairs // (who[1] + 1), minlength=count).astype(np.int64))


def _together(columns: Sequence[Coded], count: int) -> Longs:
    if columns:
        return keys([codes for codes, _ in columns], [size + 1 for _, size in columns])
    return np.zeros(count, np.int64)


def _refined(
    groups: Alike, column: Coded, who: Coded | None, crowd: Longs
) -> tuple[Longs, Coded | None]:
    """Compute keys of the rows that are not alone, with one column more."""
    refined = groups.labels[crowd].astype(np.int64) * (column[1] + 1) + column[0][crowd]
    return refined, None if who is None else (who[0][crowd], who[1])


def _bars(groups: Alike) -> list[int]:
    """Count rows in groups of one person, of 2 to 4, of 5 to 9, of 10 and more."""
    kinds = np.searchsorted(EDGES, groups.people, side="right")
    return [int(groups.rows[kinds == kind].sum()) for kind in range(len(EDGES) + 1)]


def _drawn(rows: pa.Table) -> pa.Table:
    """Choose the rows that are counted: all, or always the same sample of them.

    A fixed sample lets pictures be compared.
    """
    if rows.num_rows <= MOST_ROWS:
        return rows
    picked = np.random.Generator(np.random.PCG64(1)).choice(rows.num_rows, MOST_ROWS, replace=False)
    return rows.take(pa.array(np.sort(picked)))
