"""Fingerprint: one hash for the rows of a release as a set, whatever their order or file format."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.columns import text_of

BETWEEN, NOTHING = "\x1f", "\x1e"  # between two cells, and in place of a missing one


def fingerprint(table: pa.Table) -> str:
    """SHA-256 over the column names and the sorted rows, each cell as its published text."""
    names = BETWEEN.join(_escaped(pa.array(table.column_names, pa.string())).to_pylist()).encode()
    digest = hashlib.sha256(len(names).to_bytes(8, "little") + names)  # its length tells names and rows apart
    if table.num_columns and table.num_rows:
        rows = pc.binary_join_element_wise(
            *(_spelled(column) for column in table.columns), pa.scalar(BETWEEN, pa.large_string())
        )
        rows = rows.take(pc.array_sort_indices(rows))
        offsets = np.cumsum(np.asarray(pc.binary_length(rows), np.int64))  # tells where each row ends
        digest.update(offsets.astype("<i8").tobytes())
        digest.update(b"".join(rows.cast(pa.large_binary()).to_pylist()))
    return digest.hexdigest()


def _spelled(column: pa.ChunkedArray) -> pa.Array:
    """Cells as text that can be joined without two rows becoming alike; works on different values only."""
    encoded = pc.dictionary_encode(text_of(column.combine_chunks()))
    texts = pc.cast(_escaped(encoded.dictionary), pa.large_string())
    return pc.fill_null(texts.take(encoded.indices), NOTHING)


def _escaped(texts: pa.Array) -> pa.Array:
    for plain, escaped in (("\\", "\\\\"), (BETWEEN, "\\1"), (NOTHING, "\\2")):
        texts = pc.replace_substring(texts, plain, escaped)
    return texts
