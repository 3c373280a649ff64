"""`t-closeness`: the values of every group are distributed nearly as in the whole table.

Li, Li, Venkatasubramanian 2007.

The distance between the shares q in a group and p in the table is at most t. It stops learning from
a group much more than the table tells of everybody, also about values that are alike. It does not
stop singling out, and at small t little is left to learn at all. `distance` says what it costs to
turn one distribution into the other:

    equal         any two values are 1 apart:        sum |q - p| / 2
    ordered       values are steps of one ladder:    (sum over i of |(q1 - p1) + ... + (qi - pi)|) /
                  (m - 1)
    hierarchical  values are as far apart as the lowest node above both is high: (sum over inner
                  nodes of height * min(surplus, deficit of its children)) / height of the tree

The ladder has one step for each of the m different values among the published rows, in ascending
order, whatever the gaps between them. Each distance is convex in q, and the shares of a union lie
between those of the two groups, so safe groups stay safe when merged (p stays the same).

| incomes of the table: 3k to 11k, once each | equal | ordered |
|---|---|---|
| 3k, 4k, 5k | 0.667 | 0.375 |
| 6k, 8k, 11k | 0.667 | 0.167 |

A missing value has no place on a ladder or in a tree. So shares are taken among the rows that have
a value, and besides the share of missing values in a group may differ from that in the table by t
at most. A group in which nobody has a value is as far away as can be: 1.

Verdicts are exact: distances are sums of whole numbers over n * N, and t is the decimal that was
typed.

Source: N. Li, T. Li, S. Venkatasubramanian, t-Closeness, ICDE 2007, doi:10.1109/ICDE.2007.367856.

When to use it: if a group must not tell more than the table does, with t = 0.3 to begin with;
`distance=ordered` for numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags
from shoal.kernels.guards import Rule
from shoal.privacy import rules
from shoal.privacy.column import Column
from shoal.privacy.exact import at_most, decimal
from shoal.privacy.model import Model, known


@dataclass(frozen=True)
class TCloseness(Model):
    """Every group's values distributed as in the table, up to a distance of t."""

    name = "t-closeness"
    promise = "t"
    usual = {"t": (0.3, 0.05, 1)}
    t: float
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"

    def __post_init__(self) -> None:
        self._refuse_unless(0 <= self.t <= 1, "t", "between 0 and 1", 0.2)
        ways = ("equal", "ordered", "hierarchical")
        self._refuse_unless(self.distance in ways, "distance", " or ".join(ways), "equal")

    @property
    def needs_hierarchy(self) -> bool:
        """True if distances are measured along a hierarchy."""
        return self.distance == "hierarchical"

    def rule(self, column: Column) -> Rule | None:
        """Return the rule for kernels; None along a hierarchy."""
        if self.distance == "hierarchical":
            return None
        return rules.near(column, decimal(self.t), ordered=self.distance == "ordered")

    @property
    def reads_absent(self) -> bool:
        """True if the way from one value to another leads past those between."""
        return self.distance != "equal"

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Compare both distances of each group, of values and of missing ones, with t."""
        verdicts = np.ones(len(counts), np.bool_)
        for parts, wholes in self._distances(counts, column):
            verdicts &= at_most(parts, wholes, decimal(self.t))
        return verdicts

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Compute the distance of each group from the table."""
        return np.max(
            [
                (parts / wholes).astype(np.float64)
                for parts, wholes in self._distances(counts, column)
            ],
            axis=0,
        )

    def failing(self, who: str, column: str | None) -> str:
        """Say how many groups are too far from the table."""
        return f"in {who} '{column}' is further than {self.t:g} from the whole table"

    def _distances(self, counts: Counts, column: Column) -> list[tuple[AnyArray, AnyArray]]:
        """Compute distances as numerators and denominators: of values, and of missing ones."""
        rows = counts.sum(axis=1)
        table = int(column.totals.sum())
        missing = np.abs(counts[:, -1] * table - column.totals[-1] * rows)
        there = column.totals[:-1] > 0
        rows_known = known(counts)
        table_known = int(column.totals[:-1].sum())
        surplus = (
            counts[:, :-1][:, there] * table_known - column.totals[:-1][there] * rows_known[:, None]
        )
        moved, longest = self._moved(surplus, there, column)
        wholes = rows_known.astype(object) * table_known * longest
        nobody = (rows_known == 0) | (longest < 0)
        return [
            (np.where(nobody, 1, moved), np.where(nobody | (wholes == 0), 1, wholes)),
            (missing, rows * max(table, 1)),
        ]

    def _moved(self, surplus: Counts, there: Flags, column: Column) -> tuple[AnyArray, int]:
        """Compute the shares to be moved times their ways, and the longest way.

        The longest way is below 0 where it is unknown, without a hierarchy.
        """
        if self.distance == "equal":
            return np.maximum(surplus, 0).sum(axis=1), 1
        if self.distance == "ordered":
            steps = np.abs(np.cumsum(surplus, axis=1)[:, :-1])
            wide = steps.shape[1] * int(np.abs(surplus).sum(axis=1).max(initial=0)) >= 2**62
            return steps.sum(axis=1, dtype=object if wide else np.int64), max(steps.shape[1], 1)
        if column.tree is None or column.leaf is None:
            return np.zeros(len(surplus), np.int64), -1
        leaf = column.leaf[there]
        # In depth-first order all leaves under one node are neighbours.
        order = np.argsort(leaf, kind="stable")
        height = column.tree.height
        return _up_the_tree(surplus[:, order], column.tree.node[:, leaf[order]], height), int(
            height[column.tree.root]
        )


def _up_the_tree(surplus: Counts, nodes: AnyArray, height: AnyArray) -> Counts:
    """Move surplus to deficit level by level; each parent takes over the rest of its children."""
    moved = np.zeros(len(surplus), np.int64)
    for level in range(len(nodes) if surplus.shape[1] else 0):
        starts = np.flatnonzero(np.diff(nodes[level], prepend=-1))
        too_much = np.add.reduceat(np.maximum(surplus, 0), starts, axis=1)
        too_little = np.add.reduceat(np.maximum(-surplus, 0), starts, axis=1)
        moved += np.minimum(too_much, too_little) @ height[nodes[level][starts]].astype(np.int64)
        surplus = too_much - too_little
        nodes = nodes[:, starts]
    return moved
