"""Checks of a recipe whose model makes groups by itself and fills them up with counterfeits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shoal.errors import RecipeError, ShoalError
from shoal.privacy.model import Model
from shoal.recode.recoder import Recoder
from shoal.wording import Option, Remedy, Sentence, Set

if TYPE_CHECKING:
    from shoal.recipe.recipe import Recipe

METHOD = "shoal"
AS_TEXTS = ("snapped", "tight")


def unbalanced(
    recipe: Recipe, models: Sequence[Model | None], recoders: Mapping[str, Recoder | None]
) -> list[ShoalError]:
    """Refuse what a counterfeit could not show, or what nobody would be asked about."""
    asked = [model for model in models if model is not None]
    model = next((model for model in asked if model.balances), None)
    if model is None:
        return []
    wrong = [*_beside(recipe, model), *_other_ways(recipe, model), *_others(asked, model)]
    if any(recoder and recoder.name not in AS_TEXTS for recoder in recoders.values()):
        problem = "groups with counterfeits are published as intervals and labels"
        wrong.append(RecipeError(problem, remedy=Remedy(Set("publish", AS_TEXTS[0]))))
    return wrong


def _beside(recipe: Recipe, model: Model) -> list[ShoalError]:
    """Refuse columns beside the one that the model guards: a counterfeit has no values there."""
    wrong: list[ShoalError] = []
    if len(recipe.sensitive) > 1:
        problem = f"model '{model.name}' guards one sensitive column"
        one = Set("sensitive", list(recipe.sensitive[:1]), "name one")
        wrong.append(RecipeError(problem, remedy=Remedy(one)))
    for name in ("keep", "weight"):
        if getattr(recipe, name):
            problem = Sentence(
                f"model '{model.name}' publishes counterfeits, which would be seen by ",
                Option(name),
            )
            wrong.append(RecipeError(problem, remedy="leave these columns out"))
    coded = [name for name in recipe.sensitive if name in recipe.coding]
    if coded:
        problem = f"model '{model.name}' guards categories, and '{coded[0]}' is rounded or capped"
        wrong.append(RecipeError(problem, remedy="leave it as it is, or choose another model"))
    return wrong


def _other_ways(recipe: Recipe, model: Model) -> list[ShoalError]:
    """Refuse ways to make and publish groups that have no say here."""
    wrong: list[ShoalError] = []
    if recipe.method != METHOD:
        problem = f"model '{model.name}' makes groups by itself: no method is asked"
        wrong.append(RecipeError(problem, remedy=Remedy(Set("method", METHOD))))
    if recipe.refine:
        problem = f"groups of '{model.name}' can't be refined: values have to stay balanced"
        wrong.append(RecipeError(problem, remedy=Remedy(Set("refine", False))))
    if recipe.keep_order:
        problem = "counterfeits have no place in the order of the table"
        wrong.append(RecipeError(problem, remedy=Remedy(Set("keep_order", False))))
    return wrong


def _others(models: Sequence[Model], model: Model) -> list[ShoalError]:
    """Refuse other models that guard sensitive values: groups are made for this one alone."""
    others = [other.name for other in models if other.needs_sensitive and other is not model]
    others += [other.name for other in models if other.judges != "group"]
    problem = f"model '{model.name}' makes groups by itself, and stands alone"
    remedy = "leave the other models out"
    return [RecipeError(problem, {"beside it": ", ".join(others)}, remedy)] if others else []
