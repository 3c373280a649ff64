"""Picture of roles: counts the people whom the chosen columns single out, beside the columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nicegui import ui

from shoal.screen import fine_percent
from shoal.studio.desk import Desk
from shoal.studio.jobs import Job
from shoal.studio.work.singling import MOST_COLUMNS

GROUPS = ("alone", "among 2 to 4", "among 5 to 9", "among 10 or more")


@dataclass(frozen=True)
class Line:
    """The elements that show one column, among them its effect on the picture."""

    role: ui.toggle
    suggestion: ui.label
    effect: ui.element
    words: ui.label
    bar: ui.element


class Picture:
    """Show the people whom the chosen columns single out.

    They are counted anew when the choice has stood for a moment.
    """

    def __init__(self, desk: Desk, lines: dict[str, Line]) -> None:
        self.desk = desk
        self.lines = lines
        self.seen: dict[str, Any] = {}
        self.drawn: tuple[object, ...] = ()
        with (
            ui.element("div")
            .classes("paper")
            .props('data-testid="picture" aria-live="polite"') as self.box
        ):
            self.words = (
                ui.label("Counting ...").classes("picture-words").props('data-testid="alone"')
            )
            self.place = ui.element("div").classes("stack")
            self.note = ui.label().classes("faint")
        self.look()
        ui.timer(0.25, self.look)

    def look(self) -> None:
        """Ask for the picture of the present choice, and draw what there is of it."""
        asked = self._asked()
        job = self.desk.jobs.get("single")
        if job is None or job.asked != asked:
            if self.seen == asked:  # it has stood since the last look
                job = self.desk.start("single", "single", **asked)
            self.seen = asked
        present = job is not None and job.asked == asked
        self.box.classes(
            **{"remove" if present and job is not None and job.over else "add": "stale"}
        )
        if job is not None and present:
            self._draw(job)

    def _asked(self) -> dict[str, Any]:
        recipe = self.desk.recipe
        sheet = self.desk.sheet
        assert sheet is not None
        others = [
            name
            for name in sheet.columns
            if name not in (*recipe.quasi, *recipe.identifiers, recipe.person)
        ]
        return {
            "table": str(sheet.path),
            "quasi": list(recipe.quasi),
            "others": others,
            "person": recipe.person,
        }

    def _draw(self, job: Job) -> None:
        state = (job, job.state, len(job.told), tuple(self.lines.values()))
        if state == self.drawn:
            return
        self.drawn = state
        picture = next((told for told in job.told if "bars" in told), None)
        if picture is not None:
            columns = len(job.asked["quasi"]) + len(job.asked["others"])
            self._bars(
                picture,
                columns,
                whose="rows" if job.asked["person"] else "people",
                chosen=bool(job.asked["quasi"]),
            )
            self._effects(job, picture["rows"])
        if job.problem:
            self.words.set_text(job.problem)

    def _bars(self, picture: dict[str, Any], columns: int, *, whose: str, chosen: bool) -> None:
        rows = picture["rows"]
        bars = picture["bars"]
        none = "No column is chosen yet that others may know."
        self.words.set_text(_sentence(bars[0], rows, whose) if chosen else none)
        self.place.clear()
        with self.place:
            for words, count in zip(GROUPS, bars, strict=True) if chosen else ():
                _bar(words, count, rows)
        drawn = (
            f"Counted among {rows:,} rows drawn at random of {picture['of']:,}; in the whole "
            "table fewer are alone. "
        )
        part = f"What one column changes is counted for {MOST_COLUMNS} columns, chosen ones first."
        self.note.set_text(
            (drawn if rows < picture["of"] else "") + (part if columns > MOST_COLUMNS else "")
        )

    def _effects(self, job: Job, rows: int) -> None:
        """Show what each column does to the picture, in its line."""
        effects = {told["column"]: told["people"] for told in job.told if "column" in told}
        for name, line in self.lines.items():
            count = effects.get(name)
            chosen = name in job.asked["quasi"]
            line.effect.classes(**{"add" if count is None else "remove": "invisible"})
            line.words.set_text("" if count is None else _difference(count, chosen=chosen))
            line.bar.classes(replace="bar-of" if chosen else "bar-of other").style(
                replace=_width(count or 0, rows)
            )


def _sentence(alone: int, rows: int, whose: str) -> str:
    if not alone:
        return f"None of {rows:,} {whose} is alone with these columns."
    return (
        f"{alone:,} of {rows:,} {whose} are alone with these columns: anyone who knows them finds "
        "the row."
    )


def _difference(count: int, *, chosen: bool) -> str:
    if not count:
        return (
            "Without it, as many would be alone." if chosen else "With it, no more would be alone."
        )
    if chosen:
        return f"Without it, {count:,} fewer would be alone."
    return f"With it, {count:,} more would be alone."


def _bar(words: str, count: int, rows: int) -> None:
    """Draw one bar and its words; those who are alone stand out."""
    with ui.element("div").classes("effect"):
        ui.label(f"{words}: {count:,} ({fine_percent(count / rows)})")
        with ui.element("div").classes("track"):
            bar = ui.element("div").style(_width(count, rows))
            bar.classes("bar-of alone" if words == GROUPS[0] else "bar-of")


def _width(count: int, rows: int) -> str:
    return f"width: {100 * count / max(rows, 1):.2f}%"
