"""Promised: says in words what a recipe promises."""

from __future__ import annotations

from pathlib import Path

from shoal import registry
from shoal.errors import ShoalError
from shoal.privacy.model import Model
from shoal.recipe import Recipe
from shoal.studio.words import percent


def promised(recipe: Recipe) -> list[str]:
    """List what is promised, one promise each."""
    said = [
        f"k = {recipe.k:,}" + (f" ({recipe.preset})" if recipe.preset else ""),
        *map(spoken, recipe.models),
    ]
    said += [f"at most {percent(recipe.withhold)} of the rows left out"] if recipe.withhold else []
    return said + (
        [f"counted in {Path(recipe.population).name}"] if isinstance(recipe.population, str) else []
    )


def spoken(text: str) -> str:
    """Describe a model in words; one that can't be made as it was typed."""
    try:
        return registry.make(Model, text).spoken
    except ShoalError:
        return text
