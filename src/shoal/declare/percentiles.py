"""Percentiles: ends of a coded column that are given by rank, such as `p99`."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts
from shoal.declare.columns import text_of
from shoal.declare.places import place_of

PERCENTILE = re.compile(r"p([0-9]+(?:[.][0-9]+)?)")


def quantile(values: pa.Array, counts: Counts, share: Fraction) -> Decimal:
    """Find the least value with at least this share of the rows at or below it."""
    rows = int(counts.sum())
    rank = max(-(-rows * share.numerator // share.denominator), 1)
    return Decimal(text_of(values)[int(np.searchsorted(np.cumsum(counts), rank))].as_py())


def is_end(option: str, end: str) -> bool:
    """Tell whether a text is a number, a date, or a percentile on the side of an option."""
    matched = PERCENTILE.fullmatch(end)
    if matched is None:
        return place_of(end) is not None
    share = Fraction(matched[1])
    if option == "bottom":
        share = 100 - share
    return 50 <= share < 100
