"""Spread: shows the distribution of a quasi-identifier before and after, in a few bars.

*Before* counts the original values. *After* is what a reader may think who takes all values inside
a printed cell for equally likely: an interval is spread evenly from end to end, a node of a
hierarchy over the leaves under it, a set over its values, and where these are many numbers or
dates, evenly from the least to the largest: no reader knows which ones between were anyone's.
Numbers and dates are cut into
steps of equal width, categories are the most frequent ones and all others. Only different values
and different cells are looked at, so that a million rows take no longer than a thousand.

The spread of a release alone, for everyone's eyes, is simpler: how often each cell is printed,
rounded; rare ones merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Floats, Ints
from shoal.declare.columns import Kind, points_of, text_of, text_of_points, whole
from shoal.encode.axes import Axis
from shoal.recode import reading
from shoal.recode.cells import EVERYTHING, Cell, Interval, Value, ValueSet, read
from shoal.review.report.document import Bars

MOST = 12  # bars of a series
BASE = 5  # what public counts are rounded to
RARE = 10  # rows that a cell needs to be named in public
MISSING = "(missing)"
OTHER = "(other)"
STEPS = (1, 2, 5, 10, 20)
MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200, 12_000, 120_000)
WHOLE = 2**53  # beyond it, floats skip whole numbers


def before_and_after(table: pa.Table, axis: Axis, rows: int) -> Bars:
    """Compute the shares of the original rows and of the published ones in each bar."""
    column = reading.printed(table, axis.name)
    counts = np.bincount(column.cell, minlength=len(column.cells)).astype(np.float64)
    cells, times = _with_sets_apart(column.cells, counts)
    return _beside(axis, _with_ends(axis, cells), times, rows)


def _with_sets_apart(cells: Sequence[Cell], times: Floats) -> tuple[list[Cell], Floats]:
    """Replace each set by its values, over which its rows are spread evenly."""
    parts = [
        (Value(text), count / len(cell.texts))
        for cell, count in zip(cells, times.tolist(), strict=True)
        if isinstance(cell, ValueSet)
        for text in cell.texts
    ]
    whole = [not isinstance(cell, ValueSet) for cell in cells]
    kept = [cell for cell in cells if not isinstance(cell, ValueSet)]
    shares = np.array([share for _, share in parts], np.float64)
    return [*kept, *(value for value, _ in parts)], np.concatenate([times[whole], shares])


def as_it_was(axis: Axis, codes: Ints, rows: int) -> Bars:
    """Compute the shares for a column that is published as it was.

    `codes` are those of the published rows.
    """
    own = points_of(axis.values, axis.kind) if axis.kind != "category" else np.zeros(axis.size)
    code = np.arange(axis.size + 1)
    ends = np.append(own, np.nan)
    runs = reading.Runs(
        code.astype(np.int32), code.astype(np.int32), ends, ends, np.zeros(axis.size + 1, np.bool_)
    )
    return _beside(axis, runs, np.bincount(codes, minlength=axis.size + 1).astype(np.float64), rows)


def _beside(axis: Axis, runs: reading.Runs, times: Floats, rows: int) -> Bars:
    """Compute bars of the original rows, and of what published cells may stand for.

    `times` counts how often each cell occurs.
    """
    published = float(times.sum())
    gone = float(times[runs.first == axis.size].sum()) / max(published, 1)
    counted = _of_line if _is_line(axis) else _of_tree
    labels, (before, after) = counted(axis, runs, times)
    shares = list(zip(before / max(rows, 1), after / max(published, 1), strict=True))
    values = [(float(one), float(other)) for one, other in shares]
    missing = (1 - float(axis.counts.sum()) / max(rows, 1), gone)
    if any(share > 0 for share in missing):
        labels = [*labels, MISSING]
        values.append(missing)
    return Bars(axis.name, ("before", "after"), tuple(labels), tuple(values))


def apart(bars: Bars) -> float:
    """Return the share of rows that stand in another bar after than before."""
    return sum(abs((before or 0.0) - (after or 0.0)) for before, after in bars.values) / 2


def _is_line(axis: Axis) -> bool:
    """Tell whether values are shown in steps: numbers and dates, and under a tree many of them."""
    if axis.points is not None:
        return axis.size > 0
    return axis.kind != "category" and axis.size > MOST


def _of_line(
    axis: Axis, runs: reading.Runs, times: Floats
) -> tuple[list[str], tuple[Floats, Floats]]:
    """Compute bars for steps of equal width; a cell without ends is everything."""
    own, edges, unit = _steps_of(axis)
    least = own.min()
    most = own.max()
    named = runs.first < axis.size
    low = np.clip(np.where(np.isnan(runs.low), least, runs.low), least, most)[named]
    high = np.clip(np.where(np.isnan(runs.high), most, runs.high), least, most)[named]
    after = _evenly(low, high + unit, times[named], edges)
    before = np.bincount(
        np.searchsorted(edges[1:-1], own, "right"), axis.counts, minlength=len(edges) - 1
    )
    return _between(edges, axis.kind, unit), (np.asarray(before, np.float64), after)


def _with_ends(axis: Axis, cells: Sequence[Cell]) -> reading.Runs:
    """Return the range that each cell covers, as points.

    Nodes of a tree over numbers or dates have the ends that they are printed with, or have below
    them.
    """
    runs = reading.runs(axis, cells)
    if axis.points is not None or not _is_line(axis):
        return runs
    low, high = _under(points_of(axis.values, axis.kind), runs)
    wide = [place for place, cell in enumerate(cells) if isinstance(cell, Interval)]
    low[wide], high[wide] = reading.ends(
        axis.kind, [cell for cell in cells if isinstance(cell, Interval)]
    )
    return replace(runs, low=low, high=high)


def _under(own: Floats, runs: reading.Runs) -> tuple[Floats, Floats]:
    """Find the least and the largest value under each node of a tree, in any order of leaves.

    NaN where there is none.
    """
    ends = np.column_stack([runs.first, np.minimum(runs.last, len(own) - 1) + 1]).ravel()
    longer = np.append(own, own[-1])  # an end may stand one behind the last leaf
    low = np.minimum.reduceat(longer, ends)[::2]
    high = np.maximum.reduceat(longer, ends)[::2]
    none = runs.last < runs.first
    return np.where(none, np.nan, low), np.where(none, np.nan, high)


def _steps_of(axis: Axis) -> tuple[Floats, Floats, float]:
    """Return values as points, the edges of the steps, and the least distance of two points.

    The least distance is 0 where any is possible.
    """
    own = points_of(axis.values, axis.kind)
    unit = 1.0 if bool((own == np.floor(own)).all()) and np.abs(own).max() < WHOLE else 0.0
    return own, steps(axis.kind, own.min(), own.max(), unit), unit


def _between(edges: Floats, kind: Kind, unit: float) -> list[str]:
    starts = _said(edges[:-1], kind, unit)
    ends = _said(edges[1:] - unit, kind, unit)
    return [
        start if start == end else f"{start} to {end}"
        for start, end in zip(starts, ends, strict=True)
    ]


def _evenly(low: Floats, high: Floats, times: Floats, edges: Floats) -> Floats:
    """Spread intervals evenly over the steps, and return how much lies in each.

    That is what lies below an edge, less what lies below the edge before.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        width = high - low
        below = [
            np.where(
                width > 0, np.clip((edge - low) / np.where(width > 0, width, 1), 0, 1), edge > low
            )
            for edge in edges
        ]
    return np.diff([0.0, *(float(share @ times) for share in below[1:-1]), float(times.sum())])


