"""Past: releases that were published before, and the people in them, numbered.

A store keeps each person once, by a keyed hash, in the order in which people were first published.
People of a new release who are not known yet are numbered behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Ints, Longs
from shoal.ledger.candidates import ValueCounts
from shoal.ledger.company import ABSENT
from shoal.ledger.published import HASH, NO_PEOPLE, Published


@dataclass(frozen=True)
class PastRelease:
    """A release that was published before."""

    number: int
    """Its number in the ledger."""
    called: str
    """When and where it was published, for people."""
    k: int
    who: Ints
    """Numbers of its people."""
    group: Ints
    """Their groups."""
    cells: Callable[[], pa.Table]
    values: Callable[[], Mapping[str, pa.Table]]
    rows: Callable[[], pa.Table]
    """Reads its file again; refuses one that is gone or was changed."""
    quasi: tuple[str, ...] = ()
    """Columns that it generalized."""
    plain: tuple[str, ...] = ()
    """Columns that it shows as they are: sensitive and kept ones."""


@dataclass(frozen=True)
class Past:
    """Everything that was published before to people who may compare it."""

    known: pa.Array
    """All people who were ever published, by their keyed hash."""
    releases: tuple[PastRelease, ...]
    head: str = ""
    """A mark of the ledger as it was when this was read."""
    waiting: pa.Array = field(default_factory=lambda: NO_PEOPLE)
    """People who have been waiting to be published since the last release."""
    waited: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    """For how many releases each of these has been waiting."""
    numbered: dict[int, tuple[pa.Array, Longs]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """Arrays of people with their numbers; an array that is held here keeps its identity."""

    @property
    def numbers_of_releases(self) -> tuple[int, ...]:
        """List the releases that are compared, by their numbers in the ledger."""
        return tuple(release.number for release in self.releases)

    def numbers(self, people: pa.Array) -> Longs:
        """Number people by their hashes; those who are not known stand behind all others.

        Asked again about the same array, it remembers: comparing and writing down both ask.
        """
        if id(people) not in self.numbered:
            self.numbered[id(people)] = (people, self._numbers(people))
        return self.numbered[id(people)][1].copy()

    def _numbers(self, people: pa.Array) -> Longs:
        """Look people up by their hashes."""
        at = np.asarray(pc.fill_null(pc.index_in(people, self.known), -1), np.int64)
        new = np.flatnonzero(at < 0)
        at[new] = len(self.known) + np.arange(len(new))
        return at

    def labels(self, count: int) -> Ints:
        """Give the group of each person in each release: [releases, people]."""
        table = np.full((len(self.releases), count), ABSENT, np.int32)
        for row, release in zip(table, self.releases, strict=True):
            row[release.who] = release.group
        return table

    def with_new(self, new: Published) -> Joined:
        """Put a new release behind those before it."""
        who = self.numbers(new.people)
        count = max(len(self.known), int(who.max(initial=-1)) + 1)
        last = np.full((1, count), ABSENT, np.int32)
        last[0, who] = new.group
        return Joined(self, new, np.concatenate([self.labels(count), last]), who)


@dataclass(frozen=True)
class Joined:
    """A new release together with those before it."""

    past: Past
    new: Published
    labels: Ints
    """[releases, people]: groups, the new release last."""
    who: Longs
    """Numbers of the people of the new release."""

    def cells(self) -> Iterator[pa.Table]:
        """Read the cells of the groups of each release, the new one last."""
        for release in self.past.releases:
            yield release.cells()
        yield self.new.cells

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Sensitive columns of the new release."""
        return tuple(self.new.values)

    def tallies(self, column: str) -> tuple[Longs, Sequence[ValueCounts]]:
        """Count values of a sensitive column in the releases that have it, and say which."""
        every = [*(release.values() for release in self.past.releases), self.new.values]
        having = np.flatnonzero([column in values for values in every])
        tables = [every[place][column] for place in having]
        hashes = pa.chunked_array([table["value"].combine_chunks() for table in tables], HASH)
        codes = np.asarray(pc.dictionary_encode(hashes.combine_chunks()).indices, np.int32)
        ends = np.cumsum([table.num_rows for table in tables])[:-1]
        return having, [_sorted(*pair) for pair in zip(tables, np.split(codes, ends), strict=True)]


def _sorted(table: pa.Table, codes: Ints) -> ValueCounts:
    """Sort counts by group and value."""
    group = np.asarray(table["group"], np.int32)
    order = np.lexsort((codes, group))
    return ValueCounts(group[order], codes[order], np.asarray(table["count"], np.int64)[order])
