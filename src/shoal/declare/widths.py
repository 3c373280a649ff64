"""Widths: bands of one width on a line of numbers or dates, at places that follow no data.

    width 10            17      30      38      90 (top 90)
    begins at           10      30      30      90
    published      [10, 19] [30, 39] [30, 39]   90+

Bands begin at multiples of the width: whole numbers and dates have bands that do not touch, other
numbers bands that do, where a value on an end belongs to the upper one. Dates count in days since
1970, or in months of the calendar: `year`, `5-years`. All is computed in decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import ROUND_FLOOR, Context, Decimal, localcontext

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Longs
from shoal.declare.coarseness import Coarseness
from shoal.declare.columns import Kind, kind_of, text_of
from shoal.declare.places import place_of, typed
from shoal.errors import DataError, RecipeError
from shoal.wording import Remedy, Set

EXACT = Context(prec=400, rounding=ROUND_FLOOR)
FIRST_DAY = -719_162  # the first day of the year 1, counted from 1970
LAST_DAY = 2_932_896


@dataclass(frozen=True)
class Widths:
    """Bands of one width: some number, some days, or some months."""

    asked: Coarseness
    name: str

    def cuts(self, wider: Widths) -> bool:
        """Tell whether some band lies across two of the wider ones, of the same measure."""
        narrow = self.asked.amount
        wide = wider.asked.amount
        same = self.asked.measure == wider.asked.measure
        return same and narrow < wide and wide % narrow != 0

    def lower(self, values: pa.Array) -> pa.Array:
        """Find where the band of each value begins, in the type of its column."""
        kind = self.refuse_unfit(values.type)
        encoded = pc.dictionary_encode(values)
        different = encoded.dictionary
        if kind == "date":
            return self._days(different)[0].take(encoded.indices)
        return self._begins(different).take(encoded.indices)

    def upper(self, lower: pa.Array) -> pa.Array:
        """Find the last value of the band that begins at each value, ends included."""
        if self.refuse_unfit(lower.type) == "date":
            return self._days(lower)[1]
        less = int(pa.types.is_integer(lower.type))
        with localcontext(EXACT):
            ends = [Decimal(text) + self.asked.amount - less for text in _texts(lower)]
        return self._typed(ends, lower.type)

    def contains(self, lower: str, upper: str) -> bool:
        """Tell whether two ends as texts lie in one band; both ends of touching bands do."""
        first = self._band(lower)
        last = self._band(upper)
        if first is None or last is None:
            return False
        touching = isinstance(self._place(upper), Decimal) and last[0] == self._place(upper)
        return first == last or (touching and first[1] == last[0])

    def begins_at(self, text: str) -> bool:
        """Tell whether some band begins at a value."""
        band = self._band(text)
        return band is not None and band[0] == self._place(text)

    def ends_at(self, text: str, *, touching: bool = True) -> bool:
        """Tell whether some band ends with a value.

        Bands of whole numbers and dates end before the next one begins; others, where bands may be
        touching, where it begins.
        """
        place = self._place(text)
        band = self._band(text)
        if place is None or band is None:
            return False
        whole = isinstance(place, int) or place == place.to_integral_value()
        if whole and band[1] == place + 1:
            return True
        return touching and isinstance(place, Decimal) and band[0] == place

    def _place(self, text: str) -> Decimal | int | None:
        """Read a number, or a date as days; None where a text is neither."""
        place = place_of(text)
        return (place - date(1970, 1, 1)).days if isinstance(place, date) else place

    def _band(self, text: str) -> tuple[Decimal | int, Decimal | int] | None:
        """Find where the band of a value begins, and where the next one does."""
        place = self._place(text)
        if place is None or (self.asked.measure == "months" and isinstance(place, Decimal)):
            return None
        if isinstance(place, int):
            first, last = self._ends(np.array([place], np.int64))
            return int(first[0]), int(last[0]) + 1
        with localcontext(EXACT):
            begin = (place / self.asked.amount).to_integral_value() * self.asked.amount
            return begin, begin + self.asked.amount

    def _begins(self, values: pa.Array) -> pa.Array:
        with localcontext(EXACT):
            begins = [
                (Decimal(text) / self.asked.amount).to_integral_value() * self.asked.amount
                for text in _texts(values)
            ]
        return self._typed(begins, values.type)

    def _days(self, values: pa.Array) -> tuple[pa.Array, pa.Array]:
        """Find the first and the last day of the band of each date."""
        days = np.asarray(pc.cast(pc.cast(values, pa.date32()), pa.int32()), np.int64)
        first, last = (
            pc.cast(pa.array(ends.astype(np.int32)), pa.date32()) for ends in self._ends(days)
        )
        return pc.cast(first, values.type), pc.cast(last, values.type)

    def _ends(self, days: Longs) -> tuple[Longs, Longs]:
        amount = int(self.asked.amount)
        if self.asked.measure == "width":
            first = days // amount * amount
            last = first + amount - 1
        else:
            months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
            begun = (months + 1970 * 12) // amount * amount
            first = _first_day(begun)
            last = _first_day(begun + amount) - 1
        return np.maximum(first, FIRST_DAY), np.minimum(last, LAST_DAY)

    def _typed(self, numbers: list[Decimal], kind: pa.DataType) -> pa.Array:
        """Convert exact numbers to the type of a column; refuse those that it can't hold."""
        try:
            return typed(numbers, kind)
        except pa.ArrowInvalid:
            raise DataError(
                f"column '{self.name}' holds numbers whose bands its type ({kind}) can't hold",
                remedy="take another width",
            ) from None

    def refuse_unfit(self, kind: pa.DataType) -> Kind:
        """Return the kind of a column; refuse a width that does not fit it."""
        held = kind_of(kind, self.name)
        asked = self.asked
        if held not in ("number", "date"):
            raise _unfit(self.name, _HELD[held], asked)
        if held == "number" and asked.measure == "months":
            raise _unfit(self.name, "it holds numbers, which have no calendar", asked)
        whole = held == "date" or pa.types.is_integer(kind)
        odd = asked.amount != asked.amount.to_integral_value() or asked.amount < 2
        if whole and odd and asked.measure == "width":
            counted = {"date": "days"}.get(held, "whole numbers")
            raise _unfit(self.name, f"a width of {counted} is a whole number from 2 on", asked)
        return held


_HELD = {
    "category": "it holds texts, which have no width",
    "time": "it holds dates with a time of day",
    "clock": "it holds times of day",
}


def _unfit(name: str, why: str, asked: Coarseness) -> RecipeError:
    remedy: str | Remedy = "give a width that fits"
    if why.startswith("it holds texts"):
        remedy = Remedy(
            Set("at_least", {name: "3-digits"}, "show fewer characters"),
            Set("at_least", {name: "level:1"}, "name a level of its hierarchy"),
        )
    elif "time" in why:
        remedy = Remedy(Set("hierarchies", {name: "dates"}), "then name a level")
    return RecipeError(
        f"column '{name}' can't be widened so", {"asked": asked.asked, "why": why}, remedy
    )


def _texts(values: pa.Array) -> list[str]:
    return list(text_of(values).to_pylist())


def _first_day(months: Longs) -> Longs:
    days = (months - 1970 * 12).astype("datetime64[M]").astype("datetime64[D]")
    return days.astype(np.int64)
