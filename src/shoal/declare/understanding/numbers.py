"""Numbers in text: decimal commas, thousands separators, signs of currencies, percent signs.

| texts | read as | word |
|---|---|---|
| `1234,5`, `1.234,50` | 1234.5 | `number:comma` |
| `1,234.50`, `1,234` beside `12,345,678` | 1234.5, 1234 | `number:point` |
| `1 234,50`, `1'234.50` | 1234.5 | by its decimal sign |
| `EUR 12,50`, `12,50 €`, `$1,200`, `-$5` | the number, where all rows name one currency | |
| `12 %` | 12 | |

`1,234` or `1.234` alone could be either, and is not guessed. Zeros in front make a code.
"""

from __future__ import annotations

from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.understanding.reading import Reading

SIGN = "[-+−]?"
BLANKS = "[ \u00a0\u202f]"
CURRENCIES = (
    ("€", "EUR", "€Uu"), ("$", "USD", "$Uu"), ("£", "GBP", "£Bb"), ("CHF", "CHF", "Ff"),
    ("¥", "JPY", "¥Jj"), ("zł", "PLN", "łPp"), ("kr", "SEK", "rEe"), ("Kč", "CZK", "čZz"),
    ("₹", "INR", "₹Nn"), ("R$", "BRL", "$Bb"), ("₺", "TRY", "₺Yy"),
)  # fmt: skip
"""Sign and code of each, and characters of which every amount holds one (see `Reading.signs`)."""
START = "(?:0|[1-9][0-9]{0,14})"  # longer digits are codes, which floats would not tell apart
GROUPED = "[1-9][0-9]{0,2}"
COMMA = (
    rf"{SIGN}(?:{START}|{GROUPED}(?:\.[0-9]{{3}})+|{GROUPED}(?:{BLANKS}[0-9]{{3}})+)(?:,[0-9]+)?"
)
POINT = (
    rf"{SIGN}(?:{START}|{GROUPED}(?:,[0-9]{{3}})+|{GROUPED}(?:['’][0-9]{{3}})+"
    rf"|{GROUPED}(?:{BLANKS}[0-9]{{3}})+)(?:\.[0-9]+)?"
)
NOT_COMMA = "[^0-9,-]"
NOT_POINT = "[^0-9.-]"


def _numbers(texts: pa.Array, drop: str) -> pa.Array:
    """Read numbers from texts without what is neither digit, decimal sign nor minus."""
    bare = pc.replace_substring(texts, "−", "-")
    bare = pc.replace_substring_regex(bare, drop, "")
    bare = pc.replace_substring(bare, ",", ".")
    numbers = bare.cast(pa.float64())
    whole = pc.and_(pc.equal(numbers, pc.round(numbers)), pc.less(pc.abs(numbers), 2.0**53))
    # Columns without a fraction are whole numbers, however they are spelled.
    return numbers.cast(pa.int64()) if pc.all(whole).as_py() else numbers


def _reading(word: str, said: tuple[str, str], pattern: str, drop: str, signs: str = "") -> Reading:
    values = partial(_numbers, drop=drop)
    return Reading(word, said[0], pattern, values, said[1], signs=signs)


def _with_unit(number: str, unit: str) -> str:
    before = f"{SIGN}{BLANKS}?{unit}{BLANKS}?{number}"
    return f"(?:{before}|{number}{BLANKS}?{unit})"


def _escaped(sign: str) -> str:
    return sign.replace("$", r"\$")


def _family(number: str, drop: str, word: str, how: str) -> list[Reading]:
    """List the readings of numbers with one decimal sign: bare, in percent, in a currency."""
    readings = [
        _reading(word, (f"numbers {how}", "numbers with thousands separators"), number, drop),
        _reading(
            word,
            (f"numbers {how}, in percent", "numbers, in percent"),
            _with_unit(number, "%"),
            drop,
            "%",
        ),
    ]
    for sign, code, signs in CURRENCIES:
        unit = f"(?:{_escaped(sign)}|(?i:{code}))"
        pattern = _with_unit(number, unit)
        said = (f"amounts of money {how}, in {code}", f"amounts of money, in {code}")
        readings.append(_reading(word, said, pattern, drop, signs))
    return readings


PAIRS = tuple(
    zip(
        _family(COMMA, NOT_COMMA, "number:comma", "with a decimal comma"),
        _family(POINT, NOT_POINT, "number:point", "with a decimal point"),
        strict=True,
    )
)
"""Both decimal signs for each unit: where both fit and differ, neither is taken."""
