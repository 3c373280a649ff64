"""Panel: draws one column's hierarchy: built, seen as a tree or a text, imported, exported."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from nicegui import events, ui

from shoal import registry
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import RecipeError, ShoalError
from shoal.studio.pages.hierarchy_steps import Steps
from shoal.studio.pages.hierarchy_text import TextPane
from shoal.studio.pages.hierarchy_tree import TreeView
from shoal.studio.pages.hierarchy_work import Work, shown_spec
from shoal.studio.words import in_words

WRITTEN = ("file", "nested")  # kinds that are written down and not built
HANDED = "An edited hierarchy lists every value of the column; Hand over says whether it may leave."
LARGEST = 4 * 2**20  # bytes of a hierarchy file


def buildable() -> list[str]:
    """List the kinds of hierarchy that are built from a column."""
    return [name for name in registry.names(Hierarchy) if name not in WRITTEN]


class Panel:
    """Draw everything about one column.

    It follows the recipe without being drawn anew, so that the focus stays.
    """

    def __init__(self, work: Work) -> None:
        self.work = work
        self.built_kind = ""
        self.inputs = dict[str, ui.input]()
        self._head()
        with (
            ui.element("div")
            .classes("tree-build")
            .props('role="group" aria-label="Build a hierarchy"')
        ):
            self.kinds = {name: self._kind(name) for name in buildable()}
            self.none = ui.button("None", on_click=self._try(lambda: work.build(None)))
            with self.none.props("dense no-caps"):
                ui.tooltip("no hierarchy: numbers become ranges, other values become *")
            ui.space()
            self.upload = ui.upload(
                on_upload=self._upload,
                on_rejected=self._too_large,
                auto_upload=True,
                max_file_size=LARGEST,
            ).classes("hidden")
            ui.button(
                "Import", icon="upload", on_click=lambda: self.upload.run_method("pickFiles")
            ).props("flat dense no-caps")
            self.export = ui.button("Export", icon="download", on_click=self._export).props(
                "flat dense no-caps"
            )
        self.parameters = ui.element("div").classes("tree-parameters")
        self.problem = ui.label().classes("problem").props('role="alert" data-testid=problem')
        with ui.tabs().props("dense no-caps inline-label align=left") as self.tabs:
            ui.tab("tree", "Tree", icon="account_tree")
            ui.tab("text", "Text", icon="notes")
        panels = ui.tab_panels(self.tabs, value="tree", animated=False, keep_alive=True)
        with panels.classes("tree-tabs"):
            with ui.tab_panel("tree"):
                self._tree()
            with ui.tab_panel("text"):
                self.text = TextPane(work)
        self.tabs.on_value_change(self._follow_text)
        self.follow()

    def follow(self) -> None:
        """Show what the recipe says now."""
        work = self.work
        hierarchy = self.work.hierarchy
        name = hierarchy.name if hierarchy is not None else None
        for kind, button in (*self.kinds.items(), (None, self.none)):
            button.props(
                remove="unelevated outline", add="unelevated" if kind == name else "outline"
            )
            button.props["aria-pressed"] = str(kind == name).lower()
        self.now.set_text(f"now: {shown_spec(work.spec)}")
        self._parameters(hierarchy)
        self.problem.set_text(work.problem or "")
        self.export.set_enabled(work.draft is not None)
        self.shown.set_visibility(work.draft is not None)
        self.nothing.set_visibility(work.draft is None and work.problem is None)
        self.tree.follow()
        self.steps.follow()
        self._follow_text()

    def _follow_text(self) -> None:
        """Send a long text to the browser only when it is looked at."""
        if self.tabs.value == "text" or self.text.mine:
            self.text.follow()

    def _head(self) -> None:
        column = self.work.column
        with ui.element("div").classes("tree-head"):
            ui.label(column.name).classes("text-lg").props('role="heading" aria-level="2"')
            missing = f", {column.missing:,} rows without one" if column.missing else ""
            ui.label(
                f"{column.size:,} different values in {int(column.counts.sum()):,} rows{missing}"
            ).classes("faint")
            self.now = ui.label().classes("faint").props("data-testid=now")

    def _kind(self, name: str) -> ui.button:
        suits = name == self.work.suggestion.name
        with ui.button(name.capitalize(), icon="auto_awesome" if suits else None) as button:
            ui.tooltip(
                ("Suggested. " if suits else "") + registry.summary(registry.names(Hierarchy)[name])
            )
        return button.props("dense no-caps").on_click(
            self._try(lambda: self.work.build(self.work.usual(name)))
        )

    def _tree(self) -> None:
        self.nothing = ui.label(
            "No hierarchy: numbers become ranges, other values stay or become *."
        ).classes("faint")
        with ui.element("div").classes("tree-area") as self.shown:
            with ui.element("div").classes("tree-tools"):
                self.steps = Steps(self.work, self._clear)
                wanted = ui.input("Find a value or a group").props(
                    "outlined dense clearable debounce=250 data-testid=find"
                )
                wanted.classes("tree-find").on_value_change(self._find)
            self.tree = TreeView(self.work, self.steps.follow, self.steps.ask_rename)
            ui.label("Arrow keys go about, space chooses, F2 renames. " + HANDED).classes("faint")

    def _find(self, typed: events.ValueChangeEventArguments[str | None]) -> None:
        self.work.wanted = typed.value or ""
        self.tree.follow()

    def _clear(self) -> None:
        self.work.choose([])
        self.tree.follow()
        self.steps.follow()

    def _parameters(self, hierarchy: Hierarchy | None) -> None:
        """Draw a field for each parameter of the present kind."""
        name = hierarchy.name if hierarchy is not None and hierarchy.name not in WRITTEN else ""
        if name != self.built_kind:
            self.built_kind = name
            self.inputs = {}
            self.parameters.clear()
            with self.parameters:
                self._fields(hierarchy, name)
        for parameter, typed in self.inputs.items():
            typed.set_value(_typed(getattr(hierarchy, parameter)))

    def _fields(self, hierarchy: Hierarchy | None, name: str) -> None:
        """Draw the fields of a kind by its name, and the buttons below; none without a name."""
        for field in fields(hierarchy) if name else ():  # type: ignore[arg-type]
            # Drawn with its value: one that is set afterwards travels as a message of
            # its own, and would replace what was typed as soon as the field appeared.
            typed = ui.input(field.name, value=_typed(getattr(hierarchy, field.name)))
            typed.props("outlined dense").classes("tree-parameter")
            typed.on("keydown.enter", self._try(self._rebuild))
            self.inputs[field.name] = typed
        if self.inputs:
            apply = ui.button("Apply", on_click=self._try(self._rebuild))
            apply.props("outline dense no-caps")
            explain = ui.button("What is this?", on_click=lambda: _explain(name))
            explain.props("flat dense no-caps")

    def _rebuild(self) -> None:
        """Build with the parameters that were typed.

        Where old ones stand in the way of new ones, only the new ones count.
        """
        given = {
            name: typed.value for name, typed in self.inputs.items() if (typed.value or "").strip()
        }
        new = {
            name: text
            for name, text in given.items()
            if text != _typed(getattr(self.work.hierarchy, name, None))
        }
        try:
            hierarchy = registry.create(Hierarchy, self.built_kind, given)
        except RecipeError:
            hierarchy = registry.create(Hierarchy, self.built_kind, new)
        self.work.build(hierarchy)

    def _try(self, do: Callable[[], None]) -> Callable[[], None]:
        def tried() -> None:
            try:
                do()
            except ShoalError as refusal:
                self.problem.set_text(in_words(refusal))

        return tried

    async def _upload(self, uploaded: events.UploadEventArguments) -> None:
        self.upload.reset()
        if uploaded.file.size() > LARGEST:  # whatever the browser let pass
            self._too_large()
            return
        content = await uploaded.file.read()
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.problem.set_text("the file is not UTF-8\n  try: save it as UTF-8")
            return
        self.text.put(text)
        report = await self.text.take()
        if report is not None and report.fatal:
            self.text.spec = self.work.spec  # what stands there is to be mended, not replaced
            self.tabs.set_value("text")
            self.problem.set_text("the file can't be used as it is: mend it in the text below")

    def _too_large(self) -> None:
        most = f"{LARGEST // 2**20} MB"
        self.problem.set_text(
            f"the file is larger than {most}\n  try: leave out values that the column does not hold"
        )

    def _export(self) -> None:
        desk = self.work.desk
        number = desk.sheet.columns.index(self.work.column.name) if desk.sheet else 0
        place = desk.folder / f"exported-{number}.csv"  # one for each column, however often
        place.write_text(self.work.text, "utf-8", newline="")
        ui.download.from_url(desk.offer(place, f"{self.work.column.name}.csv"))


def _typed(value: Any) -> str:
    """Spell a parameter as one would type it."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ", ".join(map(_typed, value))
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _explain(name: str) -> None:
    """Show the documentation of a kind of hierarchy."""
    kind = registry.names(Hierarchy)[name]
    with ui.dialog(value=True) as dialog, ui.card().classes("tree-dialog"):
        ui.markdown(inspect.getdoc(inspect.getmodule(kind)) or "").classes("tree-manual")
        ui.button("Close", on_click=dialog.close).props("flat no-caps autofocus")
    dialog.on("hide", dialog.delete)
