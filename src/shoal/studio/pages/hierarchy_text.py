"""The tree as a text in ARX's form, checked as one types; the tree follows whenever nothing is wrong."""

from __future__ import annotations

import asyncio

from nicegui import ui

from shoal.declare.hierarchies.editing import as_text, checked, lacking
from shoal.declare.hierarchies.lint import Finding, Report
from shoal.studio.pages.hierarchy_work import Work

PAUSE = 0.35  # seconds without a key before the text is checked
HOW = "One line for each value: the value, then its groups up to the root, with ; between. Esc, then Tab, leaves the field."


class TextPane:
    """An editor with findings beside it."""

    def __init__(self, work: Work) -> None:
        self.work, self.keys, self.mine = work, 0, False
        self.spec: object = ...  # nothing was shown yet
        ui.label(HOW).classes("faint")
        with ui.element("div").classes("tree-text"):
            with ui.element("div").classes("tree-editor").on("keydown", js_handler="(event) => event.stopPropagation()"):
                self.editor = ui.codemirror(on_change=self._typed).props("data-testid=text")
            self.findings = ui.element("div").classes("tree-findings").props('role="status" data-testid=findings')

    def follow(self) -> None:
        """Show the text of the tree, unless it was changed from here."""
        if self.work.spec != self.spec and not self.mine:
            self.put(self.work.text)
        self.spec = self.work.spec

    def put(self, text: str) -> None:
        """Show a text, and what is wrong with it."""
        self.keys += 1
        self.editor.set_value(text.replace("\r\n", "\n"))
        self._show(self._checked())

    @property
    def text(self) -> str:
        """What is in the field."""
        return self.editor.value or ""

    def _checked(self) -> Report:
        return checked(self.text, self.work.column.values, counts=self.work.column.counts)[1]

    def take(self) -> Report:
        """Make it the column's tree if nothing is wrong with it."""
        self.mine = True
        try:
            report = self.work.take_text(self.text)
        finally:
            self.mine = False
        self._show(report)
        return report

    async def _typed(self) -> None:
        self.keys += 1
        now = self.keys
        await asyncio.sleep(PAUSE)
        if now != self.keys:
            return
        if self.text.strip() == self.work.text.replace("\r\n", "\n").strip():
            self._show(self._checked())
        else:
            self.take()

    def _show(self, report: Report) -> None:
        self.findings.clear()
        with self.findings:
            if not self.text.strip():
                ui.label("There is no tree yet. Build one above, or write one here.").classes("faint")
            elif not report.findings:
                ui.label("Nothing is wrong with it.").classes("good")
            for finding in report.findings if self.text.strip() else ():
                self._finding(finding)
            if self.text.strip() and any(finding.kind == "uncovered" for finding in report.fatal):
                ui.button("Add the missing values", on_click=self._complete).props("outline dense no-caps")

    def _finding(self, finding: Finding) -> None:
        with ui.element("div").classes("tree-finding bad" if finding.fatal else "tree-finding warn"):
            ui.icon("error" if finding.fatal else "info").props('aria-hidden="true"')
            ui.label(("Can't be used: " if finding.fatal else "Notice: ") + str(finding))
            if finding.lines:
                line = finding.lines[0]
                go = ui.button(f"Line {line:,}", on_click=lambda: self.editor.reveal_line(line))
                go.props("flat dense no-caps")

    def _complete(self) -> None:
        rows, _ = checked(self.text)
        self.put(as_text([*rows, *lacking(rows, self.work.column.values)]))
        self.take()
