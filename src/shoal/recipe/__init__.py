"""What is asked, as plain data, and the plan that it becomes."""

from shoal.recipe.plan import OverlapPlan, Parts, Plan, hierarchy_of
from shoal.recipe.recipe import SECTIONS, Recipe

__all__ = ["SECTIONS", "OverlapPlan", "Parts", "Plan", "Recipe", "hierarchy_of"]
