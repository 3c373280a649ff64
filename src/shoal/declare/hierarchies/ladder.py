"""`ladder`: numbers, dates and times in bands, each rung of which divides the next.

    widths=5-10-20-40                   [20, 24] [20, 29] [20, 39] [0, 39] *
    widths=month-quarter-year-5years    [2021-03-01, 2021-03-31] ... [2020-01-01, 2024-12-31] *

Bands begin at multiples of their width, counted from `start` (0 unless given; for dates a year),
and go on both ways whatever the data. So they nest, no two of a rung overlap, and the next table
has the same ones. `*` stands above the last rung. Numbers without a unit count days for dates and
seconds for times; units are `second`, `minute`, `hour`, `day`, `month`, `quarter` and `year`, as
`month` or `5years`. A rung that does not divide the next is refused.

Bands are published as `[lo, hi]`, both ends included. Whole numbers, dates and times have disjoint
ones; those of other numbers touch (`[20, 30]`, `[30, 40]`), and a value on an end belongs to the
upper one. Where the column has a `top`, the values at the top are written `90+`, and a band that
reaches it is open: `[80, 90+]`. A `bottom` is written `<=5` likewise.

Without widths, they are chosen by the range of the column: 5-10-20-40 for ages,
500-1000-5000-10000-20000-40000 for incomes up to 100,000, the calendar up to 40 years for dates.
The widths stand in the recipe as if they had been given. They tell the magnitude of the range, and
no value. Cost: one pass over the different values for each rung.

By hand: `widths=5-10-20-40` publishes a group of 21 and 24 as `[20, 24]`, one of 21 and 26 as `[20,
29]`, one of 18 and 21 as `[0, 39]`: 18 lies in `[0, 19]`, and the next rung holds both.

When to use it: for ages, dates and amounts in bands that nest: 5, 10 and 20 years.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts, Floats, Longs
from shoal.declare.coarseness import Measure
from shoal.declare.coding import Coding
from shoal.declare.columns import Kind, points_of, text_of, text_of_points
from shoal.declare.hierarchies.hierarchy import Fitted, Hierarchy
from shoal.declare.hierarchies.intervals import limits, refuse_huge
from shoal.declare.hierarchies.rungs import DAY, Rung, rungs_of, spelled
from shoal.declare.hierarchies.tree import EVERYTHING
from shoal.declare.open_ends import bare
from shoal.declare.places import place_of
from shoal.errors import DataError, RecipeError
from shoal.wording import Remedy, Set

FEWEST = 10  # units of a range that has rungs of 5 and 10; below it, of 2 and 4
# Rungs of numbers, in parts of the power of ten below half the range.
PARTS = tuple(map(Decimal, ("0.05", "0.1", "0.5", "1", "2", "4")))
CALENDAR = rungs_of("minute-hour-day-month-quarter-year")
YEARS = rungs_of("5years-10years-20years-40years")
MONTH = 30.4375  # days, to choose rungs; bands themselves follow the calendar
OF_CLOCK = "15minutes-hour-3hours-6hours-12hours"
YEAR = 365.2425  # days
BANDS = 2000  # a rung of times with more bands than that over the range is too narrow to help


@dataclass(frozen=True)
class Ladder(Hierarchy):
    """Bands of several widths, each of which divides the next: the same for every table."""

    name = "ladder"
    takes_ends = True

    widths: str = ""
    start: float | None = None
    top: str | None = None
    bottom: str | None = None

    def __post_init__(self) -> None:
        if self.start is not None and not math.isfinite(self.start):
            raise RecipeError("start of 'ladder' must be a number, or a year for dates")
        if self.widths:
            years = any(rung.months is not None for rung in self.rungs)
            if years and self.start is not None and self.start != int(self.start):
                raise RecipeError("start of a 'ladder' of years must be a whole year")
        elif self.start is not None:
            raise RecipeError("start of 'ladder' needs widths", remedy="write widths=5-10-20-40")
        for error in self._coding("").problems():
            raise error

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """The widths, narrowest first; none where they are still to be chosen."""
        return rungs_of(self.widths) if self.widths else ()

    @property
    def levels_said(self) -> tuple[str, ...]:
        """Name the levels by the widths of their bands."""
        return tuple(f"bands of {spelled([rung])}" for rung in self.rungs)

    @property
    def from_data(self) -> bool:
        """True while widths are still to be chosen by the range of the column."""
        return not self.widths

    @property
    def spec(self) -> str:
        """Spell widths and start as users type them; ends come from the column's coding."""
        start = "" if self.start is None else f",start={self.start:.15g}"
        return f"{self.name}:widths={self.widths}{start}"

    def chosen(self, values: pa.Array, kind: Kind) -> Ladder:
        """Return the ladder with widths: its own, or those that suit the range of these values."""
        if self.widths:
            return self
        return Ladder(spelled(_suited(values, kind)), None, self.top, self.bottom)

    def centred(self, values: pa.Array, counts: Counts, kind: Kind) -> Ladder:
        """Return the ladder whose widest bands begin where they hold the median near their middle.

        They begin at a multiple of the next narrower width, a year for dates. Few groups then
        reach across two of the widest bands. It tells where the median lies to half such a band.
        """
        if self.start is not None or len(self.rungs) < 2 or not counts.sum():
            return self
        wide = self.rungs[-1].length(kind)
        step = self.rungs[-2].length(kind)
        if wide is None or step is None:
            return self
        middle = _median(values, counts, kind) - float(wide) / 2
        starts = [step * place for place in range(int(wide / step))]
        # The distance of the median from the middle of its band, by the shorter way around.
        start = min(starts, key=lambda each: _around(middle - float(each), float(wide)))
        return replace(self, start=float(start)) if start else self

    def within(self, coding: Coding | None) -> Ladder:
        """Return the ladder whose last bands are open where a column is capped."""
        if coding is None:
            return self
        top = coding.top if self.top is None else self.top
        bottom = coding.bottom if self.bottom is None else self.bottom
        return Ladder(self.widths, self.start, top, bottom)

    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        """Put each value under its bands; refuses text, and values beyond top and bottom."""
        if kind == "category":
            remedy = "turn it into numbers or dates, or give it another hierarchy"
            raise DataError(f"column '{column}' holds text, which has no bands", remedy=remedy)
        self._refuse_unfit(kind, column)
        whole = kind == "date" or pa.types.is_integer(values.type)
        points = points_of(values, kind)
        refuse_huge(points, kind, column, whole=whole)
        self._refuse_beyond(values, column)
        coding = self._coding(column)
        columns = [[coding.written(text) for text in text_of(values).to_pylist()]]
        ends: dict[str, tuple[str, str]] = {}
        for rung in self.chosen(values, kind).rungs:
            place, lo, hi = self._ends(rung, points, kind, column, values.type)
            pairs = [coding.written_ends(*pair) for pair in zip(lo, hi, strict=True)]
            labels = [_label(low, high, coding) for low, high in pairs]
            ends.update(zip(labels, pairs, strict=True))
            columns.append([labels[i] for i in place.tolist()])
        return Fitted.of_paths(list(zip(*columns, [EVERYTHING] * len(values), strict=True)), ends)

    def coarseness(self, labels: Sequence[str], measure: Measure) -> list[Decimal | None]:
        """Measure labels by their rungs: levels, widths, months, or the fewest days of these."""
        levels = self._levels(labels)
        if measure == "shown" or self.from_data:
            return [None] * len(labels)
        if measure == "level":
            return [None if level is None else Decimal(level) for level in levels]
        return [None if level is None else self._amount(level, measure) for level in levels]

    def is_open(self, label: str) -> bool:
        """Tell whether a label stands for all values beyond a top or a bottom."""
        return label in self._coding("").open_values

    def _amount(self, level: int, measure: Measure) -> Decimal | None:
        """Measure a level as a width or in months; a value has neither."""
        if level == 0:
            return Decimal(0)
        rung = self.rungs[level - 1]
        if measure == "months":
            return rung.months or Decimal(0)
        return rung.least_width

    def shown(self, labels: Sequence[str], reaching: Sequence[str] = ()) -> Ladder | None:
        """Return the ladder as far as these labels tell of it; None where they tell nothing.

        Its rungs are those of the labels, and its start is less than the widest of them. A band
        that is `reaching` a top or bottom does not tell its width: the narrowest rung that has it
        is added only where none of the others does.
        """
        rungs_with = self._rungs_with([*labels, *reaching])
        levels = {max(those) for those in rungs_with[: len(labels)] if those} - {0}
        if not levels:
            return None
        for those in rungs_with[len(labels) :]:
            if those and levels.isdisjoint(those):
                levels.add(min(those))
        rungs = [self.rungs[level - 1] for level in sorted(levels)]
        start = None
        if self.start is not None:
            lengths = [rungs[-1].length(kind) for kind in ("number", "date")]
            wide = next((float(length) for length in lengths if length is not None), 1.0)
            start = self.start % wide or None
        return Ladder(spelled(rungs), start)

    def _levels(self, labels: Sequence[str]) -> list[int | None]:
        """Find the highest rung that has each label; None where none has."""
        return [max(levels, default=None) for levels in self._rungs_with(labels)]

    def _rungs_with(self, labels: Sequence[str]) -> list[list[int]]:
        """List the rungs that have each label; 0 is that of values by themselves.

        All labels are of one column, so they are read in one form, the one that has most of them:
        `[0, 1]` is a band of 2 in whole numbers and of 1 in others, which `0.5` beside it tells.
        """
        firsts = [label.removeprefix("[").removesuffix("]").split(", ")[0] for label in labels]
        places = [place_of(bare(first)) for first in firsts]
        readings = [self._rungs_in(form, kind, labels, places) for kind, form in FORMS]
        return min(readings, key=lambda rungs: rungs.count([]))

    def _rungs_in(
        self, form: Callable[[Any], Any], kind: Kind, labels: Sequence[str], places: list[Any]
    ) -> list[list[int]]:
        """List the rungs that have each label, where their first ends have this form."""
        values = [form(place) for place in places]
        paths = self._paths(sorted({value for value in values if value is not None}), kind)
        return [
            [level for level, there in enumerate(paths.get(value, [])) if there == label]
            for label, value in zip(labels, values, strict=True)
        ]

    def _paths(self, values: Sequence[Any], kind: Kind) -> dict[Any, list[str]]:
        """List the labels of each value, from itself to the widest band, as they are published."""
        if not values or any(rung.misfit(kind) is not None for rung in self.rungs):
            return {}
        fitted = self.fit(pa.array(values), kind, "")
        tree = fitted.tree
        coding = self._coding("")
        labels = [
            tree.labels[node] if node not in tree.ends else _label(*tree.ends[node], coding)
            for node in range(len(tree.labels))
        ]
        paths = tree.node[:-1, fitted.leaf].T.tolist()
        return {
            value: [labels[node] for node in path]
            for value, path in zip(values, paths, strict=True)
        }

    def _ends(
        self, rung: Rung, points: Floats, kind: Kind, column: str, of_values: pa.DataType
    ) -> tuple[Longs, list[str], list[str]]:
        """Number the band of each value, and write the ends of all bands in between."""
        if not len(points):
            return np.zeros(0, np.int64), [], []
        grid = rung.bands(points, kind, self.start or 0.0, column)
        different, place = np.unique(grid.number, return_inverse=True)
        whole = kind == "date" or pa.types.is_integer(of_values)
        lo = grid.edge(different)
        hi = grid.edge(different + 1)
        if whole:
            lo = np.ceil(lo)
            hi = np.ceil(hi) - 1
        elif kind != "number":
            hi = hi - _tick(points)
        zone = pa.types.is_timestamp(of_values) and of_values.tz is not None
        bounded = [np.clip(side, *limits(kind, whole=whole)) for side in (lo, hi)]
        texts = [text_of_points(side, kind, whole=whole, zone=zone) for side in bounded]
        return place, texts[0], texts[1]

    def _coding(self, column: str) -> Coding:
        return Coding(column, self.top, self.bottom)

    def _refuse_unfit(self, kind: Kind, column: str) -> None:
        """Refuse widths that a column of this kind does not have."""
        for rung in self.rungs:
            why = rung.misfit(kind)
            if why is not None:
                raise RecipeError(
                    f"the ladder of column '{column}' has '{spelled([rung])}', but it {why}",
                    remedy=Remedy(Set("hierarchies", {column: "ladder"}, "let widths be chosen")),
                )

    def _refuse_beyond(self, values: pa.Array, column: str) -> None:
        """Refuse values that the ladder does not cover: those beyond its top or bottom."""
        if self.top is None and self.bottom is None:
            return
        coding = self._coding(column)
        texts = text_of(values).to_pylist()
        above = sum(coding.reaches_top(text) and text != self.top for text in texts)
        below = sum(coding.reaches_bottom(text) and text != self.bottom for text in texts)
        if above + below:
            sides = {"top": (above, self.top), "bottom": (below, self.bottom)}
            ends = [Set(side, {column: end}) for side, (many, end) in sides.items() if many]
            raise DataError(
                f"column '{column}' holds values that its ladder does not cover",
                {"values above its top": above, "values below its bottom": below},
                Remedy(*ends),
            )


