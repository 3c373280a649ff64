"""Checks: what is wrong with a recipe as a whole, before any table is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from shoal import registry
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.understanding.missing import strange_columns
from shoal.errors import RecipeError, ShoalError, did_you_mean
from shoal.overlap.overlap import Overlap
from shoal.partition.method import Method
from shoal.privacy.model import Model
from shoal.recipe.options import DeclaredOption, Where, options_of
from shoal.recode.recoder import Recoder
from shoal.wording import FILE, Call, Option, Remedy, Sentence, Set

if TYPE_CHECKING:
    from shoal.recipe.recipe import Recipe

NOT_MONOTONE = "it can fall when a row joins, and every search leans on losses that don't"
WHY_NOT = {  # what is measured, and by which nothing is chosen
    "span-share": "it is what 'span' minimizes",
    "total-information-loss": "it is what 'height' minimizes",
    "height-share": "it is what 'height' minimizes",
    "entropy-loss": NOT_MONOTONE,
    "classification-metric": NOT_MONOTONE,
    "discernibility": "it depends on numbers of rows alone, so any row would do",
    "average-group-size": "it depends on numbers of rows alone, so any row would do",
}


def grouping(method: str) -> Method:
    """A method that makes groups, from what users write."""
    if registry.parse(method)[0] in registry.names(Overlap):
        problem = f"method '{method}' gives each row a box of its own, and so makes no groups"
        released = Call("anonymize", (Set("method", method),))
        compared = Call("mine", (Set("original", FILE),))
        remedy = Sentence(released, "; then ", compared, " compares the releases")
        raise RecipeError(problem, remedy=remedy)
    return registry.make(Method, method)


def unserved(recipe: Recipe, method: Method | None, models: Sequence[Model]) -> list[ShoalError]:
    """Models that lack a column or a hierarchy, or that the method can't serve."""
    wrong: list[ShoalError] = []
    for model in models:
        if model.needs_sensitive and not recipe.sensitive:
            wrong.append(
                RecipeError(
                    f"model '{model.name}' needs a sensitive column",
                    remedy=Sentence("name one: ", Set("sensitive", ["diagnosis"])),
                )
            )
        wrong += model.unguarded(recipe.sensitive)
        for name in recipe.sensitive if model.needs_hierarchy else ():
            if model.guards(name) and recipe.hierarchies.get(name, "none") == "none":
                problem = f"model '{model.name}' measures along a hierarchy, and '{name}' has none"
                wrong.append(RecipeError(problem, remedy=Remedy(Set("hierarchies", {name: FILE}))))
        if model.judges == "population" and recipe.person is not None:
            problem = f"model '{model.name}' counts the rows of a person as so many people"
            wrong.append(
                RecipeError(
                    problem, remedy=Remedy(Set("person", None), "publish one row for each person")
                )
            )
        if (
            model.judges == "release"
            and recipe.person is not None
            and (model.own_k or 1) > recipe.k
        ):
            problem = f"model '{model.name}' counts rows, and a person may have several: "
            problem += "its k can't exceed that of the recipe"
            wrong.append(RecipeError(problem, remedy=Remedy(Set("k", model.own_k))))
        if method and model.judges not in method.serves:
            able = [
                name
                for name, other in registry.names(Method).items()
                if model.judges in other.serves
            ]
            remedy = f"one of: {', '.join(able)}" if able else None
            wrong.append(
                RecipeError(
                    f"method '{method.name}' can't serve model '{model.name}'", remedy=remedy
                )
            )
    return wrong


