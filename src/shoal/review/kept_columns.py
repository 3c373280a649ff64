"""Kept columns: counts the rows that hold each combination of their values, and judges the counts.

Kept values may be known to others, and they are published as they are. So all of them together are
treated like one cell: each combination, in which missing is a value, must be held by at least k
rows of the release. Columns that are kept by force are left out of the combinations.

Counts add up over parts of a table, so that every engine judges by this one rule: before the work,
in the gate, and when a release is verified or audited.

By hand, k = 2: ward A, A, B, B beside shift day, night, day, day. Each ward and each shift is held
by two rows or more except `night`, and of the combinations A-day, A-night and B-day the first two
are held by one row each: two rows are concerned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Self

import numpy as np

from shoal.arrays import Codes, Counts, Ints
from shoal.review.recount import keys, numbered

LARGEST = 3  # columns that are named as those that single out most
NEARLY_ALL = 0.95  # of the rows concerned; columns that single these out are named alone
WORK = 20_000_000  # combinations times choices of columns that are looked at to name them

HELD = {
    (True, True): "value of {} is held",
    (True, False): "values of {} are held",
    (False, True): "combination of values of {} is held",
    (False, False): "combinations of values of {} are held",
}
"""What is said of one column or several, and of one value or several."""


@dataclass(frozen=True)
class KeptTally:
    """The different combinations of values of some columns, and the rows that hold each."""

    names: tuple[str, ...]
    codes: Codes  # [column, combination]
    times: Counts
    people: bool = False
    """Whether people were counted, each once for a combination, and not their rows."""

    @classmethod
    def of(cls, names: Sequence[str], codes: Sequence[Ints], person: Ints | None = None) -> Self:
        """Count rows by their codes on each column; persons instead, where a person has several."""
        if not names:
            return cls((), np.zeros((0, 0), np.int32), np.zeros(0, np.int64))
        rows = np.array(codes, np.int32)
        times = np.ones(rows.shape[1], np.int64)
        if person is not None:
            rows = _merged(np.concatenate([rows, person[None, :]]), times)[0][:-1]
            times = np.ones(rows.shape[1], np.int64)
        return cls(tuple(names), *_merged(rows, times), people=person is not None)

    @classmethod
    def together(cls, parts: Sequence[KeptTally]) -> Self:
        """Add up the counts of parts whose codes mean the same values."""
        codes = np.concatenate([part.codes for part in parts], axis=1)
        times = np.concatenate([part.times for part in parts])
        people = any(part.people for part in parts)
        return cls(parts[0].names, *_merged(codes, times), people=people)

    @property
    def rows(self) -> int:
        """The number of rows that were counted."""
        return int(self.times.sum())

    @property
    def fewest(self) -> int | None:
        """The fewest rows that hold a combination; None where no column is kept."""
        return int(self.times.min()) if len(self.names) and len(self.times) else None

    def too_rare(self, k: int) -> TooRare | None:
        """Find combinations that fewer than k rows hold; None where all are held by k."""
        rare = self.times < k
        if not self.names or not rare.any():
            return None
        rows = int(self.times[rare].sum())
        return TooRare(
            columns=self.names,
            k=k,
            combinations=int(rare.sum()),
            rows=rows,
            of_rows=self.rows,
            by_size=tuple(self._by_size(k, rows)),
            people=self.people,
        )

    def _by_size(self, k: int, rows: int) -> Iterator[tuple[tuple[str, ...], int]]:
        """Name the column, pair and triple that single out most, with the rows that they do.

        Larger ones are left out once nearly all rows concerned are singled out, or where there
        are too many to look at.
        """
        for size in range(1, min(LARGEST, len(self.names)) + 1):
            if comb(len(self.names), size) * len(self.times) > WORK:
                break
            choices = [
                (self._rare_rows(list(chosen), k), chosen)
                for chosen in combinations(range(len(self.names)), size)
            ]
            alone, chosen = max(choices, key=lambda pair: pair[0])
            if alone:
                yield tuple(self.names[place] for place in chosen), alone
            if alone >= NEARLY_ALL * rows:
                return

    def _rare_rows(self, chosen: list[int], k: int) -> int:
        """Count rows that hold a combination of some of the columns which fewer than k hold."""
        times = _merged(self.codes[chosen], self.times)[1]
        return int(times[times < k].sum())


@dataclass(frozen=True)
class TooRare:
    """Combinations of kept columns that fewer than k rows hold."""

    columns: tuple[str, ...]
    k: int
    combinations: int
    rows: int
    of_rows: int
    by_size: tuple[tuple[tuple[str, ...], int], ...] = ()
    """The column, pair and triple that single out most, with the rows of rare combinations."""
    people: bool = False
    """Whether people were counted, and not their rows."""

    @property
    def worst(self) -> tuple[tuple[str, ...], int]:
        """The fewest columns that single out half of the rows concerned, and their rows."""
        half = [each for each in self.by_size if 2 * each[1] >= self.rows]
        return half[0] if half else (self.columns, self.rows)

    @property
    def problem(self) -> str:
        """Say what is wrong, with counts and without a value."""
        words = HELD[len(self.columns) == 1, self.combinations == 1]
        held = words.format(listed(self.columns))
        problem = f"{self.combinations:,} {held} by fewer than"
        if self.people:
            return f"{problem} {self.k:,} people"
        return f"{problem} {self.k:,} rows: {self.rows:,} of {self.of_rows:,} rows are concerned"

    @property
    def singles_out(self) -> str:
        """Name the column, the pair and the triple that single out most, with their rows."""
        whom = "people" if self.people else "rows"
        said = []
        for columns, rows in self.by_size or (self.worst,):
            together = " together" if len(columns) > 1 else ""
            said.append(f"{listed(columns)}{together} ({rows:,} {whom})")
        return "; ".join(said)


def listed(names: Sequence[str]) -> str:
    """Join names of columns in quotes: `'a', 'b' and 'c'`."""
    quoted = [f"'{name}'" for name in names]
    return " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _merged(codes: Codes, times: Counts) -> tuple[Codes, Counts]:
    """Put equal columns of codes together, in the order of their codes, and add up their times."""
    if not codes.size:
        return codes[:, :0], times[:0]
    sizes = [int(row.max(initial=0)) + 1 for row in codes]
    labels, count = numbered(keys(list(codes), sizes))
    first = np.zeros(count, np.int64)
    first[labels[::-1]] = np.arange(len(labels))[::-1]
    added = np.bincount(labels, times, count).astype(np.int64)
    merged = codes[:, first]
    order = np.lexsort(merged[::-1])
    return np.ascontiguousarray(merged[:, order]), added[order]
