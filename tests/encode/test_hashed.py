"""Hashes of texts: as a slow version has them, and the same wherever texts stand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from shoal.encode.hashed import as_codes, from_codes, hashed

BITS = 2**64 - 1


def slowly(text: str) -> int:
    """FNV-1a, then the mixer of MurmurHash3, byte by byte."""
    number = 0xCBF29CE484222325
    for byte in text.encode():
        number = ((number ^ byte) * 0x100000001B3) & BITS
    for mixer in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        number = ((number ^ (number >> 33)) * mixer) & BITS
    return (number ^ (number >> 33)) & (2**62 - 1)


@given(st.lists(st.text(max_size=12)), st.integers(0, 3))
def test_hashes_are_those_of_a_slow_version(texts: list[str], skipped: int) -> None:
    array = pa.array(texts, pa.string()).slice(skipped)
    assert hashed(array).tolist() == [slowly(text) for text in texts[skipped:]]


@given(st.lists(st.integers(0, 2**62 - 1)))
def test_two_codes_hold_a_hash(numbers: list[int]) -> None:
    codes = as_codes(np.array(numbers, np.uint64))
    assert codes.dtype == np.int32 and (codes >= 0).all()
    assert from_codes(codes).tolist() == numbers


def test_a_million_texts_have_hashes_of_their_own() -> None:
    texts = pa.array(np.arange(1_000_000)).cast(pa.string())
    assert len(np.unique(hashed(texts))) == 1_000_000
