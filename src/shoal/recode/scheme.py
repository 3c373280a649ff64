"""Scheme: widen boxes until no two overlap in part on any axis: equal values look equal.

On each axis, boxes that share a code become one stretch from the lowest to the highest code of all.
Whoever knows one value of a person then finds all rows that could be meant under one cell. Groups
of a method with one scheme for all rows become the nodes of that scheme; others would soon become
`*`.

    group   1      2      3      4              group   1      2      3      4
    age   20-24  22-29  35-39  36-36    gives   age   20-29  20-29  35-39  35-39
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Codes, Flags, Ints
from shoal.encode.axes import Axis
from shoal.encode.rows import Rows
from shoal.errors import ShoalError
from shoal.groups import Groups
from shoal.kernels.costs import boxes


def nodes_at(axis: Axis, codes: Ints, level: int) -> Ints:
    """Find the node above each code at a level of a tree; the root for missing values.

    The level beyond the last one is everything, missing values too.
    """
    if axis.tree is None:
        raise ShoalError(
            f"column '{axis.name}' has no levels at which all rows could be published",
            {"published": "nothing"},
        )
    if level >= len(axis.node):
        return np.full(len(codes), axis.tree.root, np.int32)
    return np.append(axis.node[level], axis.tree.root).astype(np.int32)[codes]


def nodes_of_groups(axis: Axis, lo: Ints, hi: Ints, level: int) -> Ints:
    """Find the node at which each group is published: that at the level, or the root.

    Cells of a column are blanked in a group whose values do not share the node at its level.
    """
    nodes = nodes_at(axis, lo, level)
    assert axis.tree is not None
    return np.where(_share_nodes(axis, lo, hi, level), nodes, axis.tree.root).astype(np.int32)


def _share_nodes(axis: Axis, lo: Ints, hi: Ints, level: int) -> Flags:
    """Mark the groups of which all rows look alike at a level, or are missing."""
    alike = nodes_at(axis, lo, level) == nodes_at(axis, hi, level)
    together = (lo == axis.size) == (hi == axis.size)
    return np.asarray(alike & (together | (level >= len(axis.node))), np.bool_)


def blanked_cells(rows: Rows, groups: Groups) -> dict[str, int]:
    """Count the blanked cells of each column: those that are `*` and would not be at its level."""
    if groups.levels is None:
        return {}
    lo, hi = boxes(rows.codes, groups.labels, groups.count)
    there = groups.labels >= 0
    counts = {}
    for a, (axis, level) in enumerate(zip(rows.axes, groups.levels, strict=True)):
        assert axis.tree is not None
        codes = rows.codes[a][there]
        blank = ~_share_nodes(axis, lo[a], hi[a], level)[groups.labels[there]]
        star = axis.tree.starred[nodes_at(axis, codes, level)] & (codes < axis.size)
        counts[axis.name] = int(np.count_nonzero(blank & ~star))
    return {name: count for name, count in counts.items() if count}


def one_scheme(lo: Codes, hi: Codes) -> tuple[Codes, Codes]:
    """Find the ends of the stretch in which each box lies, for each axis and group."""
    stretches = [_stretches(low, high) for low, high in zip(lo, hi, strict=True)]
    return np.array([low for low, _ in stretches], lo.dtype), np.array(
        [high for _, high in stretches], hi.dtype
    )


def _stretches(lo: Ints, hi: Ints) -> tuple[Ints, Ints]:
    """Sort boxes by their lower end; a new stretch begins beyond all that came before."""
    if not len(lo):
        return lo, hi
    order = np.argsort(lo, kind="stable")
    reached = np.maximum.accumulate(hi[order])
    begins = np.append(True, lo[order][1:] > reached[:-1])
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(lo)) - 1
    number = np.cumsum(begins) - 1
    low = np.empty_like(lo)
    high = np.empty_like(hi)
    low[order] = lo[order][first][number]
    high[order] = reached[last][number]
    return low, high
