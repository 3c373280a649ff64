"""Fingerprint: one hash for the rows of a release as a set, whatever their order or file format."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts
from shoal.declare.columns import text_of, whole
from shoal.review.recount import keys, numbered

BETWEEN, NOTHING = "\x1f", "\x1e"  # between two cells, and in place of a missing one
BLOCK = 10_000  # different rows that are hashed at a time


def fingerprint(table: pa.Table) -> str:
    """SHA-256 over the column names and the sorted rows, each cell as its published text."""
    names = BETWEEN.join(_escaped(pa.array(table.column_names, pa.string())).to_pylist()).encode()
    digest = hashlib.sha256(len(names).to_bytes(8, "little") + names)  # its length tells names and rows apart
    if table.num_columns and table.num_rows:
        texts, counts = _rows(table)
        lengths = np.repeat(np.asarray(pc.binary_length(texts), np.int64), counts)
        digest.update(np.cumsum(lengths).astype("<i8").tobytes())  # tells where each row ends
        for begin in range(0, len(texts), BLOCK):
            some = zip(texts.slice(begin, BLOCK).to_pylist(), counts[begin : begin + BLOCK].tolist(), strict=True)
            digest.update(b"".join(text * times for text, times in some))
    return digest.hexdigest()


def _rows(table: pa.Table) -> tuple[pa.Array, Counts]:
    """The different rows as texts, sorted, and how often each occurs."""
    columns = [pc.dictionary_encode(text_of(whole(column))) for column in table.columns]
    codes = [np.asarray(pc.fill_null(column.indices, len(column.dictionary)), np.int32) for column in columns]
    labels, count = numbered(keys(codes, [len(column.dictionary) + 1 for column in columns]))
    member = np.empty(count, np.int64)
    member[labels] = np.arange(len(labels))  # any row will do: they are equal
    cells = (_spelled(column.dictionary).take(pa.array(some[member])) for column, some in zip(columns, codes, strict=True))
    texts = pc.binary_join_element_wise(*cells, pa.scalar(BETWEEN, pa.large_string())).cast(pa.large_binary())
    order = pc.array_sort_indices(texts)
    return texts.take(order), np.bincount(labels, minlength=count)[np.asarray(order)]


def _spelled(values: pa.Array) -> pa.Array:
    """Cells as text that can be joined without two rows becoming alike; the last is a missing one."""
    return pa.concat_arrays([pc.cast(_escaped(values), pa.large_string()), pa.array([NOTHING], pa.large_string())])


def _escaped(texts: pa.Array) -> pa.Array:
    for plain, escaped in (("\\", "\\\\"), (BETWEEN, "\\1"), (NOTHING, "\\2")):
        texts = pc.replace_substring(texts, plain, escaped)
    return texts
