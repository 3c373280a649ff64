"""Coarseness: what a recipe asks of the cells of each column at least and at most, by its form.

A column without a hierarchy gets bands, if a width or a length in the calendar is asked for it. One
with a hierarchy keeps some of its levels. A column of texts without one is masked digit by digit
where digits are asked for, and stands alone or as `*` where levels are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from shoal.declare.coarseness import Bound, Coarseness, coarseness_of, refuse_crossed
from shoal.declare.hierarchies.flat import Flat
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.hierarchies.masks import Masks
from shoal.declare.widths import Widths
from shoal.declare.within_levels import WithinLevels
from shoal.errors import RecipeError, ShoalError, did_you_mean
from shoal.wording import Remedy, Set

if TYPE_CHECKING:
    from shoal.recipe.recipe import Recipe

ON_A_LINE = ("width", "months")


def widths_of(recipe: Recipe, bound: Bound) -> dict[str, Widths]:
    """List the bands of columns without a hierarchy; what is wrong is left to `uncoarsened`."""
    return {
        name: Widths(asked, name)
        for name, asked in _readable(recipe, bound).items()
        if _is_line(recipe, name) and asked.measure in ON_A_LINE
    }


def within_levels(recipe: Recipe) -> list[str]:
    """List the columns that keep some levels of a hierarchy, whether they name one or not."""
    asked = _readable(recipe, "at_least"), _readable(recipe, "at_most")
    names = dict.fromkeys(name for of in asked for name in of)
    return [
        name
        for name in names
        if not _is_line(recipe, name)
        or any(name in of and of[name].measure not in ON_A_LINE for of in asked)
    ]


def bounded(
    recipe: Recipe, hierarchies: Mapping[str, Hierarchy | None]
) -> dict[str, Hierarchy | None]:
    """Cut hierarchies off below the least and above the most that a recipe asks for."""
    least = _readable(recipe, "at_least")
    most = _readable(recipe, "at_most")
    cut = dict(hierarchies)
    for name in within_levels(recipe):
        named = hierarchies.get(name)
        shown = "shown" in {of[name].measure for of in (least, most) if name in of}
        unnamed: dict[bool, Hierarchy] = {True: Masks(), False: Flat()}
        inner = named or unnamed[shown]
        cut[name] = WithinLevels(inner, least.get(name), most.get(name), implied=named is None)
    return cut


def uncoarsened(recipe: Recipe, hierarchies: Mapping[str, Hierarchy | None]) -> list[ShoalError]:
    """Refuse what can't be read, crossed bounds, columns of another role, and centres."""
    wrong: list[ShoalError] = []
    bounds: tuple[Bound, ...] = ("at_least", "at_most")
    for bound in bounds:
        for name, given in getattr(recipe, bound).items():
            try:
                coarseness_of(given, name, bound)
            except ShoalError as error:
                wrong.append(error)
            wrong += _misplaced(recipe, name, bound)
    least = _readable(recipe, "at_least")
    most = _readable(recipe, "at_most")
    for name in dict.fromkeys((*least, *most)):
        wrong += _crossed(recipe, name, least.get(name), most.get(name))
        if (hierarchy := hierarchies.get(name)) is not None and hierarchy.from_data:
            problem = f"the intervals of '{name}' follow the data, so nobody could check its levels"
            remedy = Remedy(Set("hierarchies", {name: "intervals:width=10"}))
            wrong.append(RecipeError(problem, remedy=remedy))
    return wrong


def _misplaced(recipe: Recipe, name: str, bound: Bound) -> list[ShoalError]:
    """Refuse columns that are no quasi-identifiers, and those that are published as one point."""
    if name not in recipe.quasi:
        problem = f"it is said how coarse '{name}' is, but it is no quasi-identifier"
        return [RecipeError(problem, remedy=did_you_mean(name, recipe.quasi))]
    publish = recipe.publish
    how = dict(publish).get(name, "") if isinstance(publish, Mapping) else publish
    if how.startswith("centre"):
        problem = f"'{name}' is published as one value of each group, which has no width"
        snapped = Set("publish", {name: "snapped"})
        return [RecipeError(problem, remedy=Remedy(snapped, "leave out how coarse it is"))]
    return []


def _crossed(
    recipe: Recipe, name: str, least: Coarseness | None, most: Coarseness | None
) -> list[ShoalError]:
    """Refuse a least above the most, and two measures where nothing but widths is compared."""
    try:
        refuse_crossed(least, most, name)
    except ShoalError as error:
        return [error]
    if least is None or most is None or least.measure == most.measure:
        return []
    if not _is_line(recipe, name):
        return []
    problem = f"what is asked of '{name}' at least and at most is measured differently"
    facts = {"at least": least.asked, "at most": most.asked}
    return [RecipeError(problem, facts, "give both as widths, or both by the calendar")]


def _is_line(recipe: Recipe, name: str) -> bool:
    return recipe.hierarchies.get(name, "none") == "none"


def _readable(recipe: Recipe, bound: Bound) -> dict[str, Coarseness]:
    """Read what is asked, as far as it can be read."""
    asked = {}
    for name, given in getattr(recipe, bound).items():
        try:
            asked[name] = coarseness_of(given, name, bound)
        except ShoalError:
            continue
    return asked
