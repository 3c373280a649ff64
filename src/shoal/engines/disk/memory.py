"""Memory: how many rows fit while they are divided."""

from __future__ import annotations

from shoal.declare.memory import PER_CELL, PER_ROW
from shoal.errors import RecipeError
from shoal.recipe import Recipe
from shoal.wording import Remedy, Set

# bytes that are taken before the first row is read: the program, and code that is being compiled
PROCESS = 600_000_000
LEAST_ROWS = 100_000  # that must fit at once


def rows_at_once(memory: int, recipe: Recipe) -> int:
    """Count the rows that fit into a number of bytes while they are divided."""
    published = len(recipe.quasi) + len(recipe.sensitive) + len(recipe.keep)
    if recipe.person is not None:  # two codes, the row's place, and the axes of the person's row
        published += 4 + len(recipe.quasi)
    rows = (memory - PROCESS) // (PER_ROW + PER_CELL * len(recipe.quasi) + 8 * published)
    if rows < LEAST_ROWS:
        raise RecipeError(
            f"a memory of {memory:,} bytes is too little", remedy=Remedy(Set("memory", "2GB"))
        )
    return rows
