"""Importance: lets each column weigh more or less, and shows what that does to ten people.

The cells are those of a sample, computed anew while a slider is moved. Beside the slider stand the
finest and the coarsest cells that a column may have.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from shoal.recipe import Recipe
from shoal.review.prechecks.population import read as number_or_text
from shoal.studio.desk import Desk
from shoal.studio.frame import listen
from shoal.studio.pages import left
from shoal.studio.pages.background import Background
from shoal.studio.pages.checking import ask, problems_of
from shoal.studio.words import percent

STEPS = (-2, 3)  # powers of two: from a quarter to eight times the usual weight
FIRST = "now"
MOST = 12  # columns whose cells are shown beside each other
MEANT = (
    "Move a column to the right to keep it more exact; the others pay for it. The cells below "
    "follow at once."
)
ENDS = {
    "at_least": ("never finer than", "Such as 10 (years, euros), month, 3-digits or level:1."),
    "at_most": ("never coarser than", "Rows that can't keep to it are left out, or refused."),
}


def weight_at(step: float) -> float:
    """Return the weight at a step of the slider.

    >>> [weight_at(step) for step in (-2, 0, 1)]
    [0.25, 1.0, 2.0]
    """
    return float(2.0**step)


def step_of(weight: float) -> float:
    """Return the step of the slider for a weight, the nearest there is.

    >>> step_of(1), step_of(3), step_of(1000)
    (0.0, 1.5, 3.0)
    """
    exact = round(2 * math.log2(max(weight, 1e-6))) / 2
    return float(min(max(exact, STEPS[0]), STEPS[1]))


def weighing(recipe: Recipe, name: str, weight: float) -> dict[str, float]:
    """Return the importance of all columns once one weighs this much; 1 is not written down."""
    others = {other: said for other, said in recipe.importance.items() if other != name}
    if weight == 1:
        return others
    return {**others, name: weight}


def in_words(weight: float) -> str:
    """Say how much a column matters.

    >>> in_words(1), in_words(4), in_words(0.25)
    ('as usual', '4 times as much', '0.25 times as much')
    """
    if weight == 1:
        return "as usual"
    return f"{weight:.3g} times as much"


def what_matters(desk: Desk) -> None:
    """Draw the sliders and the cells, for the quasi-identifiers there are."""
    ui.label("What matters to you").classes("side-title")
    ui.label(MEANT).classes("faint")
    Matters(desk)


class Matters:
    """Draw a line for each quasi-identifier, and ten people below."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.moving: dict[str, float] = {}
        """Weights under the hand, that are not asked for yet."""
        self.sliders: dict[str, tuple[ui.slider, ui.label]] = {}
        self.ends: dict[tuple[str, str], ui.input] = {}
        self.places: dict[str, ui.element] = {}
        self.lines = ui.element("div").classes("matters").props('data-testid="matters"')
        self.state = ui.label().classes("faint").props('aria-live="polite"')
        self.state.props('data-testid="preview-state"')
        self.people = ui.element("div").classes("ten-people").props('data-testid="ten"')
        self.background = Background(desk, "preview", "preview", self._wanted, self._draw)
        self.background.wait = 0.1
        self.background.is_patient = True
        listen(desk, self._follow)
        self.background.follow()

    def _wanted(self) -> dict[str, Any] | None:
        recipe = self.desk.recipe
        if self.desk.sheet is None or not recipe.quasi or problems_of(recipe, self.desk.sheet):
            return None
        importance = dict(recipe.importance) | self.moving
        asked = {**recipe.as_dict(), "importance": importance, "seed": None}
        return {"table": str(self.desk.sheet.path), "recipes": {FIRST: asked}}

    def _follow(self) -> None:
        recipe = self.desk.recipe
        if list(self.sliders) != list(recipe.quasi):
            self._lines(recipe.quasi)
        for name, (slider, words) in self.sliders.items():
            if name not in self.moving:
                weight = recipe.importance.get(name, 1)
                slider.set_value(step_of(weight))
                words.set_text(in_words(weight))
        for (part, name), field in self.ends.items():
            field.set_value(str(getattr(recipe, part).get(name, "")))

    def _lines(self, names: Sequence[str]) -> None:
        self.lines.clear()
        self.sliders = {}
        self.ends = {}
        self.places = {}
        with self.lines:
            for name in names:
                ui.label(name).classes("name")
                self._slider(name)
                self.places[name] = ui.element("div").classes("stack matters-left")
                with ui.element("div").classes("choices"):
                    for part in ENDS:
                        self.ends[part, name] = self._end(part, name)
            if not names:
                ui.label("No column is a quasi-identifier yet (see Roles).").classes("faint")

    def _slider(self, name: str) -> None:
        with ui.element("div").classes("weight"):
            slider = ui.slider(min=STEPS[0], max=STEPS[1], step=0.5, value=0)
            slider.props["aria-label"] = f"How much {name} matters"
            slider.props["data-testid"] = f"weight-{name}"
            words = ui.label().classes("faint")
        slider.on("update:model-value", lambda moved: self._move(name, moved.args), throttle=0.1)
        slider.on("change", lambda let_go: self._let_go(name, let_go.args))
        self.sliders[name] = (slider, words)

    def _end(self, part: str, name: str) -> ui.input:
        """Draw the field for the finest or the coarsest cells of a column."""
        words, meant = ENDS[part]

        def chosen(event: Any) -> None:
            others = dict(getattr(self.desk.recipe, part))
            typed = str(event.value or "").strip()
            others.pop(name, None)
            if typed:
                others[name] = number_or_text(typed)
            if others != getattr(self.desk.recipe, part):
                ask(self.desk, **{part: others})

        field = ui.input(words, on_change=chosen).props("dense outlined debounce=700")
        field.props["aria-label"] = f"{name}: {words}"
        return field.classes("end").tooltip(meant)

    def _move(self, name: str, step: Any) -> None:
        if isinstance(step, int | float):
            self.moving[name] = weight_at(step)
            self.sliders[name][1].set_text(in_words(weight_at(step)))
            self.background.hear()

    def _let_go(self, name: str, step: Any) -> None:
        self.moving.pop(name, None)
        if isinstance(step, int | float):
            ask(self.desk, importance=weighing(self.desk.recipe, name, weight_at(step)))

    def _draw(self) -> None:
        """Show what the latest preview tells; an older one stays until then."""
        job = self.background.job
        told = self.background.told
        if not told:
            waiting = "About to try it on a sample ..." * bool(self.background.wanted)
            self.state.set_text((job and job.problem) or (job and job.waiting_for) or waiting)
            return
        one = told[-1]
        self.people.clear()
        if "refused" in one:
            self.state.set_text(one["refused"])
            return
        self.state.set_text(said(one))
        for name, place in self.places.items():
            place.clear()
            with place:
                left.bar(name, one["columns"][name])
                ui.label(left.in_words(one["columns"][name])).classes("faint")
        with self.people:
            ten_people(one["cells"])


