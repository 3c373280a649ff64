"""Population matches: count the people of a population who fit each group, by its printed cells.

Every cell is read back: a value fits itself, an interval what lies between its ends, a label all
leaves under its node, `*` everything, null what is missing; two columns of bounds are an interval,
and where both are null everything. On the axes of the population each cell is a run of codes and
each group a box, so people are counted inside boxes (`kernels/review/inside`). Boxes may overlap;
whoever fits several groups counts in each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Counts, Ints
from shoal.declare.columns import text_of
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.encode.axes import Axis, axis_of
from shoal.encode.profile import profile
from shoal.encode.rows import Distinct
from shoal.errors import DataError, RecipeError
from shoal.groups import Groups
from shoal.kernels.review.inside import PlacedTuples
from shoal.recode.cells import Cell, Everything, Interval, Value, ValueSet, ends_of, read
from shoal.recode.reading import members, opened
from shoal.review.coverage import points_of_texts
from shoal.review.losses.cover import runs
from shoal.review.prechecks.population import Population
from shoal.wording import FOLDER, Remedy, Sentence, Set

Hierarchies = Mapping[str, Hierarchy | None]
Column = tuple[Ints, Sequence[Cell]]
"""For each row the number of its cell, and the different cells."""


@dataclass(frozen=True)
class Everyone:
    """Hold a population on axes of its own, ready to be counted behind groups many times."""

    people: int
    axes: Mapping[str, Axis]
    standing: PlacedTuples

    @classmethod
    def of(cls, population: pa.Table, names: Iterable[str], hierarchies: Hierarchies) -> Everyone:
        """Encode a population by these columns; refuses one that lacks some."""
        names = list(names)
        lacking = [name for name in names if name not in population.column_names]
        if lacking:
            named = ", ".join(map(repr, lacking))
            raise DataError(
                f"the population has no column {named}", remedy="name a file with all columns"
            )
        fitted = [
            axis_of(profile(population[name].combine_chunks(), name), hierarchies.get(name))
            for name in names
        ]
        axes = {name: axis for name, (axis, _) in zip(names, fitted, strict=True)}
        different = Distinct.of(
            np.array([codes for _, codes in fitted], np.int32),
            [axis.size + 1 for axis in axes.values()],
        )
        return cls(population.num_rows, axes, PlacedTuples.of(different.codes, different.counts))

    def behind(self, columns: Mapping[str, Column], rows: Ints) -> tuple[Counts, Counts]:
        """Count the people who fit each group, and those of them who fit another group too.

        `rows` holds one row of each group, as printed. Refuses sets, which are no boxes.
        """
        for name, (_, cells) in columns.items():
            if any(isinstance(cell, ValueSet) for cell in cells):
                problem = f"nobody counts people behind sets of values, as '{name}' has them"
                raise RecipeError(problem, remedy=Remedy(Set("publish", {name: "snapped"})))
        lo = np.empty((len(columns), len(rows)), np.int32)
        hi = np.empty((len(columns), len(rows)), np.int32)
        for a, (name, (numbers, cells)) in enumerate(columns.items()):
            first, last = spans(self.axes[name], cells)
            lo[a] = first[numbers[rows]]
            hi[a] = last[numbers[rows]]
        return self.standing.inside(lo, hi)


def counterparts(
    population: pa.Table,
    groups: Groups,
    columns: Mapping[str, Column],
    rows: Ints,
    hierarchies: Hierarchies,
) -> Population:
    """Count the people behind each group; `rows` holds one row of each.

    Refuses a population that can't hold the table.
    """
    sizes, shared = Everyone.of(population, columns, hierarchies).behind(columns, rows)
    short = int(np.count_nonzero(sizes < groups.sizes))
    if short:
        facts = {"groups with more rows than people": short, "groups": groups.count}
        trees = Set("hierarchies", FOLDER, "the hierarchies of its labels")
        remedy = Sentence("name a file of everyone whom the table is about, and ", trees)
        raise DataError("the population does not hold the people of the table", facts, remedy)
    return Population(population.num_rows, sizes.astype(np.float64), counted=True, shared=shared)


def spans(axis: Axis, cells: Sequence[Cell]) -> tuple[Ints, Ints]:
    """Find the first and the last code that each cell fits; last < first where there is none.

    A set fits some codes from its first value to its last, and is taken for all of them.
    """
    lo = np.ones(len(cells), np.int32)
    hi = np.zeros(len(cells), np.int32)
    for i, cell in enumerate(cells):
        if cell is None:
            lo[i] = hi[i] = axis.size
        elif isinstance(cell, Everything):
            hi[i] = axis.size
            lo[i] = 0
    named = np.array(
        [i for i, cell in enumerate(cells) if isinstance(cell, Value | Interval)], np.int64
    )
    if len(named) and axis.size:
        readable = [cast(Value | Interval, cells[i]) for i in named]
        on_axis = _on_line if axis.points is not None else _on_tree
        lo[named], hi[named] = on_axis(axis, readable)
    for place, codes in members(axis, cells).items():
        if len(codes):
            lo[place], hi[place] = codes[[0, -1]]
    return lo, hi


def _on_line(axis: Axis, cells: Sequence[Value | Interval]) -> tuple[AnyArray, AnyArray]:
    ends = [ends_of(cell) for cell in cells]
    low = points_of_texts(pa.array([low for low, _ in ends], pa.string()), axis)
    high = points_of_texts(pa.array([high for _, high in ends], pa.string()), axis)
    own = points_of_texts(text_of(axis.values), axis)
    first = np.searchsorted(own, low, "left")
    last = np.searchsorted(own, high, "right") - 1
    below, above = opened(cells)
    first[below] = 0
    last[above] = axis.size - 1
    unread = np.isnan(low) | np.isnan(high)
    return np.where(unread, 1, first), np.where(unread, 0, last)


def _on_tree(axis: Axis, cells: Sequence[Value | Interval]) -> tuple[AnyArray, AnyArray]:
    assert axis.tree is not None
    tree = axis.tree
    first, last = runs(axis)
    span: dict[Cell, tuple[int, int]] = {}
    for node in sorted(range(len(tree.labels)), key=lambda node: int(tree.height[node])):
        if node != tree.root:
            cell = Interval(*tree.ends[node]) if node in tree.ends else Value(tree.written[node])
            span[cell] = (int(first[node]), int(last[node]))
    span |= {
        Value(text): (code, code) for code, text in enumerate(text_of(axis.values).to_pylist())
    }
    ranges = np.array([span.get(cell, (1, 0)) for cell in cells], np.int32).reshape(-1, 2)
    return ranges[:, 0], ranges[:, 1]


def printed_cells(table: pa.Table, parts: Sequence[str]) -> Column:
    """Return a quasi-identifier as printed: its own column, or its two bounds."""
    texts = [text_of(_whole(table, name)) for name in parts]
    if len(texts) == 1:
        encoded = pc.dictionary_encode(texts[0])
        return _numbers(encoded), [*map(read, encoded.dictionary.to_pylist()), None]
    encoded = pc.dictionary_encode(pc.binary_join_element_wise(*texts, "\x00"))
    ends = [text.split("\x00") for text in encoded.dictionary.to_pylist()]
    return _numbers(encoded), [*(Interval(lo, hi) for lo, hi in ends), Everything()]


def raw_cells(values: pa.Array, codes: Ints) -> Column:
    """Return a column as cells: its different values, and the code of each row.

    The last code is missing.
    """
    return codes, [*map(Value, text_of(values).to_pylist()), None]


def _whole(table: pa.Table, name: str) -> pa.Array:
    column = table[name].combine_chunks()
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _numbers(encoded: pa.DictionaryArray) -> Ints:
    return np.asarray(pc.fill_null(encoded.indices, len(encoded.dictionary)), np.int32)
