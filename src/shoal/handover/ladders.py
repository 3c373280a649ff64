"""Ladders: the levels of each column in words, and the one that a scheme for all rows takes.

It is for the maker alone: inner labels of hierarchies are told, values of the table are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.encode.axes import Axis
from shoal.encode.rows import Rows
from shoal.partition.levels_weighed import laddered

EXACT = "as it is"
EVERYTHING = "nothing (*)"


def ladders_of(
    rows: Rows, hierarchies: Mapping[str, Hierarchy | None], levels: Sequence[int] | None
) -> list[dict[str, Any]]:
    """Tell the rungs of each column in words, exact values first, and which one is taken.

    There are none where columns have no level for all rows.
    """
    if levels is None:
        return []
    return [
        {"column": axis.name, "rungs": rungs_of(axis, rows.count, hierarchies), "taken": level}
        for axis, level in zip(rows.axes, levels, strict=True)
    ]


def rungs_of(axis: Axis, rows: int, hierarchies: Mapping[str, Hierarchy | None]) -> list[str]:
    """Say what each level of a column publishes; those that the recipe forbids are left out."""
    missing = axis.size > 0 and int(axis.counts.sum()) < rows
    tree = laddered(axis)
    said = list(_said(tree, hierarchies.get(axis.name), missing=missing))
    if axis.highest is not None:
        return said[: axis.highest + 1]
    return said


def _said(axis: Axis, hierarchy: Hierarchy | None, *, missing: bool) -> Iterator[str]:
    assert axis.tree is not None
    whole = axis.tree.whole or axis.tree
    below = len(whole.node) - len(axis.tree.node)
    top = len(axis.tree.node) - 1
    names = () if hierarchy is None else hierarchy.levels_said
    for level in range(top):
        if level + below == 0:
            yield EXACT
        elif level + below <= len(names):
            yield names[level + below - 1]
        else:
            yield _level(axis, level, level + below)
    if missing:
        yield f"{EVERYTHING}, but for missing cells"
    yield EVERYTHING


def _level(axis: Axis, level: int, number: int) -> str:
    """Describe a level by the labels that it publishes."""
    assert axis.tree is not None
    nodes = axis.node[level]
    inner = np.isin(nodes, axis.tree.node[0], invert=True)
    if not inner.any():
        return f"level {number}"
    weights = np.bincount(nodes[inner], axis.counts[inner])
    label = axis.tree.written[int(np.argmax(weights))]
    return f"level {number}, such as {label}"
