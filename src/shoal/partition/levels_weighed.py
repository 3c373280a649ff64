"""Levels weighed: what each level of each column makes of a code, and what it costs under a loss.

A tree has the levels of its hierarchy, the values as they are first and `*` last. A column of
numbers or dates without a hierarchy has those of its `ladder`. A missing value stands apart on
every level; where any is missing, one more level is everything, missing values too. Levels that
change nothing are left out, and the lower one of two alike stays.

| loss | a row pays at a node |
|---|---|
| `span`, `height`, `leaf-share` | the share that the node leaves open, in [0, 1] |
| `loss-metric` | (different values of the table under the node - 1) / (leaves of the tree - 1) |
| `non-uniform-entropy` | log2(rows under the node) / log2(rows), the same for every column |

Shares are rounded to integers, importance in them, as everywhere: integers choose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Floats, Ints, Longs
from shoal.declare.hierarchies.ladder import Ladder
from shoal.encode.axes import Axis
from shoal.kernels.partition.full_domain import LevelTables


@dataclass(frozen=True)
class WeighedLevels:
    """The levels of one column that can be chosen: `part[level, code]` and `share[level, code]`.

    Missing is the last code. `number` tells which level of the hierarchy each is.
    """

    axis: Axis
    part: Ints
    share: Floats
    number: tuple[int, ...]
    top: int
    """The number of the highest level: everything."""

    def some(self, places: Sequence[int]) -> WeighedLevels:
        """Choose some of the levels."""
        chosen = list(places)
        return replace(
            self,
            part=self.part[chosen],
            share=self.share[chosen],
            number=tuple(self.number[place] for place in chosen),
        )


def levels_weighed(
    axis: Axis, rows: int, loss: str, least: int = 0, most: int | None = None
) -> WeighedLevels:
    """List the levels of a column, what parts they make, and the share that each part loses.

    None is below `least` or above `most`, or above the highest level that the recipe lets be
    published. Levels below the lowest are no part of the axis.
    """
    axis = laddered(axis)
    if axis.highest is not None:
        most = axis.highest if most is None else min(most, axis.highest)
    missing = rows - int(axis.counts.sum())
    node = axis.node
    lost = _lost(axis, rows, loss)
    parts = [_numbered(nodes) for nodes in node]
    alone = _bits(missing, rows) if loss == "non-uniform-entropy" else 0.0
    shares = [np.append(lost[nodes], alone) for nodes in node]
    if missing and axis.size:
        parts.append(np.zeros(axis.size + 1, np.int32))
        shares.append(np.ones(axis.size + 1))
    top = len(parts) - 1
    levels = WeighedLevels(axis, np.array(parts), np.array(shares), tuple(range(len(parts))), top)
    allowed = range(min(least, top), min(top if most is None else most, top) + 1)
    # Levels nest, so two of them that have the same number of parts have the same parts.
    new = [i for i in allowed if i == allowed[0] or parts[i].max() < parts[i - 1].max()]
    return levels.some(new)


def laddered(axis: Axis) -> Axis:
    """Give a column of numbers or dates without a hierarchy the ladder of its range."""
    if axis.tree is not None:
        return axis
    fitted = Ladder().fit(axis.values, axis.kind, axis.name)
    return Axis(axis.name, axis.kind, axis.values, axis.counts, tree=fitted.tree, leaf=fitted.leaf)


def _numbered(nodes: Ints) -> Ints:
    """Number the parts of a level; that of the missing value comes last."""
    different, part = np.unique(nodes, return_inverse=True)
    return np.append(part, len(different)).astype(np.int32)


def _lost(axis: Axis, rows: int, loss: str) -> Floats:
    """Compute the share that each node of a tree loses."""
    assert axis.tree is not None
    if loss == "non-uniform-entropy":
        under = _summed(axis, axis.counts)
        return np.array([_bits(count, rows) for count in under.tolist()])
    if loss == "loss-metric":
        assert axis.leaf is not None
        new = np.append(True, np.diff(axis.leaf) != 0)[: axis.size]
        return (np.maximum(_summed(axis, new), 1) - 1) / max(len(axis.tree.leaves) - 1, 1)
    return axis.shares(loss if loss in ("span", "height") else "leaf-share")


def _summed(axis: Axis, weights: Longs) -> Longs:
    """Sum weights of the codes under each node of a tree, each code once."""
    assert axis.tree is not None
    sums = np.zeros(len(axis.tree.labels), np.int64)
    for level, nodes in enumerate(axis.node):
        new = np.ones(axis.size, np.bool_) if level == 0 else nodes != axis.node[level - 1]
        np.add.at(sums, nodes[new], np.asarray(weights, np.int64)[new])
    return sums


def _bits(count: int, rows: int) -> float:
    """Compute log2(count) as a share of log2(rows)."""
    return float(np.log2(max(count, 1)) / (np.log2(max(rows, 2))))


def packed(levels: Sequence[WeighedLevels], counts: Sequence[Longs], full: Longs) -> LevelTables:
    """Lay the levels of all columns end to end for kernels, shares as integers.

    `counts` are the rows of each code, `full` what a row of each column pays that is left out.
    """
    most = max(len(each.number) for each in levels)
    at, parts, total, dearest = (np.zeros((len(levels), most), np.int64) for _ in range(4))
    flat_parts: list[Ints] = []
    flat_prices: list[Ints] = []
    begin = 0
    for column, each in enumerate(levels):
        times = counts[column]
        for level, (part, share) in enumerate(zip(each.part, each.share, strict=True)):
            price = np.round(share * int(full[column])).astype(np.int32)
            flat_parts.append(part)
            flat_prices.append(price)
            at[column, level] = begin
            begin += len(part)
            parts[column, level] = int(part.max()) + 1
            total[column, level] = int((price.astype(np.int64) * times).sum())
            dearest[column, level] = int(price[times > 0].max(initial=0))
    return LevelTables(
        part=np.concatenate(flat_parts).astype(np.int32),
        price=np.concatenate(flat_prices).astype(np.int32),
        at=at,
        parts=parts,
        total=total,
        dearest=dearest,
        full=full,
        levels=np.array([len(each.number) for each in levels], np.int64),
    )
