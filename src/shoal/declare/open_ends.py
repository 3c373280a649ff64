"""Open ends: the spelling of a value that stands for all values at or beyond it.

| meaning | written | as the end of an interval |
|---|---|---|
| 90 and all above | `90+` | `[80, 90+]` |
| 5 and all below | `<=5` | `[<=5, 20]` |
| all below 1 | `<1` | `[<1, 4]` |

`+` stands only behind an upper end, `<=` and `<` only before a lower one, so that a mark is never
taken for a sign or an exponent: `+5` and `1e+20` are numbers.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

ABOVE = "+"
BELOW = "<="
STRICTLY = "<"


def at_least(text: str) -> str:
    """Write the end for a value and all above it.

    >>> at_least("90")
    '90+'
    """
    return f"{text}{ABOVE}"


def at_most(text: str) -> str:
    """Write the end for a value and all below it.

    >>> at_most("5")
    '<=5'
    """
    return f"{BELOW}{text}"


def is_at_least(text: str) -> bool:
    """Tell whether a text is marked as open above."""
    return len(text) > len(ABOVE) and text.endswith(ABOVE)


def is_at_most(text: str) -> bool:
    """Tell whether a text is marked as open below."""
    mark = BELOW if text.startswith(BELOW) else STRICTLY
    return len(text) > len(mark) and text.startswith(mark)


def is_strict(text: str) -> bool:
    """Tell whether a text is marked as open below and leaves its own number out.

    >>> is_strict("<1"), is_strict("<=1")
    (True, False)
    """
    return is_at_most(text) and not text.startswith(BELOW)


def bare(text: str) -> str:
    """Take the mark of an open end off a text; a text without one, or with both, stays.

    >>> bare("90+"), bare("<=5"), bare("<1"), bare("39"), bare("<=5+")
    ('90', '5', '1', '39', '<=5+')
    """
    if is_at_least(text) and is_at_most(text):
        return text
    if is_at_most(text):
        return text[len(STRICTLY if is_strict(text) else BELOW) :]
    return text.removesuffix(ABOVE)


def bare_ends(lower: str, upper: str) -> tuple[str, str]:
    """Take the marks off the two ends of an interval; a mark on the wrong side stays.

    >>> bare_ends("<=5", "90+"), bare_ends("5+", "<=90")
    (('5', '90'), ('5+', '<=90'))
    """
    if is_at_most(lower):
        lower = bare(lower)
    if is_at_least(upper):
        upper = bare(upper)
    return lower, upper


def bare_texts(texts: pa.Array) -> pa.Array:
    """Take the marks of open ends off all texts of an array, where any has one."""
    marked = pc.or_(pc.ends_with(texts, ABOVE), pc.starts_with(texts, STRICTLY))
    if not pc.any(marked).as_py():
        return texts
    encoded = pc.dictionary_encode(texts)
    different = [bare(text) for text in encoded.dictionary.to_pylist()]
    return pa.array(different, pa.string()).take(encoded.indices)