def _whole_number(place: Any) -> int | None:
    whole = isinstance(place, Decimal) and place == place.to_integral_value()
    return int(place) if whole else None


def _number(place: Any) -> float | None:
    return float(place) if isinstance(place, Decimal) else None


def _date(place: Any) -> Any:
    return None if isinstance(place, Decimal) else place


FORMS: tuple[tuple[Kind, Callable[[Any], Any]], ...] = (
    ("number", _whole_number),
    ("number", _number),
    ("date", _date),
)
"""Forms of the first end of a label, each with the kind of column that holds it."""


def _median(values: pa.Array, counts: Counts, kind: Kind) -> float:
    """Find the lower median of the rows, as a point from which bands are counted."""
    place = int(np.searchsorted(np.cumsum(counts), counts.sum() / 2))
    point = float(points_of(values, kind)[place])
    if kind == "number":
        return point
    return 1970 + point / {"date": YEAR, "time": YEAR * DAY}[kind]


def _around(distance: float, width: float) -> float:
    """Measure how far a distance is from a multiple of a width."""
    beyond = distance % width
    return min(beyond, width - beyond)


def _label(low: str, high: str, coding: Coding) -> str:
    """Name a band: the value itself where it is one, `90+` for the one that begins at the top."""
    if low == high or high == coding.written(low):
        return high
    return low if low == coding.written(high) else f"[{low}, {high}]"


