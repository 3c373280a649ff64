"""Formats: shows what each column was taken for, with examples, and lets one say otherwise.

What one says is a part of the recipe: it can be undone, and goes with the release.
"""

from __future__ import annotations

from typing import Any

from nicegui import ui

from shoal.studio.desk import Desk
from shoal.studio.desk_items import Sheet
from shoal.studio.pages.background import Background
from shoal.studio.pages.checking import ask

AT_ONCE = 40  # columns that are shown together
BY_ITSELF = ""
WORDS = {  # what a recipe says, in the words of a page
    BY_ITSELF: "as understood",
    "text": "text, as it is",
    "code": "a code or a category",
    "number": "a number",
    "number:comma": "a number such as 1.234,5",
    "number:point": "a number such as 1,234.5",
    "date": "a date",
    "date:day-first": "a date, day before month",
    "date:month-first": "a date, month before day",
    "date:month": "a month",
    "date:quarter": "a quarter of a year",
    "age": "an age with its unit",
}


class Formats:
    """Draw a line for each column when the panel is first opened, one page at a time."""

    def __init__(self, desk: Desk, sheet: Sheet) -> None:
        self.desk = desk
        self.sheet = sheet
        self.page = 1
        self.lines: dict[str, tuple[ui.select, ui.label, ui.label]] = {}
        self.state = ui.label().classes("faint").props('aria-live="polite"')
        self.place = ui.element("div").classes("formats")
        pages = -(-len(sheet.columns) // AT_ONCE)
        if pages > 1:
            ui.pagination(1, pages, direction_links=True, on_change=lambda at: self._turn(at.value))
        self._turn(1)
        self.background = Background(desk, "formats", "formats", self._wanted, self._draw)
        self.background.wait = 0.2
        self.background.follow()

    def _wanted(self) -> dict[str, Any]:
        recipe = self.desk.recipe
        return {
            "table": str(self.sheet.path),
            "read_as": dict(recipe.read_as),
            "na": list(recipe.na),
        }

    def _turn(self, page: int) -> None:
        self.place.clear()
        self.lines = {}
        with self.place:
            for name in self.sheet.columns[(page - 1) * AT_ONCE : page * AT_ONCE]:
                self.lines[name] = self._line(name)
        if page != self.page:
            self.page = page
            self._draw()

    def _line(self, name: str) -> tuple[ui.select, ui.label, ui.label]:
        ui.label(name).classes("name")
        pick = ui.select(dict(WORDS), value=BY_ITSELF).props("dense outlined options-dense")
        pick.props["aria-label"] = f"What {name} is"
        pick.props["data-testid"] = f"format-{name}"
        pick.on_value_change(lambda event: self._say(name, event.value))
        said = ui.label()
        examples = ui.label().classes("faint")
        return pick, said, examples

    def _say(self, name: str, word: str) -> None:
        asked = {other: said for other, said in self.desk.recipe.read_as.items() if other != name}
        if word != BY_ITSELF:
            asked[name] = word
        if asked != self.desk.recipe.read_as:
            ask(self.desk, read_as=asked)

    def _draw(self) -> None:
        job = self.background.job
        known = (job.result or {}).get("columns", {}) if job is not None else {}
        waiting = job is None or not job.over
        words = "The columns are being looked at ..." * waiting
        self.state.set_text((job and job.problem) or words)
        for name, (pick, said, examples) in self.lines.items():
            word = self.desk.recipe.read_as.get(name, BY_ITSELF)
            pick.set_options({**WORDS, word: WORDS.get(word, word)}, value=word)
            if name in known:
                _told(known[name], said, examples)


def _told(column: dict[str, Any], said: ui.label, examples: ui.label) -> None:
    """Show what one column was taken for, or why it can't be used as it is."""
    problem = column["problem"]
    said.set_text(problem or column["said"])
    said.classes(replace="problem" if problem else "")
    if problem and column["choices"]:
        choices = " or ".join(WORDS.get(word, word) for word in column["choices"])
        examples.set_text(f"Say which: {choices}.")
    else:
        # what is read as it is written stands there once
        pairs = [" → ".join(dict.fromkeys(pair)) for pair in column["examples"]]
        examples.set_text("; ".join(pairs))
