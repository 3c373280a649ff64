"""Numbering: the different values of a column and the number of each row's, found once for a run.

A release is looked at by the gate, by risks, losses and attacks, and each of them numbers the cells
of its columns. Inside `numbered_once` that is done at the first look: Arrow's columns never change,
so whoever looks at the same memory again gets the same numbers. Nothing is taken from how a column
was made.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import pyarrow as pa
import pyarrow.compute as pc

Known = dict[Hashable, tuple[pa.Array, pa.DictionaryArray]]
_KNOWN: ContextVar[Known | None] = ContextVar("columns that were numbered", default=None)


@contextmanager
def numbered_once() -> Iterator[None]:
    """Keep the numbers of columns until the end of the block."""
    before = _KNOWN.set({})
    try:
        yield
    finally:
        _KNOWN.reset(before)


def dictionary_of(column: pa.Array) -> pa.DictionaryArray:
    """Number the different values of a column in the order of their first row.

    Floats are numbered anew each time: they come here with NaN and -0.0 written otherwise, as a
    column that nobody will look at again.
    """
    known = _KNOWN.get()
    if known is None or pa.types.is_floating(column.type):
        return pc.dictionary_encode(column)
    place = _memory_of(column)
    if place not in known:
        known[place] = (column, pc.dictionary_encode(column))  # the memory stays its own
    return known[place][1]


def _memory_of(column: pa.Array) -> Hashable:
    """Name the memory in which a column lies."""
    buffers = tuple(None if part is None else part.address for part in column.buffers())
    return str(column.type), len(column), column.offset, buffers
