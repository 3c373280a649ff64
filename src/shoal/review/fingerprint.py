"""Fingerprint: computes one hash of a release's rows as a set, in any order or file format."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Codes, Counts, Ints
from shoal.declare.columns import text_of, whole
from shoal.declare.numbering import dictionary_of
from shoal.review.recount import keys, numbered

# between two cells, and in place of a missing one
BETWEEN = "\x1f"
NOTHING = "\x1e"
BLOCK = 10_000  # different rows that are hashed at a time


def fingerprint(table: pa.Table) -> str:
    """Hash the column names and the sorted rows by SHA-256, each cell as its published text."""
    digest = _begun(table.column_names)
    if table.num_columns and table.num_rows:
        texts, counts = _rows(table)
        lengths = np.repeat(np.asarray(pc.binary_length(texts), np.int64), counts)
        digest.update(np.cumsum(lengths).astype("<i8").tobytes())  # tells where each row ends
        for begin in range(0, len(texts), BLOCK):
            times = counts[begin : begin + BLOCK]
            places = np.repeat(np.arange(len(times)), times)
            digest.update(_bytes(texts.slice(begin, BLOCK).take(pa.array(places))))
    return digest.hexdigest()


def are_same_texts(table: pa.Table, texts: pa.Table) -> bool:
    """Tell whether a table has the cells of another in their places, each as its published text.

    Then both have one fingerprint: it is made of these texts alone.
    """
    if table.column_names != texts.column_names or table.num_rows != texts.num_rows:
        return False
    pairs = zip(table.columns, texts.columns, strict=True)
    return all(text_of(whole(one)).equals(text_of(whole(other))) for one, other in pairs)


def fingerprint_in_parts(
    names: Sequence[str], texts: Sequence[pa.Array], parts: Callable[[], Iterable[Codes]]
) -> str:
    """Hash a table that comes twice in sorted parts, with the result of `fingerprint`.

    Each part holds codes ([column, row]) along texts that `in_order` gave.
    """
    digest = _begun(names)
    done = 0
    lengths = [np.asarray(pc.binary_length(column), np.int64) for column in texts]
    for part in parts():
        cells = sum(column[codes] for column, codes in zip(lengths, part, strict=True))
        ends = done + np.cumsum(cells + len(texts) - 1)  # and what stands between the cells
        digest.update(ends.astype("<i8").tobytes())
        done = int(ends[-1]) if len(ends) else done
    for part in parts():
        for begin in range(0, part.shape[1], BLOCK):
            digest.update(_joined_rows(texts, part[:, begin : begin + BLOCK]))
    return digest.hexdigest()


def _joined_rows(texts: Sequence[pa.Array], codes: Codes) -> memoryview:
    """Write rows by their codes, with what stands between the cells."""
    cells = (column.take(pa.array(of)) for column, of in zip(texts, codes, strict=True))
    joined = pc.binary_join_element_wise(*cells, pa.scalar(BETWEEN, pa.large_string()))
    return _bytes(joined.cast(pa.large_binary()))


def in_order(values: pa.Array, *, last: bool) -> tuple[pa.Array, Ints]:
    """Sort the texts of a column as rows are sorted, and return the rank of each value.

    A missing value stands at the end.

    Behind each cell but the last of a row comes a mark, by which a text and a longer one that
    begins like it are compared.
    """
    spelled = _spelled(text_of(values))
    marked = spelled
    if not last:
        nothing = pa.scalar("", pa.large_string())
        mark = pa.scalar(BETWEEN, pa.large_string())
        marked = pc.binary_join_element_wise(spelled, nothing, mark)
    order = np.asarray(pc.array_sort_indices(marked.cast(pa.large_binary())), np.int64)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return spelled.take(pa.array(order)), place


def _bytes(texts: pa.Array) -> memoryview:
    """Return the bytes of texts, one after the other."""
    _, ends, held = texts.buffers()
    first, last = np.frombuffer(ends, np.int64)[[texts.offset, texts.offset + len(texts)]]
    return memoryview(held or b"")[first:last]


def _begun(names: Sequence[str]) -> Any:
    """Start a hash with the names of the columns."""
    spelled = BETWEEN.join(_escaped(pa.array(names, pa.string())).to_pylist()).encode()
    # the length in front keeps names and rows apart
    return hashlib.sha256(len(spelled).to_bytes(8, "little") + spelled)


def _rows(table: pa.Table) -> tuple[pa.Array, Counts]:
    """Return the different rows as sorted texts, and how often each occurs."""
    columns = [dictionary_of(text_of(whole(column))) for column in table.columns]
    codes = [
        np.asarray(pc.fill_null(column.indices, len(column.dictionary)), np.int32)
        for column in columns
    ]
    labels, count = numbered(keys(codes, [len(column.dictionary) + 1 for column in columns]))
    member = np.empty(count, np.int64)
    member[labels] = np.arange(len(labels))  # any row will do: they are equal
    cells = (
        _spelled(column.dictionary).take(pa.array(numbers[member]))
        for column, numbers in zip(columns, codes, strict=True)
    )
    texts = pc.binary_join_element_wise(*cells, pa.scalar(BETWEEN, pa.large_string())).cast(
        pa.large_binary()
    )
    order = pc.array_sort_indices(texts)
    return texts.take(order), np.bincount(labels, minlength=count)[np.asarray(order)]


def _spelled(values: pa.Array) -> pa.Array:
    """Escape cells, so that joined rows stay different; the last cell is a missing one."""
    return pa.concat_arrays(
        [pc.cast(_escaped(values), pa.large_string()), pa.array([NOTHING], pa.large_string())]
    )


def _escaped(texts: pa.Array) -> pa.Array:
    for plain, escaped in (("\\", "\\\\"), (BETWEEN, "\\1"), (NOTHING, "\\2")):
        texts = pc.replace_substring(texts, plain, escaped)
    return texts
