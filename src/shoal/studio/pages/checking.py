"""Checking: says what is wrong with a recipe, and makes changes that a recipe may refuse."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from shoal.errors import ShoalError
from shoal.presets import PRESETS
from shoal.recipe import Recipe
from shoal.studio.desk import Desk
from shoal.studio.desk_items import Sheet
from shoal.studio.words import in_words


def ask(desk: Desk, **fields: Any) -> None:
    """Change the recipe, or say why that can't be."""
    try:
        desk.change(**fields)
    except ShoalError as refusal:
        ui.notify(in_words(refusal), type="negative", multi_line=True, classes="multi-line")
        desk.changed()  # so that fields show again what is asked


def choose_k(desk: Desk, k: int, **fields: Any) -> None:
    """Set another k, and other fields with it; a preset that promises more is dropped."""
    named = desk.recipe.preset
    preset = PRESETS.get(named or "")
    kept = named if preset is not None and k >= (preset.k or 1) else None
    ask(desk, k=k, preset=kept, **fields)


def problems_of(recipe: Recipe, sheet: Sheet | None = None) -> list[str]:
    """List everything that is wrong before any work begins, with the table where there is one."""
    rows = sheet.table.num_rows if sheet else recipe.k
    if recipe.k > rows:
        few = [f"The table has {rows:,} rows: no {recipe.k:,} of them can look alike."]
    else:
        few = []
    try:
        return [in_words(error) for error in recipe.problems()] + few
    except ShoalError as refusal:  # a method that can't even be read
        return [in_words(refusal)]


def show_problems(problems: list[str]) -> None:
    """Show problems, one below the other."""
    for problem in problems:
        ui.label(problem).classes("problem").props('role="alert"')


def no_table() -> ui.element:
    """Draw the page of a step that needs a table."""
    with ui.element("div").classes("paper") as place:
        ui.label("There is no table yet.")
        ui.link("Choose a table first", "/")
    return place
