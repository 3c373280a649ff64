"""Coverage: checks that every printed cell, read back from its text, covers its group's values.

Counting equal cells finds groups that are too small; it can't see a cell that names the wrong box.
So each cell is read again by code that shares nothing with the recoders, and held against the
values of its group: an interval reaches from below the least to above the largest, a label stands
above every leaf, a set names the value of every row, a value is everyone's, null means that all are
missing, and whoever is missing beside others is covered by `*` alone (by null in two columns of
bounds).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags, Floats, Ints, Longs
from shoal.declare.columns import text_of
from shoal.declare.open_ends import bare_texts, is_at_least, is_at_most
from shoal.encode.axes import Axis
from shoal.errors import ShoalError
from shoal.recode.cells import Cell, Everything, Interval, Value, ValueSet, ends_of, is_open, read
from shoal.recode.recoder import Boxes
from shoal.review.losses.cover import runs


def refuse_untrue(boxes: Boxes, published: Mapping[str, pa.Array], recoder: str) -> None:
    """Refuse cells of a recoder that do not cover what they stand for."""
    name = boxes.axis.name
    count = boxes.groups.count
    bounds = {f"{name}_lo", f"{name}_hi"}
    if set(published) not in ({name}, bounds) or any(
        len(cells) != count for cells in published.values()
    ):
        raise ShoalError(
            f"'{recoder}' did not publish column '{name}' as it should", {"published": "nothing"}
        )
    if name in published:
        covered = _by_cells(boxes, text_of(published[name]))
    else:
        covered = _between(boxes, published[f"{name}_lo"], published[f"{name}_hi"])
    if not covered.all():
        facts = {"groups concerned": int(np.count_nonzero(~covered)), "published": "nothing"}
        raise ShoalError(
            f"'{recoder}' prints cells of column '{name}' that do not cover their rows", facts
        )


def _between(boxes: Boxes, lo: pa.Array, hi: pa.Array) -> Flags:
    """Check two columns of bounds: null only beside missing values."""
    axis = boxes.axis
    there = boxes.hi < axis.size
    null = np.asarray(pc.is_null(lo)) & np.asarray(pc.is_null(hi))
    covered = null & ~there
    texts = [text_of(end.filter(pa.array(there))) for end in (lo, hi)]
    ends = [points_of_texts(bare_texts(end), axis) for end in texts]
    below = [is_at_most(end) for end in texts[0].to_pylist()]
    above = [is_at_least(end) for end in texts[1].to_pylist()]
    low = np.where(below, -np.inf, ends[0])
    high = np.where(above, np.inf, ends[1])
    covered[there] = _inside(axis, boxes.lo[there], boxes.hi[there], low, high)
    return covered


def _by_cells(boxes: Boxes, texts: pa.Array) -> Flags:
    """Check one column of text cells, each pair of a box and a text once."""
    axis = boxes.axis
    encoded = pc.dictionary_encode(texts)
    cells: list[Cell] = [read(text) for text in encoded.dictionary.to_pylist()]
    number = np.asarray(pc.fill_null(encoded.indices, len(cells)), np.int64)
    kinds = np.array([_kind(cell) for cell in [*cells, None]])[number]
    covered = (kinds == "*") | ((kinds == "null") & (boxes.lo == axis.size))
    named = np.flatnonzero(((kinds == "value") | (kinds == "interval")) & (boxes.hi < axis.size))
    lo = boxes.lo[named]
    hi = boxes.hi[named]
    which = number[named]
    if axis.points is None:
        covered[named] = _on_tree(axis, lo, hi, which, cells)
        sets = (kinds == "set") & (boxes.hi < axis.size)
        covered[sets] = _in_sets(boxes, np.where(sets, number, -1), cells)[sets]
    else:
        covered[named] = _on_line(axis, lo, hi, which, cells)
    return covered


def _kind(cell: Cell) -> str:
    kinds = {Everything: "*", Value: "value", Interval: "interval", ValueSet: "set"}
    return kinds.get(type(cell), "null")


def _ends(cell: Cell) -> tuple[str, str]:
    """Read the two ends of a cell as texts; a cell that is no range and no value has empty ones."""
    return ends_of(cell) if isinstance(cell, Interval | Value) else ("", "")


def _open(cell: Cell) -> tuple[bool, bool]:
    return is_open(cell) if isinstance(cell, Interval | Value) else (False, False)


def _on_line(axis: Axis, lo: Ints, hi: Ints, which: Longs, cells: list[Cell]) -> Flags:
    pairs = [_ends(cell) for cell in cells]
    low = points_of_texts(pa.array([low for low, _ in pairs], pa.string()), axis)
    high = points_of_texts(pa.array([high for _, high in pairs], pa.string()), axis)
    # An open end covers all that lies beyond it.
    below, above = np.array([_open(cell) for cell in cells], np.bool_).reshape(-1, 2).T
    low = np.where(below & ~np.isnan(low), -np.inf, low)
    high = np.where(above & ~np.isnan(high), np.inf, high)
    return _inside(axis, lo, hi, low[which], high[which])


def _inside(axis: Axis, lo: Ints, hi: Ints, low: Floats, high: Floats) -> Flags:
    least = points_of_texts(text_of(axis.values.take(pa.array(lo))), axis)
    most = points_of_texts(text_of(axis.values.take(pa.array(hi))), axis)
    # a text that is no number is NaN here, and so compares as false
    return np.asarray((low <= least) & (most <= high), np.bool_)


def _on_tree(axis: Axis, lo: Ints, hi: Ints, which: Longs, cells: list[Cell]) -> Flags:
    """Check that the named node stands above the first and the last leaf, and so above all."""
    named = _nodes(axis)
    first, last = runs(axis)
    # a cell that names no node has the number -1, and so the last entry: a run that covers nothing
    first = np.append(first, axis.size)
    last = np.append(last, -1)
    nodes = np.array([named.get(cell, -1) for cell in cells], np.int64)[which]
    return np.asarray((first[nodes] <= lo) & (hi <= last[nodes]), np.bool_)


def _nodes(axis: Axis) -> dict[Cell, int]:
    """Look up the node that each cell names."""
    assert axis.tree is not None
    tree = axis.tree
    named = dict[Cell, int]()
    for node in sorted(range(len(tree.labels)), key=lambda node: int(tree.height[node])):
        if node != tree.root:  # which is `*`, and not a leaf of that name
            cell = Interval(*tree.ends[node]) if node in tree.ends else Value(tree.written[node])
            named[cell] = node
    return named


def _in_sets(boxes: Boxes, which: Longs, cells: list[Cell]) -> Flags:
    """Check row by row that its set names a node above its value; `which` is -1 without a set.

    A group of which no row is at hand is not covered: its ends alone do not tell.
    """
    named = _nodes(boxes.axis)
    first, last = runs(boxes.axis)
    labels = boxes.groups.labels
    rows = np.flatnonzero(np.append(which, -1)[labels] >= 0)
    covered = np.bincount(labels[rows], minlength=boxes.groups.count) > 0
    group, code = np.unique(np.array([labels[rows], boxes.codes[rows]]), axis=1)
    for g, c in zip(group.tolist(), code.tolist(), strict=True):
        cell = cells[int(which[g])]
        texts = cell.texts if isinstance(cell, ValueSet) else ()
        nodes = [named[Value(text)] for text in texts if Value(text) in named]
        covered[g] &= any(first[node] <= c <= last[node] for node in nodes)
    return covered


def points_of_texts(texts: pa.Array, axis: Axis) -> Floats:
    """Convert texts to points on the line; NaN where a text is none."""
    try:
        return _cast(texts, axis)
    except pa.ArrowInvalid:  # some are none: one by one
        return np.array([_point(texts.slice(i, 1), axis) for i in range(len(texts))], np.float64)


def _point(text: pa.Array, axis: Axis) -> float:
    try:
        return float(_cast(text, axis)[0])
    except pa.ArrowInvalid:
        return float("nan")


def _cast(texts: pa.Array, axis: Axis) -> Floats:
    if axis.kind == "number":
        return np.asarray(pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False), np.float64)
    spelled = (
        pc.binary_join_element_wise("1970-01-01", texts, "T") if axis.kind == "clock" else texts
    )
    times = pc.cast(pc.replace_substring_regex(spelled, "Z$", ""), pa.timestamp("us"))
    return np.asarray(pc.cast(times, pa.int64()).to_numpy(zero_copy_only=False), np.float64)
