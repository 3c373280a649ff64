"""`intervals`: numbers, dates and times in a tree of intervals.

The lowest intervals are given in one of three ways; every further level joins `fanout` neighbours,
up to `*`.

- `width=10`: equal widths on a grid that starts at 0 or at `start` and goes on both ways, whatever
  the data. Dates count in days, times and times of day in seconds.
- `edges=(0, 18, 65, 120)`: between given numbers, the last one included; a value outside is
  refused.
- `quantiles=8`: about as many rows in each, so levels of 8, 4, 2 and 1. These follow the data: each
  end is the roundest number between two neighbouring values, which may be one of the two, and the
  outer ends are rounded outward.

An interval is published as `[lo, hi]`, both ends included. Whole numbers and dates have disjoint
ones (`[20, 29]`, `[30, 39]`); others touch (`[20, 30]`, `[30, 40]`), and a value on an end belongs
to the upper one. Ends are computed as decimals, so a width of 0.1 prints no tails. An interval of
one single number is that number. Cost: a sort of the values and one pass for each level.

By hand: `width=10` makes 23 to `[20, 29]` and then, by pairs, to `[20, 39]`, `[0, 39]` and `[0,
79]`. So a group of 23 and 28 is published as `[20, 29]`, one of 23 and 31 as `[20, 39]`.

When to use it: for numbers that are to stand in equal classes; `ladder` where classes should nest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts, Flags, Floats, Longs
from shoal.declare.coarseness import Measure
from shoal.declare.columns import Kind, points_of, text_of, text_of_points
from shoal.declare.hierarchies.hierarchy import Fitted, Hierarchy
from shoal.declare.hierarchies.tree import EVERYTHING
from shoal.declare.places import place_of
from shoal.errors import DataError, RecipeError

MOST = 2.0**53  # beyond it, floats skip whole numbers
# The outer ends of quantiles stand on a grid of about this many steps over the range.
STEPS = 20
EPOCH = date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class Intervals(Hierarchy):
    """Intervals of one width, between quantiles or given edges, joined level by level."""

    name = "intervals"

    width: float | None = None
    start: float | None = None
    quantiles: int | None = None
    edges: tuple[float, ...] = ()
    fanout: int = 2

    def __post_init__(self) -> None:
        if (self.width is not None) + (self.quantiles is not None) + bool(self.edges) != 1:
            raise RecipeError(
                "'intervals' needs one of width, quantiles and edges",
                remedy="write intervals:width=10",
            )
        if self.width is not None and not 0 < self.width < np.inf:
            raise RecipeError(f"width of 'intervals' must be above 0, not {self.width}")
        if self.start is not None and (self.width is None or not np.isfinite(self.start)):
            raise RecipeError("start of 'intervals' must be a number, beside a width")
        if self.quantiles is not None and not 2 <= self.quantiles <= 10_000:
            raise RecipeError(
                f"quantiles of 'intervals' must be from 2 to 10,000, not {self.quantiles}"
            )
        self._refuse_odd_edges()
        if not 2 <= self.fanout <= 1000:
            raise RecipeError(f"fanout of 'intervals' must be from 2 to 1,000, not {self.fanout}")

    def _refuse_odd_edges(self) -> None:
        """Refuse edges that are no rising numbers, or only one."""
        rising = all(a < b for a, b in pairwise(self.edges)) and all(np.isfinite(self.edges))
        if self.edges and (len(self.edges) < 2 or not rising):
            raise RecipeError(
                "edges of 'intervals' must be two or more rising numbers",
                remedy="write edges=[0,18,65]",
            )

    @property
    def lowest_said(self) -> float | str:
        """The width of the lowest intervals, or their level."""
        return "level:1" if self.width is None else self.width

    @property
    def from_data(self) -> bool:
        """True for quantiles, which follow the data; a width and edges do not."""
        return self.quantiles is not None

    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        """Put each value under its intervals; refuses text, and values outside the edges."""
        if kind == "category":
            remedy = "turn it into numbers, or give it another hierarchy"
            raise DataError(f"column '{column}' holds text, which has no intervals", remedy=remedy)
        if self.edges and kind in ("date", "time"):
            raise RecipeError(
                f"edges are numbers, and column '{column}' holds dates",
                remedy="give a width in days, or use dates",
            )
        whole = kind == "date" or pa.types.is_integer(values.type)
        points = points_of(values, kind)
        refuse_huge(points, kind, column, whole=whole)
        grid = self._grid(
            points,
            np.ones(len(points), np.int64) if counts is None else counts,
            column,
            whole=whole,
        )
        zone = pa.types.is_timestamp(values.type) and values.type.tz is not None
        columns: list[list[str]] = [text_of(values).to_pylist()]
        ends: dict[str, tuple[str, str]] = {}
        for place, *sides in _levels(grid, self.fanout, whole=whole):
            lo, hi = (
                text_of_points(np.clip(s, *limits(kind, whole=whole)), kind, whole=whole, zone=zone)
                for s in sides
            )
            labels = [a if a == b else f"[{a}, {b}]" for a, b in zip(lo, hi, strict=True)]
            ends.update(zip(labels, zip(lo, hi, strict=True), strict=True))
            columns.append([labels[i] for i in place.tolist()])
        return Fitted.of_paths(list(zip(*columns, [EVERYTHING] * len(values), strict=True)), ends)

    def coarseness(self, labels: Sequence[str], measure: Measure) -> list[Decimal | None]:
        """Measure labels by their widths, or by their levels, which follow from these.

        A single value has neither; quantiles follow the data, so nobody else can tell their levels.
        """
        ends = [ends_of_label(label) for label in labels]
        if measure == "width":
            return [self._width(*pair) for pair in ends]
        if measure == "level" and self.quantiles is None:
            return [self._level(*pair) for pair in ends]
        return [None] * len(labels)

    def _width(self, low: Decimal, high: Decimal) -> Decimal:
        """Measure an interval, of whole numbers too: it ends before the next one begins."""
        if low == high:
            return Decimal(0)
        whole = self._edge_number(high) is None and self._edge_number(high + 1) is not None
        return high - low + whole

    def _level(self, low: Decimal, high: Decimal) -> Decimal | None:
        """Find the highest level of an interval, by how many of the lowest ones it joins."""
        if low == high:
            return Decimal(0)
        first = self._edge_number(low)
        last = self._edge_number(low + self._width(low, high))
        if first is None or last is None:
            return None
        level = None
        span = 1
        for tried in range(1, 64):
            end = (first // span + 1) * span
            if self.edges:
                end = min(end, len(self.edges) - 1)
            if first % span == 0 and last == end:
                level = tried
            span *= self.fanout
        return None if level is None else Decimal(level)

    def _edge_number(self, place: Decimal) -> int | None:
        """Number the edge at which a place lies; None between edges. Whole numbers end after."""
        if self.width is not None:
            number = (place - Decimal(repr(float(self.start or 0.0)))) / Decimal(repr(self.width))
            return int(number) if number == number.to_integral_value() else None
        edges = [Decimal(repr(edge)) for edge in self.edges]
        if not edges:  # quantiles follow the data
            return None
        if place in (edges[-1], edges[-1] + 1):
            return len(edges) - 1
        return edges.index(place) if place in edges else None

    def _grid(self, points: Floats, counts: Counts, column: str, *, whole: bool) -> IntervalGrid:
        if not len(points):
            return IntervalGrid(np.zeros(0, np.int64), lambda i: np.zeros(len(i)))
        if self.width is not None:
            return by_width(points, self.width, self.start or 0.0, column)
        if self.quantiles is not None:
            return _by_quantiles(points, counts, self.quantiles, whole=whole)
        return _by_edges(points, counts, self.edges, column, whole=whole)


def ends_of_label(label: str) -> tuple[Decimal, Decimal]:
    """Read the ends of an interval of numbers or dates, in days; both the same for all others."""
    ends = label.removeprefix("[").removesuffix("]").split(", ")
    places = [days_or_number(end) for end in ends]
    first = places[0] or Decimal(0)
    last = places[-1]
    if len(ends) != 2 or places[0] is None or last is None:
        return first, first
    return first, last


def days_or_number(text: str) -> Decimal | None:
    """Read a number, or a date as days since 1970; None where a text is neither."""
    place = place_of(text)
    if isinstance(place, date):
        return Decimal(place.toordinal() - EPOCH)
    return place


@dataclass(frozen=True)
class IntervalGrid:
    """The number of the lowest interval around each value, and where each interval begins."""

    number: Longs
    edge: Callable[[Longs], Floats]


def _levels(
    grid: IntervalGrid, fanout: int, *, whole: bool
) -> Iterator[tuple[Longs, Floats, Floats]]:
    """Yield for each level the interval of each value, and the ends of intervals.

    Until one more step is `*`.
    """
    number = grid.number
    span = 1
    while True:
        different, place = np.unique(number, return_inverse=True)
        lo = grid.edge(different * span)
        hi = grid.edge((different + 1) * span)
        yield (place, np.ceil(lo), np.ceil(hi) - 1) if whole else (place, lo, hi)
        if len(different) <= fanout:
            return
        number = number // fanout
        span = span * fanout


def by_width(
    points: Floats, width: float, start: float, column: str, kind: str = "intervals"
) -> IntervalGrid:
    """Number intervals of one width, on a grid that holds `start`."""
    step = Decimal(repr(float(width)))
    origin = Decimal(repr(float(start)))

    def edge(numbers: Longs) -> Floats:
        return np.array([float(origin + number * step) for number in numbers.tolist()], np.float64)

    with np.errstate(over="ignore"):
        guess = np.floor((points - start) / width)
    if np.abs(guess).max() >= MOST:
        raise RecipeError(
            f"width of '{kind}' is too narrow for column '{column}'", remedy="give a greater width"
        )
    number = guess.astype(np.int64)
    number -= points < edge(number)  # division rounds: 0.3 / 0.1 is below 3
    number += points >= edge(number + 1)
    return IntervalGrid(number, edge)


def _by_edges(
    points: Floats, counts: Counts, edges: tuple[float, ...], column: str, *, whole: bool
) -> IntervalGrid:
    outside: Flags = (points < edges[0]) | (points > edges[-1])
    if outside.any():
        facts = {
            "values concerned": int(outside.sum()),
            "rows concerned": int(counts[outside].sum()),
        }
        raise DataError(
            f"column '{column}' holds values outside the edges of its intervals",
            facts,
            "give wider edges",
        )
    number = np.minimum(np.searchsorted(edges, points, side="right") - 1, len(edges) - 2)
    # Whole numbers end before the next edge; the last one is included.
    last = np.floor(edges[-1]) + 1 if whole else edges[-1]
    return _between(np.array([*edges[:-1], last], np.float64), number)


def _by_quantiles(points: Floats, counts: Counts, quantiles: int, *, whole: bool) -> IntervalGrid:
    below = np.cumsum(counts) - counts
    number = below * quantiles // max(int(counts.sum()), 1)
    step = _round_step((points[-1] - points[0]) / STEPS, whole=whole)
    ends = np.empty(quantiles + 1)
    ends[0] = min(_times(np.floor(points[0] / step), step), points[0])
    ends[-1] = max(_times(np.ceil(points[-1] / step), step), points[-1]) + whole
    for i in range(1, quantiles):
        first = int(np.searchsorted(number, i))
        ends[i] = _roundest(points[first - 1], points[first]) if first < len(points) else ends[-1]
    return _between(ends, number)


def _between(ends: Floats, number: Longs) -> IntervalGrid:
    return IntervalGrid(number, lambda i: ends[np.clip(i, 0, len(ends) - 1)])


def _times(number: float, step: float) -> float:
    """Compute a multiple of a step, as people would print it."""
    return float(int(number) * Decimal(repr(step)))


def _roundest(low: float, high: float) -> float:
    """Find the number with the fewest digits that is above low and not above high."""
    most = int(np.ceil(np.log10(max(abs(low), abs(high))))) + 1
    for power in range(most, max(most - 18, -300), -1):
        cut = float(f"{int(np.floor(high / 10.0**power))}e{power}")
        if low < cut <= high:
            return cut
    return high


def _round_step(least: float, *, whole: bool) -> float:
    """Find the smallest of 1, 2 or 5 times a power of ten that is at least `least`."""
    if least <= 0:
        return 1.0
    power = int(np.floor(np.log10(least)))
    step = next(
        (float(f"{m}e{power}") for m in (1, 2, 5) if float(f"{m}e{power}") >= least),
        float(f"1e{power + 1}"),
    )
    return max(step, 1.0) if whole else step


def limits(kind: Kind, *, whole: bool) -> tuple[float, float]:
    """Return the least and the largest end that can be written.

    Floats that tell whole numbers apart, years of four digits, or one day.
    """
    if kind == "number":
        return (-MOST, MOST) if whole else (-1e300, 1e300)
    return {"date": (-719_162.0, 2_932_896.0), "time": (-62_135_596_800.0, 253_402_300_799.0)}.get(
        kind, (0.0, 86_400.0)
    )


def refuse_huge(points: Floats, kind: Kind, column: str, *, whole: bool) -> None:
    """Refuse values whose interval has no end that can be written."""
    least, most = limits(kind, whole=whole)
    if kind == "clock":
        return  # every time of day lies within a day, midnight at its end
    if huge := int(((points <= least) | (points >= most)).sum()):
        facts = {"values concerned": huge}
        raise DataError(
            f"column '{column}' holds values too large for intervals", facts, "use a file or flat"
        )
