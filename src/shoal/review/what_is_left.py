"""Shares of cells that are exact, widened or lost, for each quasi-identifier of a release.

| cell | counted as | typical width |
|---|---|---|
| one value, all-missing | exact | |
| `[20, 30]`, `[1990-01-01, 1999-12-31]` | widened | `10`, `10 years` |
| `[20, 29]` beside `[30, 39]`: ten whole numbers, and none in two bands | widened | `10` |
| an open end among numbers (`90+`, `<1`) | widened | `90+` where most are |
| a node of a hierarchy | widened | `year`, `2 characters hidden`, `level 1 of 3` |
| `{Berlin, Oslo}` | widened | `2 values` |
| `*`, two empty bounds | lost | |

Cells are read as they are printed, each different one once with its count. So counts of parts of a
release give the figures of the whole, and every engine gives the same. Rounding came before rows
were grouped and costs nothing here. A `7+` or `10-19` that stood in the table is no exact number.
Centres name no box, and bounds of a release that is never in one place are not counted: no figure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import AnyArray, Counts
from shoal.declare.columns import Kind
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.open_ends import bare
from shoal.recode.cells import Cell, Everything, Interval, Value, ValueSet, ends_of, write
from shoal.recode.reading import point, printed
from shoal.review.losses.published import HEIGHT, PublishedView
from shoal.screen import percent

MOSTLY = 0.5  # a column that is lost in more rows than this is worth a warning
SPANS = (("day", 86_400.0), ("hour", 3_600.0), ("minute", 60.0), ("second", 1.0))
YEAR = 365.2425  # days
MONTH = YEAR / 12
OF_SET = 1e-9  # the height of each value in a set: any node is higher


@dataclass(frozen=True)
class ColumnLeft:
    """Shares in [0, 1] of the published cells of one quasi-identifier; None where not counted."""

    name: str
    exact: float | None = None
    widened: float | None = None
    lost: float | None = None
    typical: str = ""
    """The median width of the widened cells, in words; empty where they have none."""

    @property
    def is_mostly_lost(self) -> bool:
        """Whether more than half of the cells tell nothing."""
        return self.lost is not None and self.lost > MOSTLY

    @property
    def typical_said(self) -> str:
        """The typical width with its title, or why there is no figure."""
        if self.exact is None:
            return "averages: not counted"
        return f"typically {self.typical}" if self.typical else ""

    def as_dict(self) -> dict[str, float | str | None]:
        """Give the figures as plain data, fractions for shares."""
        return {
            "exact": self.exact,
            "widened": self.widened,
            "typical": self.typical,
            "lost": self.lost,
        }

    def __str__(self) -> str:
        typical = f" ({self.typical_said})" if self.typical else ""
        if self.exact is None:
            return f"{self.name}: {self.typical_said}"
        return (
            f"{self.name}: exact {percent(self.exact)}, widened {percent(self.widened)}{typical}, "
            f"lost {percent(self.lost)}"
        )


class ColumnsLeft(Mapping[str, ColumnLeft]):
    """Every quasi-identifier of a release by its name, with what is left of it.

    >>> age = ColumnLeft("age", exact=0.25, widened=0.75, lost=0.0, typical="10")
    >>> print(ColumnsLeft([age]))
    age: exact 25 %, widened 75 % (typically 10), lost -
    """

    def __init__(self, columns: Sequence[ColumnLeft] = ()) -> None:
        self._columns = {column.name: column for column in columns}

    def __getitem__(self, name: str) -> ColumnLeft:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return "\n".join(map(str, self.values()))

    def worst(self, most: int) -> list[ColumnLeft]:
        """Choose the columns that lost most, at most this many, in the order of the recipe."""
        ranked = sorted(self.values(), key=lambda each: (-(each.lost or 0), each.exact or 0))
        chosen = {column.name for column in ranked[:most]}
        return [column for column in self.values() if column.name in chosen]

    def as_dict(self) -> dict[str, dict[str, float | str | None]]:
        """Give the figures as plain data, by column."""
        return {name: column.as_dict() for name, column in self.items()}


def columns_left(view: PublishedView) -> ColumnsLeft:
    """Count what is left of each quasi-identifier, from the published cells alone."""
    return ColumnsLeft([_column(view, name) for name in view.quasi])


def _column(view: PublishedView, name: str) -> ColumnLeft:
    if view.publish.get(name) == "centre":
        return ColumnLeft(name)
    if name in view.cells:
        ends = view.open_ends.get(name, ())
        return column_left(name, *view.cells[name], view.hierarchies.get(name), ends)
    if f"{name}_lo" not in view.table.column_names:
        return ColumnLeft(name)
    bounds = printed(view.table, name)
    times = np.bincount(bounds.cell, minlength=len(bounds.cells))
    return column_left(name, bounds.cells, times, None)


def column_left(
    name: str,
    cells: Sequence[Cell],
    times: Counts | AnyArray,
    hierarchy: Hierarchy | None,
    open_ends: Sequence[str] = (),
) -> ColumnLeft:
    """Count the different cells of a column, each as often as it is printed.

    `open_ends` are the cells of values that a recipe caps.

    >>> cells = [Interval("20", "30"), Value("60"), Everything(), None]
    >>> print(column_left("age", cells, np.array([5, 2, 2, 1]), None))
    age: exact 30 %, widened 50 % (typically 10), lost 20 %
    """
    rows = int(times.sum())
    if rows == 0:
        return ColumnLeft(name)
    heights = _heights(cells, hierarchy, open_ends)
    lost = np.array([isinstance(cell, Everything) for cell in cells], np.bool_)
    widened = heights > 0
    return ColumnLeft(
        name,
        exact=int(times[~lost & ~widened].sum()) / rows,
        widened=int(times[widened].sum()) / rows,
        lost=int(times[lost].sum()) / rows,
        typical=_typical(cells, times, heights, hierarchy),
    )


def _heights(
    cells: Sequence[Cell], hierarchy: Hierarchy | None, open_ends: Sequence[str]
) -> AnyArray:
    """Rank the widened cells: wider ones higher; 0 for all others.

    An interval has its width, or 1 where its ends are no points; a node its share of the height.
    Sets stand below all nodes, an open end above all others.
    """
    heights = np.zeros(len(cells))
    for place, cell in enumerate(cells):
        if isinstance(cell, Interval) and cell.lo != cell.hi:
            width = _width(cell)
            heights[place] = width if width > 0 else 1.0
        elif isinstance(cell, ValueSet):
            heights[place] = OF_SET * len(cell.texts)
    values = [place for place, cell in enumerate(cells) if isinstance(cell, Value)]
    if hierarchy is not None and values:
        labels = [cell.text for cell in cells if isinstance(cell, Value)]
        heights[values] = np.nan_to_num(hierarchy.public_shares(labels)[HEIGHT])
    for place, cell in enumerate(cells):
        if isinstance(cell, Value) and cell.text in open_ends:
            heights[place] = np.inf
    if hierarchy is None and values:
        heights[_open_among_numbers(cells, values)] = np.inf
    return heights


def _open_among_numbers(cells: Sequence[Cell], values: Sequence[int]) -> list[int]:
    """List the places of open ends, where all values are numbers: `0+` of blood groups is none."""
    texts = {place: cell.text for place in values if isinstance(cell := cells[place], Value)}
    numbers = [point(bare(text), "number") for text in texts.values()]
    if np.isnan(numbers).any():
        return []
    return [place for place, text in texts.items() if bare(text) != text]


def _typical(
    cells: Sequence[Cell], times: Counts | AnyArray, heights: AnyArray, hierarchy: Hierarchy | None
) -> str:
    """Say the median width of the widened cells; engines meet cells in different orders."""
    widened = np.flatnonzero(heights > 0)
    if not len(widened):
        return ""
    order = sorted(widened.tolist(), key=lambda place: (heights[place], str(cells[place])))
    summed = np.cumsum(np.asarray(times)[order])
    place = order[int(np.searchsorted(summed, summed[-1] / 2))]
    middle = cells[place]
    if isinstance(middle, Interval):
        return _width_said(middle, hierarchy, 1 if _in_whole_bands(cells) else 0)
    if isinstance(middle, ValueSet):
        return f"{len(middle.texts)} values"
    assert isinstance(middle, Value)
    if np.isinf(heights[place]):
        return middle.text
    return hierarchy.level_said(middle.text) if hierarchy is not None else ""


def _ends(cell: Interval) -> tuple[float, float, bool]:
    """Return the ends of an interval as points, and whether these are seconds."""
    low, high = ends_of(cell)
    first = point(low, "number")
    last = point(high, "number")
    if not np.isnan(first) and not np.isnan(last):
        return first, last, False
    kind: Kind = "clock" if low[2:3] == ":" else "time"
    return point(low, kind), point(high, kind) + _last_day(high), True


def _last_day(end: str) -> float:
    """Return the seconds of the last day of an interval of dates: both ends are included."""
    return 86_400.0 if re.fullmatch(r"\d{4}-\d\d-\d\d", end) else 0.0


def _width(cell: Interval) -> float:
    low, high, _ = _ends(cell)
    return high / 2 - low / 2  # the whole width may be too large for a float


def _in_whole_bands(cells: Sequence[Cell]) -> bool:
    """Tell whether intervals are bands of whole numbers: `[20, 29]`, and `[30, 39]` after it.

    No band begins where another ends, and the next one begins a number later for most of them.
    """
    ends = [ends_of(cell) for cell in cells if isinstance(cell, Interval)]
    if not all(re.fullmatch(r"-?\d+", text) for pair in ends for text in pair):
        return False
    begin = {int(low) for low, _ in ends}
    followed = sorted({int(high) for _, high in ends})[:-1]
    next_to = sum(high + 1 in begin for high in followed)
    return not begin & set(followed) and 2 * next_to > len(followed)


def _width_said(cell: Interval, hierarchy: Hierarchy | None, beyond: int = 0) -> str:
    """Say how wide an interval is: `25,000`, `10 years`; nothing where its ends are no points.

    A band of a ladder is as wide as its rung, one of whole numbers `beyond` its two ends:
    `[20, 29]` holds ten of them.
    """
    low, high, timed = _ends(cell)
    width = high - low
    if not np.isfinite(width):
        return ""
    if timed:
        return _time_said(width)
    rung = hierarchy.coarseness([str(write(cell))], "width")[0] if hierarchy is not None else None
    return f"{width + beyond if rung is None else rung:,.6g}"


def _time_said(seconds: float) -> str:
    """Say a length of time in the largest unit of which it has about two.

    >>> _time_said(3652 * 86400), _time_said(365 * 86400), _time_said(31 * 86400), _time_said(90)
    ('10 years', '1 year', '31 days', '90 seconds')
    """
    days = seconds / 86_400.0
    years = days / YEAR
    if years >= 2 or abs(years - 1) < 0.005:
        return _counted(years, "year")
    if days >= 60:
        return _counted(days / MONTH, "month")
    unit, length = next((span for span in SPANS if seconds >= 2 * span[1]), SPANS[-1])
    return _counted(seconds / length, unit)


def _counted(number: float, unit: str) -> str:
    rounded = round(number)
    return f"{rounded:,} {unit}" if rounded == 1 else f"{rounded:,} {unit}s"
