"""Concrete: convert a release to tables of single values, which learners take.

    sampled    each cell becomes a value drawn evenly from those that it may stand for; several
               independent tables (10 unless told)
    midpoint   an interval becomes its middle, a label the value under it that the release itself
               makes most likely
    expanded   as midpoint, but a row with a published distribution becomes one row for each value,
               of that weight; where several columns hold distributions, by the last of them

`*` stands for any value of the column, null for a missing one. A number is drawn from the whole of
its interval, a category from the values under its node, or from those of its set. Values under a
node are those that the
original holds, not all that its hierarchy names. Likely is what the column's cells add up to, each
spread evenly over its values: how often the original holds them is not asked. Distributions are
published as columns `<column>=<value>` of shares, or as one column of JSON texts such as {"flu":
0.4, "cold": 0.6}; sampled, they are drawn from; as midpoints, the largest share counts. Generators
always start alike. Sampling follows Last, Tassa, Zhmudyak & Shmueli (2014,
doi:10.1016/j.ins.2013.09.006), who leave its law open.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from shoal.arrays import Floats, Ints
from shoal.declare.columns import text_of
from shoal.errors import DataError
from shoal.mining.features import Feature, Plain
from shoal.recode.reading import PrintedColumn, Runs, as_it_is, lacking, members, printed, runs
from shoal.wording import Sentence, Set

SEED = 7
Way = Literal["sampled", "midpoint", "expanded"]


@dataclass(frozen=True)
class Ranges:
    """A column of cells, each from `low` to `high`, in points on a line or in codes."""

    feature: Feature
    cell: Ints
    low: Floats
    high: Floats
    on_line: bool
    unread: bool = False

    @property
    def certain(self) -> bool:
        """True if every cell stands for one value."""
        return bool((np.isnan(self.low) | (self.low == self.high)).all())

    def drawn(self, chance: Floats) -> Floats:
        """Pick a value of each row's range by a chance from 0 to below 1."""
        low = self.low[self.cell]
        high = self.high[self.cell]
        if self.on_line and not self.feature.counted:
            return low + chance * (high - low)
        steps = np.floor(low + chance * (high - low + 1))
        return steps if self.on_line else self._points(steps)

    def middle(self) -> Floats:
        """Return the middle of each row's range, or its likeliest category."""
        if self.on_line:
            return ((self.low + self.high) / 2)[self.cell]
        codes = np.floor((self.low + self.high) / 2) if self.feature.numeric else self._likeliest()
        return self._points(codes)[self.cell]

    def _likeliest(self) -> Floats:
        rows = np.bincount(self.cell, minlength=len(self.low))
        there = np.flatnonzero(~np.isnan(self.low))
        first = self.low[there].astype(np.int64)
        last = self.high[there].astype(np.int64)
        change = np.zeros(self.feature.axis.size + 1)
        share = rows[there] / (last - first + 1)
        np.add.at(change, first, share)
        np.add.at(change, last + 1, -share)
        likely = np.round(np.cumsum(change), 9)  # so that equal ones stay equal
        likeliest = np.full(len(self.low), np.nan)
        likeliest[there] = [
            a + int(np.argmax(likely[a : b + 1])) for a, b in zip(first, last, strict=True)
        ]
        return likeliest

    def _points(self, codes: Floats) -> Floats:
        return self.feature.points[
            np.where(np.isnan(codes), self.feature.axis.size, codes).astype(np.int64)
        ]


@dataclass(frozen=True)
class Shares:
    """A column of distributions over the codes of its axis: `shares[cell, code]`."""

    feature: Feature
    cell: Ints
    shares: Floats
    unread = False

    @property
    def certain(self) -> bool:
        """True if every distribution names one value."""
        return bool(((self.shares > 0).sum(axis=1) == 1).all())

    def drawn(self, chance: Floats) -> Floats:
        """Pick a value of each row's distribution by a chance from 0 to below 1."""
        reached = np.cumsum(self.shares, axis=1)[self.cell]
        return self.feature.points[(reached <= (chance * reached[:, -1])[:, None]).sum(axis=1)]

    def middle(self) -> Floats:
        """Return the value with the largest share of each row."""
        return self.feature.points[np.argmax(self.shares, axis=1)][self.cell]


