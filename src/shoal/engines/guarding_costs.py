"""Guarding costs: an estimate of what each guarded column and each model took of the detail.

    take a sample: whole regions of the table, so that groups are about as wide as those of all rows
    divide it quickly under all models, under k alone, without each guarded column in turn,
        without the columns that miss many values together, and without each of several models
    the detail that is there without a column, and not with it, is what guarding the column cost

Detail is what is not lost: 1 where every cell is exact, 0 where every cell is `*`. The estimate is
made without chance, of costs that are whole numbers, and serves the maker of the release alone: it
stands in notices and in the private certificate. A column alone may cost nothing where another
one asks for the same, so the columns that miss many values are tried together too.

Limits: the engine must see the whole table (`LocalEngine`). Nothing is estimated for methods that
set one level for all rows, under widest cells, for losses that are no function of a box, and where
a model looks beyond its group. Whatever method divided the rows, the sample is divided by `shoal`
at low effort.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from shoal import registry
from shoal.encode.costs import BOX_LOSSES
from shoal.encode.profile import Profile
from shoal.encode.rows import Rows
from shoal.engines.dividing import united
from shoal.engines.promises import promises_of
from shoal.engines.widest_cells import parts_of
from shoal.errors import ShoalError
from shoal.groups import Groups, Note
from shoal.kernels.costs import boxes
from shoal.partition.beginnings import AtLeast
from shoal.partition.mondrian import Mondrian
from shoal.partition.repair import loss_of, repair
from shoal.partition.shoal import Shoal
from shoal.privacy.model import Model
from shoal.recipe import Plan
from shoal.wording import Part, Remedy, Sentence, Set

MENTIONED = Fraction(1, 20)
"""The share of the detail from which on a cost is said, and of rows without a value."""
TRIED_ROWS = {"low": 10_000, "default": 60_000, "high": 120_000}
"""Rows of the samples of all trials together, by effort: a small part of a run."""
FEWEST_ROWS = 1_000  # of a sample
MOST_ROWS = 10_000
REGIONS = 4  # of the table that a sample is taken from
MOST_COLUMNS = 10  # that are tried alone: those with the most missing values
MOST_SAID = 3


@dataclass(frozen=True)
class GuardingCost:
    """The share of the detail that guarding some columns cost, and the rows without a value."""

    columns: tuple[str, ...]
    share: Fraction
    missing: int
    """Rows without a value in one of the columns; 0 where that is not what made them dear."""


def guarding_notes(groups: Groups, rows: Rows, plan: Plan) -> tuple[Note, ...]:
    """Say what guarding cost where it is more than a little; nothing to someone in a hurry."""
    guarded = [
        column
        for column in rows.sensitive
        if any(model.guards(column.name) for model in plan.models)
    ]
    if not guarded or groups.interrupted or not _can_be_tried(rows, plan):
        return ()
    trials = _Trials(rows, plan, guarded)
    together = trials.cost(plan.models[:1], tuple(column.name for column in guarded))
    if together is None or together.share < MENTIONED:
        return ()
    by_column = list(_chosen(trials, together))
    by_model = sorted(trials.by_model(), key=lambda cost: cost[1], reverse=True)
    return (
        *(Note("guarding", _column_said(cost, plan, rows)) for cost in by_column),
        *(Note("guarding", _model_said(model, share, plan)) for model, share in by_model[:1]),
    )


def _can_be_tried(rows: Rows, plan: Plan) -> bool:
    return (
        rows.count >= FEWEST_ROWS // 2
        and rows.loss in BOX_LOSSES
        and plan.recipe.time_limit is None
        and not plan.method.sets_levels
        and all(model.judges == "group" and not model.balances for model in plan.models)
        and parts_of(rows) is None
    )


@dataclass(frozen=True, eq=False)
class _Trials:
    """Divides a sample quickly, under some of the models of a plan."""

    rows: Rows
    plan: Plan
    guarded: Sequence[Profile]

    def cost(self, models: Sequence[Model], columns: tuple[str, ...]) -> GuardingCost | None:
        """Estimate what guarding columns cost, had there been only these models instead."""
        with_all = self._with_all
        without = None if with_all is None else self._loss(models)
        if with_all is None or without is None:
            return None
        detail = int(self.sample.costs.full.sum()) * self._units - without
        share = Fraction(max(with_all - without, 0), detail) if detail > 0 else Fraction(0)
        return GuardingCost(columns, share, self._missing(columns))

    def without(self, columns: Sequence[str]) -> GuardingCost | None:
        """Estimate what guarding some of several columns cost."""
        return self.cost(_without(self.plan, columns), tuple(columns))

    def by_model(self) -> Iterator[tuple[Model, Fraction]]:
        """Estimate what each of several models cost, where it is more than a little."""
        models = [model for model in self.plan.models if model.needs_sensitive]
        for model in models if len(models) > 1 else ():
            cost = self.cost([other for other in self.plan.models if other is not model], ())
            if cost is not None and cost.share >= MENTIONED:
                yield model, cost.share

    @property
    def alone(self) -> list[str]:
        """The columns that are tried alone, those with the most missing values first."""
        if len(self.guarded) < 2:
            return []
        columns = sorted(self.guarded, key=lambda column: -column.missing)
        return [column.name for column in columns[:MOST_COLUMNS]]

    @property
    def often_missing(self) -> list[str]:
        """Several columns, and not all of them, in which many rows have no value."""
        many = [each.name for each in self.guarded if _is_many(each.missing, self.rows.count)]
        return many if 1 < len(many) < len(self.guarded) else []

    def _missing(self, columns: tuple[str, ...]) -> int:
        """Count rows without a value in one of the columns, where models ask for different ones."""
        asked = [
            column.codes == column.size
            for column in self.guarded
            if column.name in columns
            and any(
                model.guards(column.name) and model.higher_is_stricter for model in self.plan.models
            )
        ]
        missing = int(np.count_nonzero(np.any(asked, axis=0))) if asked else 0
        return missing if _is_many(missing, self.rows.count) else 0

    @cached_property
    def sample(self) -> Rows:
        """Some whole regions of the table, as many rows as all trials together can afford."""
        trials = 4 + len(self.alone) + len(self.plan.models)
        afforded = max(TRIED_ROWS[self.plan.recipe.effort] // trials, FEWEST_ROWS)
        wanted = min(afforded, MOST_ROWS)
        if self.rows.count <= wanted + wanted // 2:
            return self.rows
        return _regions(self.rows, max(wanted // REGIONS, 20 * self.plan.recipe.k))

    @cached_property
    def _units(self) -> int:
        """The number of rows that are divided, or of persons."""
        return united(self.sample, promises_of(self.sample, self.plan), self.plan)[0].count

    @cached_property
    def _with_all(self) -> int | None:
        return self._loss(self.plan.models)

    def _loss(self, models: Sequence[Model]) -> int | None:
        """Divide the sample under some models; None where it can't keep them."""
        plan = replace(self.plan, models=tuple(models))
        units, guard = united(self.sample, promises_of(self.sample, plan), plan)
        chance = np.random.default_rng(0)  # the run's own is left as it is
        groups = Shoal(effort="low").divide(units, plan.recipe.k, guard, chance)
        if not guard.safe(groups).all():
            groups = repair(groups, units, guard)
        return loss_of(groups, units) if guard.safe(groups).all() else None


