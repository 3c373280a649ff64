"""Coding: round the values of a column and cap them at both ends, before rows are grouped.

    round 10, top 90, bottom 20        17   23   38   88   94
    position                           20   20   40   90   90
    published by itself              <=20  <=20   40  90+  90+

Values are rounded to the nearest multiple of the step, halves to the even one, in decimals. Then
all at or above the top get its position, and all at or below the bottom that of the bottom: the
coded value is the last one of its axis. Coding twice changes nothing. With a step, top and bottom
are multiples of it, so a value at or above the top is so after rounding as well.

A top or bottom may be a percentile of the table (`p99`). It is settled once, on the whole table, at
a round number outward of it, and the recipe that is published holds that number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts
from shoal.declare.coding_refusals import misfit, odd, unfit, without_numbers
from shoal.declare.columns import kind_of, text_of
from shoal.declare.open_ends import at_least, at_most, bare_ends, is_at_least, is_at_most
from shoal.declare.percentiles import PERCENTILE, is_end, quantile
from shoal.declare.places import (
    EXACT,
    is_less,
    number_of,
    place_of,
    plain,
    reaches,
    round_step,
    spelled,
    typed,
)
from shoal.declare.widths import Widths
from shoal.errors import DataError, RecipeError, ShoalError

TRUSTED = 10**15  # steps to a value that a float still tells apart
STEPS = 20  # a percentile is taken outward to a step of about this share of the range
Given = Mapping[str, int | float | str]


@dataclass(frozen=True)
class Coding:
    """The rounding step and the ends of one column, as plain texts that travel."""

    name: str
    top: str | None = None
    bottom: str | None = None
    step: str | None = None
    least: Widths | None = None
    """The narrowest bands that are published: values become the beginning of theirs."""
    most: Widths | None = None
    """The widest bands that are published: no cell reaches beyond one."""

    @property
    def open(self) -> bool:
        """Tell whether some value may be published with an open end, and so as text."""
        return self.top is not None or self.bottom is not None

    @property
    def bounds_alone(self) -> bool:
        """Tell whether nothing but the width of cells is asked."""
        return not self.open and self.step is None

    @property
    def unsettled(self) -> bool:
        """Tell whether an end is still a percentile."""
        return any(PERCENTILE.fullmatch(end) for end in (self.top, self.bottom) if end)

    def reaches_top(self, text: str) -> bool:
        """Tell whether a value lies at or above the top."""
        return self.top is not None and reaches(text, self.top)

    def reaches_bottom(self, text: str) -> bool:
        """Tell whether a value lies at or below the bottom."""
        return self.bottom is not None and reaches(self.bottom, text)

    def written(self, text: str) -> str:
        """Write a value by itself: with an open end where it reaches one."""
        lower, upper = self.written_ends(text, text)
        return lower if lower != text else upper

    def written_ends(self, lower: str, upper: str) -> tuple[str, str]:
        """Write the ends of an interval; one that reaches an end or passes it is open there."""
        if self.reaches_bottom(lower):
            lower = at_most(str(self.bottom))
        if self.reaches_top(upper):
            upper = at_least(str(self.top))
        return lower, upper

    def allows(self, text: str) -> bool:
        """Tell whether a published value by itself is one that this coding writes."""
        if is_at_least(text) or is_at_most(text):
            return text in self.open_values
        inside = not self.reaches_top(text) and not self.reaches_bottom(text)
        if self.least is not None:
            return False
        return inside and place_of(text) is not None and self._on_step(text)

    def allows_ends(self, lower: str, upper: str) -> bool:
        """Tell whether the ends of a published interval pass neither top nor bottom.

        An end at the top or the bottom is marked as open. A group of `90+` alone has the bounds 90
        and `90+`.
        """
        open_below = is_at_most(lower) and lower in self.open_values
        open_above = is_at_least(upper) and upper in self.open_values
        if is_at_most(lower) != open_below or is_at_least(upper) != open_above:
            return False
        low, high = bare_ends(lower, upper)
        if (
            place_of(low) is None
            or place_of(high) is None
            or is_less(place_of(high), place_of(low))
        ):
            return False
        passes_bottom = self.reaches_bottom(low) and not open_below
        if passes_bottom or (self.reaches_top(high) and not open_above):
            return False
        return self._allows_width(low, high, open_below, open_above)

    def _allows_width(self, low: str, high: str, open_below: bool, open_above: bool) -> bool:
        """Tell whether an interval is neither narrower than allowed nor wider."""
        if self.most is not None and not self.most.contains(low, high):
            return False
        if self.least is None:
            return True
        # Bounds of a group at an open end alone are that end twice.
        begins = open_below or self.least.begins_at(low)
        ends = open_above or self.least.ends_at(high)
        return begins and ends and (low != high or open_below or open_above)

    def allows_inside(self, text: str) -> bool:
        """Tell whether a mean or median of coded positions passes neither top nor bottom."""
        place = place_of(text)
        above = self.top is not None and is_less(place_of(self.top), place)
        below = self.bottom is not None and is_less(place, place_of(self.bottom))
        return place is not None and not above and not below

    @property
    def open_values(self) -> tuple[str, ...]:
        """The values that stand for all beyond them, as they are published."""
        above = [at_least(end) for end in (self.top,) if end is not None]
        below = [at_most(end) for end in (self.bottom,) if end is not None]
        return (*above, *below)

    def _on_step(self, text: str) -> bool:
        if self.step is None:
            return True
        return (Fraction(text) / Fraction(self.step)).denominator == 1

    def coded(self, column: pa.Array) -> pa.Array:
        """Round and cap values in the type of their column; missing ones stay missing."""
        if self.unsettled:
            raise RecipeError(
                f"'{self.name}' is capped at a percentile, which only a whole table has",
                remedy="give the number that the published recipe states",
            )
        self._refuse_unfit(column.type)
        if pa.types.is_floating(column.type):
            column = self._finite(column)
        if self.step is not None:
            column = self._rounded(column)
        if self.least is not None:
            column = self.least.lower(column)
        if self.top is not None:
            most = self._scalar(self.top, column.type)
            column = pc.min_element_wise(column, most, skip_nulls=False)
        if self.bottom is not None:
            least = self._scalar(self.bottom, column.type)
            column = pc.max_element_wise(column, least, skip_nulls=False)
        return column

    def upper(self, coded: pa.Array) -> pa.Array | None:
        """Find the last value of the band that begins at each coded value; None without bands.

        A value at an open end is a band of itself: what lies beyond is not told.
        """
        if self.least is None:
            return None
        ends = self.least.upper(coded)
        for end in (self.top, self.bottom):
            if end is not None:
                at_end = pc.equal(coded, self._scalar(end, coded.type))
                ends = pc.if_else(at_end, coded, ends)
        return ends

    def shown(self, coded: pa.Array) -> pa.Array:
        """Write coded values as they are published beside cells: as text where an end is open."""
        if not self.open:
            return coded
        encoded = pc.dictionary_encode(text_of(coded))
        texts = [self.written(text) for text in encoded.dictionary.to_pylist()]
        return pa.array(texts, pa.string()).take(encoded.indices)

    def settled(self, values: pa.Array, counts: Counts) -> Coding:
        """Replace percentiles by round numbers, from the different values in ascending order."""
        if not self.unsettled:
            return self
        if kind_of(values.type, self.name) != "number":
            raise without_numbers(self.name, kind_of(values.type, self.name))
        if not len(values):
            raise DataError(f"column '{self.name}' has no value, and so no percentile")
        top = self.top and self._outward(self.top, values, counts, upward=True)
        bottom = self.bottom and self._outward(self.bottom, values, counts, upward=False)
        settled = replace(self, top=top, bottom=bottom)
        errors = list(settled.problems())
        if errors:
            raise errors[0]
        return settled

    def problems(self) -> Iterator[ShoalError]:
        """Yield an error for each fault that shows before any table is read."""
        step = None
        if self.step is not None:
            step = number_of(self.step)
            if step is None or step <= 0:
                yield odd("round", self.name)
                return
        ends = {"top": self.top, "bottom": self.bottom}
        for option, end in ends.items():
            if end is not None and not is_end(option, end):
                yield odd(option, self.name)
                return
        known = {option: place_of(end) for option, end in ends.items() if end is not None}
        places = {option: place for option, place in known.items() if place is not None}
        if len(places) == 2 and not is_less(places["bottom"], places["top"]):
            yield RecipeError(
                f"the top of '{self.name}' must lie above its bottom",
                {"top": str(self.top), "bottom": str(self.bottom)},
            )
        yield from self._unaligned()
        for option, place in places.items():
            if step is not None and not (isinstance(place, Decimal) and self._on_step(str(place))):
                yield RecipeError(
                    f"the {option} of '{self.name}' is no multiple of the step it is rounded to",
                    {option: str(ends[option]), "round": self.step},
                )

    def _unaligned(self) -> Iterator[ShoalError]:
        """Yield an error for each end that cuts a band, and for bands that cut each other."""
        least = self.least
        if least is None:
            return
        if self.step is not None:
            yield misfit(self.name, "a rounded value may leave its band", "leave the rounding out")
        if self.most is not None and least.cuts(self.most):
            why = "what it may be at most is no multiple of what it is at least"
            yield misfit(self.name, why, "give multiples: 10 at least and 20 at most")
        inside = f"lies inside a band of {least.asked.asked}"
        if _is_place(self.top) and not least.begins_at(str(self.top)):
            yield misfit(self.name, f"its top {inside}", "give a top at which a band begins")
        if _is_place(self.bottom) and not least.ends_at(str(self.bottom), touching=False):
            yield misfit(self.name, f"its bottom {inside}", "give a bottom with which a band ends")

    def _outward(self, end: str, values: pa.Array, counts: Counts, *, upward: bool) -> str:
        """Find the percentile by its rank among the rows, and the round number outward of it."""
        matched = PERCENTILE.fullmatch(end)
        if matched is None:
            return end
        share = Fraction(matched[1]) / 100
        place = quantile(values, counts, share)
        mirrored = quantile(values, counts, 1 - share)
        with localcontext(EXACT):
            unit = round_step(abs(place - mirrored) / STEPS)
            if pa.types.is_integer(values.type):
                unit = max(unit, Decimal(1))
            step = self._multiple
            if step is not None:
                unit = (unit / step).to_integral_value(ROUND_CEILING) * step
            outward = {True: ROUND_CEILING, False: ROUND_FLOOR}[upward]
            end_of_band = self.least is not None and not upward
            return plain((place / unit).to_integral_value(outward) * unit - end_of_band)

    @property
    def _multiple(self) -> Decimal | None:
        """Of what the ends of a column must be multiples, if of anything."""
        if self.least is not None:
            return self.least.asked.amount
        return None if self.step is None else Decimal(self.step)

    def _finite(self, column: pa.Array) -> pa.Array:
        """Write NaN as missing; infinite numbers are refused."""
        if pc.any(pc.is_inf(column)).as_py():
            raise DataError(
                f"column '{self.name}' holds infinite numbers",
                remedy="replace them by the largest real value, or leave them empty",
            )
        return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)

    def _rounded(self, column: pa.Array) -> pa.Array:
        """Round the different values of a column in decimals."""
        step = Decimal(str(self.step))
        encoded = pc.dictionary_encode(column)
        values = [Decimal(text) for text in text_of(encoded.dictionary).to_pylist()]
        floating = pa.types.is_floating(column.type)
        if floating and any(abs(value) > TRUSTED * step for value in values):
            raise DataError(
                f"column '{self.name}' holds numbers that are too large to be rounded to this step",
                {"round": self.step},
                "take a larger step",
            )
        with localcontext(EXACT):
            multiples = [(value / step).to_integral_value() * step for value in values]
        return _typed(multiples, column.type, self.name).take(encoded.indices)

    def _scalar(self, end: str, kind: pa.DataType) -> pa.Scalar:
        """Convert an end to the type of its column."""
        if pa.types.is_date(kind):
            return pc.cast(pa.array([date.fromisoformat(end)]), kind)[0]
        return _typed([Decimal(end)], kind, self.name)[0]

    def _refuse_unfit(self, kind: pa.DataType) -> None:
        """Refuse ends and steps that don't fit the kind of a column."""
        of_column = kind_of(kind, self.name)
        whole = of_column == "date" or pa.types.is_integer(kind)
        if self.least is not None and self.bottom is not None and not whole:
            why = "bands beside a bottom need whole numbers or dates"
            raise misfit(self.name, why, "leave the bottom out")
        for widths in filter(None, (self.least, self.most)):
            widths.refuse_unfit(kind)
        dates = any(isinstance(place_of(end), date) for end in (self.top, self.bottom) if end)
        if of_column == "date" and self.step is not None:
            raise unfit(self.name, "dates are not rounded", "dates a hierarchy instead")
        if of_column not in ("number", "date"):
            raise without_numbers(self.name, of_column)
        if self.open and dates != (of_column == "date"):
            wanted = {"date": "a date (2000-01-31)", "number": "a number"}[of_column]
            raise unfit(self.name, f"it holds {of_column}s", wanted)