@dataclass(frozen=True)
class EvenShares(Shares):
    """A column with sets of values among its cells, each value of a cell as likely as the others.

    No distribution was published, so none is expanded.
    """

    unread: bool = False

    def middle(self) -> Floats:
        """Return the value of each row's cell that the column makes most likely."""
        rows = np.bincount(self.cell, minlength=len(self.shares))
        likely = np.round(rows @ self.shares, 9)  # so that equal ones stay equal
        chosen = np.argmax(np.where(self.shares > 0, likely, -1.0), axis=1)
        return self.feature.points[chosen][self.cell]


def concrete(
    released: pa.Table,
    features: tuple[Feature, ...],
    quasi: Sequence[str],
    way: Way = "sampled",
    tables: int = 10,
) -> tuple[Plain, ...]:
    """Make tables of single values: `tables` of them where values are drawn, else one."""
    columns = [column_of(released, feature, quasi) for feature in features]
    if way == "sampled" and not all(column.certain for column in columns):
        return tuple(
            _sampled(columns, np.random.default_rng([SEED, number])) for number in range(tables)
        )
    middle = Plain(
        features, np.array([column.middle() for column in columns]), np.ones(released.num_rows)
    )
    return (_expanded(middle, columns) if way == "expanded" else middle,)


def unread(
    released: pa.Table, features: tuple[Feature, ...], quasi: Sequence[str]
) -> tuple[str, ...]:
    """List columns with labels that need a hierarchy to be read, and count as `*`."""
    return tuple(feature.name for feature in features if column_of(released, feature, quasi).unread)


def column_of(released: pa.Table, feature: Feature, quasi: Sequence[str]) -> Ranges | Shares:
    """Read a published column as ranges or as distributions; refuses a release without it."""
    named = [name for name in released.column_names if name.startswith(f"{feature.name}=")]
    if feature.name not in released.column_names and named:
        return _of_columns(released, feature, named)
    if lacking(released, [feature.name]):
        quasi_example = Set("quasi", ["age", "zip"])
        sensitive_example = Set("sensitive", ["disease"])
        remedy = Sentence("name its columns: ", quasi_example, " and ", sensitive_example)
        raise DataError(f"the release has no column '{feature.name}'", remedy=remedy)
    if feature.name in quasi:
        column = printed(released, feature.name)
    else:
        column = as_it_is(released, feature.name)
    told = [_distribution(getattr(cell, "text", "")) for cell in column.cells[:-1]]
    if not feature.numeric and told and all(told):
        return _of_texts(column, feature, told)
    ranges = _ranges(column, feature)
    sets = members(feature.axis, column.cells)
    return _choices(ranges, sets) if sets and not ranges.on_line else ranges


def _choices(ranges: Ranges, sets: Mapping[int, Ints]) -> EvenShares:
    """Spread each cell evenly over the codes that it may stand for."""
    size = ranges.feature.axis.size
    code = np.arange(size + 1)
    inside = (ranges.low[:, None] <= code) & (code <= ranges.high[:, None])
    inside[np.isnan(ranges.low), size] = True
    for place, codes in sets.items():
        if len(codes):
            inside[place] = np.isin(code, codes)
    shares = inside / inside.sum(axis=1, keepdims=True)
    return EvenShares(ranges.feature, ranges.cell, shares, ranges.unread)


def _ranges(column: PrintedColumn, feature: Feature) -> Ranges:
    axis = feature.axis
    covered = runs(axis, column.cells)
    on_line = axis.points is not None
    low, high = _ends(covered, on_line=on_line)
    missing = np.array([cell is None for cell in column.cells])
    said = (
        ~missing
        & ~np.isnan(low)
        & ((covered.last < axis.size) & (covered.first <= covered.last) | on_line)
    )
    low[~said] = np.nan
    high[~said] = np.nan
    if axis.size:
        low[~said & ~missing], high[~said & ~missing] = _everything(
            feature, low[said], high[said], on_line=on_line
        )
    return Ranges(feature, column.cell, low, high, on_line, bool(covered.unread.any()))


