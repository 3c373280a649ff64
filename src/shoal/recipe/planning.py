"""Planning: the names of a recipe become parts; all that is wrong is shown together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from shoal import registry
from shoal.declare.coding import Coding
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import RecipeError, ShoalError
from shoal.overlap.overlap import Overlap
from shoal.partition.method import Method
from shoal.partition.refinement import REFINABLE
from shoal.presets import refuse_weaker
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.model import Model
from shoal.recipe.balanced_checks import unbalanced
from shoal.recipe.checks import (
    collisions,
    contradictions,
    grouping,
    strangers,
    unboxed,
    uncodable,
    unminimized,
    unnested,
    unoverlapped,
    unscaled,
    unserved,
)
from shoal.recipe.coarseness import bounded, uncoarsened
from shoal.recipe.plan import OverlapPlan, Plan, hierarchy_of
from shoal.recode.recoder import Recoder
from shoal.review.prechecks.population import refuse_odd
from shoal.wording import Remedy, Sentence, Set

if TYPE_CHECKING:
    from shoal.recipe.recipe import Recipe

Made = TypeVar("Made")


def plan_groups(recipe: Recipe, errors: list[ShoalError]) -> Plan:
    """Make the parts that divide rows into groups, as far as there are any.

    What is wrong is added to the errors.
    """
    attempt = _Attempt(errors)
    errors += recipe.roles.check()
    method = attempt(_method, recipe)
    models = (KAnonymity(recipe.k), *(attempt(_model, text, recipe.k) for text in recipe.models))
    if recipe.population is not None and not isinstance(recipe.population, str):
        attempt(refuse_odd, recipe.population)
    if recipe.preset is not None:
        attempt(refuse_weaker, recipe.preset, recipe.k)
    errors += unserved(recipe, method, [model for model in models if model is not None])
    if recipe.as_published:
        problem = f"'{recipe.method}' is published as it is: nothing of it has been repaired"
        errors.append(RecipeError(problem, remedy=Remedy(Set("as_published", False))))
    if recipe.time_limit and method and not recipe.refine and not method.takes_time_limit:
        problem = f"method '{method.name}' can't stop at a time limit"
        refining = Sentence("add ", Set("refine", True), ": refinement can")
        errors.append(RecipeError(problem, remedy=Remedy(Set("method", "shoal"), refining)))
    shared = _shared(recipe, method, attempt)
    errors += unnested(method, shared["recoders"])
    errors += unboxed(models, shared["recoders"])
    errors += unbalanced(recipe, models, shared["recoders"])
    errors += unscaled(recipe, method)
    if recipe.refine and shared["loss"] not in REFINABLE:
        others = f"choose one of {', '.join(REFINABLE)}"
        remedy = Remedy(Set("refine", False), others)
        errors.append(RecipeError(f"refinement can't lower '{shared['loss']}'", remedy=remedy))
    return Plan(method=method, models=models, **shared)  # type: ignore[arg-type]


def plan_overlap(recipe: Recipe, errors: list[ShoalError]) -> OverlapPlan:
    """Plan a recipe whose method gives each row a box of its own; faults join the errors."""
    attempt = _Attempt(errors)
    errors += recipe.roles.check()
    method = attempt(registry.make, Overlap, recipe.method)
    errors += [*unoverlapped(recipe), *_unpaired(recipe, method)]
    shared = _shared(recipe, method, attempt)
    for name, recoder in shared["recoders"].items():
        if recoder and (not recoder.covers or recoder.names_members):
            problem = f"'{name}' published by its {recoder.name} shows no box, "
            problem += "and boxes are what overlaps"
            errors.append(RecipeError(problem, remedy=Remedy(Set("publish", "snapped"))))
    return OverlapPlan(method=method, **shared)  # type: ignore[arg-type]


def _unpaired(recipe: Recipe, method: Overlap | None) -> list[ShoalError]:
    """Protection that was asked for and would be left out."""
    if not recipe.as_published or method is None or method == method.as_in_paper():
        return []
    problem = "the paper's form has none of the repairs that are asked for beside it"
    return [
        RecipeError(
            problem,
            {"method": recipe.method},
            Sentence(Set("as_published", False), ", or match, values, epsilon and cap"),
        )
    ]


@dataclass(frozen=True)
class _Attempt:
    """Makes parts, and collects the reasons why some can't be made."""

    errors: list[ShoalError]

    def __call__(self, make: Callable[..., Made], *args: Any) -> Made | None:
        try:
            return make(*args)
        except ShoalError as error:
            self.errors.append(error)
            return None


def _shared(recipe: Recipe, method: Method | Overlap | None, attempt: _Attempt) -> dict[str, Any]:
    """Make the parts that every plan has: how columns are generalized, published and weighed."""
    publish = recipe.publish
    if not isinstance(publish, Mapping):
        publish = dict.fromkeys(recipe.quasi, publish)
    recoders = {
        name: attempt(registry.make, Recoder, publish.get(name, "snapped")) for name in recipe.quasi
    }
    hierarchies = {
        name: attempt(_hierarchy, spec, recipe.coding.get(name))
        for name, spec in recipe.hierarchies.items()
    }
    loss = recipe.loss or (method.losses[0] if method else "height")
    attempt.errors.extend(unminimized(method.name, method.losses, loss) if method else [])
    attempt.errors.extend([*strangers(recipe, publish), *collisions(recipe, publish)])
    attempt.errors.extend(contradictions(recipe))
    attempt.errors.extend([*uncodable(recipe), *uncoarsened(recipe, hierarchies)])
    hierarchies = bounded(recipe, hierarchies)
    return {"recipe": recipe, "recoders": recoders, "hierarchies": hierarchies, "loss": loss}


def _hierarchy(spec: Any, coding: Coding | None) -> Hierarchy | None:
    """Make a hierarchy; the ends of a ladder are open where its column is capped."""
    hierarchy = hierarchy_of(spec)
    return hierarchy.within(coding) if hierarchy is not None else None


def _method(recipe: Recipe) -> Method:
    """The method; an effort or a time limit that was asked for beside it is its own."""
    method = grouping(recipe.method)
    beside: dict[str, Any] = {}
    if method.takes_effort and recipe.effort != "default":
        beside["effort"] = recipe.effort
    if method.takes_withhold and recipe.withhold:
        beside["withhold"] = recipe.withhold
    if method.takes_suppress and recipe.suppress != "rows":
        beside["suppress"] = recipe.suppress
    if method.takes_time_limit and recipe.time_limit:
        beside["time_limit"] = recipe.time_limit
    return replace(method, **beside) if beside else method  # type: ignore[type-var]


def _model(text: str, k: int) -> Model:
    """A model from what users write, under the k of its recipe."""
    return registry.make(Model, text).under(k)
