"""Groups of a whole table under one level for each column, made from finer groups; and the walk.

A *division* lists groups: a tuple of the table that stands for each, and the number of its people
and of their rows, which is the same where every row is a person.
The finest one is the different tuples themselves. Under higher levels some groups become one, and
which do can be told from the tuples that stand for them: all members of a group are alike there.
So a division is made from any finer one, the smaller the faster, and rows are never looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Flags, Floats, Ints, Longs
from shoal.kernels.jit import compiled

MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: spreads keys over a hash table


class LevelTables(NamedTuple):
    """Parts that the levels of each column make of codes, and the cost of each part.

    Level l of column c reads from `at[c, l]` on, the code of missing values being the last.
    """

    part: Ints
    price: Ints
    at: Longs  # [columns, levels]
    parts: Longs  # [columns, levels]: how many parts
    total: Longs  # [columns, levels]: what all rows pay together
    dearest: Longs  # [columns, levels]: what one row pays at most
    full: Longs  # [columns]: what a row pays that is withheld
    levels: Longs  # [columns]: how many levels


class CodedTuples(NamedTuple):
    """The different tuples of a table, and the levels of its columns."""

    codes: Ints  # [tuples, columns]
    tables: LevelTables
    exact: bool  # whether no combination of parts overflows a key


class HashTable(NamedTuple):
    """A hash table that is used again: a place is free where its stamp is not that of this use."""

    key: Longs
    group: Ints
    stamp: Ints
    use: Ints  # [1]


class TupleGroups(NamedTuple):
    """Groups: the tuple that stands for each, how many people each has, and how many rows."""

    stands: Ints
    size: Longs
    rows: Longs


class Weighed(NamedTuple):
    """Figures of a division: rows in groups that are too small, and what they would pay."""

    small: int
    squares: int
    squares_of_small: int
    paid_by_small: Longs  # [columns]


def hash_table(tuples: int) -> HashTable:
    """Build an empty hash table for this many groups."""
    places = 1 << max(int(2 * tuples).bit_length(), 4)
    return HashTable(
        np.zeros(places, np.int64),
        np.zeros(places, np.int32),
        np.zeros(places, np.int32),
        np.zeros(1, np.int32),
    )


@compiled
def _key(tuples: CodedTuples, node: Longs, row: int) -> int:
    """Combine the parts of a tuple into one number, by mixed radix; it may overflow."""
    key = 0
    tables = tuples.tables
    for column in range(len(node)):
        level = node[column]
        part = tables.part[tables.at[column, level] + tuples.codes[row, column]]
        key = key * tables.parts[column, level] + part
    return int(key)


@compiled
def _alike(tuples: CodedTuples, node: Longs, one: int, two: int) -> bool:
    """Tell whether two tuples have equal parts on every column."""
    tables = tuples.tables
    codes = tuples.codes
    for column in range(len(node)):
        at = tables.at[column, node[column]]
        if tables.part[at + codes[one, column]] != tables.part[at + codes[two, column]]:
            return False
    return True


@compiled
def rolled_up(
    tuples: CodedTuples, node: Longs, finer: TupleGroups, table: HashTable, joins: Ints
) -> TupleGroups:
    """Join the groups of a finer division that are alike under the levels of a node.

    `joins[g]` becomes the new number of group g; groups are numbered in the order in which they
    come. Where keys may overflow, tuples are compared themselves.
    """
    mask = len(table.key) - 1
    table.use[0] += 1
    use = table.use[0]
    stands = np.empty(len(finer.size), np.int32)
    size = np.zeros(len(finer.size), np.int64)
    rows = np.zeros(len(finer.size), np.int64)
    shift = np.uint64(20)
    count = 0
    for g in range(len(finer.size)):
        tuple_ = finer.stands[g]
        key = _key(tuples, node, tuple_)
        place = np.int64((np.uint64(key) * MIX) >> shift) & mask
        while table.stamp[place] == use and not (
            table.key[place] == key
            and (tuples.exact or _alike(tuples, node, stands[table.group[place]], tuple_))
        ):
            place = (place + 1) & mask
        if table.stamp[place] != use:
            table.stamp[place] = use
            table.key[place] = key
            table.group[place] = count
            stands[count] = tuple_
            count += 1
        group = table.group[place]
        size[group] += finer.size[g]
        rows[group] += finer.rows[g]
        joins[g] = group
    return TupleGroups(stands[:count].copy(), size[:count].copy(), rows[:count].copy())


@compiled
def weigh(tuples: CodedTuples, node: Longs, division: TupleGroups, small: Flags) -> Weighed:
    """Count the rows of groups that are marked, and what they would pay if they were published."""
    rows = 0
    squares = 0
    squares_of_small = 0
    paid = np.zeros(len(node), np.int64)
    tables = tuples.tables
    for g in range(len(division.size)):
        size = division.rows[g]
        squares += size * size
        if small[g]:
            rows += size
            squares_of_small += size * size
            for column in range(len(node)):
                at = tables.at[column, node[column]]
                paid[column] += size * tables.price[at + tuples.codes[division.stands[g], column]]
    return Weighed(rows, squares, squares_of_small, paid)


class NodeBounds(NamedTuple):
    """Figures that no node stays below: its loss, and how many rows it leaves out."""

    least: Floats  # [nodes]: were no row left out
    left_out: Ints  # [nodes]: rows that are left out at least
    share: Floats  # [columns, levels]: what the rows pay
    beyond: Floats  # [columns, levels]: what a row that is left out pays more than before, at least
    strides: Longs  # [columns]
    geometric: bool  # shares are multiplied, not summed


@compiled
def least_loss(bounds: NodeBounds, flat: int) -> float:
    """Compute what a node loses at least, given the rows that it leaves out at least."""
    rows = bounds.left_out[flat]
    if rows == 0:
        return bounds.least[flat]
    loss = 0.0
    rest = flat
    for column in range(len(bounds.strides)):
        level = rest // bounds.strides[column]
        rest %= bounds.strides[column]
        more = rows * bounds.beyond[column, level]
        if bounds.geometric:
            loss += np.log1p(bounds.share[column, level] + more)
        else:
            loss += more
    return loss if bounds.geometric else bounds.least[flat] + loss


@compiled
def next_open(bounds: NodeBounds, order: Longs, begin: int, may: int, best: float) -> int:
    """Find the next place in the order whose node may be as good as the best; the end if none."""
    for place in range(begin, len(order)):
        flat = order[place]
        if (
            bounds.left_out[flat] <= may
            and bounds.least[flat] <= best
            and least_loss(bounds, flat) <= best
        ):
            return place
    return len(order)
