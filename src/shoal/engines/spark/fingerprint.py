"""Marks: the hash of a release whose rows come to one worker as codes, in any order and more than
fit into its memory.

They wait on the worker's disk (4 bytes a cell, twice for a while), are sorted there bucket by
bucket, and read twice, as the hash that all certificates have asks for it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from shoal.engines.ordering import sorted_rows
from shoal.engines.profiles import Streamed
from shoal.engines.row_files import Folder, RowFile
from shoal.engines.spark.batches import Batches, Worker, array_of, several, telling
from shoal.review.fingerprint import fingerprint_in_parts, in_order

BUCKET = 2_000_000  # rows that are sorted at a time


@dataclass(frozen=True)
class Mark:
    """The hash of `rows` rows."""

    rows: int
    hash: str


def marking(columns: Sequence[Streamed]) -> Worker:
    """Pass on what others told, and tell the hash of all rows behind it.

    Rows come as codes, and none of them is anywhere else.
    """

    def mark(batches: Batches) -> Iterator[pa.RecordBatch]:
        orders = [in_order(column.values, last=column is columns[-1]) for column in columns]
        with Folder(Path(tempfile.gettempdir(), "shoal")) as folder:
            file = folder.file(len(columns))
            for some in several(batches):
                part = pa.Table.from_batches(some)
                yield from part.select(["told"]).filter(pc.is_valid(part["told"])).to_batches()
                codes = array_of(part.filter(pc.is_null(part["told"])), len(columns))
                for i, (_, place) in enumerate(orders):
                    codes[i] = place[codes[i]]
                file.append(codes.T)
            if rows := file.rows:
                buckets = sorted_rows(file, BUCKET, folder)
                texts = [spelled for spelled, _ in orders]
                yield from telling(Mark(rows, _hash_of(columns, texts, buckets))).to_batches()

    return mark


def _hash_of(
    columns: Sequence[Streamed], texts: Sequence[Sequence[str]], buckets: Sequence[RowFile]
) -> str:
    """Hash sorted rows of codes with the texts that each column's codes stand for."""
    names = [column.name for column in columns]
    return fingerprint_in_parts(
        names, texts, lambda: (each.T for file in buckets for each in file.blocks())
    )
