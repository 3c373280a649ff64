"""Hierarchies: choose how the values of each quasi-identifier become less exact, step by step.

Each column has none, one that was built in a click (`intervals`, `masks`, `dates`, `flat`), or one
that was edited as a tree or as a text, or imported in ARX's form. The list on the left says which;
the tree on the right shows the share of rows under each group. What loses least is found by trying
(`hierarchy_trial`).
"""

from __future__ import annotations

from pathlib import Path

from nicegui import background_tasks, run, ui

from shoal import registry
from shoal.errors import ShoalError
from shoal.privacy.model import Model
from shoal.studio.desk import Desk
from shoal.studio.desk_items import Sheet
from shoal.studio.frame import listen
from shoal.studio.pages.checking import no_table
from shoal.studio.pages.hierarchy_panel import Panel
from shoal.studio.pages.hierarchy_trial import Trial
from shoal.studio.pages.hierarchy_work import Work, profile_of, shown_spec
from shoal.studio.words import in_words


def show(desk: Desk) -> None:
    """Draw the columns on the left, the hierarchy of one of them on the right."""
    ui.add_css(Path(__file__).with_name("hierarchies.css"))
    with ui.element("div").classes("trees"):
        OpenColumns(desk)


class OpenColumns:
    """Keep which column is open, and the work on columns that were looked at."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.sheet: Sheet | None = None
        self.works: dict[str, Work] = {}
        self.column: str | None = None
        self.panel: Panel | None = None
        self.buttons: dict[str, tuple[ui.button, ui.label]] = {}
        self.list = (
            ui.element("div").classes("trees-columns").props('role="group" aria-label="Columns"')
        )
        with self.list:
            button = ui.button("Take what loses least", icon="auto_awesome")
            button.props("outline dense no-caps data-testid=build-all")
            words = ui.label().classes("faint trial-words").props("aria-live=polite")
            words.props("data-testid=trial-words")
            self.trial = Trial(desk, button, words)
            self.columns_place = ui.element("div").classes("trees-list")
        with ui.element("div").classes("stack trees-right"):
            self.cells = ui.element("section").classes("paper trial-box")
            self.place = ui.element("section").classes("paper trees-panel")
        listen(desk, self.follow)

    @property
    def columns(self) -> list[str]:
        """List the quasi-identifiers, and sensitive columns whose model needs a hierarchy."""
        known = set(self.desk.sheet.columns) if self.desk.sheet else set()
        recipe = self.desk.recipe
        measured = any(registry.make(Model, model).needs_hierarchy for model in recipe.models)
        further = [name for name in recipe.sensitive if measured or name in recipe.hierarchies]
        return [name for name in (*recipe.quasi, *further) if name in known]

    def follow(self) -> None:
        """Show what the recipe says now."""
        if self.desk.sheet is not self.sheet:
            self.sheet = self.desk.sheet
            self.works = {}
            self.column = None
            self.panel = None
        columns = self.columns
        if self.column not in columns:
            self.column = columns[0] if columns else None
            self.panel = None
        self._list(columns)
        if self.column is None:
            self._nothing()
        elif self.panel is None:
            self._open(self.column)
        elif self.works[self.column].follow():
            self.panel.follow()
        else:
            self.panel.steps.follow()

    def _list(self, columns: list[str]) -> None:
        """List the columns with their hierarchies.

        The buttons stay while the columns do, and so does the focus.
        """
        if list(self.buttons) != columns:
            self._list_anew(columns)
        trees = self.desk.recipe.hierarchies
        for name, (button, now) in self.buttons.items():
            now.set_text(shown_spec(trees.get(name)))
            button.classes(**{"add" if name == self.column else "remove": "tree-here"})
            button.props["aria-pressed"] = str(name == self.column).lower()
        self.list.set_visibility(bool(columns))
        self.cells.set_visibility(bool(columns))

    def _list_anew(self, columns: list[str]) -> None:
        """Draw a button for each column."""
        self.columns_place.clear()
        with self.columns_place:
            self.buttons = {name: self._column(name) for name in columns}

    def _column(self, name: str) -> tuple[ui.button, ui.label]:
        with ui.button(on_click=lambda: self._choose(name)).props(
            "flat no-caps align=left"
        ) as button:
            ui.label(name).classes("tree-column")
            return button, ui.label().classes("faint tree-now")

    def _nothing(self) -> None:
        self.place.clear()
        with self.place:
            if self.sheet is None:
                no_table().classes(remove="paper")  # it stands on one
            else:
                ui.label(
                    "No column is a quasi-identifier yet. Those are the columns by which a person "
                    "could be recognised."
                )
                ui.link("Say what each column is", "/roles")

    def _choose(self, name: str) -> None:
        """Open a column; one that is open stays, so that a click inside it is not lost."""
        if name == self.column and self.panel is not None:
            return
        self.column = name
        self.panel = None
        self.follow()

    def _open(self, name: str) -> None:
        """Show a column.

        Its values are counted first, which takes a moment for millions of rows.
        """
        self.trial.show(name, self.cells)
        self.place.clear()
        with self.place:
            if name in self.works:
                self.works[name].follow()
                self.panel = Panel(self.works[name])
            else:
                ui.spinner(size="lg").props('aria-label="counting values"')
                background_tasks.create(self._count(name))

    async def _count(self, name: str) -> None:
        if (
            await self._work(name) is not None
            and self.column == name
            and self.panel is None
            and not self.place.is_deleted
        ):
            self._open(name)

    async def _work(self, name: str) -> Work | None:
        """Return the work on a column, begun where needed; None where its values can't be used."""
        if name in self.works or (sheet := self.sheet) is None:
            return self.works.get(name)
        read_as = self.desk.recipe.read_as.get(name)
        try:
            column = await run.io_bound(profile_of, sheet.table, name, read_as)
        except ShoalError as refusal:
            if self.place.is_deleted:
                return None
            self.place.clear()
            with self.place:
                ui.label(in_words(refusal)).classes("problem")
            return None
        if column is None or sheet is not self.sheet:  # the studio ends, or there is another table
            return None
        return self.works.setdefault(name, Work(self.desk, column))  # two may have counted at once
