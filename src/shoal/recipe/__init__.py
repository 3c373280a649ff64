"""Recipe: what is asked, as plain data, and the plan that it becomes.

| file | holds |
|---|---|
| `options` | how an option is declared, and the table that every door reads |
| `recipe_options`, `coding_options` | options that are published; a new one is one field |
| `global_options` | those of one scheme for all rows |
| `run` | the options that say where and how the work is done, which are never published |
| `recipe`, `toml` | `Recipe`, and recipe files |
| `coarseness`, `known_limits` | how coarse cells must be and may be; ends that no interval passes |
| `scheme` | bands, codes and levels of a release as a file, which a recipe may follow |
| `checks`, `balanced_checks` | what is wrong with a recipe, before any table is read |
| `plan`, `planning` | a recipe whose names have become methods, models, recoders and hierarchies |
"""

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
