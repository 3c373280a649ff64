"""Text: shows a tree in ARX's form, checked as one types; the tree follows what is correct.

Long texts take seconds to check. That is done aside, and what came of it counts only if the text is
still the same.
"""

from __future__ import annotations

import asyncio

import pyarrow as pa
from nicegui import background_tasks, run, ui

from shoal.declare.hierarchies.editing import Draft, as_text, checked, lacking
from shoal.declare.hierarchies.lint import HierarchyFault, LintReport
from shoal.studio.pages.hierarchy_work import Work

PAUSE = 0.35  # seconds without a key before the text is checked
HOW = (
    "One line for each value: the value, then its groups up to the root, with ; between. Esc, "
    "then Tab, leaves the field."
)


class TextPane:
    """Draw an editor with findings beside it."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.keys = 0
        self.mine = False
        self.taken: str | None = None  # the text that is being made the column's tree
        self.shown: tuple[LintReport, bool] | None = None
        self.spec: object = ...  # nothing was shown yet
        ui.label(HOW).classes("faint")
        with ui.element("div").classes("tree-text"):
            with (
                ui.element("div")
                .classes("tree-editor")
                .on("keydown", js_handler="(event) => event.stopPropagation()")
            ):
                self.editor = ui.codemirror(on_change=self._typed).props("data-testid=text")
            self.findings = (
                ui.element("div")
                .classes("tree-findings")
                .props('role="status" data-testid=findings')
            )

    def follow(self) -> None:
        """Show the text of the tree, unless it was changed from here."""
        if self.work.spec != self.spec and not self.mine:
            self.put(self.work.text)
        self.spec = self.work.spec

    def put(self, text: str) -> None:
        """Show a text; it is checked as if it had been typed."""
        self.keys += 1
        before = self.text
        self.editor.set_value(text.replace("\r\n", "\n"))
        if self.text == before:
            background_tasks.create(self._look())

    @property
    def text(self) -> str:
        """Return the text in the field."""
        return self.editor.value or ""

    async def _look(self) -> None:
        """Say what is wrong with the text."""
        text = self.text
        column = self.work.column
        checks = await run.io_bound(checked, text, column.values, counts=column.counts)
        if checks is not None and text == self.text:
            self._show(checks[1])

    async def take(self) -> LintReport | None:
        """Make the text the column's tree if nothing is wrong with it.

        None where another text came meanwhile.
        """
        self.taken = text = self.text
        try:
            prepared = await run.io_bound(self.work.prepared, text)
        finally:
            self.taken = None
        if prepared is None or text != self.text:
            return None
        report, place, draft = prepared
        if place is not None:
            self._name(place, draft)
        self._show(report)
        return report

    def _name(self, place: str, draft: Draft | None) -> None:
        self.mine = True
        try:
            self.work.take_prepared(place, draft)
        finally:
            self.mine = False

    async def _typed(self) -> None:
        self.keys += 1
        now = self.keys
        await asyncio.sleep(PAUSE)
        if now != self.keys or self.text == self.taken:
            return
        if self.text.strip() == self.work.text.replace("\r\n", "\n").strip():
            await self._look()
        else:
            await self.take()

    def _show(self, report: LintReport) -> None:
        """Draw findings, unless they stand there: a button that is drawn anew loses its click."""
        shown = (report, bool(self.text.strip()))
        if shown == self.shown:
            return
        self.shown = shown
        self.findings.clear()
        with self.findings:
            if not self.text.strip():
                words = "There is no tree yet. Build one above, or write one here."
                ui.label(words).classes("faint")
            elif not report.findings:
                ui.label("Nothing is wrong with it.").classes("good")
            for finding in report.findings if self.text.strip() else ():
                self._finding(finding)
            if self.text.strip() and any(finding.kind == "uncovered" for finding in report.fatal):
                ui.button("Add the missing values", on_click=self._complete).props(
                    "outline dense no-caps"
                )

    def _finding(self, finding: HierarchyFault) -> None:
        with ui.element("div").classes(
            "tree-finding bad" if finding.fatal else "tree-finding warn"
        ):
            ui.icon("error" if finding.fatal else "info").props('aria-hidden="true"')
            ui.label(("Can't be used: " if finding.fatal else "Notice: ") + str(finding))
            if finding.lines:
                line = finding.lines[0]
                go = ui.button(f"Line {line:,}", on_click=lambda: self.editor.reveal_line(line))
                go.props("flat dense no-caps")

    async def _complete(self) -> None:
        text = await run.io_bound(_completed, self.text, self.work.column.values)
        if text is not None:
            self.put(text)
            await self.take()


def _completed(text: str, values: pa.Array) -> str:
    """Append rows for the values that a text lacks."""
    rows, _ = checked(text)
    return as_text([*rows, *lacking(rows, values)])
