"""`sets`: the values of a group by name: `{Berlin, Oslo}` where a node would say too little.

A category is published as the set of values that its group holds, in the order of the hierarchy;
where a hierarchy names a smallest level that may be shown, as the set of nodes there. Three groups
are written otherwise:

    one value                             that value
    all values under a node               the label of the node, which says the same in one word
    more than `most` values               the label of the node above them, as in `snapped`

Numbers, dates and times are published as in `snapped`. Missing values beside others make `*`.

What it costs: a set tells that somebody of the group has each of its values, where a node only says
that all lie below it. Groups stay as large as they were and every model is judged as before, but a
reader can rule out values, as with exact intervals; the certificate says so. Sets of two groups may
overlap, and nobody can tell from the ends of a box what is in a set: methods whose values nest,
models that judge a whole release or count a population, and engines that see a part of the rows
refuse it.

Value subsets are how Last, Tassa, Zhmudyak & Shmueli (2014, doi:10.1016/j.ins.2013.09.006) publish
nominal columns. The limit `most` is ours: a cell of forty words is read by nobody.

By hand: a group of people from Berlin, Oslo and Oslo is published as `{Berlin, Oslo}`, one from
Oslo alone as Oslo.

When to use it: for categories without a useful hierarchy, where `snapped` would print `*`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.arrays import Longs
from shoal.declare.hierarchies.tree import Tree
from shoal.encode.axes import Axis
from shoal.errors import RecipeError
from shoal.recode.cells import Value, ValueSet, write
from shoal.recode.recoder import Boxes, Recoder, of_node
from shoal.recode.snapped import Snapped


@dataclass(frozen=True)
class Sets(Recoder):
    """Values of a group by name, at most `most` of them: for categories without a hierarchy."""

    name = "sets"
    widens = True
    names_members = True
    most: int = 12

    def __post_init__(self) -> None:
        if self.most < 2:
            raise RecipeError(
                f"a set of 'sets' holds at least 2 values, not {self.most}", remedy="sets:most=12"
            )

    def publish(self, boxes: Boxes) -> dict[str, pa.Array]:
        """Publish the values of each group by name; numbers and dates as intervals."""
        intervals_and_nodes = Snapped().publish(boxes)
        axis = boxes.axis
        if boxes.nodes is not None or axis.tree is None or not _names_values(axis):
            return intervals_and_nodes
        cells = intervals_and_nodes[axis.name].to_pylist()
        below = _lowest_below(axis.tree)
        for group, above, nodes in _mixed_groups(boxes):
            if len(nodes) <= min(self.most, below[above] - 1):
                cells[group] = _written(axis.tree, nodes) or cells[group]
        return {axis.name: pa.array(cells, pa.string())}


def _names_values(axis: Axis) -> bool:
    """Tell whether the leaves of a tree are names: categories, codes, and not ordered values."""
    assert axis.tree is not None
    flat = len(axis.tree.node) <= 2
    return axis.kind == "category" or axis.of_codes or (axis.kind == "number" and flat)


def _mixed_groups(boxes: Boxes) -> Iterator[tuple[int, int, list[int]]]:
    """Yield groups of several values, none missing: number, common ancestor, lowest nodes."""
    axis = boxes.axis
    mixed = (boxes.lo < boxes.hi) & (boxes.hi < axis.size)
    places = np.flatnonzero(mixed)
    above = axis.ancestors(boxes.lo[places], boxes.hi[places])
    there = np.append(mixed, False)[boxes.groups.labels]  # a withheld row has the label -1
    labels = boxes.groups.labels[there].astype(np.int64)
    pairs: Longs = np.unique(labels * axis.size + boxes.codes[there])
    group, code = np.divmod(pairs, axis.size)
    lowest = axis.node[0][code]
    starts = np.searchsorted(group, places).tolist()
    upto = [*starts[1:], len(group)]
    for place, ancestor, a, b in zip(places.tolist(), above.tolist(), starts, upto, strict=False):
        yield place, ancestor, list(dict.fromkeys(lowest[a:b].tolist()))


def _lowest_below(tree: Tree) -> Counter[int]:
    """Count the nodes of the lowest level under each node of a tree, seen in the table or not."""
    pairs = {
        (int(upper), int(lower))
        for level in tree.node
        for upper, lower in zip(level, tree.node[0], strict=True)
    }
    return Counter(upper for upper, _ in pairs)


def _written(tree: Tree, nodes: list[int]) -> str | None:
    """Write a set of nodes; None where it is no set of several labels."""
    cells = [of_node(tree, node) for node in nodes]
    texts = [cell.text for cell in cells if isinstance(cell, Value)]
    several = 1 < len(texts) == len(nodes)
    return write(ValueSet(tuple(texts))) if several else None
