"""What round ends cost and hide: snapped intervals beside tight ones on every table at hand.

    python -m benchmarks.snapped [--rows 20000] [--tables bank,adult] [--by-column]

Groups are found once for each table and k; their tight boxes are then widened as `snapped` would.
For each k four figures: loss beyond that of tight boxes (mean share of the column's range that a
cell leaves open, `*` being all of it), the share of ends of intervals that are a member's value,
the advantage of `downcoding` over guessing; and the loss beyond tight boxes if each interval grew
by one unit at one end alone, which is the least that leaves a value of each open. Columns of fewer
than ten units are left out of that, since they keep their ends. `--by-column` says instead how much
of the loss beyond that of tight boxes comes from each column.
"""

from __future__ import annotations

import argparse
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import shoal
from benchmarks import measure
from benchmarks.adult import DATA
from shoal.declare.columns import kind_of
from shoal.encode.axes import axis_of
from shoal.encode.profile import profile
from shoal.recode.cells import Cell, Everything, Interval, read, write
from shoal.recode.grid import NumberGrid, unit_of
from shoal.recode.reading import ends
from shoal.recode.snapped import snapped_intervals

KS = (5, 10, 25)
TABLES = {
    "adult": (
        "adult.parquet",
        "age workclass education-num marital-status occupation race sex native-country "
        "hours-per-week",
    ),
    "bank": ("bank_marketing.parquet", "age job marital education balance housing loan"),
    "boston": ("boston.parquet", ""),
    "census": ("census.parquet", ""),
    "cmc": ("cmc.parquet", "wife_age wife_education children"),
    "cps85": ("cps85.parquet", "education experience age ethnicity region gender"),
    "credit": ("credit_default.parquet", "LIMIT_BAL SEX EDUCATION MARRIAGE AGE"),
    "eia": ("eia.parquet", "STATE RESREVENUE RESSALES COMREVENUE COMSALES"),
    "german": ("german_credit.parquet", "age personal_status job housing duration credit_amount"),
    "heart": ("heart_cleveland.parquet", "age sex trestbps chol"),
    "kdd": (
        "census_income_kdd.parquet",
        "age sex race marital-stat education class-of-worker wage-per-hour weeks-worked-in-year",
    ),
    "sdcmicro": (
        "sdcmicro_testdata.parquet",
        "urbrur roof walls water electcon relat sex age hhcivil",
    ),
    "tarragona": ("tarragona.parquet", ""),
}


class Figures(NamedTuple):
    """What round ends did to one release."""

    loss_beyond: float
    ends_held: float
    downcoding: float | None
    one_unit: float
    by_column: dict[str, float]


class Column(NamedTuple):
    """Cells of a column before and after, the open shares, and the ends of intervals."""

    cells: pa.Array
    tight: float
    snapped: float
    intervals: int
    held: float
    one_unit: float = 0.0


