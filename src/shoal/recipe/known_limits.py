"""Known limits: ends that no interval passes, because everyone knows that no value does.

Nobody is born after the end of this year. The limit follows from the name of a column, never from
its values, and is written into the recipe, so that a rerun in another year agrees. It concerns
dates and times that are published in rounded intervals, unless somebody says how the column is
published. Numbers need no limit of 0: rounding outward never takes a count below it.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

import msgspec

from shoal.recode.snapped import end_of_year
from shoal.review.vocabulary import words_of

if TYPE_CHECKING:
    from shoal.recipe.recipe import Recipe

BIRTHS = re.compile(
    r"\b(?:birth ?dates?|birth ?days?|dates? of birth|dob|born|geburtsdatum|geburtstag|geboren|"
    r"date (?:de )?naissance|naissance|fecha (?:de )?nacimiento|nacimiento|"
    r"data (?:di )?nascita|nascita)\b"
)


def with_known_limits(recipe: Recipe, today: date | None = None) -> Recipe:
    """Write the limits of columns into a recipe that leaves open how columns are published."""
    if recipe.publish != "snapped":
        return recipe
    year = (today or date.today()).year
    births = [name for name in recipe.quasi if _is_birth(recipe, name)]
    if not births:
        return recipe
    return msgspec.structs.replace(
        recipe, publish=dict.fromkeys(births, f"snapped(last={end_of_year(year)})")
    )


def _is_birth(recipe: Recipe, name: str) -> bool:
    """Tell whether a column that is published in intervals holds births, by its name."""
    line = recipe.hierarchies.get(name, "none") == "none" and name not in recipe.coding
    return line and BIRTHS.search(words_of(name)) is not None
