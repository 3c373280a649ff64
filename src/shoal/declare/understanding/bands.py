"""Bands in text: open ends (`7+`, `90 and over`, `<1`, `>=65`) and ranges (`10-19`).

They are recognised, so that nobody takes such a column for numbers that some rows spoil. They are
categories: every band is published as it stands, or as `*`.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags

NUMBER = "[0-9]{1,9}(?:[.,][0-9]+)?"
OVER = (
    "and over|and older|and above|or more|or older|or over|\\+"
    "|und mehr|und [aä]lter|et plus|y m[aá]s"
)
UNDER = "and under|and younger|or less|or younger|or under|und j[uü]nger|et moins|y menos"
PLAIN = NUMBER
OPEN = (
    rf"{NUMBER} ?(?i:{OVER}|{UNDER})|(?:[<>]=?|[≤≥]) ?{NUMBER}"
    rf"|(?i:under|below|less than|over|more than|unter|[uü]ber|moins de|plus de) {NUMBER}"
)
RANGE = (
    rf"{NUMBER} ?(?:-|–|to|bis|à|a) ?{NUMBER}|\[{NUMBER}, ?{NUMBER}\)?\]?|\({NUMBER}, ?{NUMBER}\]"
)
UNITS = "(?: ?(?i:years?|yrs?|jahre?|ans|a[nñ]os|y))?"
BAND = rf"(?:(?i:ages?|y) ?)?(?:{OPEN}|{RANGE}){UNITS}"
ANY = rf"(?:{BAND}|{PLAIN}{UNITS})"
SAID = "bands of numbers with open ends: categories"
SAID_RANGES = "ranges of numbers: categories"


def spelled(texts: pa.Array) -> Flags:
    """Mark the texts that are bands, or single numbers beside them."""
    return np.asarray(pc.match_substring_regex(texts, f"^{ANY}$"), np.bool_)


def is_banded(texts: pa.Array) -> bool:
    """Tell whether texts are bands, all of them, and not numbers alone."""
    if not len(texts) or not spelled(texts).all():
        return False
    return bool(pc.any(pc.match_substring_regex(texts, f"^{BAND}$")).as_py())


def said(texts: pa.Array) -> str:
    """Say in a line that texts are bands, or ranges alone."""
    opened = pc.any(pc.match_substring_regex(texts, rf"^(?:(?i:ages?|y) ?)?(?:{OPEN}){UNITS}$"))
    return SAID if opened.as_py() else SAID_RANGES


def ordered(text: str) -> tuple[float, float]:
    """Return where a band begins and ends; an open end is infinite.

    >>> ordered("10-19"), ordered("7+"), ordered("<1")
    ((10.0, 19.0), (7.0, inf), (-inf, 1.0))
    """
    numbers = [float(number.replace(",", ".")) for number in re.findall(NUMBER, text)]
    if len(numbers) == 2:
        return numbers[0], numbers[1]
    (number,) = numbers
    if re.search(rf"^[<≤]|(?i:{UNDER}|under|below|less than|unter|moins de)", text):
        return -math.inf, number
    if re.search(rf"^[>≥]|(?i:{OVER}|over|more than|[uü]ber|plus de)", text):
        return number, math.inf
    return number, number
