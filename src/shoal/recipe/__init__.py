"""The recipe: a release as it is asked for, as plain data, and the plan that it becomes."""

from shoal.recipe.options import DeclaredOption, Where, options_of
from shoal.recipe.plan import OverlapPlan, Plan, PlanParts, hierarchy_of
from shoal.recipe.recipe import SECTIONS, Recipe, recipe_options_not_with
from shoal.recipe.run import Run

__all__ = [
    "SECTIONS",
    "DeclaredOption",
    "OverlapPlan",
    "Plan",
    "PlanParts",
    "Recipe",
    "Run",
    "Where",
    "hierarchy_of",
    "options_of",
    "recipe_options_not_with",
]
