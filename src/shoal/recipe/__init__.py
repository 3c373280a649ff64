"""What is asked, as plain data, and the plan that it becomes."""

from shoal.recipe.options import Option, Where, options_of
from shoal.recipe.plan import OverlapPlan, Parts, Plan, hierarchy_of
from shoal.recipe.recipe import SECTIONS, Recipe
from shoal.recipe.run import Run, size_in_bytes

__all__ = [
    "SECTIONS",
    "Option",
    "OverlapPlan",
    "Parts",
    "Plan",
    "Recipe",
    "Run",
    "Where",
    "hierarchy_of",
    "options_of",
    "size_in_bytes",
]
