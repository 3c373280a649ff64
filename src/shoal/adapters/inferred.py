"""Inferred types: what the texts of a CSV column are, decided from all of its different values.

| every value looks like | becomes |
|---|---|
| `-12`, no leading zeros, fits 64 bits | int64 |
| `1.5`, `2e-3`, also `nan` and `inf` beside numbers | float64 |
| `2024-02-29` | date32 |
| `2024-02-29T12:30`, or with a space, seconds, a fraction | timestamp[us], digits beyond microseconds are cut |
| the same with `Z` or `+01:00` | timestamp[us, UTC] |
| `12:30`, `12:30:59.5` | time64[us] |
| anything else: `01234`, `+4712`, `true`, `NA`, 20-digit numbers | text, as it stands |

Zeros in front and long digit strings are codes, not amounts: as numbers, different codes would become one. An empty
quoted field is missing in a typed column and an empty text in a text column.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

HEAD = 1_000  # values that are looked at before a whole column is
POINT = r"\.|[eE]|(?i:nan|inf)"
NUMBER = r"(?:0|[1-9][0-9]*)"
DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
ZONE = r"(?:Z|[-+][0-9]{2}(?::?[0-9]{2})?)"


@dataclass(frozen=True)
class Rule:
    """Texts of one spelling, and how they become values; raises `ArrowInvalid` for a 30th of February."""

    pattern: str
    values: Callable[[pa.Array], pa.Array]

    def fits(self, texts: pa.Array) -> bool:
        """Whether every text that is there has this spelling."""
        return pc.all(pc.match_substring_regex(texts, f"^(?:{self.pattern})$")).as_py() is not False


def inferred(texts: pa.Array) -> pa.Array:
    """A column of texts as numbers, dates or times where all of them are; otherwise the same texts."""
    rules = [rule for rule in RULES if rule.fits(_there(texts.slice(0, HEAD)))]
    if not rules or texts.null_count == len(texts):
        return texts
    encoded = texts.dictionary_encode()
    different = _there(encoded.dictionary)
    if different.null_count == len(different):
        return texts
    for rule in rules:
        if rule.fits(different):
            try:
                return rule.values(different).take(encoded.indices)
            except pa.ArrowInvalid:
                continue
    return texts


def _there(texts: pa.Array) -> pa.Array:
    """Empty texts as missing ones."""
    return pc.if_else(pc.equal(texts, ""), None, texts)


def _whole(texts: pa.Array) -> pa.Array:
    return pc.cast(texts, pa.int64())


def _floats(texts: pa.Array) -> pa.Array:
    pointed, plain = pc.match_substring_regex(texts, POINT), pc.match_substring_regex(texts, "[0-9]")
    if not (pc.any(pointed).as_py() and pc.any(plain).as_py()):
        raise pa.ArrowInvalid("whole numbers too long for 64 bits, or words alone")
    return pc.cast(texts, pa.float64())


def _days(texts: pa.Array) -> pa.Array:
    return pc.cast(texts, pa.date32())


def _times(texts: pa.Array, zone: str | None = None) -> pa.Array:
    cut = pc.replace_substring_regex(texts, r"(\.[0-9]{6})[0-9]+", r"\1")
    return pc.cast(cut, pa.timestamp("us", zone))


def _zoned(texts: pa.Array) -> pa.Array:
    return _times(texts, "UTC")


def _clocks(texts: pa.Array) -> pa.Array:
    return pc.cast(_times(pc.binary_join_element_wise("1970-01-01", texts, "T")), pa.time64("us"))


RULES = (
    Rule(f"-?{NUMBER}", _whole),
    Rule(rf"-?(?:(?:{NUMBER}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|(?i:nan|inf|infinity))", _floats),
    Rule(DAY, _days),
    Rule(f"{DAY}[T ]{CLOCK}", _times),
    Rule(f"{DAY}[T ]{CLOCK}{ZONE}", _zoned),
    Rule(CLOCK, _clocks),
)
