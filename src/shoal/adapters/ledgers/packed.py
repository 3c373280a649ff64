"""Packed: what a release leaves in a ledger, as bytes.

People who are new to the ledger are 16 bytes each, once; each person of a release is two whole
numbers. Cells and counts of groups are compressed columns of Arrow.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from shoal.arrays import AnyArray, Ints
from shoal.ledger.past import Past
from shoal.ledger.published import HASH, Published

WIDTH = 16


def packed(past: Past, new: Published) -> dict[str, bytes]:
    """Write a release as parts of an entry; people stand in the order of their hashes."""
    at = past.numbers(new.people)
    unknown = np.flatnonzero(at >= len(past.known))
    hashes = _halves(bytes_of(new.people.take(pa.array(unknown))))
    order = np.lexsort((hashes[:, 1], hashes[:, 0]))
    at[unknown[order]] = len(past.known) + np.arange(len(unknown))
    by_number = np.argsort(at)
    members = pa.table(
        {"who": at[by_number].astype(np.int32), "group": new.group[by_number].astype(np.int32)}
    )
    values = {f"values {name}": table_bytes(table) for name, table in new.values.items()}
    waiting = pa.table({"who": new.waiting, "waited": pa.array(new.waited, pa.int32())})
    return {
        "people": hashes[order].tobytes(),
        "members": table_bytes(members),
        "cells": table_bytes(_encoded(new.cells)),
        "waiting": table_bytes(waiting),
        **values,
    }


def bytes_of(hashes: pa.Array) -> bytes:
    """Join hashes to bytes."""
    return b"".join(hashes.to_pylist())


def hashes_of(joined: bytes) -> pa.Array:
    """Part bytes into hashes."""
    return pa.Array.from_buffers(HASH, len(joined) // WIDTH, [None, pa.py_buffer(joined)])


def members_of(part: bytes) -> tuple[Ints, Ints]:
    """Read numbers and groups of the people of a release."""
    table = table_of(part)
    return np.asarray(table["who"], np.int32), np.asarray(table["group"], np.int32)


def table_of(part: bytes) -> pa.Table:
    """Read columns."""
    with pa.ipc.open_stream(pa.py_buffer(part)) as reader:
        return _decoded(reader.read_all())


def values_of(parts: Mapping[str, bytes]) -> dict[str, pa.Table]:
    """Read the counts of each sensitive column."""
    return {name.removeprefix("values "): table_of(part) for name, part in parts.items()}


def _halves(joined: bytes) -> AnyArray:
    """Read each hash as two numbers, whose order is that of the bytes."""
    return np.frombuffer(joined, ">u8").reshape(-1, 2)


def table_bytes(table: pa.Table) -> bytes:
    """Write columns."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, _encoded(table).schema, options=options) as writer:
        writer.write_table(_encoded(table))
    return bytes(sink.getvalue())


def _encoded(table: pa.Table) -> pa.Table:
    """Number equal texts and hashes: groups share them."""
    columns = {
        name: column.combine_chunks().dictionary_encode()
        if column.type in (pa.string(), HASH) and len(column)
        else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pa.table(columns)


def _decoded(table: pa.Table) -> pa.Table:
    columns = {
        name: column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pa.table(columns)