def unscaled(recipe: Recipe, method: Method | None) -> list[ShoalError]:
    """Refuse what goes against one level for each column, and leaving all rows out without it."""
    wrong: list[ShoalError] = []
    if recipe.withhold == 1 and not (method and method.takes_withhold):
        problem = f"method '{recipe.method}' can't leave out any number of rows"
        remedy = Remedy(Set("withhold", 0.1, "a smaller share"), Set("method", "full-domain"))
        wrong.append(RecipeError(problem, remedy=remedy))
    if recipe.suppress == "cells" and method and not method.takes_suppress:
        problem = f"method '{method.name}' blanks no single cells: each group has a box of its own"
        remedy = Remedy(Set("method", "full-domain"), Set("suppress", "rows"))
        wrong.append(RecipeError(problem, remedy=remedy))
    if method is None or not method.sets_levels:
        return wrong
    if recipe.refine:
        problem = f"groups of '{method.name}' can't be refined: every column has one level"
        wrong.append(RecipeError(problem, remedy=Remedy(Set("refine", False))))
    if recipe.person is not None and recipe.suppress == "cells":
        problem = "single cells can't be blanked where several rows are about one person: "
        problem += "others of that person's rows would show them"
        remedy = Remedy(Set("suppress", "rows"), "publish one row for each person")
        wrong.append(RecipeError(problem, remedy=remedy))
    return wrong


def contradictions(recipe: Recipe) -> list[ShoalError]:
    """A column that tells whose row it is, beside the claim that each row is somebody else."""
    if recipe.person is None or not recipe.rows_are_persons:
        return []
    problem = Sentence(Option("person"), " can't be used with ", Option("rows_are_persons"))
    ways = Remedy(Set("person", None), Set("rows_are_persons", False))
    return [RecipeError(problem, remedy=ways)]


def unminimized(name: str, losses: Sequence[str], loss: str) -> list[ShoalError]:
    """A loss that a method can't minimize, with the reason where no method does."""
    if loss in losses:
        return []
    facts = {"why": WHY_NOT[loss]} if loss in WHY_NOT else {}
    return [
        RecipeError(
            f"method '{name}' can't minimize '{loss}'", facts, f"one of: {', '.join(losses)}"
        )
    ]


def strangers(recipe: Recipe, publish: Mapping[str, str]) -> list[ShoalError]:
    """Refuse columns that are spoken about without having the role for it."""
    asked: dict[str, Iterable[str]] = {
        "a hierarchy": recipe.hierarchies,
        "an importance": recipe.importance,
        "a way to publish": publish,
    }
    wrong: list[ShoalError] = [
        RecipeError(
            f"'{name}' has {what} but is no quasi-identifier",
            remedy=did_you_mean(name, recipe.quasi),
        )
        for what, names in asked.items()
        for name in names
        if name not in recipe.quasi and not (what == "a hierarchy" and name in recipe.sensitive)
    ]
    others = _forced_strangers(recipe) + _unread_strangers(recipe) + _worded_strangers(recipe)
    return wrong + others


def _worded_strangers(recipe: Recipe) -> list[ShoalError]:
    """Refuse words for missing of columns without a role: taken as words, they would name none."""
    return [
        RecipeError(
            f"words for missing are named for '{name}', but it has no role",
            remedy=did_you_mean(name, recipe.columns),
        )
        for name in strange_columns(recipe.na, recipe.columns)
    ]


def _unread_strangers(recipe: Recipe) -> list[ShoalError]:
    """Refuse columns of which is said what they are, and that are not published."""
    published = (*recipe.quasi, *recipe.roles.beside)
    return [
        RecipeError(
            f"it is said what '{name}' is, but it has no role", remedy=did_you_mean(name, published)
        )
        for name in recipe.read_as
        if name not in published
    ]


def _forced_strangers(recipe: Recipe) -> list[ShoalError]:
    """Refuse columns that are forced into the release and not published by any role."""
    kept = (*recipe.keep, *recipe.sensitive)
    return [
        RecipeError(
            f"'{name}' is forced but neither kept nor sensitive",
            remedy=Sentence("add ", Set("keep", [name])),
        )
        for name in recipe.force_keep
        if name not in kept
    ]


