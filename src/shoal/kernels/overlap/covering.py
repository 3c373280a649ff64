"""Boxes and the tuples that they cover, as a table of bits, and what can be read from it.

Bit t of `bits[box]` says that the box covers tuple t. Boxes and tuples are different ones, each
with the number of rows that have it: a few hundred million pairs of rows take some ten million
words, and one pair never takes more than a bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.arrays import Codes, Ints, Longs
from shoal.kernels.jit import compiled

Words = NDArray[np.uint64]

WORD = 64
ONE = np.uint64(1)
# A sequence of de Bruijn: any six bits of it in a row tell where they stand.
SEQUENCE = np.uint64(0x03F79D71B4CB0A89)
PLACE = np.zeros(WORD, np.int64)
for _shift in range(WORD):
    PLACE[(0x03F79D71B4CB0A89 << _shift & (1 << WORD) - 1) >> WORD - 6] = _shift


@compiled
def lowest(word: np.uint64) -> int:
    """Find the place of the lowest bit of a word that is not 0."""
    return PLACE[((word & (~word + ONE)) * SEQUENCE) >> np.uint64(58)]


@compiled
def has(bits: Words, place: int) -> bool:
    """Tell whether a bit is set."""
    return (bits[place >> 6] >> np.uint64(place & 63)) & ONE != 0


def covers(codes: Codes, lo: Codes, hi: Codes) -> Words:
    """Mark the tuples `codes[axis, tuple]` that each box covers.

    A box reaches from `lo[axis, box]` to `hi[axis, box]` on every axis.
    """
    tuples = codes.shape[1]
    bits = np.full((lo.shape[1], -(-tuples // WORD)), ~np.uint64(0))
    if tuples % WORD:
        bits[:, -1] = (1 << tuples % WORD) - 1
    for along, first, last in zip(codes, lo, hi, strict=True):
        _narrow(bits, along, first, last, np.lexsort((last, first)))
    return bits


@compiled
def _narrow(bits: Words, codes: Ints, lo: Ints, hi: Ints, order: Longs) -> None:
    """Clear the tuples of each box that lie outside it on one axis.

    In this order of the boxes equal intervals follow each other, and are worked out once.
    """
    inside = np.zeros(bits.shape[1], np.uint64)
    before = -1
    for box in order:
        if before < 0 or lo[box] != lo[before] or hi[box] != hi[before]:
            inside[:] = 0
            for place in range(len(codes)):
                within = lo[box] <= codes[place] and codes[place] <= hi[box]
                inside[place >> 6] |= np.uint64(within) << np.uint64(place & 63)
        for word in range(len(inside)):
            bits[box, word] &= inside[word]
        before = box


@compiled
def count_both(bits: Words, records: Longs, rows: Longs) -> tuple[Longs, Longs]:
    """Count the records that each box covers, and the rows that cover each tuple."""
    covered = np.zeros(len(rows), np.int64)
    covering = np.zeros(len(records), np.int64)
    for box in range(len(rows)):
        for place in range(bits.shape[1]):
            word = bits[box, place]
            while word:
                tuple_ = WORD * place + lowest(word)
                word &= word - ONE
                covered[box] += records[tuple_]
                covering[tuple_] += rows[box]
    return covered, covering


@compiled
def keep_inside(bits: Words, of_boxes: Ints, of_tuples: Ints) -> None:
    """Clear every pair of a box and a tuple that lie in different components."""
    for box in range(bits.shape[0]):
        for place in range(bits.shape[1]):
            word = bits[box, place]
            while word:
                bit = lowest(word)
                word &= word - ONE
                if of_tuples[WORD * place + bit] != of_boxes[box]:
                    bits[box, place] ^= ONE << np.uint64(bit)


@compiled
def turned(bits: Words, starts: Longs, tuples: int) -> Words:
    """Turn the table: bit r of `columns[tuple]` says that row r covers the tuple.

    Rows are numbered box by box: those of a box are `starts[box]` to `starts[box + 1]`.
    """
    columns = np.zeros((tuples, (starts[-1] + WORD - 1) // WORD), np.uint64)
    for box in range(bits.shape[0]):
        for place in range(bits.shape[1]):
            word = bits[box, place]
            while word:
                tuple_ = WORD * place + lowest(word)
                word &= word - ONE
                for row in range(starts[box], starts[box + 1]):
                    columns[tuple_, row >> 6] |= ONE << np.uint64(row & 63)
    return columns
