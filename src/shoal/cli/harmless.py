"""Harmless: texts for a terminal that hold nothing it would carry out.

Names of columns and the words of a certificate come from files of other people. A sequence such as
`ESC [ 1 A ESC [ 2 K` erases the line above it, and bidirectional controls turn a text around: a
verdict could be made to look like another one. Such characters are shown by their number.
"""

from __future__ import annotations

import re

# Everything below the space but line ends, what lies between 7F and 9F, and marks of direction.
CONTROLS = "\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
CONTROL = re.compile(f"[{CONTROLS}]")
IN_CELLS = re.compile(f"[{CONTROLS}\n]")


def harmless(text: str) -> str:
    r"""Show control characters by their number; line ends stay.

    >>> print(harmless("age\x1b[1A\x1b[2K"))
    age\x1b[1A\x1b[2K
    """
    return CONTROL.sub(_by_number, text)


def harmless_cell(text: str) -> str:
    r"""Show control characters by their number, line ends among them.

    >>> print(harmless_cell("age\nverified"))
    age\x0averified
    """
    return IN_CELLS.sub(_by_number, text)


def harmless_json(text: str) -> str:
    r"""Escape control characters of a JSON text, which keeps its meaning.

    >>> print(harmless_json('{"\u202eage": 1}'))
    {"\u202eage": 1}
    """
    return CONTROL.sub(lambda control: f"\\u{ord(control[0]):04x}", text)


def _by_number(control: re.Match[str]) -> str:
    number = ord(control[0])
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"