def uncodable(recipe: Recipe) -> list[ShoalError]:
    """Refuse odd ends and steps, and columns that are not published or have a hierarchy too."""
    wrong: list[ShoalError] = []
    published = (*recipe.quasi, *recipe.sensitive, *recipe.keep)
    for name, coding in recipe.coding.items():
        wrong += coding.problems()
        if name not in published and not coding.bounds_alone:
            problem = f"'{name}' is coded but neither quasi-identifier, sensitive nor kept"
            wrong.append(RecipeError(problem, remedy=did_you_mean(name, published)))
        elif not _takes_ends(recipe.hierarchies.get(name, "none")):
            problem = f"'{name}' is coded and has a hierarchy: both say what becomes of its values"
            remedy = Remedy(Set("hierarchies", {name: "none"}), "leave its coding out")
            wrong.append(RecipeError(problem, remedy=remedy))
    return wrong


def _takes_ends(spec: str | Mapping[str, Any]) -> bool:
    """Tell whether a column may be coded: it has no hierarchy, or one with open ends."""
    if spec == "none":
        return True
    name = spec.get("kind") if isinstance(spec, Mapping) else re.split("[:(]", spec)[0]
    kind = registry.names(Hierarchy).get(str(name))
    return kind is not None and kind.takes_ends


def unnested(method: Method | None, recoders: Mapping[str, Recoder | None]) -> list[ShoalError]:
    """Refuse ways to publish that show no nodes, where the method promises that values nest."""
    if method is None or not method.nests:
        return []
    return [
        RecipeError(
            f"method '{method.name}' publishes nodes, and '{recoder.name}' of '{name}' is none",
            remedy=Remedy(Set("publish", "snapped")),
        )
        for name, recoder in recoders.items()
        if recoder is not None and (not recoder.covers or recoder.names_members)
    ]


def unboxed(
    models: Sequence[Model | None], recoders: Mapping[str, Recoder | None]
) -> list[ShoalError]:
    """Refuse sets of values where a model judges more than groups, by their boxes."""
    beyond = [model.name for model in models if model and model.judges != "group"]
    return [
        RecipeError(
            f"model '{model}' looks at boxes, and '{recoder.name}' of '{name}' publishes sets",
            remedy=Remedy(Set("publish", "snapped")),
        )
        for name, recoder in recoders.items()
        if recoder is not None and recoder.names_members
        for model in beyond
    ]


def collisions(recipe: Recipe, publish: Mapping[str, str]) -> list[ShoalError]:
    """Columns of bounds that would have the name of another published column."""
    taken = (*recipe.quasi, *recipe.roles.beside)
    return [
        RecipeError(
            f"the bounds of '{name}' would be published as '{bound}', which is another column",
            remedy=f"rename '{bound}', or publish '{name}' in another way",
        )
        for name in recipe.quasi
        for bound in (f"{name}_lo", f"{name}_hi")
        if publish.get(name) == "bounds" and bound in taken
    ]


def unoverlapped(recipe: Recipe) -> list[ShoalError]:
    """Refuse options of groups where each row has a box of its own.

    No groups are judged, merged, refined or left out there.
    """
    problem = f"method '{recipe.method}' makes no groups, and so can't serve "
    grouping = Set("method", "shoal", "choose a method that makes groups")
    remedy = Remedy("leave it out", grouping)
    parts = unserved_parts(recipe, "overlap")
    return [RecipeError(Sentence(problem, each), remedy=remedy) for each in parts]


def unserved_options(asked: Struct, where: Where) -> list[DeclaredOption]:
    """Return the options of a recipe or run that are asked and that an engine can't serve."""
    table = options_of(type(asked)).values()
    return [each for each in table if where in each.not_with and each.is_asked(asked)]


def unserved_parts(asked: Struct, where: Where) -> list[Option | Set]:
    """Return the options that an engine can't serve, as parts of a sentence."""
    parts: list[Option | Set] = []
    for each in unserved_options(asked, where):
        values = getattr(asked, each.name) if each.form == "each" else ()
        parts += [Set(each.name, [value]) for value in values] or [Option(each.name)]
    return parts