def _ends(covered: Runs, *, on_line: bool) -> tuple[Floats, Floats]:
    """Return both ends of cells: points on a line, codes on a tree."""
    if on_line:
        return covered.low, covered.high
    return covered.first.astype(np.float64), covered.last.astype(np.float64)


def _everything(
    feature: Feature, low: Floats, high: Floats, *, on_line: bool
) -> tuple[float, float]:
    """Return the range of `*`: all values under the root, or all that other cells reach."""
    if not on_line:
        return 0.0, feature.axis.size - 1.0
    if len(low):
        return float(low.min()), float(high.max())
    return float(feature.points[0]), float(feature.points[-2])


def _distribution(text: str) -> dict[str, float] | None:
    """Parse a text as shares by value; None where it holds none."""
    if not text.startswith("{"):
        return None
    try:
        told = json.loads(text)
    except ValueError:
        return None
    shares = told if isinstance(told, dict) and told else {}
    right = all(isinstance(share, int | float) and share >= 0 for share in shares.values())
    if right and 0 < sum(shares.values()) < np.inf:
        return {value: float(share) for value, share in shares.items()}
    return None


def _of_texts(column: PrintedColumn, feature: Feature, told: Sequence[Any]) -> Shares:
    return Shares(
        feature, column.cell, np.array([_coded(feature, shares) for shares in [*told, {}]])
    )


def _of_columns(released: pa.Table, feature: Feature, named: Sequence[str]) -> Shares:
    values = [name.removeprefix(f"{feature.name}=") for name in named]
    told = np.array([_told(released, name) for name in named])
    shares = sum(
        told[i][:, None] * (_coded(feature, {value: 1.0}) > 0) for i, value in enumerate(values)
    )
    empty = told.sum(axis=0) <= 0
    shares[empty] = _coded(feature, {})
    whole = np.asarray(shares, np.float64)
    return Shares(
        feature,
        np.arange(released.num_rows, dtype=np.int32),
        whole / whole.sum(axis=1, keepdims=True),
    )


def _told(released: pa.Table, name: str) -> Floats:
    """Read a column of shares; refuses other values."""
    try:
        told = np.asarray(released[name].cast(pa.float64()).fill_null(0.0), np.float64)
    except pa.ArrowInvalid:
        told = np.array([np.nan])
    if not (np.isfinite(told) & (told >= 0)).all():
        problem = f"column '{name}' of the release holds something else than shares"
        raise DataError(
            problem,
            remedy="publish shares from 0 to 1, or the column as it is, without '=' in its name",
        )
    return told


def _coded(feature: Feature, shares: Mapping[str, float]) -> Floats:
    """Convert shares of values to shares of codes.

    Unknown values, or no shares at all, count as missing, which comes last.
    """
    codes = {text: code for code, text in enumerate(text_of(feature.axis.values).to_pylist())}
    of_codes = np.zeros(feature.axis.size + 1)
    for value, share in shares.items():
        of_codes[codes.get(value, feature.axis.size)] += share
    of_codes[-1] += not of_codes.any()
    return of_codes / of_codes.sum()


def _sampled(columns: Sequence[Ranges | Shares], rng: np.random.Generator) -> Plain:
    values = np.array([column.drawn(rng.random(len(column.cell))) for column in columns])
    return Plain(tuple(column.feature for column in columns), values, np.ones(values.shape[1]))


def _expanded(middle: Plain, columns: Sequence[Ranges | Shares]) -> Plain:
    """Repeat each row for each value of its distribution, weighted by the share.

    Where several columns hold distributions, the last one counts.
    """
    published = [
        (place, column)
        for place, column in enumerate(columns)
        if isinstance(column, Shares) and not isinstance(column, EvenShares)
    ]
    place, column = published[-1] if published else (0, None)
    if column is None:
        return middle
    row, code = np.nonzero(column.shares[column.cell])
    values = middle.values[:, row]
    values[place] = column.feature.points[code]
    return Plain(middle.features, values, column.shares[column.cell[row], code])