def steps(kind: Kind, least: float, most: float, unit: float) -> Floats:
    """Choose the edges of at most twelve steps.

    They are whole months or years, or 1, 2 or 5 times a power of ten.
    """
    wide = float(most) - float(least) + unit
    if wide <= 0 or not np.isfinite(wide):
        return np.array([least, most], np.float64)
    day = {"date": 1.0, "time": 86_400.0}.get(kind, np.inf)
    if wide > 2 * MOST * day:
        first = _month(least / day)
        last = _month(most / day)
        step = next(step for step in MONTHS if last // step - first // step < MOST)
        months = np.arange(first // step, last // step + 2) * step
        return months.astype("datetime64[M]").astype("datetime64[D]").astype(np.float64) * day
    power = 10.0 ** np.floor(np.log10(wide / MOST))
    step = max(unit, next(step * power for step in STEPS if step * power * (MOST - 1) >= wide))
    return np.asarray(
        np.arange(np.floor(least / step), np.floor(most / step) + 2) * step, np.float64
    )


def _month(day: float) -> int:
    """Return the month of a day, both counted from 1970."""
    return int(np.datetime64(int(np.floor(day)), "D").astype("datetime64[M]").astype(int))


def _said(points: Floats, kind: Kind, unit: float) -> list[str]:
    """Write edges of steps as text; of a float no more digits than it holds."""
    if kind == "number" and not unit:
        return [f"{point:.15g}" for point in points]
    return text_of_points(points, kind, whole=True)


def _of_tree(
    axis: Axis, runs: reading.Runs, times: Floats
) -> tuple[list[str], tuple[Floats, Floats]]:
    """Compute bars for the most frequent values, and for all others together."""
    there = runs.first < axis.size
    first = runs.first[there]
    last = np.minimum(runs.last[there], axis.size - 1)
    times = times[there]
    leaves = np.maximum(last - first + 1, 1)
    change = np.zeros(axis.size + 1)
    np.add.at(change, np.minimum(first, axis.size), times / leaves)
    np.add.at(change, last + 1, -times / leaves)
    after = np.cumsum(change)[: axis.size]
    before = axis.counts.astype(np.float64)
    often = np.sort(np.argsort(-before, kind="stable")[: MOST if axis.size <= MOST else MOST - 1])
    labels = text_of(axis.values.take(pa.array(often))).to_pylist()
    rest = np.setdiff1d(np.arange(axis.size), often)
    if len(rest):
        labels.append(OTHER)
    return labels, (_with_rest(before, often, rest), _with_rest(after, often, rest))


def _with_rest(counts: Floats, often: AnyArray, rest: AnyArray) -> Floats:
    return np.append(counts[often], counts[rest].sum()) if len(rest) else counts[often]


def as_printed(table: pa.Table, name: str) -> Bars:
    """Count how often each cell of a published column is printed, rounded to fives.

    Cells of few rows are counted together.
    """
    texts = [text_of(_plain(whole(table[column]))) for column in columns(table, name)]
    cells = texts[0] if len(texts) == 1 else pc.binary_join_element_wise(*texts, " to ")
    counted = pc.value_counts(pc.fill_null(cells, MISSING))
    counts = dict(zip(counted.field(0).to_pylist(), counted.field(1).to_pylist(), strict=True))
    not_rare = [cell for cell, count in counts.items() if count >= RARE]
    often = sorted(not_rare, key=lambda cell: (-counts[cell], cell))[:MOST]
    rest = table.num_rows - sum(counts[cell] for cell in often)
    shown = [(cell, rounded(counts[cell])) for cell in sorted(often, key=_place)]
    shown += [(OTHER, rounded(rest))] if rest else []
    labels = tuple(cell for cell, _ in shown)
    return Bars(name, ("rows, rounded",), labels, tuple((float(count),) for _, count in shown))


def rounded(count: int) -> int:
    """Round a count that is made public to the nearest multiple of five."""
    return (count + BASE // 2) // BASE * BASE


def columns(table: pa.Table, name: str) -> Sequence[str]:
    """List the column names under which a quasi-identifier is published."""
    return [name] if name in table.column_names else [f"{name}_lo", f"{name}_hi"]


def _plain(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _place(text: str) -> tuple[bool, float, str]:
    """Return a sort key: numbers and intervals in order, then words, then what means everything."""
    cell = read(text) if text != MISSING else None
    start = cell.lo if isinstance(cell, Interval) else text.split(" to ")[0]
    at = next(
        (
            point
            for kind in ("number", "date", "time")
            if not np.isnan(point := reading.point(start, kind))
        ),
        np.inf,
    )
    return (text in (EVERYTHING, MISSING), at, text)
