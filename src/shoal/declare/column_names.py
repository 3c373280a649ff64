"""Column names: suggests one for a name that is not there, unless the names may be cells.

A CSV file without a header line gives its first row as names. A refusal that lists them would print
cells, so names are listed only where nothing speaks against a header: no name is a number, a date
or an address, and of the names that were asked for one is there or all are nearly there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal.errors import closest, did_you_mean

HEADLESS = "look at the first line of the file: it is taken as the names of the columns"
DATA = re.compile(
    r"""
    [-+]?[\d.,'\s]*\d\s*[%\u20ac$\u00a3]?      # numbers, shares, sums of money
    | [\u20ac$\u00a3]\s*[\d.,']*\d
    | \d+[./:-]\d+([./:T\s-]\d+.*)?              # dates, times, phone numbers
    | \+?[\d\s()/-]{5,}
    | .*\S@\S.*                                # addresses
    | [-+]?\d[\d.]*e[-+]?\d+
    """,
    re.VERBOSE | re.IGNORECASE,
)


def look_like_data(names: Sequence[str]) -> bool:
    """Tell whether some name is one that cells have and columns have not.

    >>> look_like_data(["Berlin", "1984-02-28"])
    True
    """
    return any(DATA.fullmatch(name.strip()) for name in names)


def column_hint(name: str, names: Sequence[str], asked: Sequence[str] = ()) -> str:
    """Suggest a column for a name that is not there, or say that the file may have no header line.

    `asked` are all names that were asked for: where none of them is there, and not all are nearly,
    nothing shows that the names are names.

    >>> column_hint("aeg", ["age", "city"])
    "did you mean 'age'?"
    """
    wanted = (name, *asked)
    known = any(each in names for each in wanted) or all(closest(each, names) for each in wanted)
    return HEADLESS if look_like_data(names) or not known else did_you_mean(name, names)
