"""Hashed: a number for each text, equal for equal texts, so that rows elsewhere can be compared.

FNV-1a over the bytes, 64 bits, then the mixer of MurmurHash3; of these the lower 62 bits, so that a
number is two codes. Two of 10 million texts share a number with a chance of about 1 in 100,000.
Whoever is taken for somebody else by that makes a group larger, never smaller.

By hand: the empty text is the mixed 0xcbf29ce484222325. Cost: a pass over all texts for each byte
of the longest one.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from shoal.arrays import AnyArray, Codes

BASIS = np.uint64(0xCBF29CE484222325)
PRIME = np.uint64(0x100000001B3)
MIXERS = (np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53))
HALF = 31  # bits of a code
MASK = np.uint64(2**HALF - 1)


def hashed(texts: pa.Array) -> AnyArray:
    """Hash texts, none of them missing, to whole numbers below 2^62."""
    plain = texts.cast(pa.large_string())
    _, offsets, data = plain.buffers()
    ends = np.frombuffer(offsets, np.int64)[plain.offset : plain.offset + len(plain) + 1]
    signs = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    start = ends[:-1]
    length = np.diff(ends)
    number = np.full(len(plain), BASIS, np.uint64)
    for place in range(int(length.max(initial=0))):
        there = np.flatnonzero(length > place)
        number[there] = (number[there] ^ signs[start[there] + place]) * PRIME
    for mixer in MIXERS:
        number = (number ^ (number >> np.uint64(33))) * mixer
    return (number ^ (number >> np.uint64(33))) & np.uint64(2**62 - 1)


def as_codes(numbers: AnyArray) -> Codes:
    """Write whole numbers below 2^62 as two codes each: [half, number]."""
    halves = (numbers >> np.uint64(HALF), numbers & MASK)
    return np.array(halves, np.int64).astype(np.int32)


def from_codes(codes: Codes) -> AnyArray:
    """Read the whole numbers that two codes each stand for."""
    high, low = codes.astype(np.uint64)
    return (high << np.uint64(HALF)) | low