def _tick(points: Floats) -> float:
    """Choose the step by which a band of times ends before the next begins."""
    return 1.0 if not (points % 1.0).any() else 1e-6


def _suited(values: pa.Array, kind: Kind) -> tuple[Rung, ...]:
    """Choose the rungs for the range of a column."""
    points = points_of(values, kind)
    reach = float(points.max() - points.min()) if len(points) else 0.0
    if kind == "number":
        return _decimal_rungs(reach, whole=pa.types.is_integer(values.type))
    if kind == "clock":
        return rungs_of(OF_CLOCK)
    unit = 1.0 if kind == "date" else float(DAY)
    every = (*CALENDAR, *YEARS)
    fits = [
        rung for rung in every if rung.misfit(kind) is None and _days(rung) * unit < max(reach, 1.0)
    ]
    helps = [rung for rung in fits if _days(rung) * unit > (kind == "date") + reach / BANDS]
    return tuple(helps) or rungs_of("month" if kind == "date" else "hour")


def _days(rung: Rung) -> float:
    """Return the usual length of a rung of the calendar, in days."""
    if rung.months is not None:
        return float(rung.months) * MONTH
    assert rung.seconds is not None
    return float(rung.seconds) / DAY


def _decimal_rungs(reach: float, *, whole: bool) -> tuple[Rung, ...]:
    """Choose round widths that each divide the next, all narrower than the range."""
    if not math.isfinite(reach) or reach <= 0:
        reach = 1.0
    if whole and reach < 2 * FEWEST:
        few = "5-10" if reach >= FEWEST else "2-4"
        return tuple(rung for rung in rungs_of(few) if rung.times <= max(reach, 2.0))
    ten = Decimal(1).scaleb(math.floor(math.log10(reach / 2)))
    widths = [ten * part for part in PARTS]
    fits = [width for width in widths if float(width) < reach and not (whole and width <= 1)]
    return tuple(Rung(width) for width in fits)
