"""Promises: all models over all sensitive columns, as one guard.

A model of groups judges each group. One of the release judges rows that look alike on some columns,
and a group keeps its promise where all of its rows do. One of a population is told how many people
look like each group. Where other sensitive columns count as known (`others = as-quasi`), models
judge a sensitive column among the rows that agree on all the others: an attacker who knows these
sees no more of the group. k and other sizes are still those of the whole group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np

from shoal.arrays import AnyArray, Codes, Flags
from shoal.encode.rows import combined
from shoal.groups import Groups
from shoal.kernels.guards import Rule, Rules, packed
from shoal.privacy.column import Column, Sensitive
from shoal.privacy.counted import Counted
from shoal.privacy.model import Model
from shoal.privacy.population import Crowd, PopulationModel

Others = Literal["separate", "as-quasi"]


@dataclass(frozen=True)
class Broken:
    """A promise that some groups do not keep."""

    model: Model
    column: str | None
    unsafe: Flags

    def spoken(self, groups: int) -> str:
        """Say how many of the groups do not keep the promise."""
        return self.model.failing(f"{int(self.unsafe.sum()):,} of {groups:,} groups", self.column)


@dataclass(frozen=True)
class Promises:
    """The models that groups have to keep, on each sensitive column that they speak about."""

    models: tuple[Model, ...]
    sensitive: tuple[Sensitive, ...] = ()
    others: Others = "separate"
    looks: Callable[[Groups], Codes] | None = None
    """Numbers the published cells of groups: `looks(groups)[column, group]`."""
    people: Callable[[Groups], Crowd] | None = None
    """Counts the people of the population who look like each group."""

    @property
    def least(self) -> int:
        """The smallest size a safe group can have."""
        return max((model.least for model in self.models), default=1)

    @property
    def survives_merging(self) -> bool:
        """True if the union of two safe groups is always safe."""
        return all(model.survives_merging for model in self.models)

    @property
    def only_more_helps(self) -> bool:
        """True if a safe group stays safe whoever joins it.

        Where other sensitive columns count as known, those who join may form a part of their own.
        """
        parts = self.others == "as-quasi" and len(self.sensitive) > 1
        return not parts and all(model.only_more_helps for model in self.models)

    @property
    def survives_recoding(self) -> bool:
        """True if one scheme for all rows stays safe when a column moves to a higher level."""
        return all(model.survives_recoding for model in self.models)

    @property
    def only_size(self) -> bool:
        """True if the size of a group is all that matters."""
        return not any(model.needs_sensitive or model.judges != "group" for model in self.models)

    @cached_property
    def rules(self) -> Rules | None:
        """The rules of all models that look at more than size, for kernels.

        None where one of the models can't be tested by kernels.
        """
        if self.others == "as-quasi" and len(self.sensitive) > 1:
            return None
        rules: list[tuple[int, Rule]] = []
        for model in self.models:
            if model.judges != "group":
                return None
            for number, column in enumerate(self.sensitive):
                if not model.guards(column.column.name):
                    continue
                if (rule := model.rule(column.column)) is None:
                    return None
                rules.append((number, rule))
        return packed(rules, [(column.codes, column.column.size) for column in self.sensitive])

    def safe(self, groups: Groups) -> Flags:
        """Mark groups that keep every promise.

        Rows in no group are left out of the table that groups are compared with.
        """
        verdicts = np.ones(groups.count, np.bool_)
        for model, column in self._spoken():
            verdicts &= self._verdicts(model, column, groups)
        return verdicts

    def broken(self, groups: Groups) -> list[Broken]:
        """List promises that are not kept, and by which groups."""
        judged = [
            Broken(model, _name(column), ~self._verdicts(model, column, groups))
            for model, column in self._spoken()
        ]
        return [verdict for verdict in judged if verdict.unsafe.any()]

    def rows_of(self, groups: Groups) -> Groups:
        """Return the groups themselves, because rows are divided and not persons."""
        return groups

    def measured(self, groups: Groups) -> list[tuple[Model, str | None, float | None]]:
        """Measure the strictest parameter that groups meet, for each model and column.

        None where it can't be told.
        """
        return [
            (model, _name(column), self._measured(model, column, groups))
            for model, column in self._spoken()
        ]

    def lacking(self) -> list[tuple[Model, str | None, str]]:
        """List models that can't be judged, on which column, and what is lacking."""
        lacks = [
            (model, _name(column), self._lacks(model, column)) for model, column in self._spoken()
        ]
        return [(model, name, what) for model, name, what in lacks if what]

    def _spoken(self) -> Iterator[tuple[Model, Sensitive | None]]:
        for model in self.models:
            if not model.needs_sensitive:
                yield model, None
                continue
            for column in self.sensitive:
                if model.guards(column.column.name):
                    yield model, column

    def _lacks(self, model: Model, column: Sensitive | None) -> str | None:
        if isinstance(model, PopulationModel):
            return None if self.people else model.lacks(Column.nothing(0))
        return model.lacks(column.column) if column else None

    def _verdicts(self, model: Model, column: Sensitive | None, groups: Groups) -> Flags:
        if isinstance(model, PopulationModel) and self.people:
            return model.verdicts(groups.sizes, self.people(groups))
        verdicts = np.ones(groups.count, np.bool_)
        for counted in self._counted(model, column, groups):
            kept = counted.verdicts(model)
            if counted.groups is groups:
                verdicts &= kept
            else:
                there = groups.labels >= 0
                verdicts[groups.labels[there][~kept[counted.groups.labels[there]]]] = False
        return verdicts

    def _measured(self, model: Model, column: Sensitive | None, groups: Groups) -> float | None:
        if self._lacks(model, column):
            return None
        if isinstance(model, PopulationModel) and self.people:
            return model.worst(model.measures_beside(groups.sizes, self.people(groups)))
        measures = [counted.measured(model) for counted in self._counted(model, column, groups)]
        return None if any(one is None for one in measures) else model.worst(np.array(measures))

    def _counted(self, model: Model, column: Sensitive | None, groups: Groups) -> Iterator[Counted]:
        """Yield groups with the values of a column, as the model judges them.

        These are the groups, those that look alike on some columns, or their parts that agree on
        other sensitive columns.
        """
        if column is None:
            yield Counted.sizes(groups)
            return
        if self.others == "as-quasi":
            known = [other.codes for other in self.sensitive if other is not column]
        else:
            known = []
        for alike in self._alike(model.columns_known, groups):
            yield Counted(_parts(alike, known), column.column, column.codes, column.elsewhere)

    def _alike(self, columns_known: int | None, groups: Groups) -> Iterator[Groups]:
        """Yield groups as someone sees them who knows `columns_known` columns.

        Once for each choice of columns.
        """
        if columns_known is None or self.looks is None:
            yield groups
            return
        looks = self.looks(groups)
        for chosen in combinations(looks, min(columns_known, len(looks))):
            sizes = [int(look.max(initial=0)) + 1 for look in chosen]
            yield _relabelled(groups, combined(np.array(chosen), sizes))


def _parts(groups: Groups, known: list[AnyArray]) -> Groups:
    """Split each group into rows that agree on the known columns."""
    for codes in known:
        groups = Groups.of(
            np.where(
                groups.labels < 0,
                -1,
                groups.labels.astype(np.int64) * (codes.max(initial=0) + 1) + codes,
            )
        )
    return groups


def _relabelled(groups: Groups, labels: AnyArray) -> Groups:
    """Give each group another number; groups with the same number become one."""
    return Groups.of(np.where(groups.labels < 0, -1, np.append(labels, -1)[groups.labels]))


def _name(column: Sensitive | None) -> str | None:
    return column.column.name if column else None
