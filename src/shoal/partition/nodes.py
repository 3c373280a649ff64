"""Nodes: what a table looks like under one level for each column, counted from finer divisions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from shoal.arrays import Flags, Labels, Longs
from shoal.encode.rows import Rows
from shoal.groups import WITHHELD, Groups, Guard
from shoal.kernels.costs import UNIT
from shoal.kernels.partition import full_domain as kernels
from shoal.kernels.partition.full_domain import CodedTuples, NodeBounds, TupleGroups
from shoal.partition.lattice import Look, Search, outer_sum, strides_of
from shoal.partition.levels_weighed import WeighedLevels, packed
from shoal.partition.persons_at_levels import LevelUnits

Aggregate = Literal["sum", "geometric"]
Charge = Literal["full", "level"]
KEPT = 400  # divisions that are kept at most, for others to be made from
TOGETHER = 6  # times as many groups as there are tuples may be kept in all of them
USEFUL = 0.7  # of the tuples: a division of more groups saves little


@dataclass(frozen=True)
class Weighing:
    """The loss by which nodes are compared, and what rows that are left out lose."""

    loss: str = "span"
    aggregate: Aggregate = "sum"
    charge: Charge = "full"

    @property
    def of_sizes(self) -> bool:
        """Whether the sizes of groups alone matter."""
        return self.loss == "discernibility"


class KeptDivisions:
    """Divisions that were made last, from which others are made; the oldest go first."""

    def __init__(self, columns: int, tuples: int) -> None:
        self.levels = np.full((KEPT, columns), np.iinfo(np.int64).max)
        self.groups = np.zeros(KEPT, np.int64)
        self.divisions: list[TupleGroups | None] = [None] * KEPT
        self.most = TOGETHER * tuples
        self.tuples = tuples
        self.newest = 0
        self.oldest = 0

    def smallest_below(self, node: Longs) -> TupleGroups | None:
        """Find the division of fewest groups that is finer than a node."""
        finer = np.flatnonzero((self.levels <= node).all(axis=1))
        if not len(finer):
            return None
        return self.divisions[int(finer[np.argmin(self.groups[finer])])]

    def keep(self, node: Longs, division: TupleGroups) -> None:
        """Keep a division, unless it saves little; let old ones go where there are too many."""
        if len(division.size) > USEFUL * self.tuples:
            return
        place = self.newest % KEPT
        if self.divisions[place] is not None:
            self._let_go()
        self.levels[place] = node
        self.groups[place] = len(division.size)
        self.divisions[place] = division
        self.newest += 1
        while self.groups.sum() > self.most and self.oldest < self.newest - 1:
            self._let_go()

    def _let_go(self) -> None:
        place = self.oldest % KEPT
        self.levels[place] = np.iinfo(np.int64).max
        self.groups[place] = 0
        self.divisions[place] = None
        self.oldest += 1


@dataclass
class Nodes:
    """A table on which nodes are looked at: different tuples, and divisions made so far."""

    rows: Rows
    levels: Sequence[WeighedLevels]
    guard: Guard
    least: int
    may: int
    weighing: Weighing

    def __post_init__(self) -> None:
        units = LevelUnits.of(self.rows, self.levels)
        self.units = units
        self.total_rows = int(units.rows.sum())
        distinct = self.rows.distinct if self.rows.members is None else units.distinct
        self.first_row = distinct.first
        self.tuple_of = np.empty(self.rows.count, np.int32)
        self.tuple_of[distinct.order] = np.repeat(
            np.arange(len(distinct.counts), dtype=np.int32), distinct.counts
        )
        full = self.rows.costs.full.astype(np.int64)
        self.tables = packed(units.levels, units.counts(), full)
        most = math.prod(int(line.max()) for line in self.tables.parts)
        codes = np.ascontiguousarray(distinct.codes.T)
        self.tuples = CodedTuples(codes, self.tables, most < 2**63)
        tuples = len(codes)
        self.finest = TupleGroups(
            np.arange(tuples, dtype=np.int32),
            distinct.counts.astype(np.int64),
            np.bincount(self.tuple_of, units.rows, tuples).astype(np.int64),
        )
        self.kept = KeptDivisions(len(self.levels), tuples)
        self.table = kernels.hash_table(tuples)
        self.joins = np.empty(tuples, np.int32)
        self.monotone = self.guard.only_size or self.guard.only_more_helps

    def search(self, watch: object, wanted: int = 1) -> Search:
        """Prepare the search of the lattice, with the bounds that are known before any look."""
        levels = self.tables.levels
        return Search(
            levels,
            self._bounds(),
            self.look,
            self.may,
            grows=self.weighing.of_sizes,
            watch=watch,  # type: ignore[arg-type]
            wanted=wanted,
        )

    def look(self, node: Longs, limit: float) -> Look:
        """Count the groups under a node, those that must be left out, and what that loses."""
        if self.guard.only_size:
            division = self._rolled_up(node)
            return self._weighed(node, division, self._small(node, division), safe=True)
        division = self._from_tuples(node)
        small = self._small(node, division)
        tried = self._weighed(node, division, small, safe=True)
        if tried.withheld is None or (not self._tells_below and tried.measured > limit):
            return tried
        left_out = self._left_out(node, division)
        return self._weighed(node, division, left_out, safe=not left_out.any(), small=tried.below)

    @property
    def _tells_below(self) -> bool:
        """Whether an unsafe node says more of those below than the sizes of its groups."""
        return self.monotone or (self.may == 0 and self.guard.survives_recoding)

    def groups(self, node: Longs) -> Groups:
        """Label the rows under a node, those that are left out as withheld."""
        division = self._from_tuples(node)
        out = self._small(node, division)
        if not self.guard.only_size:
            out = self._left_out(node, division)
        labels = self._labels(out)
        return self._grouped(labels, node)

    def unlimited(self, node: Longs) -> int:
        """Count the rows that a node leaves out, however many may be."""
        return self._withheld(replace(self, may=self.total_rows).groups(node))

    def reported(self, look: Look) -> float:
        """Convert the loss of a look to what people read: in [0, 1], or a sum of squares."""
        if self.weighing.of_sizes:
            return float(look.loss)
        if self.weighing.aggregate == "sum":
            return look.loss / max(int(self.tables.full.sum()) * self.total_rows, 1)
        return math.expm1(look.measured / max(len(self.levels), 1))

    def total(self, by_column: Sequence[float], look: Look) -> float:
        """Compute the loss from that of each column, without the rounding that chooses."""
        weights = (self.tables.full / UNIT).tolist()
        if self.weighing.of_sizes:
            return float(look.loss)
        pairs = list(zip(weights, by_column, strict=True))
        if self.weighing.aggregate == "geometric":
            product = math.prod(1 + weight * share for weight, share in pairs)
            return float(product ** (1 / max(len(pairs), 1)) - 1)
        return math.fsum(weight * share for weight, share in pairs) / (sum(weights) or 1.0)

    def shares(self, node: Longs, groups: Groups) -> list[float]:
        """Compute the mean loss of each column, in [0, 1]; a withheld row pays in full."""
        kept = groups.labels >= 0
        means = []
        for axis, each, level in zip(self.rows.codes, self.levels, node.tolist(), strict=True):
            share = each.share[level]
            paying = slice(None) if self.weighing.charge == "level" else kept
            of_codes = np.bincount(axis[paying], self.units.rows[paying], len(share))
            paid = float((of_codes * share).sum())
            left_out = self.total_rows - int(of_codes.sum())
            means.append((paid + left_out) / max(self.total_rows, 1))
        return means

    def _grouped(self, labels: Labels, node: Longs) -> Groups:
        levels = tuple(each.number[at] for each, at in zip(self.levels, node.tolist(), strict=True))
        groups = Groups.of(labels)
        return Groups(groups.labels, groups.count, levels=levels)

    def _labels(self, out: Flags) -> Labels:
        """Label the rows by the division that was made last from tuples."""
        number = np.where(out, WITHHELD, np.arange(len(out))).astype(np.int32)
        return number[self.joins][self.tuple_of]

    def _left_out(self, node: Longs, division: TupleGroups) -> Flags:
        """Mark the groups that must be left out, so that all others are safe beside each other.

        Leaving rows out changes the table that groups are compared with, so all are judged again
        until nothing changes.
        """
        groups = self._grouped(self._labels(self._parted(node, division)), node)
        while groups.count:
            unsafe = np.flatnonzero(~self.guard.safe(groups))
            if not len(unsafe):
                break
            groups = groups.withhold(unsafe)
            if self._withheld(groups) > self.may:
                break
        return np.asarray(groups.labels[self.first_row[division.stands]] == WITHHELD, np.bool_)

    def _small(self, node: Longs, division: TupleGroups) -> Flags:
        """Mark the groups that are too small, and persons whose rows differ under the node."""
        return (division.size < self.least) | self._parted(node, division)

    def _parted(self, node: Longs, division: TupleGroups) -> Flags:
        return self.units.parted(self.first_row[division.stands], node)

    def _withheld(self, groups: Groups) -> int:
        """Count the rows that are left out."""
        return int(self.units.rows[groups.labels == WITHHELD].sum())

    def _rolled_up(self, node: Longs) -> TupleGroups:
        """Divide the table under a node, from the smallest finer division at hand."""
        division = self._joined(node, self.kept.smallest_below(node) or self.finest)
        self.kept.keep(node, division)
        return division

    def _from_tuples(self, node: Longs) -> TupleGroups:
        """Divide the table under a node so that `joins` tells the group of each tuple."""
        return self._joined(node, self.finest)

    def _joined(self, node: Longs, finer: TupleGroups) -> TupleGroups:
        return kernels.rolled_up(self.tuples, node, finer, self.table, self.joins)

    def _weighed(
        self, node: Longs, division: TupleGroups, out: Flags, *, safe: bool, small: int = 0
    ) -> Look:
        """Weigh a division of which some groups are left out."""
        weighed = kernels.weigh(self.tuples, node, division, out)
        left_out = weighed.small
        below = left_out
        if not self.monotone and not safe:
            below = small
        if not safe and self.may == 0 and self.guard.survives_recoding:
            below = max(below, 1)
        columns = np.arange(len(node))
        paid = self.tables.total[columns, node]
        if self.weighing.charge == "full":
            paid = paid - weighed.paid_by_small + left_out * self.tables.full
        loss, measured = self._loss(paid.tolist(), weighed)
        nobody = left_out == self.total_rows
        withheld = None if left_out > self.may or nobody else left_out
        return Look(withheld, below, loss, measured, float(weighed.squares))

    def _loss(self, paid: list[int], weighed: kernels.Weighed) -> tuple[int, float]:
        """Compute the loss of a node as a whole number, and on the scale of the bounds."""
        if self.weighing.of_sizes:
            squares = int(weighed.squares)
            if self.weighing.charge == "full":
                squares += weighed.small * self.total_rows - int(weighed.squares_of_small)
            return squares, float(squares)
        if self.weighing.aggregate == "sum":
            return sum(paid), float(sum(paid))
        whole = self.total_rows * UNIT
        return math.prod(whole + each for each in paid), math.fsum(
            math.log1p(each / whole) for each in paid
        )

    def _bounds(self) -> NodeBounds:
        """Bound the loss of all nodes from below, before any was looked at."""
        tables = self.tables
        share = tables.total.astype(np.float64)
        beyond = (tables.full[:, None] - tables.dearest).astype(np.float64)
        if self.weighing.charge == "level":
            beyond = np.zeros_like(beyond)
        geometric = self.weighing.aggregate == "geometric"
        if geometric:
            share = share / (self.total_rows * UNIT)
            beyond = beyond / (self.total_rows * UNIT)
        of_levels = [
            np.log1p(line[:count]) if geometric else line[:count]
            for line, count in zip(share, tables.levels.tolist(), strict=True)
        ]
        least = outer_sum(of_levels)
        if self.weighing.of_sizes:
            least = self._least_squares()
            beyond = np.zeros_like(beyond)
            alone = self.rows.members is None  # else small groups may have many rows
            if alone and self.guard.only_size and self.weighing.charge == "full":
                beyond[0] = self.total_rows - self.least + 1
        left_out = np.zeros(len(least), np.int32)
        return NodeBounds(
            least, left_out, share, beyond, strides_of(tables.levels.tolist()), geometric
        )

    def _least_squares(self) -> np.ndarray:
        """Bound the sum of squared sizes: rows squared over the most groups that there can be."""
        logs = [
            np.log(line[:count].astype(np.float64))
            for line, count in zip(self.tables.parts, self.tables.levels.tolist(), strict=True)
        ]
        return np.exp(2 * math.log(max(self.total_rows, 1)) - outer_sum(logs)) * (1 - 1e-9)
