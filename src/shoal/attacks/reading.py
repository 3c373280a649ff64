"""Reading: published cells as runs of codes on the axes of the people whom an attacker knows.

Axes are laid over the values of those people, so every cell covers a run of neighbouring codes: an
interval those between its ends, a node of a hierarchy those of its leaves, `*` all and missing too,
null missing alone. A set covers the run from its first value to its last, of which `sets` names the
codes that it really holds. A label that is neither a value nor a node of a hierarchy at hand can't
be read: it is taken for `*`, which makes the attack weaker than it may be, and the column is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Codes, Flags, Floats, Ints, Longs
from shoal.declare.columns import Kind, points_of, text_of, whole
from shoal.declare.numbering import dictionary_of
from shoal.encode.axes import Axis
from shoal.encode.profile import profile
from shoal.encode.rows import combined
from shoal.groups import Groups
from shoal.kernels.threads import side_by_side
from shoal.privacy.column import ascending
from shoal.recode.cells import Cell, Everything, Interval, Value, ends_of, read
from shoal.recode.reading import members, opened

DAY = 86_400.0
# Bits: a cell is an interval; its lower end is somebody's value; its upper end is.
INTERVAL = 1
LOWER = 2
UPPER = 4


@dataclass(frozen=True)
class PublishedBoxes:
    """Groups of rows with equal cells; group g covers `first[g, axis]` to `last[g, axis]`."""

    groups: Groups
    first: Ints
    last: Ints
    ends: Ints  # [group, axis]: INTERVAL, LOWER and UPPER, or 0
    unread: tuple[str, ...] = ()
    sets: tuple[CellSets, ...] = ()

    def hold(self, matched: Ints, known: Codes) -> Flags:
        """Tell for pairs of a group and a person whether no set rules the person out.

        `known[pair, axis]` is a person's code; one that is not known fits every set.
        """
        fits = np.ones(len(matched), np.bool_)
        for of_axis in self.sets:
            codes = known[:, of_axis.axis]
            # An unknown code is negative, and so finds the last entry, which is always true.
            fits &= of_axis.holds[of_axis.cell[matched], codes]
        return fits


@dataclass(frozen=True)
class CellSets:
    """The codes that each cell of one axis holds, where some cells are sets."""

    axis: int
    cell: Longs  # of each group
    holds: Flags  # [cell, code], missing and unknown last


@dataclass(frozen=True)
class _Runs:
    """The number of each row's cell in one column, and the run of codes that each cell covers."""

    cell: Ints
    first: Ints
    last: Ints
    ends: Ints
    unread: bool = False
    holds: Flags | None = None  # [cell, code], missing and unknown last; where a cell is a set


def boxes_of(table: pa.Table, axes: Sequence[Axis], quasi: Sequence[str]) -> PublishedBoxes:
    """Group the rows of a release, with boxes on the axes of the columns that people know."""
    known = {axis.name: axis for axis in axes}
    read_columns = side_by_side(
        lambda name: _runs(table, known[name]) if name in known else _only_cells(table, name),
        quasi,
        rows=table.num_rows,
    )
    columns = dict(zip(quasi, read_columns, strict=True))
    codes = np.array([column.cell for column in columns.values()], np.int32)
    keys = combined(codes, [int(row.max(initial=0)) + 1 for row in codes])
    # Hashing first leaves few different rows to be sorted.
    alike = Groups.of(np.asarray(pc.dictionary_encode(pa.array(keys)).indices))
    first_row = np.empty(alike.count, np.int64)
    first_row[alike.labels[::-1]] = np.arange(len(keys))[::-1]
    order = np.argsort(keys[first_row])
    rank = np.empty(alike.count, np.int32)
    rank[order] = np.arange(alike.count, dtype=np.int32)
    first_row = first_row[order]
    groups = Groups(rank[alike.labels], alike.count)
    runs = [columns[axis.name] for axis in axes]
    parts = [
        [part[run.cell[first_row]] for part in (run.first, run.last, run.ends)] for run in runs
    ]
    first, last, ends = np.ascontiguousarray(np.array(parts, np.int32).transpose(1, 2, 0))
    return PublishedBoxes(
        groups,
        first,
        last,
        ends,
        tuple(axis.name for axis, run in zip(axes, runs, strict=True) if run.unread),
        tuple(
            CellSets(place, run.cell[first_row].astype(np.int64), run.holds)
            for place, run in enumerate(runs)
            if run.holds is not None
        ),
    )


def _only_cells(table: pa.Table, name: str) -> _Runs:
    """Number the cells of a column that has no axis: it still tells groups apart."""
    nothing = np.zeros(0, np.int32)
    names = [name] if name in table.column_names else [f"{name}_lo", f"{name}_hi"]
    codes = np.array([_encoded(table[column])[0] for column in names], np.int32)
    keys = combined(codes, [int(row.max(initial=0)) + 1 for row in codes])
    return _Runs(
        np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int32),
        nothing,
        nothing,
        nothing,
    )


def _runs(table: pa.Table, axis: Axis) -> _Runs:
    if axis.name in table.column_names:
        cell, texts = _encoded(table[axis.name])
        return _of_cells(cell, [read(text) for text in texts], axis)
    lo, lows = _encoded(table[f"{axis.name}_lo"])
    hi, highs = _encoded(table[f"{axis.name}_hi"])
    pairs, places = np.unique(np.stack([lo, hi]), axis=1, return_inverse=True)
    ends = ((lows[low], highs[high]) for low, high in pairs.T)
    cells: list[Cell] = [
        Everything() if low is None or high is None else Interval(low, high) for low, high in ends
    ]
    return _of_cells(places.reshape(-1).astype(np.int32), cells, axis)


