"""Arguments of users as plain data: names, parts by name or as objects, recipes as files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from shoal import registry
from shoal.adapters.certificates import plain_hierarchy
from shoal.declare.places import number_given
from shoal.distortions.distortion import Distortion
from shoal.errors import RecipeError
from shoal.partition.method import Method
from shoal.presets import under_preset
from shoal.privacy.model import Model
from shoal.recipe import Recipe, options_of

Names = str | Sequence[str]


def recipe_of(recipe: Recipe | str | Path | None, given: Mapping[str, Any]) -> Recipe:
    """A recipe with what was given beside it, which wins."""
    if recipe is not None and not isinstance(recipe, Recipe):
        recipe = Recipe.read(recipe)
    if recipe is not None and not given:
        return recipe
    return Recipe.of(**under_preset({**(recipe.as_dict() if recipe else {}), **given}, given))


def plainly(given: Mapping[str, Any]) -> dict[str, Any]:
    """Convert arguments to the form that a recipe takes; those not given (None) are left out."""
    columns = [name for name, each in options_of(Recipe).items() if each.form == "columns"]
    words = [name for name, each in options_of(Recipe).items() if each.form == "words"]
    ways: dict[str, Callable[[Any], Any]] = {
        **dict.fromkeys(columns, names_of),
        **dict.fromkeys(words, words_of),
        "models": lambda models: [spelled(model) for model in each_of(models)],
        "method": spelled,
        "scheme": str,
        "top": _plain_pairs,
        "bottom": _plain_pairs,
        "round": _plain_pairs,
        "at_least": _plain_pairs,
        "at_most": _plain_pairs,
        "hierarchies": lambda specs: {name: plain_hierarchy(spec) for name, spec in specs.items()},
    }
    return {
        name: ways.get(name, lambda value: value)(value)
        for name, value in given.items()
        if value is not None
    }


def _plain_pairs(given: Any) -> Any:
    """Convert dates and numbers of any kind in a mapping to what a recipe holds."""
    if not isinstance(given, Mapping):
        return given
    return {name: _plain_value(value) for name, value in given.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return number_given(str(value))
    if isinstance(value, date):  # a time of midnight is a date
        return value.isoformat().removesuffix("T00:00:00")
    scalar = type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0
    return value.item() if scalar else value


def names_of(names: Names | None) -> tuple[str, ...] | None:
    """Names of columns, one or several."""
    if names is None or isinstance(names, str):
        return names if names is None else (names,)
    if isinstance(names, Mapping):  # its keys may look like names of columns
        raise RecipeError(
            "columns are given as a mapping", remedy='a list of names: ["age", "sex"]'
        )
    # NumPy's texts are texts.
    return tuple(str(name) if isinstance(name, str) else name for name in names)


def words_of(words: Any) -> tuple[str, ...]:
    """Words, one or several, for all columns or by column.

    >>> words_of({"smoker": 99, "job": ["NA", "none"]})
    ('smoker=99', 'job=NA', 'job=none')
    """
    if isinstance(words, Mapping):
        return tuple(f"{name}={word}" for name, some in words.items() for word in words_of(some))
    several = isinstance(words, Iterable) and not isinstance(words, str)
    return tuple(map(str, words)) if several else (str(words),)


def each_of(models: str | Model | Sequence[str | Model]) -> Sequence[str | Model]:
    """Models, one or several."""
    return (models,) if isinstance(models, str | Model) else models


def spelled(part: str | Method | Model | Distortion) -> str:
    """A part by its name and parameters, as one types it."""
    return part if isinstance(part, str) else registry.spell(part)
