"""Spelled: decide the type of a column of texts in plain spelling, from all different values.

| every value looks like | becomes |
|---|---|
| `-12`, no leading zeros, fits 64 bits | int64 |
| `1.5`, `2e-3`, also `nan` and `inf` beside numbers | float64 |
| `2024-02-29` | date32 |
| `2024-02-29T12:30`, or with a space, seconds, a fraction | timestamp[us], cut at microseconds |
| the same with `Z` or `+01:00` | timestamp[us, UTC] |
| `12:30`, `12:30:59.5` | time64[us] |
| `1,5`, where fields stand between semicolons (`with_commas`) | float64 |
| `1.234` and `950` alone, where points may part thousands (`points_unclear`) | text: it is asked |
| anything else: `01234`, `+4712`, `true`, `NA`, 20-digit numbers | text, as it stands |

Zeros in front and long digit strings are codes, not amounts: as numbers, different codes would
become one. An empty quoted field is missing in a typed column and an empty text in a text column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
class TypeRule:
    """Texts of one spelling, and how they become values.

    Raises `ArrowInvalid` for a 30th of February.
    """

    pattern: str
    values: Callable[[pa.Array], pa.Array]

    def fits(self, texts: pa.Array) -> bool:
        """Tell whether every text that is there has this spelling, and a value."""
        if pc.all(pc.match_substring_regex(texts, f"^(?:{self.pattern})$")).as_py() is False:
            return False
        try:
            self.values(texts)
        except pa.ArrowInvalid:
            return False
        return True

    def typed(self, texts: pa.Array) -> pa.Array:
        """Convert texts that fit to values; empty ones are missing."""
        return self.values(_there(texts))

    def valued(self, texts: pa.Array) -> pa.Array:
        """Convert texts of this spelling to values; those that have none are missing.

        What Arrow says of a 30th of February quotes it.
        """
        try:
            return self.typed(texts)
        except pa.ArrowInvalid:
            there = pa.array(self._have_values(texts))
        return self.typed(pc.if_else(there, texts, pa.scalar(None, texts.type)))

    def _have_values(self, texts: pa.Array) -> list[bool]:
        """Tell which texts of this spelling have a value, half by half."""
        if self.fits(texts):
            return [True] * len(texts)
        if len(texts) == 1:
            return [False]
        half = len(texts) // 2
        return self._have_values(texts.slice(0, half)) + self._have_values(texts.slice(half))


def inferred(
    texts: pa.Array, *, with_commas: bool = False, points_unclear: bool = False
) -> pa.Array:
    """Convert a column of texts to numbers, dates or times, where all of them are such."""
    return _guessed(texts, Guess(with_commas=with_commas, points_unclear=points_unclear))


def dated(texts: pa.Array) -> pa.Array:
    """Convert a column of texts to dates or times, where all of them are such."""
    return _guessed(texts, Guess(DATES))


def may_be_thousands(texts: pa.Array) -> bool:
    """Tell whether points in a column of numbers may part thousands: `1.234` beside `950`.

    >>> may_be_thousands(pa.array(["1.234", "950"])), may_be_thousands(pa.array(["1.234", "9.5"]))
    (True, False)
    """
    there = _there(texts)
    if pc.all(pc.match_substring_regex(there, f"^(?:{POINTED_THOUSANDS})$")).as_py() is False:
        return False
    return bool(pc.any(pc.match_substring(there, ".")).as_py())


def _guessed(texts: pa.Array, guess: Guess) -> pa.Array:
    guess.look(texts.slice(0, HEAD))
    if not guess.rules or texts.null_count == len(texts):
        return texts
    encoded = texts.dictionary_encode()
    guess.look(encoded.dictionary)
    rule = guess.rule
    return texts if rule is None else rule.typed(encoded.dictionary).take(encoded.indices)


class Guess:
    """Keep the rules that fit all texts of a column; it may be looked at part by part."""

    def __init__(
        self,
        rules: Sequence[TypeRule] | None = None,
        *,
        with_commas: bool = False,
        points_unclear: bool = False,
    ) -> None:
        self.rules = list(RULES if rules is None else rules)
        self.rules += [COMMAS] if with_commas else []
        self.points_unclear = points_unclear
        self.seen = self.pointed = self.digits = self.has_commas = False

    def look(self, texts: pa.Array) -> None:
        """Drop the rules that some of these texts break."""
        there = _there(texts)
        if not self.rules or there.null_count == len(there):
            return
        self.seen = True
        if self.points_unclear and FLOATS in self.rules:
            like = pc.match_substring_regex(there, f"^(?:{POINTED_THOUSANDS})$")
            self.points_unclear = bool(pc.all(like).as_py())
        # whole numbers are floats too, and never dates
        if WHOLE in self.rules and WHOLE.fits(there):
            self.rules = [rule for rule in self.rules if rule in (WHOLE, FLOATS, COMMAS)]
            self.digits = True
            return
        self.rules = [rule for rule in self.rules if rule is not WHOLE and rule.fits(there)]
        if FLOATS in self.rules:
            self.pointed = self.pointed or bool(
                pc.any(pc.match_substring_regex(there, POINT)).as_py()
            )
            self.digits = self.digits or bool(
                pc.any(pc.match_substring_regex(there, "[0-9]")).as_py()
            )
        if COMMAS in self.rules:
            grouped = pc.match_substring_regex(there, f"^(?:{THOUSANDS})$")
            clear = pc.and_not(pc.match_substring(there, ","), grouped)
            self.has_commas = self.has_commas or bool(pc.any(clear).as_py())

    @property
    def rule(self) -> TypeRule | None:
        """Return the first rule that fits; None for texts.

        None too where whole numbers are too long for 64 bits, or words like `nan` stand alone.
        """
        return next(filter(self._is_sure, self.rules), None) if self.seen else None

    def _is_sure(self, rule: TypeRule) -> bool:
        """Tell whether a rule that all texts fit is what some of them ask for."""
        if rule is FLOATS:
            return self.pointed and self.digits and not self.points_unclear
        return self.has_commas if rule is COMMAS else True


def _there(texts: pa.Array) -> pa.Array:
    """Replace empty texts by missing ones."""
    return pc.if_else(pc.equal(texts, ""), None, texts)


def _whole(texts: pa.Array) -> pa.Array:
    return pc.cast(texts, pa.int64())


def _floats(texts: pa.Array) -> pa.Array:
    return pc.cast(texts, pa.float64())


def _comma_floats(texts: pa.Array) -> pa.Array:
    return pc.cast(pc.replace_substring(texts, ",", "."), pa.float64())


def _days(texts: pa.Array) -> pa.Array:
    return pc.cast(texts, pa.date32())


def _times(texts: pa.Array, zone: str | None = None) -> pa.Array:
    cut = pc.replace_substring_regex(texts, r"(\.[0-9]{6})[0-9]+", r"\1")
    return pc.cast(cut, pa.timestamp("us", zone))


def _zoned(texts: pa.Array) -> pa.Array:
    return _times(texts, "UTC")


def _clocks(texts: pa.Array) -> pa.Array:
    return pc.cast(_times(pc.binary_join_element_wise("1970-01-01", texts, "T")), pa.time64("us"))


WHOLE = TypeRule(f"-?{NUMBER}", _whole)
FLOATS = TypeRule(
    rf"-?(?:(?:{NUMBER}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|(?i:nan|inf|infinity))", _floats
)
COMMAS = TypeRule(r"-?(?:0|[1-9][0-9]{0,14})(?:,[0-9]+)?", _comma_floats)
# A comma before three digits may part thousands: nothing is decided by it.
THOUSANDS = r"-?[1-9][0-9]{0,2},[0-9]{3}"
POINTED_THOUSANDS = r"-?(?:0|[1-9][0-9]{0,2}(?:\.[0-9]{3})?)"
DATES = (
    TypeRule(DAY, _days),
    TypeRule(f"{DAY}[T ]{CLOCK}", _times),
    TypeRule(f"{DAY}[T ]{CLOCK}{ZONE}", _zoned),
    TypeRule(CLOCK, _clocks),
)
RULES = (WHOLE, FLOATS, *DATES)