def codings_of(
    top: Given,
    bottom: Given,
    step: Given,
    least: Mapping[str, Widths] | None = None,
    most: Mapping[str, Widths] | None = None,
) -> dict[str, Coding]:
    """Collect the coding of each column that has any, as options of a recipe say it."""
    narrowest = least or {}
    widest = most or {}
    names = dict.fromkeys((*top, *bottom, *step, *narrowest, *widest))
    return {
        name: Coding(
            name,
            spelled(top.get(name)),
            spelled(bottom.get(name)),
            spelled(step.get(name)),
            narrowest.get(name),
            widest.get(name),
        )
        for name in names
    }


def coded_table(
    table: pa.Table, codings: Mapping[str, Coding], shown: tuple[str, ...] = ()
) -> pa.Table:
    """Code the columns of a table that have a coding; the `shown` ones as they are published."""
    for place, name in enumerate(table.column_names):
        if name not in codings:
            continue
        coding = codings[name]
        column = coding.coded(table[name].combine_chunks())
        if name in shown:
            column = coding.shown(column)
        table = table.set_column(place, name, column)
    return table


def _is_place(end: str | None) -> bool:
    return end is not None and place_of(end) is not None


def _typed(numbers: list[Decimal], kind: pa.DataType, name: str) -> pa.Array:
    """Convert exact numbers to the type of a column; refuse those that it can't hold."""
    try:
        return typed(numbers, kind)
    except pa.ArrowInvalid:
        why = f"its type ({kind}) can't hold the coded values"
        raise unfit(name, why, "numbers of that type") from None
