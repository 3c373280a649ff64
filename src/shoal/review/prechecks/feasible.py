"""Feasible: refuses promises that no grouping of a table can keep, before any work.

The refusal says what could be promised instead.

All rows in one group are the best that any grouping gives for a model that survives merging. Where
rows may be withheld, that is so only for models that more rows never harm: an uneven column may
become even by leaving rows out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from shoal.errors import PrivacyNotMet, RecipeError
from shoal.groups import Groups
from shoal.privacy.model import Model
from shoal.privacy.population import PopulationModel
from shoal.privacy.promises import Promises
from shoal.recode.recoder import Recoder
from shoal.wording import Remedy, Set


def refuse_hopeless(promises: Promises, rows: int, *, withhold: bool) -> None:
    """Refuse models that all rows together do not keep, and values to guard that nobody has."""
    refuse_slips(promises)
    asked = [
        model
        for model in promises.models
        if model.needs_sensitive and all_rows_are_best(model, withhold=withhold)
    ]
    one = Groups(np.zeros(rows, np.int32), min(rows, 1))
    # not "as-quasi": that judges parts of groups, which can only be worse
    alone = replace(promises, models=tuple(asked), others="separate")
    broken = [(verdict.model, verdict.column) for verdict in alone.broken(one)]
    for model, column, value in alone.measured(one):
        if (model, column) in broken and value is not None:
            raise _hopeless(model, column, value)


def _hopeless(model: Model, column: str | None, value: float) -> PrivacyNotMet:
    """Write the refusal of a model that all rows together do not keep, with what is reachable."""
    reachable = model.feasible(value)
    facts = {
        "model": model.spoken,
        "reachable": reachable or "nothing of the kind",
        "published": "nothing",
    }
    remedy = Remedy(Set("models", [reachable]) if reachable else f"leave '{model.name}' out")
    return PrivacyNotMet(model.failing("all rows together", column), facts, remedy)


def refuse_slips(promises: Promises) -> None:
    """Refuse models that guard values by name which are not in the table.

    A slip of the pen would leave them without a guard.
    """
    for model in promises.models:
        guarded = [each for each in promises.sensitive if model.guards(each.column.name)]
        absent = [
            value
            for value in model.values
            if not any(sensitive.column.named((value,)).any() for sensitive in guarded)
        ]
        if absent:
            problem = (
                f"model '{model.name}' can't be judged: {len(absent)} of its values occur "
                "in no sensitive column"
            )
            raise RecipeError(
                problem, remedy="spell them as in the table: alpha-k:alpha=0.5,values=[HIV]"
            )


def all_rows_are_best(model: Model, *, withhold: bool) -> bool:
    """Tell whether no grouping keeps this promise where all rows in one group do not."""
    return (
        model.judges == "group"
        and model.survives_merging
        and (model.only_more_helps or not withhold)
    )


def refuse_overlaps(
    models: Sequence[Model], numbers: Sequence[str], recoders: Mapping[str, Recoder]
) -> None:
    """Refuse ways to publish in which people of a population can't be counted, or count twice."""
    errors = []
    for model in models:
        if not isinstance(model, PopulationModel):
            continue
        for name, recoder in recoders.items():
            if not recoder.covers:
                problem = (
                    f"model '{model.name}' counts people inside boxes, and '{recoder.name}' "
                    f"publishes none for '{name}'"
                )
                errors.append(
                    RecipeError(problem, remedy=Remedy(Set("publish", {name: "snapped"})))
                )
            elif model.apart and name in numbers and recoder.widens:
                problem = (
                    f"model '{model.name}' needs groups that share nobody; "
                    f"{recoder.name} intervals of '{name}' share ends"
                )
                tight = Set("publish", {name: "tight"})
                intervals = Set("hierarchies", {name: "intervals:width=10"})
                errors.append(RecipeError(problem, remedy=Remedy(tight, intervals)))
    if errors:
        raise RecipeError.together(errors)
