"""Promises: all models over all sensitive columns, as one guard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Counts, Flags, Ints
from shoal.groups import Groups
from shoal.privacy.model import Model


@dataclass(frozen=True)
class Sensitive:
    """A sensitive column as codes; the code `values` means missing."""

    name: str
    codes: Ints
    values: int


@dataclass(frozen=True)
class Broken:
    """A promise that some groups do not keep."""

    model: Model
    column: str | None
    unsafe: Flags


@dataclass(frozen=True)
class Promises:
    """What every group has to keep: each model, on each sensitive column that it speaks about."""

    models: tuple[Model, ...]
    sensitive: tuple[Sensitive, ...] = ()

    @property
    def least(self) -> int:
        """The smallest size a safe group can have."""
        return max((model.least for model in self.models), default=1)

    @property
    def survives_merging(self) -> bool:
        """Whether the union of two safe groups is always safe."""
        return all(model.survives_merging for model in self.models)

    @property
    def only_size(self) -> bool:
        """Whether the size of a group is all that matters."""
        return not any(model.needs_sensitive for model in self.models)

    def safe(self, groups: Groups) -> Flags:
        """Whether each group keeps every promise."""
        verdicts = np.ones(groups.count, np.bool_)
        for model, _, counts in self._counted(groups):
            verdicts &= model.safe(counts)
        return verdicts

    def broken(self, groups: Groups) -> list[Broken]:
        """Every promise that is not kept, and by which groups."""
        judged = [Broken(model, column, ~model.safe(counts)) for model, column, counts in self._counted(groups)]
        return [verdict for verdict in judged if verdict.unsafe.any()]

    def measured(self, groups: Groups) -> list[tuple[Model, str | None, float]]:
        """The strictest parameter that the groups meet, for each model and column."""
        return [(model, column, model.measure(counts)) for model, column, counts in self._counted(groups)]

    def _counted(self, groups: Groups) -> Iterator[tuple[Model, str | None, Counts]]:
        sizes = groups.sizes.reshape(-1, 1)
        counts: Sequence[Counts] = []
        if not self.only_size:
            counts = [groups.counts(column.codes, column.values + 1) for column in self.sensitive]
        for model in self.models:
            if not model.needs_sensitive:
                yield model, None, sizes
                continue
            for column, counted in zip(self.sensitive, counts, strict=True):
                yield model, column.name, counted
