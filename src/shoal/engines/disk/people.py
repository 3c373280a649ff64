"""People: the rows of each person meet on disk, and learn where the row that represents them is.

Rows are scattered by their person, so that a part that fits into memory holds all rows of each. A
row gets its place in the table, and the axis codes of the row that represents its person, behind
its own codes: shards are cut and filled by these. One row for each person goes to a file of its
own, by which shards are cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Codes, Ints, Longs
from shoal.encode.hashed import as_codes, from_codes
from shoal.engines.disk.workspace import Workspace
from shoal.engines.encoding import Coded
from shoal.engines.people import NOBODY, persons_of, represented_by
from shoal.engines.prechecks import tally_of
from shoal.engines.row_files import RowFile, Scattered
from shoal.recipe import Plan
from shoal.review.kept_columns import KeptTally
from shoal.review.prechecks.kept import leak_of, refusal

FEW = 1_000_000  # combinations that fit into any memory


@dataclass(frozen=True)
class PeopleFiles:
    """The rows of all people, each with its place and with the axis codes of its person."""

    rows: RowFile
    units: RowFile
    """The axis codes of the row that represents each person."""


def gathered_people(
    table: Coded, file: RowFile, plan: Plan, workspace: Workspace
) -> tuple[PeopleFiles, KeptTally]:
    """Let the rows of each person meet; count how many people hold each kept combination."""
    axes = len(table.axes)
    judged = axes + len(table.sensitive)
    rows = workspace.folder.file(table.width + 2 + axes)
    units = workspace.folder.file(axes)
    kept = tally_of(table, np.zeros((table.width, 0), np.int32), plan)
    for part in _scattered(table, file, workspace).files:
        codes = part.columns()
        part.remove()
        person = persons_of(codes[table.published : table.width])
        by = represented_by(person, codes[:judged])
        rows.append(np.concatenate((codes, codes[:axes, by])).T)
        units.append(codes[:axes, by == np.arange(len(by))].T)
        kept = KeptTally.together([kept, tally_of(table, codes[: table.width], plan)])
        refuse_too_many(kept, table.count, plan)
    return PeopleFiles(rows, units), kept


def _scattered(table: Coded, file: RowFile, workspace: Workspace) -> Scattered:
    """Send rows, with their place behind their codes, to the part of their person."""
    count = max(-(-3 * table.count // (2 * workspace.rows)), 1)
    parts = workspace.folder.scattered(table.width + 2, count)
    place = 0
    for block in file.blocks():
        places = np.arange(place, place + len(block), dtype=np.uint64)
        place += len(block)
        person = block[:, table.published : table.width].T
        part = np.where(person[0] == NOBODY, places, from_codes(np.maximum(person, 0)))
        numbered = np.concatenate((block, as_codes(places).T), axis=1)
        parts.append(numbered, (part % np.uint64(count)).astype(np.int64))
    file.remove()
    return parts


def in_their_order(codes: Codes, table: Coded) -> Ints:
    """Put the rows of a shard into the order of the table, and leave all but their codes out."""
    places = from_codes(codes[table.width : table.width + 2])
    order: Longs = np.argsort(places)
    return np.ascontiguousarray(codes[: table.width, order])


def axis_codes(codes: AnyArray, table: Coded) -> Codes:
    """Give the axis codes by which rows go to shards: their own, or those of their person."""
    axes = len(table.axes)
    some = codes[:axes] if table.person is None else codes[-axes:]
    return np.ascontiguousarray(some)


def refuse_too_many(kept: KeptTally, rows: int, plan: Plan) -> None:
    """Refuse kept columns at once that have more combinations than k rows each could hold.

    Otherwise the counts might not fit into memory.
    """
    most = rows * (1 + plan.recipe.withhold) / plan.recipe.k + FEW
    rare = kept.too_rare(plan.recipe.k) if len(kept.times) > most else None
    if rare is not None:
        raise refusal([leak_of(rare)])
