"""Reading: find the codes that published cells may stand for, on the axis of a column.

| cell | on a line | on a tree |
|---|---|---|
| a value | that point | the leaf, or all known leaves under the node |
| an interval | from end to end | the leaves under the node with these ends |
| an open end, `90+` | that point, and all codes beyond it | the node of that label |
| `*` | everything | everything |
| `{Berlin, Oslo}` | can't be read | from the first to the last of these values |
| null | missing | missing |

An axis is laid over the values that someone knows, so a cell is a run of neighbouring codes:
`first` to `last`. On a line its ends are also points, whether anyone's values or not. A text that
is neither a value nor a node at hand can't be read. A set leaves out some codes of its run: who
needs to know which asks `members`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Flags, Floats, Ints
from shoal.declare.columns import Kind, points_of, text_of
from shoal.declare.open_ends import is_strict
from shoal.encode.axes import Axis
from shoal.recode.cells import Cell, Everything, Interval, Value, ValueSet, ends_of, is_open, read

DAY = 86_400.0


@dataclass(frozen=True)
class PrintedColumn:
    """A published column: for each row the number of its cell, and the different cells."""

    cell: Ints
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Runs:
    """The run of codes that each cell covers, and its ends as points.

    Where a cell covers no code, the last one stands before the first.
    """

    first: Ints
    last: Ints
    low: Floats  # NaN on a tree, and where a cell has no ends
    high: Floats
    unread: Flags


def printed(table: pa.Table, name: str) -> PrintedColumn:
    """Read a generalized column: under its own name, or as two columns of bounds."""
    if name in table.column_names:
        numbers, texts = _encoded(_texts(table, name))
        return PrintedColumn(numbers, [*map(read, texts), None])
    numbers, pairs = _encoded(
        pc.binary_join_element_wise(
            *(_texts(table, f"{name}_{end}") for end in ("lo", "hi")), "\x00"
        )
    )
    ends = (pair.split("\x00") for pair in pairs)
    return PrintedColumn(numbers, [*(Interval(low, high) for low, high in ends), Everything()])


def as_it_is(table: pa.Table, name: str) -> PrintedColumn:
    """Read a column that was not generalized: every text is a value, whatever it looks like."""
    numbers, texts = _encoded(_texts(table, name))
    return PrintedColumn(numbers, [*map(Value, texts), None])


def lacking(table: pa.Table, names: Sequence[str]) -> list[str]:
    """List the columns that a release prints neither under their name nor as bounds."""
    there = set(table.column_names)
    return [
        name
        for name in names
        if name not in there and not there.issuperset((f"{name}_lo", f"{name}_hi"))
    ]


def runs(axis: Axis, cells: Sequence[Cell]) -> Runs:
    """Find the codes that each cell may stand for.

    `axis.size` is the code of missing, and `*` covers it too.
    """
    first = np.zeros(len(cells), np.int32)
    last = np.full(len(cells), axis.size, np.int32)
    first[[place for place, cell in enumerate(cells) if cell is None]] = axis.size
    low, high = np.full((2, len(cells)), np.nan)
    unread = np.zeros(len(cells), np.bool_)
    named = [place for place, cell in enumerate(cells) if isinstance(cell, Value | Interval)]
    said = [cast(Value | Interval, cells[place]) for place in named]
    if axis.points is not None:
        low[named], high[named] = ends(axis.kind, said)
        first[named], last[named], unread[named] = _on_line(axis, low[named], high[named])
        below, above = opened(said)
        first[np.array(named, np.int64)[below]] = 0
        last[np.array(named, np.int64)[above]] = axis.size - 1
    else:
        first[named], last[named], unread[named] = _on_tree(axis, said)
    for place, codes in members(axis, cells).items():
        unread[place] = not len(codes)
        first[place], last[place] = codes[[0, -1]] if len(codes) else (1, 0)
    first[unread] = 1
    last[unread] = 0
    return Runs(first, last, low, high, unread)


def members(axis: Axis, cells: Sequence[Cell]) -> dict[int, Ints]:
    """Find the codes of each cell that is a set, ascending; by the place of the cell.

    Values that nobody has are left out; a set is read on a tree alone.
    """
    sets = {place: cell.texts for place, cell in enumerate(cells) if isinstance(cell, ValueSet)}
    if not sets or axis.points is not None:
        return dict.fromkeys(sets, np.zeros(0, np.int32))
    different = list(dict.fromkeys(text for texts in sets.values() for text in texts))
    first, last, unread = _on_tree(axis, [Value(text) for text in different])
    upto = np.where(unread, first, last + 1)
    run = {
        text: np.arange(low, high, dtype=np.int32)
        for text, low, high in zip(different, first.tolist(), upto.tolist(), strict=True)
    }
    return {
        place: np.unique(np.concatenate([run[text] for text in texts]))
        for place, texts in sets.items()
    }


def ends(kind: Kind, cells: Sequence[Value | Interval]) -> tuple[Floats, Floats]:
    """Convert the ends of cells to points; NaN where one is none."""
    pairs = [ends_of(cell) for cell in cells]
    low, high = (
        np.array([[point(end, kind) for end in pair] for pair in pairs], np.float64)
        .reshape(-1, 2)
        .T
    )
    strict = [isinstance(cell, Value) and is_strict(cell.text) for cell in cells]
    high[strict] = np.nextafter(high[strict], -np.inf)
    return low, high


def opened(cells: Sequence[Value | Interval]) -> tuple[Flags, Flags]:
    """Mark the cells that are open below, and those that are open above."""
    below, above = np.array([is_open(cell) for cell in cells], np.bool_).reshape(-1, 2).T
    return below, above


def point(text: str, kind: Kind) -> float:
    """Convert a text to a point: a number, a date in days, a time in seconds; else NaN."""
    try:
        if kind == "number":
            return number if math.isfinite(number := float(text)) else math.nan
        time = np.datetime64(
            f"1970-01-01T{text}" if kind == "clock" else text.removesuffix("Z"), "us"
        )
        seconds = math.nan if np.isnat(time) else float(time.astype(np.int64)) / 1e6
        return seconds / DAY if kind == "date" else seconds
    except ValueError:
        return float("nan")


def _on_line(axis: Axis, low: Floats, high: Floats) -> tuple[AnyArray, AnyArray, Flags]:
    """Find the first and last code from point to point; mark what has no points."""
    own = points_of(axis.values, axis.kind)
    first = np.searchsorted(own, low, "left")
    last = np.searchsorted(own, high, "right") - 1
    return first, last, np.isnan(low) | np.isnan(high)


def _on_tree(axis: Axis, cells: Sequence[Cell]) -> tuple[AnyArray, AnyArray, Flags]:
    """Find the run of known leaves under the node that each cell names."""
    assert axis.tree is not None
    tree = axis.tree
    nodes = dict[Cell, int]()
    for node, text in enumerate(tree.written):
        if node != tree.root or tree.height[node] == 0:
            nodes[Interval(*tree.ends[node]) if node in tree.ends else Value(text)] = node
    leaves = tree.node[0][axis.leaf] if axis.leaf is not None else np.zeros(0, np.int64)
    spelled = zip(text_of(axis.values).to_pylist(), leaves.tolist(), strict=True)
    # A value may be spelled otherwise than in its hierarchy.
    nodes |= {Value(text): node for text, node in spelled}
    named = np.array([nodes.get(cell, -1) for cell in cells], np.int64)
    low, high = axis.runs
    return low[named], high[named], named < 0


def _texts(table: pa.Table, name: str) -> pa.Array:
    column = table[name].combine_chunks()
    return text_of(column.dictionary_decode() if pa.types.is_dictionary(column.type) else column)


def _encoded(texts: pa.Array) -> tuple[Ints, list[str]]:
    """Number each row's text, and list the different texts.

    Missing has the number beyond them.
    """
    encoded = pc.dictionary_encode(texts)
    different = encoded.dictionary.to_pylist()
    return np.asarray(pc.fill_null(encoded.indices, len(different)), np.int32), different
