"""Speech: the values that published rows tell beside their boxes, and about whom.

exact     a distribution over the row's neighbourhood, which whoever knows the method finds
          again (the paper's form)
sampled   the values of one record that the row covers, by a matching; it may be any of those
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Ints, Longs
from shoal.encode.profile import Profile
from shoal.groups import Groups
from shoal.overlap.cover import Cover
from shoal.overlap.overlap import Neighbourhoods
from shoal.overlap.rings import Ring, windows

AT_ONCE = 64  # boxes whose bits are unpacked together


@dataclass(frozen=True)
class Speech:
    """The records that each row speaks about, and the values or shares of values that it tells.

    Row i speaks about units members[starts[i]:starts[i + 1]].
    """

    starts: Longs
    members: Ints
    carried: Ints | None = None
    shares: tuple[Floats, ...] = ()  # of each column: [rows, values and missing]
    own: Ints | None = None
    unit_of: Ints | None = None


def exact(near: Neighbourhoods, columns: Sequence[Profile]) -> Speech:
    """Tell the distribution over each row's neighbourhood."""
    return told(near, tuple(shares_of(near.members, column) for column in columns))


def told(near: Neighbourhoods, shares: tuple[Floats, ...]) -> Speech:
    """Tell given shares about each row's neighbourhood."""
    rows, k = near.members.shape
    own = np.arange(rows, dtype=np.int32)
    return Speech(
        np.arange(rows + 1, dtype=np.int64) * k,
        near.members.reshape(-1).astype(np.int32),
        None,
        shares,
        own,
    )


def shares_of(members: Ints, column: Profile) -> Floats:
    """Compute the share of each value, and of missing, among the members of each row."""
    rows, k = members.shape
    flat = np.arange(rows)[:, None] * (column.size + 1) + column.codes[members]
    return np.bincount(flat.reshape(-1), minlength=rows * (column.size + 1)).reshape(rows, -1) / k


def sampled(cover: Cover, carried: Ints) -> Speech:
    """Tell the values of the record that each row carries; it may be any that the row covers."""
    starts, members = _covered(cover)
    sizes = np.diff(starts)[cover.box_of]
    of_rows = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    place = (
        np.arange(of_rows[-1])
        - np.repeat(of_rows[:-1], sizes)
        + np.repeat(starts[cover.box_of], sizes)
    )
    return Speech(of_rows, members[place], carried, (), None, cover.tuple_of)


def of_rings(rings: tuple[Ring, ...], carried: Ints) -> Speech:
    """Tell the values of the record that each row carries, one of its window.

    Whoever knows the method finds the window.
    """
    return Speech(*windows(rings), carried)


def _covered(cover: Cover) -> tuple[Longs, Ints]:
    """List the tuples that each box covers, box by box."""
    tuples = cover.tuples.shape[1]
    members = [np.zeros(0, np.int32)]
    sizes = [np.zeros(1, np.int64)]
    for at in range(0, len(cover.bits), AT_ONCE):
        words = cover.bits[at : at + AT_ONCE].view(np.uint8)
        bits = np.unpackbits(words, axis=1, bitorder="little")[:, :tuples]
        members.append(np.nonzero(bits)[1].astype(np.int32))
        sizes.append(bits.sum(axis=1, dtype=np.int64))
    return np.cumsum(np.concatenate(sizes)).astype(np.int64), np.concatenate(members)


def of_groups(groups: Groups, columns: Sequence[Profile]) -> Speech:
    """Tell the exact distribution over each row's group.

    Groups are disjoint, so they tell nothing about each other.
    """
    order, starts = groups.by_group
    sizes = groups.sizes[groups.labels]
    of_rows = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    place = np.arange(of_rows[-1]) + np.repeat(starts[groups.labels] - of_rows[:-1], sizes)
    counts = (
        groups.counts(column.codes, column.size + 1) / groups.sizes[:, None] for column in columns
    )
    return Speech(
        of_rows,
        order[place].astype(np.int32),
        None,
        tuple(shares[groups.labels] for shares in counts),
    )