def _is_many(missing: int, rows: int) -> bool:
    return missing >= MENTIONED * rows


def _without(plan: Plan, columns: Sequence[str]) -> list[Model]:
    """List the models as they are without guarding some columns."""
    narrowed = [model.sparing(columns, plan.recipe.sensitive) for model in plan.models]
    return [model for model in narrowed if model is not None]


def _regions(rows: Rows, size: int) -> Rows:
    """Take some regions of about `size` rows, spread over the table; persons stay whole."""
    parts = Mondrian(relaxed=True).divide(
        rows, min(size, rows.count), AtLeast(1), np.random.default_rng(0)
    )
    lowest, _ = boxes(rows.codes, parts.labels, parts.count)
    order = np.lexsort(lowest[::-1])
    step = max(len(order) // REGIONS, 1)
    chosen = np.isin(parts.labels, order[step // 2 :: step][:REGIONS])
    if rows.person is not None:
        chosen = np.isin(rows.person, rows.person[chosen])
    return rows.shard(np.flatnonzero(chosen))


def _chosen(trials: _Trials, together: GuardingCost) -> Iterator[GuardingCost]:
    """Choose the costs that tell most: of single columns, of those often missing, or of all."""
    singles = [cost for name in trials.alone if (cost := trials.without([name])) is not None]
    singles = sorted(singles, key=lambda cost: cost.share, reverse=True)
    singles = [cost for cost in singles if cost.share >= MENTIONED]
    dearest = singles[0].share if singles else Fraction(0)
    often = trials.without(trials.often_missing) if trials.often_missing else None
    if often is not None and often.share >= dearest + MENTIONED:
        yield often
        dearest = often.share
        singles = [cost for cost in singles if not set(cost.columns) <= set(often.columns)]
    if 2 * dearest < together.share:
        yield together
    yield from singles[: MOST_SAID - 1]


def _column_said(cost: GuardingCost, plan: Plan, rows: Rows) -> Sentence:
    named = " and ".join(map(repr, cost.columns[:2]))
    if len(cost.columns) > 2:
        named = f"{len(cost.columns)} sensitive columns"
    problem = f"guarding {named} cost about {_percent(cost.share)} of the detail (estimate)"
    if cost.missing:
        whom = "people" if rows.person is None else "rows"
        where = "there" if len(cost.columns) == 1 else "in one of them"
        problem += (
            f": {cost.missing:,} {whom} have no value {where}, "
            "and missing never counts as different"
        )
    return Sentence(problem, "; ", Remedy(*_column_remedies(cost, plan)))


def _column_remedies(cost: GuardingCost, plan: Plan) -> Iterator[Part]:
    rest = _without(plan, cost.columns)
    if any(model.needs_sensitive for model in rest):
        yield _guarding("guard fewer columns", rest, plan)
    else:
        yield from _weaker(plan)
    if cost.missing:
        yield "release those who have no value in a table of their own"


def _model_said(model: Model, share: Fraction, plan: Plan) -> Sentence:
    problem = f"'{model.spoken}' cost about {_percent(share)} of the detail (estimate)"
    rest = [other for other in plan.models if other is not model]
    way = _guarding("do without it", rest, plan)
    return Sentence(problem, "; ", Remedy("ask for less of it", way))


def _guarding(why: str, models: Sequence[Model], plan: Plan) -> Part:
    """Spell the models to ask for, where they can be typed and no preset asks for others."""
    asked = [model for model in models if model.needs_sensitive]
    if plan.recipe.preset or not all(map(_can_be_typed, asked)):
        return why
    return Set("models", [registry.spell(model) for model in asked], why)


def _can_be_typed(model: Model) -> bool:
    """Tell whether a model is read as it is spelled: names of columns may hold any sign."""
    try:
        return not model.names_values and registry.make(Model, registry.spell(model)) == model
    except ShoalError:
        return False


def _weaker(plan: Plan) -> Iterator[Part]:
    """Offer what is left where no column can be spared: promise less, in smaller groups."""
    promised = [model.spoken for model in plan.models if model.needs_sensitive]
    yield f"ask for less than {' and '.join(map(repr, promised))}"


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.0f} %"
