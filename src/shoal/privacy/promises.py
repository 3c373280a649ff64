"""Promises: all models over all sensitive columns, as one guard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Flags, Ints
from shoal.groups import Groups
from shoal.privacy.counted import Counted
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
        for model, counted in self._counted(groups):
            verdicts &= counted.verdicts(model)
        return verdicts

    def broken(self, groups: Groups) -> list[Broken]:
        """Every promise that is not kept, and by which groups."""
        judged = [Broken(model, counted.column, ~counted.verdicts(model)) for model, counted in self._counted(groups)]
        return [verdict for verdict in judged if verdict.unsafe.any()]

    def measured(self, groups: Groups) -> list[tuple[Model, str | None, float | None]]:
        """The strictest parameter that the groups meet, for each model and column."""
        return [(model, counted.column, counted.measured(model)) for model, counted in self._counted(groups)]

    def _counted(self, groups: Groups) -> Iterator[tuple[Model, Counted]]:
        for model in self.models:
            if not model.needs_sensitive:
                yield model, Counted.sizes(groups)
                continue
            for column in self.sensitive:
                yield model, Counted(groups, column.name, column.codes, column.values + 1)