def _encoded(column: pa.ChunkedArray) -> tuple[Ints, list[str | None]]:
    """Number each row's cell, and list the cells as text; a missing cell is the last."""
    encoded = dictionary_of(text_of(whole(column)))
    texts = encoded.dictionary.to_pylist()
    return np.asarray(pc.fill_null(encoded.indices, len(texts)), np.int32), [*texts, None]


def _of_cells(cell: Ints, cells: Sequence[Cell], axis: Axis) -> _Runs:
    first = np.zeros(len(cells), np.int32)
    last = np.full(len(cells), axis.size, np.int32)
    ends = np.zeros(len(cells), np.int32)
    first[[place for place, what in enumerate(cells) if what is None]] = axis.size
    named = [place for place, what in enumerate(cells) if isinstance(what, Value | Interval)]
    run = _on_line if axis.points is not None else _on_tree
    first[named], last[named], ends[named], there = run(axis, [cells[place] for place in named])
    lost = np.array(named, np.int64)[~there]
    first[lost] = 0
    last[lost] = axis.size
    sets = members(axis, cells)
    for place, codes in sets.items():
        if len(codes):
            first[place], last[place] = codes[[0, -1]]
    unread = bool(len(lost)) or any(not len(codes) for codes in sets.values())
    return _Runs(cell, first, last, ends, unread, _held(axis, (first, last), sets))


def _held(axis: Axis, runs: tuple[Ints, Ints], sets: Mapping[int, Ints]) -> Flags | None:
    """Mark the codes that each cell holds; None where no cell is a set."""
    if not sets:
        return None
    code = np.arange(axis.size + 2)
    holds = (runs[0][:, None] <= code) & (code <= runs[1][:, None])
    for place, codes in sets.items():
        if len(codes):
            holds[place] = np.isin(code, codes)
    holds[:, -1] = True
    return holds


def _ends_of_cells(axis: Axis, cells: Sequence[Cell]) -> Floats:
    """Read both ends of each cell as points: [end, cell], NaN where an end can't be read."""
    texts = [ends_of(cell) for cell in cells if isinstance(cell, Value | Interval)]
    ends = [[point(end, axis.kind) for end in pair] for pair in texts]
    return np.array(ends, np.float64).reshape(-1, 2).T


def _on_line(axis: Axis, cells: Sequence[Cell]) -> tuple[Ints, Ints, Ints, Flags]:
    """Find the run of points that each cell covers; it may be empty."""
    points = points_of(axis.values, axis.kind)
    lo, hi = _ends_of_cells(axis, cells)
    first = np.searchsorted(points, lo, "left")
    last = np.searchsorted(points, hi, "right") - 1
    below, above = opened([cell for cell in cells if isinstance(cell, Value | Interval)])
    first[below] = 0
    last[above] = axis.size - 1
    # An open end is a limit of the recipe, and nobody's value.
    lower = (np.append(points, np.nan)[first] == lo) & ~below
    upper = (np.append(points, np.nan)[last] == hi) & ~above
    ends = np.where(lo < hi, INTERVAL + LOWER * lower + UPPER * upper, 0)
    return (
        first.astype(np.int32),
        last.astype(np.int32),
        ends.astype(np.int32),
        ~(np.isnan(lo) | np.isnan(hi)),
    )


def _on_tree(axis: Axis, cells: Sequence[Cell]) -> tuple[Ints, Ints, Ints, Flags]:
    """Find the run of observed leaves under the node that each cell names."""
    assert axis.tree is not None
    tree = axis.tree
    nodes = dict[Cell, int]()
    for node in sorted(range(len(tree.labels)), key=lambda node: int(tree.height[node])):
        if node != tree.root or tree.height[node] == 0:
            nodes.setdefault(
                Interval(*tree.ends[node]) if node in tree.ends else Value(tree.written[node]), node
            )
    leaves = tree.node[0][axis.leaf] if axis.leaf is not None else []
    spelled = zip(text_of(axis.values).to_pylist(), np.asarray(leaves).tolist(), strict=True)
    # A value may be spelled otherwise than in its hierarchy.
    nodes |= {Value(text): node for text, node in spelled}
    named = np.array([nodes.get(cell, -1) for cell in cells], np.int64)
    low, high = axis.runs
    return low[named], high[named], np.zeros(len(named), np.int32), named >= 0


def point(text: str, kind: Kind) -> float:
    """Convert a text to a point: a number, a date in days, a time in seconds; else NaN."""
    try:
        if kind == "number":
            return float(text)
        spelled = f"1970-01-01T{text}" if kind == "clock" else text.removesuffix("Z")
        seconds = float(np.datetime64(spelled, "us").astype(np.int64)) / 1e6
        return seconds / DAY if kind == "date" else seconds
    except ValueError:
        return float("nan")


def coded_together(columns: Sequence[pa.ChunkedArray]) -> tuple[list[Ints], pa.Array]:
    """Number the values of one column over several tables, and list the values.

    Numbers ascend as models want them; a missing value has the highest.

    Values are what they are spelled like: a file may hold as text what another holds as numbers.
    """
    texts = profile(pa.concat_arrays([text_of(whole(column)) for column in columns]), "values")
    order = ascending(texts.values)
    rank = np.full(texts.size + 1, texts.size, np.int32)
    rank[order] = np.arange(texts.size, dtype=np.int32)
    parts = np.split(rank[texts.codes], np.cumsum([len(column) for column in columns])[:-1])
    return parts, texts.values.take(pa.array(order))


def lacking(table: pa.Table, names: Sequence[str]) -> list[str]:
    """List quasi-identifiers that a release holds neither by name nor as bounds."""
    there = set(table.column_names)
    return [
        name
        for name in names
        if name not in there and not there.issuperset((f"{name}_lo", f"{name}_hi"))
    ]
