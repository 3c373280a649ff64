"""Bands in text: open ends (`7+`, `90 and over`, `<1`, `>=65`) and ranges (`10-19`).

Signs of currencies and percent are left out, and Eurostat's `Y_GE85` is `>=85`. Where
`10,000-19,999` could have thousands or decimals, somebody has to say which (`number:point`).

Where no band lies across another, the column is ordered: each band becomes the number at which it
begins, and groups are published as intervals with open ends (`declare/banded`). Otherwise bands
are categories: every band is published as it stands, or as `*`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags
from shoal.declare.banded import BandCoding
from shoal.declare.open_ends import at_least, at_most
from shoal.declare.places import plain, typed
from shoal.declare.understanding import numbers
from shoal.declare.understanding.reading import Reading

NUMBER = r"[0-9]{1,9}(?:\.[0-9]+)?"
OVER = (
    "and over|and older|and above|and more|or more|or older|or over|\\+"
    "|und mehr|und [aä]lter|et plus|y m[aá]s"
)
UNDER = "and under|and younger|or less|or younger|or under|und j[uü]nger|et moins|y menos"
UP_TO = "up to|bis|jusqu'à|hasta"
FROM = "from|at least|ab|à partir de|desde"
UNITS = "(?: ?(?i:years?|yrs?|jahren?|jahre?|ans|a[nñ]os|y))?"
PLAIN = NUMBER
OPEN = (
    rf"{NUMBER}{UNITS} ?(?i:{OVER}|{UNDER})|(?:[<>]=?|[≤≥]) ?{NUMBER}"
    rf"|(?i:under|below|less than|over|more than|unter|[uü]ber|moins de|plus de|{UP_TO}|{FROM})"
    rf" {NUMBER}"
)
RANGE = (
    rf"{NUMBER} ?(?:-|–|to|bis|à|a) ?{NUMBER}|\[{NUMBER}, ?{NUMBER}\)?\]?|\({NUMBER}, ?{NUMBER}\]"
)
BAND = rf"(?:(?i:ages?|y) ?)?(?:{OPEN}|{RANGE}){UNITS}"
ANY = rf"(?:{BAND}|{PLAIN}{UNITS})"
STRICTLY_UNDER = r"^<(?!=)|(?i:^(?:ages? ?)?(?:under|below|less than|unter|moins de))"
STRICTLY_OVER = r"^>(?!=)|(?i:^(?:ages? ?)?(?:over|more than|[uü]ber|plus de))"
SAID = "bands of numbers that overlap: categories"
SAID_OPEN = "numbers with open ends"
SAID_RANGES = "ranges of numbers, in order"
REWRITTEN = (
    ("^Y_LT", "<"), ("^Y_LE", "<="), ("^Y_GT", ">"), ("^Y_GE", ">="),
    (r"^([\[(][0-9.]+),([0-9.]+[\])])$", r"\1, \2"),
)  # fmt: skip
"""Spellings of Eurostat, and intervals without a blank."""
SIGNS = "|".join(re.escape(sign) + "|" + code for sign, code, _ in numbers.CURRENCIES)
UNIT_SIGNS = rf"(?i: ?(?:%|{SIGNS}) ?)"
SIGNED = "[0-9]+(?:[.,][0-9]+)+"
COMMA = "number:comma"
POINT = "number:point"
POINTED = {COMMA: (("[.]", ""), (",", ".")), POINT: ((",", ""),)}
"""What is written for the signs in numbers, by the decimal sign."""
FITTING = {COMMA: numbers.COMMA, POINT: numbers.POINT}


def fitting_words(texts: pa.Array) -> list[str]:
    """List the ways to read the numbers in bands: with a decimal comma, with a decimal point.

    >>> fitting_words(pa.array(["7+", "<0,5"])), fitting_words(pa.array(["10,000-19,999"]))
    (['number:comma'], ['number:comma', 'number:point'])
    """
    written = _rewritten(texts).to_pylist()
    signed = {number for text in written for number in re.findall(SIGNED, text)}
    if not signed:
        return [POINT]
    return [word for word, one in FITTING.items() if all(re.fullmatch(one, n) for n in signed)]


def bare(texts: pa.Array, word: str) -> pa.Array:
    """Write bands without units and thousands separators, and with decimal points."""
    texts = _rewritten(texts)
    for sign, point in POINTED[word]:
        texts = pc.replace_substring_regex(texts, rf"([0-9]){sign}([0-9])", rf"\1{point}\2")
    marked = pc.replace_substring_regex(texts, UNIT_SIGNS, " ")
    marked = pc.replace_substring_regex(marked, " *(-|–) *", r"\1")
    return pc.utf8_trim_whitespace(marked)


def _rewritten(texts: pa.Array) -> pa.Array:
    for old, new in REWRITTEN:
        texts = pc.replace_substring_regex(texts, old, new)
    return texts


def spelled(texts: pa.Array) -> Flags:
    """Mark the texts that are bands, or single numbers beside them."""
    return np.asarray(pc.match_substring_regex(texts, f"^{ANY}$"), np.bool_)


def is_banded(texts: pa.Array) -> bool:
    """Tell whether texts are bands, all of them, and not numbers alone."""
    if not len(texts) or not re.search("[0-9]", texts[0].as_py()):  # quicker than all bands
        return False
    return any(_are_bands(bare(texts, word)) for word in fitting_words(texts))


def _are_bands(texts: pa.Array) -> bool:
    if not spelled(texts).all():
        return False
    return bool(pc.any(pc.match_substring_regex(texts, f"^{BAND}$")).as_py())


@dataclass(frozen=True)
class Band:
    """A band of numbers: both ends are in it; None where it is open."""

    first: Decimal | None
    last: Decimal | None
    spelled: str
    """How it is published where it is open: `7+`, `<1`, `<=5`."""

    @property
    def place(self) -> Decimal:
        """The number that stands for it: its first, or its last where it is open below."""
        place = self.last if self.first is None else self.first
        assert place is not None
        return place


def band_of(text: str) -> Band:
    """Read a band; what lies strictly beyond a number begins one unit of its digits further.

    >>> band_of(">65").first, band_of("<0.5").last, band_of("10-19").last
    (Decimal('66'), Decimal('0.4'), Decimal('19'))
    """
    low, high = ordered(text)
    ends = [Decimal(number) for number in re.findall(NUMBER, text)]
    unit = Decimal(1).scaleb(min(int(ends[0].as_tuple().exponent), 0))
    if math.isinf(low):
        strict = re.search(STRICTLY_UNDER, text) is not None
        if strict:
            return Band(None, ends[0] - unit, f"<{plain(ends[0])}")
        return Band(None, ends[0], at_most(plain(ends[0])))
    if math.isinf(high):
        first = ends[0] + unit * bool(re.search(STRICTLY_OVER, text))
        return Band(first, None, at_least(plain(first)))
    return Band(ends[0], ends[-1], "")


def values(texts: pa.Array, word: str = POINT) -> pa.Array:
    """Convert bands to the numbers that stand for them, whole ones where all are."""
    places = [band_of(text).place for text in bare(texts, word).to_pylist()]
    whole = all(place == place.to_integral_value() for place in places)
    return typed(places, pa.int64() if whole else pa.float64())


def in_order(texts: pa.Array, name: str, word: str = POINT) -> BandCoding | None:
    """Find the order of different bands; None where two of them overlap, or one has no order."""
    bands = {band_of(text) for text in bare(texts, word).to_pylist()}
    if any(_is_turned(band) for band in bands):
        return None
    # Where both `90` and `90+` are there, 90 is published as what is true of both.
    at_ends = {band.place for band in bands if band.first is None or band.last is None}
    bands = {band for band in bands if band.first != band.last or band.place not in at_ends}
    ascending = sorted(bands, key=lambda band: (band.place, band.first is not None))
    for band, after in pairwise(ascending):
        if band.place >= after.place or band.last is None or after.first is None:
            return None
        if band.last > after.first:
            return None
    below = [(plain(band.place), band.spelled) for band in ascending if band.first is None]
    above = [plain(band.place) for band in ascending if band.last is None]
    ends = _ends(ascending)
    if all(first == last for first, last in ends):  # single numbers, whose ends are rounded
        ends = ()
    bottom, spelled = next(iter(below), (None, ""))
    return BandCoding(name, next(iter(above), None), bottom, below=spelled, ends=ends)


def _ends(bands: Sequence[Band]) -> tuple[tuple[str, str], ...]:
    closed = [band for band in bands if band.first is not None and band.last is not None]
    return tuple((plain(band.place), plain(band.last or band.place)) for band in closed)


def _is_turned(band: Band) -> bool:
    return band.first is not None and band.last is not None and band.last < band.first


def ordered(text: str) -> tuple[float, float]:
    """Return where a band begins and ends; an open end is infinite.

    >>> ordered("10-19"), ordered("7+"), ordered("<1")
    ((10.0, 19.0), (7.0, inf), (-inf, 1.0))
    """
    ends = [float(number) for number in re.findall(NUMBER, text)]
    if len(ends) == 2:
        return ends[0], ends[1]
    (number,) = ends
    if re.search(rf"^[<≤]|^(?i:{UP_TO})|(?i:{UNDER}|under|below|less than|unter|moins de)", text):
        return -math.inf, number
    if re.search(rf"^[>≥]|^(?i:{FROM})|(?i:{OVER}|over|more than|[uü]ber|plus de)", text):
        return number, math.inf
    return number, number


READINGS = {
    COMMA: Reading(
        COMMA, "ranges of numbers with a decimal comma", ANY, partial(values, word=COMMA)
    ),
    POINT: Reading(POINT, "ranges of numbers with a decimal point", ANY, values),
}
"""How bands in order become numbers, by their decimal sign; `in_order` tells where they end."""
