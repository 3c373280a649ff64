"""Nesting: checks that every two published values of a column are equal, nested or disjoint.

Methods that stand on one ladder of bands, or one hierarchy, for each column promise it
(`Method.nests`): a query over a band then counts whole cells, and bands of two groups never lie
across each other. It is recounted from the different cells of each column alone:

    [20, 29] [20, 24] 23 [30, 39] *      nested
    [20, 29] [25, 34]                    not: both hold 25 to 29, and each something else
    [20, 30] [30, 40]                    an end in common: only where the column's ladder has both

Cells with ends are points from end to end; `90+` and `[80, 90+]` have no upper one. Two bands that
share an end are told apart only in columns of numbers that are not whole, where a value on an end
belongs to the upper band: both must be nodes of the hierarchy, laid over such numbers. Cells
without ends are labels: each must be a node of the hierarchy, and nodes of one tree nest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa

from shoal.arrays import Floats
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import PrivacyNotMet, ShoalError
from shoal.recode.cells import Cell, Interval, Value, ValueSet, ends_of, is_open
from shoal.review.losses.published import HEIGHT, PublishedView

FAR = 16  # times the range of all bands
ENDLESS = Fraction(10) ** 400  # beyond every number and date that a cell can hold


@dataclass(frozen=True)
class Stretch:
    """A cell as a stretch of points, both ends included."""

    low: Fraction
    high: Fraction


def refuse_crossing(view: PublishedView) -> None:
    """Refuse a release in which two values of a column overlap in part."""
    names = crossing_columns(view)
    if names:
        facts = {"columns": ", ".join(map(repr, names)), "published": "nothing"}
        raise PrivacyNotMet("published values of a column overlap in part", facts)


def crossing_columns(view: PublishedView) -> list[str]:
    """List the columns in which two published values overlap in part, or can't be read as nodes.

    A column that is not published under its name has no cells, and so no nodes.
    """
    return [
        name
        for name in view.quasi
        if name not in view.cells or not nests(view.cells[name][0], view.hierarchies.get(name))
    ]


def nests(cells: Sequence[Cell], hierarchy: Hierarchy | None) -> bool:
    """Tell whether every two of these cells are equal, nested or disjoint.

    >>> nests([Interval("20", "29"), Interval("20", "24"), Value("23")], None)
    True
    >>> nests([Interval("20", "29"), Interval("25", "34")], None)
    False
    """
    if any(isinstance(cell, ValueSet) for cell in cells):
        return False  # nothing keeps two sets from overlapping in part
    named = [cell for cell in cells if isinstance(cell, Value | Interval)]
    if any(isinstance(cell, Interval) for cell in named):
        return _bands_nest(named, hierarchy)
    labels = [cell.text for cell in named if isinstance(cell, Value)]
    if hierarchy is None or not labels:
        return True
    return not np.isnan(hierarchy.public_shares(labels)[HEIGHT]).any()


def _bands_nest(cells: Sequence[Value | Interval], hierarchy: Hierarchy | None) -> bool:
    """Tell whether bands and the values beside them nest; a cell without points never does."""
    stretches = [stretch for cell in cells if (stretch := _stretch(cell)) is not None]
    if len(stretches) < len(cells):
        return False
    if not _cross(stretches):
        return True
    return not _cross(stretches, shared_ends=True) and _are_nodes(cells, hierarchy)


def _cross(stretches: Sequence[Stretch], *, shared_ends: bool = False) -> bool:
    """Tell whether two stretches overlap in part; with `shared_ends`, an end is the upper one's.

    From left to right, wider ones first: each must end inside the narrowest that still goes on.
    """
    ordered = sorted(stretches, key=lambda stretch: (stretch.low, -stretch.high))
    around: list[Stretch] = []
    for stretch in ordered:
        while around and _is_over(around[-1], stretch, shared_ends=shared_ends):
            around.pop()
        if around and stretch.high > around[-1].high:
            return True
        around.append(stretch)
    return False


def _is_over(before: Stretch, stretch: Stretch, *, shared_ends: bool) -> bool:
    """Tell whether a stretch ends before another one begins."""
    if before.high < stretch.low:
        return True
    return shared_ends and before.low < before.high == stretch.low


def _are_nodes(cells: Sequence[Value | Interval], hierarchy: Hierarchy | None) -> bool:
    """Tell whether all bands are nodes of a hierarchy that is laid over numbers that are not whole.

    A hierarchy may have more levels over a wider range: far points beside the bands bring them out,
    where it covers such points.
    """
    if hierarchy is None:
        return False
    bands = [cell for cell in cells if isinstance(cell, Interval)]
    try:
        ends = np.array([[float(end) for end in ends_of(cell)] for cell in bands])
    except ValueError:
        return False
    far = FAR * (ends.max() - ends.min())
    beside = np.array([ends.min() - far, ends.max() + far])
    nodes = _bands_over(np.append(ends[:, 0], beside), hierarchy)
    nodes = nodes or _bands_over(ends[:, 0], hierarchy)
    return all((cell.lo, cell.hi) in nodes for cell in bands)


def _bands_over(points: Floats, hierarchy: Hierarchy) -> set[tuple[str, str]]:
    """List the bands of a hierarchy over some points; none where it does not cover them."""
    try:
        fitted = hierarchy.fit(pa.array(np.unique(points)), "number", "bands")
    except ShoalError:
        return set()
    return set(fitted.tree.ends.values())


def _stretch(cell: Value | Interval) -> Stretch | None:
    """Read a cell as points; None where an end is neither a number nor a date nor a time."""
    low, high = (_point(end) for end in ends_of(cell))
    if low is None or high is None:
        return None
    below, above = is_open(cell)
    if below:
        low = -ENDLESS
    if above:
        high = ENDLESS
    return Stretch(low, high)


def _point(text: str) -> Fraction | None:
    """Read a number exactly, a date or time in microseconds; None for any other text."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        pass
    try:
        spelled = f"1970-01-01T{text}" if text[2:3] == ":" else text.removesuffix("Z")
        time = np.datetime64(spelled, "us")
    except ValueError:
        return None
    return None if np.isnat(time) else Fraction(int(time.astype(np.int64)))
