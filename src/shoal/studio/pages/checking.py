"""Checking: what is wrong with a recipe, in words for a page, and changes that a recipe may refuse."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from shoal.errors import ShoalError
from shoal.presets import PRESETS
from shoal.recipe import Recipe
from shoal.studio.desk import Desk


def ask(desk: Desk, **fields: Any) -> None:
    """Change what is asked, or say why that can't be."""
    try:
        desk.change(**fields)
    except ShoalError as refusal:
        ui.notify(str(refusal), type="negative", multi_line=True, classes="multi-line")
        desk.changed()  # so that fields show again what is asked


def choose_k(desk: Desk, k: int) -> None:
    """Another k; a preset that promises more is let go."""
    named = desk.recipe.preset
    kept = named if named is not None and named in PRESETS and k >= PRESETS[named].k else None
    ask(desk, k=k, preset=kept)


def problems_of(recipe: Recipe) -> list[str]:
    """Everything that is wrong before any work begins."""
    try:
        return [in_words(error) for error in recipe.problems()]
    except ShoalError as refusal:  # a method that can't even be read
        return [in_words(refusal)]


def in_words(error: ShoalError) -> str:
    """A refusal without the part that is typed in a terminal."""
    facts = "".join(f"\n  {name}: {value}" for name, value in error.facts.items())
    typed = error.remedy is None or error.remedy.startswith("-") or " -" in error.remedy
    return f"{error.problem}{facts}" if typed else f"{error.problem}{facts}\n  {error.remedy}"


def show_problems(problems: list[str]) -> None:
    """All of them, one below the other."""
    for problem in problems:
        ui.label(problem).classes("problem").props('role="alert"')


def no_table() -> None:
    """What stands on a step that needs a table."""
    with ui.element("div").classes("paper"):
        ui.label("There is no table yet.")
        ui.link("Choose a table first", "/")
