"""Published: the share of its column that each printed cell leaves open.

It is read from the release, the recipe and the hierarchies alone, so anyone who holds these three
can measure it again.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts, Floats
from shoal.declare.columns import kind_of, points_of, text_of, whole
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.numbering import dictionary_of
from shoal.declare.open_ends import bare
from shoal.recode.cells import Cell, Everything, Interval, Value, ValueSet, ends_of, read

HEIGHT = 0
LEAVES = 1


@dataclass(frozen=True)
class PublishedView:
    """A release as anyone sees it; its maker, and format 1, count `withheld` rows in full."""

    table: pa.Table
    quasi: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy | None]
    publish: Mapping[str, str]
    withheld: int = 0
    open_ends: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Cells of values that the recipe caps, by column: `90+`, `<=5`."""

    @property
    def rows(self) -> int:
        """The number of published rows."""
        return self.table.num_rows

    def per_cell(self, measure: int) -> float | None:
        """Compute the mean share that a cell leaves open; withheld rows count one.

        None where cells name no box (centres).
        """
        if any(self.publish.get(name) == "centre" for name in self.quasi):
            return None
        open_cells = sum(self._column(name, measure) for name in self.quasi)
        rows = self.rows + self.withheld
        return (open_cells + self.withheld * len(self.quasi)) / max(rows * len(self.quasi), 1)

    def by_column(self, measure: int) -> dict[str, float | None]:
        """Compute the mean share that the cells of each column leave open; None for centres."""
        rows = max(self.rows + self.withheld, 1)
        return {
            name: None
            if self.publish.get(name) == "centre"
            else (self._column(name, measure) + self.withheld) / rows
            for name in self.quasi
        }

    @cached_property
    def columns(self) -> dict[str, pa.ChunkedArray]:
        """The columns by name."""
        return dict(zip(self.table.column_names, self.table.columns, strict=True))

    @cached_property
    def cells(self) -> dict[str, tuple[list[Cell], Counts]]:
        """The different cells of each generalized column, and how often each is printed."""
        cells = {}
        for name in (name for name in self.quasi if name in self.columns):
            counted = dictionary_of(whole(self.columns[name]))
            numbers = np.asarray(pc.fill_null(counted.indices, len(counted.dictionary)), np.int64)
            times = np.bincount(numbers, minlength=len(counted.dictionary) + 1)
            texts = [*pc.cast(counted.dictionary, pa.string()).to_pylist(), None]
            there = np.flatnonzero(times)
            cells[name] = ([read(texts[place]) for place in there], times[there].astype(np.int64))
        return cells

    def _column(self, name: str, measure: int) -> float:
        if name in self.cells:
            cells, times = self.cells[name]
            # Summed exactly: engines meet the cells in different orders.
            return math.fsum(shares_of(cells, self.hierarchies.get(name), measure) * times)
        return _open_between(whole(self.columns[f"{name}_lo"]), whole(self.columns[f"{name}_hi"]))


class PublishedLoss(ABC):
    """A number about the cells of a release as printed; lower is better."""

    name: ClassVar[str]
    """The name that users type."""

    @abstractmethod
    def measure(self, published: PublishedView) -> float | None:
        """Compute the figure; None where the cells do not tell."""


def shares_of(cells: Sequence[Cell], hierarchy: Hierarchy | None, measure: int) -> Floats:
    """Compute the share of the column that each cell leaves open.

    1 for `*`, 0 for one value or for only missing values. A set has no height: by either measure
    it is counted by its values, compared with all that the column's cells name, or with the leaves
    of its hierarchy where these are more.
    """
    shares = np.array([1.0 if isinstance(cell, Everything) else 0.0 for cell in cells])
    intervals = [i for i, cell in enumerate(cells) if isinstance(cell, Interval)]
    values = [i for i, cell in enumerate(cells) if isinstance(cell, Value)]
    if intervals:
        pairs = [ends_of(cell) for cell in cells if isinstance(cell, Interval)]
        lo = np.array([_point(low) for low, _ in pairs])
        hi = np.array([_point(high) for _, high in pairs])
        alone = [_point(ends_of(cell)[0]) for cell in cells if isinstance(cell, Value)]
        ends = np.concatenate([lo, hi, alone])
        shares[intervals] = _shares(lo, hi, np.nanmin(ends), np.nanmax(ends))
    elif hierarchy is not None and values:
        labels = [cells[i].text for i in values]  # type: ignore[union-attr]
        shares[values] = hierarchy.public_shares(labels)[measure]
    sets = [i for i, cell in enumerate(cells) if isinstance(cell, ValueSet)]
    if sets:
        shares[sets] = _shares_of_sets(cells, hierarchy)
    return shares


def _shares_of_sets(cells: Sequence[Cell], hierarchy: Hierarchy | None) -> list[float]:
    """Compute (values of the set - 1) / (values of the column - 1) for each set."""
    sets = [cell.texts for cell in cells if isinstance(cell, ValueSet)]
    named = {text for texts in sets for text in texts}
    named |= {cell.text for cell in cells if isinstance(cell, Value)}
    leaves = hierarchy.public_leaves if hierarchy is not None else 0
    most = max(len(named), leaves, 2) - 1
    return [(len(texts) - 1) / most for texts in sets]


def _open_between(lo: pa.Array, hi: pa.Array) -> float:
    """Compute the open share of a column published as two ends; a null end leaves all open."""
    both = pc.and_(pc.is_valid(lo), pc.is_valid(hi))
    there = np.asarray(both)
    points = [_points_of_end(end.filter(both)) for end in (lo, hi)]
    widest = (points[0].min(), points[1].max()) if there.any() else (0.0, 0.0)
    return math.fsum(_shares(points[0], points[1], *widest)) + np.count_nonzero(~there)


def _points_of_end(end: pa.Array) -> Floats:
    """Convert ends to points; those of a CSV release, and those that may be open, are texts."""
    kind = kind_of(end.type, "bounds")
    if kind == "number":
        return points_of(end, kind)
    return np.array([_point(bare(text)) for text in text_of(end).to_pylist()], np.float64)


def _shares(lo: Floats, hi: Floats, least: float, most: float) -> Floats:
    """Divide widths by the widest, which may be too large for a float: then all is halved."""
    if not np.isfinite(float(most) - float(least)):
        lo = lo / 2
        hi = hi / 2
        least = least / 2
        most = most / 2
    return np.asarray((hi - lo) / ((most - least) or 1.0), np.float64)


def _point(text: str) -> float:
    """Convert a text to a point: a number, a date or time in seconds; else NaN."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        spelled = f"1970-01-01T{text}" if text[2:3] == ":" else text.removesuffix("Z")
        return float(np.datetime64(spelled, "us").astype(np.int64)) / 1e6
    except ValueError:
        return float("nan")