def said(told: Mapping[str, Any]) -> str:
    """Say in one line what a preview found.

    >>> said({"loss": 0.2, "groups": 300, "rows": 2000, "of": 5000})
    'Tried on 2,000 of 5,000 rows: on average a cell loses 20 % of its detail; a run loses less.'
    """
    lost = f"on average a cell loses {percent(told['loss'])} of its detail"
    if told["rows"] == told["of"]:
        return f"Tried on all {told['rows']:,} rows: {lost}."
    return f"Tried on {told['rows']:,} of {told['of']:,} rows: {lost}; a run loses less."


def ten_people(cells: Mapping[str, Sequence[Sequence[str | None]]]) -> None:
    """Draw ten people: each cell as it is, and below it as it would be published."""
    names = list(cells)[:MOST]
    with ui.element("table").classes("people"):
        with ui.element("thead"), ui.element("tr"):
            for name in names:
                with ui.element("th").props('scope="col"'):
                    ui.label(name)
        with ui.element("tbody"):
            for row in range(len(cells[names[0]]) if names else 0):
                with ui.element("tr"):
                    for name in names:
                        _cell(*cells[name][row])


def _cell(before: str | None, after: str | None) -> None:
    with ui.element("td"):
        ui.label(after or "(missing)").classes("" if before == after else "changed-cell")
        if before != after:
            ui.label(before or "(missing)").classes("faint was")
