"""Places: numbers and dates on a line, read from texts and written as such, in exact decimals."""

from __future__ import annotations

from datetime import date
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext

import pyarrow as pa
import pyarrow.compute as pc

EXACT = Context(prec=400, rounding=ROUND_HALF_EVEN)
Place = Decimal | date


def number_given(end: str) -> int | float | str:
    """Convert a settled end to what a recipe holds: a number, or the text of a date."""
    number = number_of(end)
    if number is None:
        return end
    return int(number) if number == number.to_integral_value() else float(number)


def round_step(least: Decimal) -> Decimal:
    """Find the smallest of 1, 2, 5 times a power of ten that is at least `least`; 1 for none.

    >>> round_step(Decimal("3.2"))
    Decimal('5')
    """
    if least <= 0:
        return Decimal(1)
    power = least.adjusted()
    steps = (Decimal((0, (digit,), power + ten)) for ten in (0, 1) for digit in (1, 2, 5))
    return next(step for step in steps if step >= least)


def spelled(given: int | float | str | None) -> str | None:
    """Spell what was given as a text: numbers in full, everything else as it is."""
    if given is None:
        return None
    number = number_of(str(given))
    return str(given) if number is None else plain(number)


def plain(number: Decimal) -> str:
    """Write a number in full, without trailing zeros."""
    with localcontext(EXACT):
        return f"{number.normalize() or Decimal(0):f}"


def number_of(text: str) -> Decimal | None:
    """Read a finite number; None where a text is none."""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < 350 else None


def place_of(text: str) -> Place | None:
    """Read a number or a date; None where a text is none."""
    number = number_of(text)
    if number is not None or len(text) != len("2000-01-31"):
        return number
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def is_less(one: Place | None, other: Place | None) -> bool:
    """Compare two numbers or two dates; others can't be compared, and are not less."""
    return type(one) is type(other) and one is not None and one < other  # type: ignore[operator]


def higher(one: str, other: str) -> str:
    """Choose the higher of two numbers or dates as texts.

    >>> higher("9", "10"), lower("9", "10")
    ('10', '9')
    """
    return other if is_less(place_of(one), place_of(other)) else one


def lower(one: str, other: str) -> str:
    """Choose the lower of two numbers or dates as texts."""
    return other if is_less(place_of(other), place_of(one)) else one


def reaches(text: str, end: str) -> bool:
    """Tell whether a value lies at an end or above it; what can't be compared does not."""
    place = place_of(text)
    limit = place_of(end)
    return type(place) is type(limit) and place is not None and not is_less(place, limit)


def typed(numbers: list[Decimal], kind: pa.DataType) -> pa.Array:
    """Convert exact numbers to the type of a column.

    Raises `ArrowInvalid` where it can't hold them.
    """
    if pa.types.is_floating(kind):
        # Adding 0.0 makes 0.0 of -0.0: they are one value.
        floats = pa.array([float(number) + 0.0 for number in numbers], pa.float64())
        return floats.cast(kind, safe=False)
    return pc.cast(pa.array([plain(number) for number in numbers], pa.string()), kind)
