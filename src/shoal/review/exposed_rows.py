"""Exposed rows: which rows of a table are easiest to find, and which columns give them away.

For the maker of a release alone: it points at rows. Rows that look alike on all columns are one
group, and are told of together.

    people    those behind the rows of a group
    columns   the fewest columns on which no more people look like the group than on all of them;
              of equally few, those with rarer values
    order     fewest people first, then who is given away by fewer columns, then rarer values

What gives a group away is found by comparing it with all others once: the columns on which another
group agrees are a set of bits, and few different sets occur. A group that stands alone on at most
three columns is ranked by its minimal sample uniques (Elliot, Manning & Ford 2002,
doi:10.1142/S0218488502001600). Where there are too many combinations of columns to try, columns
are left out one after the other as long as nobody else comes to look alike: no column of the rest
can be spared, but fewer others might do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Self

import numpy as np

from shoal.arrays import Counts, Flags, Ints, Longs
from shoal.groups import Groups
from shoal.review.risks.exposure import LARGEST, Coded, Exposure

MOST_TRIED = 5_000  # combinations of columns
MOST_COLUMNS = 62  # bits of a whole number


@dataclass(frozen=True)
class ExposedGroup:
    """Rows that look alike: their label, the people behind them, and what gives them away."""

    label: int
    people: int
    columns: tuple[str, ...]


def people_of(groups: Groups, who: Coded | None = None) -> Counts:
    """Count the people behind each group: rows, unless a column says whose row each is."""
    if who is None:
        return groups.sizes
    pairs = np.unique(groups.labels.astype(np.int64) * (who[1] + 1) + who[0])
    return np.bincount(pairs // (who[1] + 1), minlength=groups.count).astype(np.int64)


def most_exposed(
    seen: Exposure, count: int, *, who: Coded | None = None, first: Flags | None = None
) -> list[ExposedGroup]:
    """List the groups that are easiest to find; those that are flagged stand before all others."""
    people = people_of(seen.groups, who)
    keys = seen.smallest_key
    fewest = np.zeros(seen.groups.count, np.int32) if keys is None else keys
    fewest = np.where(fewest == 0, LARGEST + 1, fewest)
    later = np.zeros(seen.groups.count, np.bool_) if first is None else ~first
    common = _commonness(seen)
    order = np.lexsort((common.sum(axis=0), fewest, people, later))[:count]
    names = list(seen.quasi)
    exposed = []
    for label in order:
        rarest = np.argsort(common[:, label], kind="stable")[:MOST_COLUMNS].tolist()
        places = _given_away(_Likeness.of(seen, label, rarest, who))
        columns = tuple(names[c] for c in sorted(rarest[place] for place in places))
        exposed.append(ExposedGroup(int(label), int(people[label]), columns))
    return exposed


def learnt(seen: Exposure) -> dict[str, Flags]:
    """Flag the groups all of whose rows share one value of each sensitive column."""
    return {name: _shared(seen.groups, *column) for name, column in seen.sensitive.items()}


def _shared(groups: Groups, codes: Ints, missing: int) -> Flags:
    pairs = np.unique(groups.labels.astype(np.int64) * (missing + 1) + codes)
    different = np.bincount(pairs // (missing + 1), minlength=groups.count)
    lacking = np.zeros(groups.count, np.bool_)
    lacking[groups.labels[codes == missing]] = True
    return np.asarray((different == 1) & ~lacking)


def _commonness(seen: Exposure) -> Longs:
    """Count the digits of how often the value of each group occurs, by column, in base two.

    Whole numbers, so that every machine lists the same rows.
    """
    commonness = np.zeros((len(seen.quasi), seen.groups.count), np.int64)
    for c, (codes, size) in enumerate(seen.quasi.values()):
        times = np.bincount(codes, minlength=size + 1)
        commonness[c] = np.frexp(times[seen.cells[c]].astype(np.float64))[1]
    return commonness


def _given_away(likeness: _Likeness) -> Sequence[int]:
    """Find the fewest columns on which no more people look like a group than on all of them."""
    every = range(likeness.columns)
    fewest = likeness.people(every)
    for chosen in islice(_combinations(every), MOST_TRIED):
        if likeness.people(chosen) == fewest:
            return chosen
    kept = list(every)
    for column in reversed(every):
        others = [one for one in kept if one != column]
        if likeness.people(others) == fewest:
            kept = others
    return kept


def _combinations(columns: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for size in range(1, len(columns) + 1):
        yield from combinations(columns, size)


@dataclass(frozen=True)
class _Likeness:
    """On which columns others agree with a group, as sets of bits, and who they are."""

    columns: int
    sets: Longs
    times: Counts
    """How many people have each set; one person each, where `persons` names them."""
    persons: Longs | None = None

    @classmethod
    def of(cls, seen: Exposure, label: int, columns: Sequence[int], who: Coded | None) -> Self:
        """Compare one group with all of them, on these columns."""
        agreed = np.zeros(seen.groups.count, np.int64)
        for place, c in enumerate(columns):
            agreed |= (seen.cells[c] == seen.cells[c, label]).astype(np.int64) << place
        if who is None:
            sets, place_of = np.unique(agreed, return_inverse=True)
            times = np.bincount(place_of, weights=seen.groups.sizes).astype(np.int64)
            return cls(len(columns), sets, times)
        pairs = np.unique(np.stack([agreed[seen.groups.labels], who[0].astype(np.int64)]), axis=1)
        return cls(len(columns), pairs[0], np.ones(pairs.shape[1], np.int64), pairs[1])

    def people(self, columns: Sequence[int]) -> int:
        """Count the people who agree with the group on all of these columns."""
        wanted = sum(1 << c for c in columns)
        there = (self.sets & wanted) == wanted
        if self.persons is None:
            return int(self.times[there].sum())
        return len(np.unique(self.persons[there]))
