"""Trial: tries each column without a hierarchy and with one that suits it, and shows the cells.

What loses less on a sample is what is suggested. Hierarchies that were edited stay in every trial;
those that were built are let go, so that the same two are compared whatever is chosen.
"""

from __future__ import annotations

from typing import Any

from nicegui import ui

from shoal.errors import ShoalError
from shoal.recipe import Recipe, hierarchy_of
from shoal.studio.desk import Desk
from shoal.studio.pages import left
from shoal.studio.pages.background import Background
from shoal.studio.pages.checking import problems_of
from shoal.studio.pages.hierarchy_work import Spec, shown_spec
from shoal.studio.pages.protection_columns import said
from shoal.studio.words import percent

WITHOUT = "without a hierarchy"
FIRST = "now"
TRYING = "Both ways are tried on a sample ..."
Told = dict[str, Any]


def edited(recipe: Recipe) -> dict[str, Any]:
    """Return the hierarchies that somebody has written: files, and trees of the recipe."""
    return {name: spec for name, spec in recipe.hierarchies.items() if not _is_built(spec)}


def _is_built(spec: Any) -> bool:
    try:
        hierarchy = hierarchy_of(spec)
    except ShoalError:
        return False
    return hierarchy is None or hierarchy.name not in ("file", "nested")


def codes(desk: Desk) -> dict[str, Any]:
    """Return the hierarchies of columns that are codes: their digits have an order of their own."""
    views = (desk.inspection or {}).get("columns", ())
    return {
        view["name"]: view["hierarchy"]
        for view in views
        if view.get("hierarchy") and view["name"] in desk.recipe.quasi
    }


def settled(desk: Desk) -> dict[str, Any]:
    """Return the hierarchies that every trial has: those of codes, and those that were edited."""
    return {**codes(desk), **edited(desk.recipe)}


def wanted(desk: Desk) -> dict[str, Any] | None:
    """Return what is tried; None where nothing can be tried yet."""
    recipe = desk.recipe
    if desk.sheet is None or not recipe.quasi or problems_of(recipe, desk.sheet):
        return None
    asked = {**recipe.as_dict(), "hierarchies": settled(desk), "seed": None}
    return {"table": str(desk.sheet.path), "recipes": {FIRST: asked}, "suggest": True}


class Trial:
    """Keep the trial of all columns going, and draw that of one."""

    def __init__(self, desk: Desk, button: ui.button, words: ui.label) -> None:
        self.desk = desk
        self.button = button
        self.words = words
        self.place: ui.element | None = None
        self.column: str | None = None
        self.drawn: object = None
        button.on_click(self.take)
        self.background = Background(
            desk, "hierarchies", "preview", lambda: wanted(desk), self._draw
        )
        self.background.wait = 0.3
        self.background.follow()

    @property
    def best(self) -> dict[str, Any] | None:
        """Return the hierarchies with which least is lost; None until all were tried."""
        job = self.background.job
        if job is None or job.result is None:
            return None
        return {**settled(self.desk), **job.result.get("hierarchies", {})}

    def take(self) -> None:
        """Give every column what loses least, as one step that can be undone."""
        if self.best is not None:
            self.desk.change(hierarchies=self.best)

    def show(self, column: str, place: ui.element) -> None:
        """Draw the two choices of a column in this place, now and when more is known."""
        self.column = column
        self.place = place
        self.drawn = None
        self._draw()

    def _draw(self) -> None:
        ready = self.best is not None
        taken = ready and self.desk.recipe.hierarchies == self.best
        self.button.set_enabled(ready and not taken)
        self.words.set_text(self._said(taken=taken))
        told = self.background.told
        now = (self.column, len(told), ready)
        if self.place is None or self.place.is_deleted or now == self.drawn:
            return
        self.drawn = now
        self.place.clear()
        if self.column is not None and told:
            with self.place:
                self._choices(self.column, told)

    def _said(self, *, taken: bool) -> str:
        job = self.background.job
        if job is None or not job.over:
            return f"{TRYING} {(job and job.first_time) or ''}" if self.background.wanted else ""
        if self.best is None:
            return "They could not be tried."
        named = "; ".join(f"{name}: {shown_spec(spec)}" for name, spec in self.best.items())
        best = named or "no column needs one"
        return f"{('Loses least', 'Taken')[taken]}: {best}."

    def _choices(self, column: str, told: list[Told]) -> None:
        """Draw ten cells before, without a hierarchy, and with the one that suits."""
        first = told[0]
        if "refused" in first:
            ui.label(first["refused"]).classes("problem")
            return
        tried = [one for one in told[1:] if one.get("column") == column and "refused" not in one]
        fixed = settled(self.desk).get(column)
        ways: list[tuple[str, Told]] = [(shown_spec(fixed) if fixed else WITHOUT, first)]
        ways += [(shown_spec(_spec(one)), one) for one in tried]
        best = (self.best or {}).get(column)
        ui.label("What it means for the cells").classes("side-title")
        ui.label(said(first)).classes("faint")
        with ui.element("div").classes("trial").props('data-testid="trial"'):
            for words, way in ways:
                is_best = best == way.get("hierarchy", fixed) and self.best is not None
                self._way(column, words, way, is_best=is_best)

    def _way(self, column: str, words: str, way: Told, *, is_best: bool) -> None:
        with ui.element("div").classes("stack"):
            mark = " (loses least)" * is_best
            ui.label(f"{words.capitalize()}{mark}").classes("side-title")
            shares = way["columns"][column]
            left.bar(column, shares)
            ui.label(left.in_words(shares)).classes("faint")
            ui.label(f"All columns together lose {percent(way['loss'])} of their detail.")
            with ui.element("div").classes("ten"):
                for before, after in way["cells"][column]:
                    ui.label(before or "(missing)")
                    ui.label("→").props('aria-hidden="true"')
                    ui.label(after or "(missing)").classes("name")


def _spec(told: Told) -> Spec:
    spec: Spec = told["hierarchy"]
    return spec
