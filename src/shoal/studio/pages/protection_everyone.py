"""Everybody: asks whom the people of the table were taken from: a number, a share, or a table."""

from __future__ import annotations

from pathlib import Path

from nicegui import ui

from shoal.errors import RecipeError
from shoal.recipe import Recipe
from shoal.review.prechecks.population import read, refuse_odd
from shoal.studio.desk import Desk
from shoal.studio.frame import OFTEN, listen
from shoal.studio.jobs import Job
from shoal.studio.pages.checking import ask
from shoal.studio.pages.sending import sent_to

MEANT = (
    "Where your table holds some of all people, whoever looks for someone can't know that they "
    "are in it. Say how many people there are, and risks among all of them are told too. A table "
    "of everybody, with the quasi-identifiers as they are in yours, has them counted; k-map and "
    "delta-presence need one."
)
NO_NUMBER = (
    "that is no number of people (250000) and no share (10 %); a table of everybody is chosen with "
    "the button"
)


def everybody(desk: Desk) -> None:
    """Draw a field for a number, a button for a table, and what is given now."""
    Everybody(desk)


class Everybody:
    """Follow the recipe, and the file while it comes."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.wrong = ""
        self.shown = desk.recipe.population
        ui.label("Everybody").classes("side-title")
        ui.label(MEANT).classes("faint")
        with ui.element("div").classes("choices"):
            self.typed = ui.input(
                "people in all (250000), or the share that was taken (10 %)",
                value=_number_of(desk.recipe),
            ).classes("w-96")
            self.typed.props('dense outlined debounce=800 maxlength=15 data-testid="everybody"')
            # hidden: the button below opens it
            upload = sent_to(ui.upload(auto_upload=True).classes("hidden"), "/upload/everyone")
            upload.props('data-testid="everybody-file"')
            ui.button(
                "Choose a table of everybody", on_click=lambda: upload.run_method("pickFiles")
            ).props("outline no-caps")
            self.away = ui.button(
                "Take it away", on_click=lambda: ask(desk, population=None)
            ).props("flat no-caps")
        self.now = ui.label().props('aria-live="polite" data-testid="everybody-now"')
        self.problem = (
            ui.label().classes("problem").props('role="alert" data-testid="everybody-problem"')
        )
        self.typed.on_value_change(lambda event: self._given((event.value or "").strip()))
        listen(desk, self._follow)
        ui.timer(OFTEN, self._look)

    def _given(self, text: str) -> None:
        population = typed(text) if text else None
        now = self.desk.recipe.population
        beside_a_table = population is None and isinstance(now, str)  # then the field is empty
        self.wrong = "" if population is None or is_number(population) else NO_NUMBER
        if self.wrong:
            self._look()
        elif population != now and not beside_a_table:
            ask(self.desk, population=population)

    def _follow(self) -> None:
        population = self.desk.recipe.population
        # What can't be used yet stays while it is typed, whatever else changes on the desk.
        if not self.wrong or population != self.shown:
            self.typed.set_value(_number_of(self.desk.recipe))
        self.shown = population
        self.away.set_visibility(population is not None)
        self._look()

    def _look(self) -> None:
        job = self.desk.jobs.get("everyone")
        self.now.set_text(in_words(self.desk.recipe, job, self.desk.arriving))
        self.problem.set_text(
            self.wrong or (job.problem if job is not None and job.problem else "")
        )


def _number_of(recipe: Recipe) -> str:
    """Write the number or share of people as one would type it; empty where a table says it."""
    population = recipe.population
    if population is None or isinstance(population, str):
        return ""
    if isinstance(population, float):
        return f"{100 * population:g} %"
    return str(population)


def typed(text: str) -> int | float | str:
    """Read what was typed, a share in percent too.

    >>> typed("250000"), typed("10 %"), typed("0.1"), typed("many %")
    (250000, 0.1, 0.1, 'many %')
    """
    given = read(text.removesuffix("%").strip())
    if not text.endswith("%"):
        return given
    if isinstance(given, str):
        return text
    return given / 100


def is_number(population: int | float | str) -> bool:
    """Tell whether a figure is a possible number of people, or share of them.

    >>> [is_number(found) for found in (250_000, 0.1, float("nan"), 250.5, -5, "everyone.csv")]
    [True, True, False, False, False, False]
    """
    if isinstance(population, str):
        return False
    try:
        refuse_odd(population)
    except RecipeError:
        return False
    return True


def in_words(recipe: Recipe, job: Job | None, arriving: float | None) -> str:
    """Say what is given now, or on its way.

    >>> in_words(Recipe(), None, None), in_words(Recipe(population=250_000), None, None)
    ('Nothing is known of everybody.', '250,000 people in all.')
    """
    if arriving is not None or (job is not None and not job.over):
        if arriving is None:
            return "The table of everybody is being read ..."
        return f"A file arrives: {arriving:.0%}"
    population = recipe.population
    if isinstance(population, str):
        counting = job is not None and job.asked["place"] == population
        return _counted(recipe, Path(population).name, job if counting else None)
    if isinstance(population, float):
        return f"{100 * population:g} % of all people are in the table."
    if population is None:
        return "Nothing is known of everybody."
    return f"{population:,} people in all."


def _counted(recipe: Recipe, name: str, job: Job | None) -> str:
    """Describe a table of everybody, and what it lacks."""
    if job is None or job.result is None:
        return f"Counted in {name}."
    lacking = [column for column in recipe.quasi if column not in job.result["columns"]]
    said = f"Counted in {name}: {job.result['people']:,} people."
    return said if not lacking else f"{said} It lacks: {', '.join(lacking)}. A run will be refused."
