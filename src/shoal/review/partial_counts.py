"""Summed: what a release shows, counted part by part, with never all rows in memory.

Rows that look alike are in one part, so sizes of groups, verdicts, right guesses and cells simply
add up over parts. Everything that is measured from these is what it would be of the whole table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts, Flags, Ints
from shoal.groups import Groups
from shoal.privacy.model import Model
from shoal.privacy.promises import Broken, Promises
from shoal.recode.cells import Cell, read
from shoal.review.certificate import entry
from shoal.review.gate import refusal
from shoal.review.kept_counts import KeptCounts
from shoal.review.losses.published import PublishedView
from shoal.review.measured_model import MeasuredModel
from shoal.review.risks.exposure import Exposure


@dataclass(frozen=True)
class Sized(Groups):
    """Groups of which the sizes are known, and not who is in them."""

    known: Counts = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def with_sizes(cls, sizes: Counts) -> Sized:
        """Make one group for each size."""
        return cls(np.zeros(0, np.int32), len(sizes), (), sizes)

    @cached_property
    def sizes(self) -> Counts:
        """The number of rows in each group."""
        return self.known


@dataclass(frozen=True)
class Summed(Exposure):
    """An exposure whose groups are known by their sizes alone."""

    # By sensitive column: right guesses, and rows with its most frequent value.
    right: Mapping[str, int] = field(default_factory=dict)
    common: Mapping[str, int] = field(default_factory=dict)
    # Rows that one column singles out, two, three; None where nobody has looked.
    alone: Counts | None = None

    @cached_property
    def best_guesses(self) -> dict[str, int]:
        """Rows guessed right by their group's most frequent value, for each sensitive column."""
        return dict(self.right)

    @cached_property
    def smallest_key(self) -> Ints | None:
        """Columns that single out each row that stands alone, in some order of groups.

        None where a row stands alone and what singles it out is not known.
        """
        if self.alone is None:
            return None if self.with_size(1) else np.zeros(self.groups.count, np.int32)
        columns = np.zeros(self.groups.count, np.int32)
        columns[: int(self.alone.sum())] = np.repeat(np.arange(1, len(self.alone) + 1), self.alone)
        return columns

    @cached_property
    def blind(self) -> Summed:
        """The exposure if quasi-identifiers told nothing: one group."""
        together = self.groups.sizes.sum(keepdims=True)
        everyone = self.population
        return Summed(
            Sized.with_sizes(together),
            population=everyone.together if everyone else None,
            right=self.common,
            common=self.common,
            alone=np.array([int(together[0] == 1)], np.int64),
        )


@dataclass(frozen=True)
class Printed(PublishedView):
    """A release known by the different cells of each column and their counts."""

    count: int = 0
    times: Mapping[str, tuple[pa.Array, Counts]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """The number of published rows."""
        return self.count

    @cached_property
    def cells(self) -> dict[str, tuple[list[Cell], Counts]]:
        """The different cells of each generalized column, and how often each is printed."""
        return {
            name: ([read(text) for text in texts.to_pylist()], counts)
            for name, (texts, counts) in self.times.items()
        }

    def per_cell(self, measure: int) -> float | None:
        """Measure the mean share that a cell leaves open; None where a column is two ends."""
        return super().per_cell(measure) if all(name in self.times for name in self.quasi) else None


@dataclass(frozen=True)
class Judged:
    """Groups of one part, or of all: sizes, verdicts, figures of models, and right guesses."""

    sizes: Counts
    spoken: tuple[tuple[Model, str | None], ...]
    unsafe: tuple[Flags, ...]  # by promise
    measured: tuple[float | None, ...]
    right: Mapping[str, int]  # by sensitive column
    kept: KeptCounts = field(default_factory=KeptCounts.nothing)

    @classmethod
    def of(
        cls,
        groups: Groups,
        promises: Promises,
        sensitive: Mapping[str, tuple[Ints, int]],
        kept: KeptCounts | None = None,
    ) -> Judged:
        """Judge all rows of some groups by promises that know the counts of the whole table."""
        broken = {
            (verdict.model, verdict.column): verdict.unsafe for verdict in promises.broken(groups)
        }
        measured = promises.measured(groups)
        spoken = tuple((model, column) for model, column, _ in measured)
        safe = np.zeros(groups.count, np.bool_)
        unsafe = tuple(broken.get(each, safe) for each in spoken)
        values = tuple(value for _, _, value in measured)
        right = _right(groups, sensitive)
        return cls(groups.sizes, spoken, unsafe, values, right, kept or KeptCounts.nothing())

    @classmethod
    def measuring(cls, groups: Groups, promises: Promises) -> Judged:
        """Measure models by which nothing is promised: figures, and no verdict."""
        measured = promises.measured(groups)
        safe = np.zeros(groups.count, np.bool_)
        spoken = tuple((model, column) for model, column, _ in measured)
        values = tuple(value for _, _, value in measured)
        return cls(groups.sizes, spoken, (safe,) * len(spoken), values, {})

    @classmethod
    def together(cls, parts: Sequence[Judged]) -> Judged:
        """Put the groups of all parts together."""
        spoken = parts[0].spoken
        unsafe = tuple(
            np.concatenate(of) for of in zip(*(part.unsafe for part in parts), strict=True)
        )
        # A part without groups has no figures: its least number of rows would be 0.
        filled = [part for part in parts if len(part.sizes)] or parts
        every = zip(*(part.measured for part in filled), strict=True)
        measured = tuple(_worst(model, of) for (model, _), of in zip(spoken, every, strict=True))
        right = {name: sum(part.right[name] for part in parts) for name in parts[0].right}
        sizes = np.concatenate([part.sizes for part in parts])
        kept = KeptCounts.together([part.kept for part in parts])
        return cls(sizes, spoken, unsafe, measured, right, kept)

    def groups(self) -> Sized:
        """Give the groups, each of them safe; refuse where one is not."""
        groups = Sized.with_sizes(self.sizes)
        broken = self.broken()
        if broken:
            raise refusal(broken, groups)
        return groups

    def broken(self) -> list[Broken]:
        """List every promise that is not kept, and by which groups."""
        return [
            Broken(*each, unsafe)
            for each, unsafe in zip(self.spoken, self.unsafe, strict=True)
            if unsafe.any()
        ]

    def models(self) -> list[MeasuredModel]:
        """List every model with the strictest value that all groups meet."""
        return [entry(*each, value) for each, value in zip(self.spoken, self.measured, strict=True)]


def _right(groups: Groups, sensitive: Mapping[str, tuple[Ints, int]]) -> dict[str, int]:
    return Exposure(groups, {}, sensitive).best_guesses


def _worst(model: Model, values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return model.worst(np.array(known)) if len(known) == len(values) else None