def main() -> None:
    """One table: a row for each table of data, three figures for each k."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--by-column", action="store_true")
    options = parser.parse_args()
    spell = spelled_by_column if options.by_column else spelled
    lines = []
    for name in options.tables.split(","):
        table = opened(name).slice(0, options.rows)
        figures = [figures_of(table, tight(table, k)) for k in KS]
        lines.append([name, *(spell(each) for each in figures)])
    title = (
        "Snapped beside tight: loss beyond / ends that are a member's value / downcoding / one unit"
    )
    print(measure.markdown(title, ["table", *(f"k = {k}" for k in KS)], lines, ""))


def opened(name: str) -> pa.Table:
    """Read the quasi-identifiers of a table."""
    file, columns = TABLES[name]
    table = pq.read_table(DATA / file)
    return table.select(columns.split()) if columns else table


def tight(table: pa.Table, k: int) -> pa.Table:
    """Publish a table with tight boxes."""
    quasi = table.column_names
    asked = {"k": k, "publish": "tight", "effort": "low", "seed": 1, "keep_order": True}
    return shoal.anonymize(table, quasi=quasi, **asked).table


def figures_of(table: pa.Table, boxes: pa.Table) -> Figures:
    """Widen the boxes of a release, and compare."""
    columns = [widened(table[name], boxes[name], name) for name in boxes.column_names]
    released = pa.table([column.cells for column in columns], boxes.column_names)
    attack = shoal.attack(
        released, original=table, quasi=table.column_names, attacks="downcoding"
    ).all[0]
    before = sum(column.tight for column in columns)
    after = sum(column.snapped for column in columns)
    intervals = sum(column.intervals for column in columns)
    held = sum(column.held for column in columns)
    one_unit = sum(column.one_unit for column in columns)
    grown = [(column.snapped - column.tight) / before for column in columns]
    return Figures(
        after / before - 1,
        held / max(intervals, 1),
        attack.advantage,
        one_unit / before,
        dict(zip(boxes.column_names, grown, strict=True)),
    )


def widened(values: pa.ChunkedArray, boxes: pa.ChunkedArray, name: str) -> Column:
    """Widen the intervals of one column, and sum what its cells leave open over all rows."""
    counted = pc.value_counts(boxes.combine_chunks())
    texts = counted.field(0).to_pylist()
    times = np.asarray(counted.field(1), np.float64)
    cells = [read(text) for text in texts]
    open_cells = float(times[[isinstance(cell, Everything) for cell in cells]].sum())
    kind = kind_of(values.type, name)
    at = [place for place, cell in enumerate(cells) if isinstance(cell, Interval)]
    if kind == "category" or not at:
        return Column(boxes.combine_chunks(), open_cells, open_cells, 0, 0.0)
    axis = axis_of(profile(values.combine_chunks(), name), None)[0]
    shown = [cell for cell in cells if cell is not None and not isinstance(cell, Everything)]
    code = {text: place for place, text in enumerate(pc.cast(axis.values, pa.string()).to_pylist())}
    pairs = [
        (cell.lo, cell.hi) if isinstance(cell, Interval) else (cell.text,) * 2 for cell in shown
    ]
    lo, hi = (np.array([code[pair[end]] for pair in pairs], np.int32) for end in (0, 1))
    new = dict(zip(map(write, shown), snapped_intervals(axis, lo, hi), strict=True))
    after: list[Cell] = [
        new[texts[place]] if place in set(at) else cell for place, cell in enumerate(cells)
    ]
    first, last = ends(kind, [cells[place] for place in at])  # type: ignore[misc]
    low, high = ends(kind, [after[place] for place in at])  # type: ignore[misc]
    weights = times[at]
    span = axis.range
    replaced = pa.array([write(cell) for cell in after], pa.string())
    return Column(
        replaced.take(pc.index_in(boxes.combine_chunks(), counted.field(0))),
        open_cells + float((last - first) / span @ weights),
        open_cells + float((high - low) / span @ weights),
        2 * int(weights.sum()),
        float(((low == first) * 1.0 + (high == last)) @ weights),
        _one_unit(pairs) / span * float(weights.sum()) if kind == "number" else 0.0,
    )


def _one_unit(pairs: list[tuple[str, str]]) -> float:
    """Return the unit of a column whose ends are widened; 0 where they stay."""
    boxes = {(Decimal(low), Decimal(high)) for low, high in pairs}
    unit = unit_of({end for box in boxes for end in box})
    return float(unit) if NumberGrid.of(boxes).least > unit else 0.0


def spelled(figures: Figures) -> str:
    """Write the figures of one release."""
    gained = "-" if figures.downcoding is None else f"{figures.downcoding:.3f}"
    shares = f"{figures.loss_beyond:+.1%} / {figures.ends_held:.0%}"
    return f"{shares} / {gained} / {figures.one_unit:+.1%}"


def spelled_by_column(figures: Figures) -> str:
    """Write the loss beyond tight boxes of each column that has some."""
    grown = [f"{name} {more:+.1%}" for name, more in figures.by_column.items() if more > 0]
    return ", ".join(grown)


if __name__ == "__main__":
    main()
