"""Exposure: the facts that risks look at.

Groups of rows that look alike, on which columns, what they hold, and who is behind them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from shoal.arrays import Codes, Counts, Ints
from shoal.groups import Groups
from shoal.kernels.review.uniques import minimal_uniques
from shoal.review.prechecks.population import Population
from shoal.review.recount import keys, numbered

Coded = tuple[Ints, int]
"""A code for each row, and how many values there are; that number itself is the code of a missing
one.
"""
LARGEST = 3  # columns in a combination that singles a row out
WORK = 500_000_000  # groups times combinations that are looked at: a few seconds
TURN = 10_000  # rows' worth of time that any combination takes


@dataclass(frozen=True)
class Exposure:
    """Groups recounted from published values, with the codes of rows on all columns."""

    groups: Groups
    quasi: Mapping[str, Coded] = field(default_factory=dict)
    sensitive: Mapping[str, Coded] = field(default_factory=dict)
    population: Population | None = None

    @classmethod
    def of(cls, quasi: Mapping[str, Coded], sensitive: Mapping[str, Coded]) -> Exposure:
        """Group rows that have the same codes on all quasi-identifiers."""
        codes = [codes for codes, _ in quasi.values()]
        sizes = [size + 1 for _, size in quasi.values()]
        return cls(Groups(*numbered(keys(codes, sizes))), quasi, sensitive)

    def among(self, population: Population | None) -> Exposure:
        """Return these rows as a sample of a population."""
        return replace(self, population=population)

    @property
    def rows(self) -> int:
        """The number of published rows."""
        return int(self.groups.sizes.sum())

    @cached_property
    def sizes(self) -> tuple[Counts, Counts]:
        """The different sizes of groups, ascending, and the number of groups of each."""
        sizes, times = np.unique(self.groups.sizes, return_counts=True)
        return sizes, times.astype(np.int64)

    def with_size(self, size: int) -> int:
        """Count the groups of this size."""
        return int(np.count_nonzero(self.groups.sizes == size))

    @cached_property
    def cells(self) -> Codes:
        """The codes that the rows of a group have in common: `cells[column, group]`."""
        rows = first_rows(self.groups)
        cells = np.array([codes[rows] for codes, _ in self.quasi.values()], np.int32)
        return cells.reshape(len(self.quasi), self.groups.count)

    @cached_property
    def smallest_key(self) -> Ints | None:
        """The least number of columns that single the row of each group out.

        0 where more than three are needed.

        None for too many columns to look at all combinations.
        """
        if not self.with_size(1):
            return np.zeros(self.groups.count, np.int32)
        if math.comb(len(self.quasi), LARGEST) * max(self.groups.count, TURN) > WORK:
            return None
        widths = np.array([size + 1 for _, size in self.quasi.values()], np.int64)
        return minimal_uniques(self.cells, widths, self.groups.sizes, LARGEST)

    @cached_property
    def best_guesses(self) -> dict[str, int]:
        """The number of rows guessed right by the most frequent value of their group, by column."""
        return {name: _guessed(self.groups, *column) for name, column in self.sensitive.items()}

    @cached_property
    def blind(self) -> Exposure:
        """The rows as one group, as if their quasi-identifiers told nothing."""
        labels = np.where(self.groups.labels >= 0, 0, -1).astype(np.int32)
        nothing = (np.zeros(len(labels), np.int32), 1)
        return Exposure(
            Groups(labels, min(self.groups.count, 1)),
            dict.fromkeys(self.quasi, nothing),
            self.sensitive,
            self.population.together if self.population and self.groups.count else self.population,
        )


def first_rows(groups: Groups) -> Ints:
    """Return the first row of each group."""
    rows = np.empty(groups.count + 1, np.int32)  # one more place, for withheld rows
    rows[groups.labels[::-1]] = np.arange(len(groups.labels), dtype=np.int32)[::-1]
    return rows[: groups.count]


def _guessed(groups: Groups, codes: Ints, values: int) -> int:
    # Nobody guesses that a value is missing.
    there = (groups.labels >= 0) & (codes < values)
    if not there.any():
        return 0
    pairs, times = np.unique(
        groups.labels[there].astype(np.int64) * values + codes[there], return_counts=True
    )
    guessed, starts = np.unique(pairs // values, return_index=True)
    return int(np.maximum.reduceat(times, starts).sum()) if len(guessed) else 0
