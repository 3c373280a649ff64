"""Exposed: shows the people who are easiest to find, before and after, and what gives them away.

For the maker alone: rows of the table are named here, and nothing of it is handed over or kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.frame import OFTEN
from shoal.studio.jobs import Job

MEANT = (
    "Who is easiest to find, and by what. For you alone: it names rows of your table, and is part "
    "of nothing that you hand over."
)
NO_AFTER = (
    "Here each row has a box of its own, and nobody, not even you, is told which row is about "
    "whom: there is no list of who is easiest to find now."
)
LEARNT = "the whole group shares one value: it is learnt of everyone in it"
Told = Mapping[str, Any]
ShowRow = Callable[[int], None] | None


def exposed(desk: Desk, runs: Sequence[StudioRun], show_row: ShowRow) -> None:
    """Draw the lists of each run, and begin to make those that are not there."""
    ui.label(MEANT).classes("faint")
    for run in runs:
        Exposed(desk, run, show_row, alone=len(runs) == 1)


class Exposed:
    """Follow the job that makes the lists of one run."""

    def __init__(self, desk: Desk, run: StudioRun, show_row: ShowRow, *, alone: bool) -> None:
        self.run = run
        self.show_row = show_row
        self.title = "" if alone else f"{run.title}: "
        if "expose" not in run.further or run.further["expose"].state in ("cancelled", "failed"):
            about: dict[str, Any] = {"table": str(run.sheet.path), "folder": str(run.folder)}
            run.further["expose"] = desk.shop.start("expose", recipe=run.recipe.as_dict(), **about)
        self.job: Job = run.further["expose"]
        self.place = ui.element("div").classes("stack")
        with self.place:
            ui.label("Looking for who is easiest to find ...").props('aria-live="polite"')
        self.timer = ui.timer(OFTEN, self._look)

    def _look(self) -> None:
        if self.job.over:
            self.timer.deactivate()
            self.place.clear()
            with self.place:
                self._draw(self.job.result)

    def _draw(self, told: Told | None) -> None:
        if told is None:
            ui.label(self.job.problem or "Stopped.").classes("problem")
            return
        with ui.element("div").classes("paper stack").props('data-testid="exposed-before"'):
            ui.label(f"{self.title}easiest to find before").classes("side-title")
            ui.label(alone_in_words(told)).classes("faint")
            self._list(told["before"], BEFORE)
        with ui.element("div").classes("paper stack").props('data-testid="exposed-after"'):
            ui.label(f"{self.title}easiest to find now").classes("side-title")
            if told["after"] is None:
                ui.label(NO_AFTER).classes("faint")
            else:
                ui.label(learnt_in_words(told["after"])).classes("faint")
                self._list(told["after"], AFTER)

    def _list(self, groups: Sequence[Told], heads: Sequence[str]) -> None:
        """Draw a line for each group of rows that look alike."""
        with (
            ui.element("div").classes("ten-people").props('tabindex="0" role="region"') as around,
            ui.element("table").classes("people exposed"),
        ):
            with ui.element("thead"), ui.element("tr"):
                for head in heads:
                    with ui.element("th").props('scope="col"'):
                        ui.label(head)
            with ui.element("tbody"):
                for group in groups:
                    self._line(group)
        around.props["aria-label"] = f"{self.title}{heads[1]}"

    def _line(self, group: Told) -> None:
        with ui.element("tr"):
            with ui.element("td"), ui.element("div").classes("choices"):
                self._rows(group)
            with ui.element("td"):
                ui.label(alike(group["people"]))
            with ui.element("td"):
                ui.label(given_away(group))
                for name in group["learnt"]:
                    ui.label(f"{name}: {LEARNT}").classes("warn")
            with ui.element("td"):
                beside = group["beside"]
                ui.label("left out" if beside is None else alike(beside["people"]))
                if beside is not None:
                    ui.label(shown_cells(beside["cells"])).classes("faint was")

    def _rows(self, group: Told) -> None:
        for number in group["rows"]:
            button = ui.button(f"{number:,}", on_click=lambda row=number - 1: self._jump(row))
            button.props("outline dense no-caps").set_enabled(self.show_row is not None)
            button.props["aria-label"] = f"show row {number:,} before and after"
        if group["of"] > len(group["rows"]):
            ui.label(f"and {group['of'] - len(group['rows']):,} more").classes("faint")

    def _jump(self, row: int) -> None:
        if self.show_row is not None:
            self.show_row(row)


BEFORE = ("row", "people who looked alike", "given away by", "now")
AFTER = ("rows", "people who look alike", "given away by", "before")


def alone_in_words(told: Told) -> str:
    """Say how many were alone.

    >>> alone_in_words({"alone": 4751, "rows": 5000, "persons": False})
    '4,751 of 5,000 people stood alone on their quasi-identifiers.'
    """
    whose = "rows" if told["persons"] else "people"
    who = "one person each" if told["persons"] else "alone"
    return f"{told['alone']:,} of {told['rows']:,} {whose} stood {who} on their quasi-identifiers."


def learnt_in_words(groups: Sequence[Told]) -> str:
    """Say why groups stand first in the list of after.

    >>> learnt_in_words([{"learnt": []}])
    'The smallest groups first.'
    """
    if any(group["learnt"] for group in groups):
        return "Groups that share one sensitive value first, then the smallest."
    return "The smallest groups first."


def alike(people: int) -> str:
    """Say how many people look alike.

    >>> alike(1), alike(5)
    ('alone: found for certain', '5: found with a chance of 1 in 5')
    """
    if people == 1:
        return "alone: found for certain"
    return f"{people:,}: found with a chance of 1 in {people:,}"


def given_away(group: Told) -> str:
    """Name the columns that give a group away, with their cells.

    >>> given_away({"columns": ["age"], "cells": {"age": "39", "sex": "f"}})
    'age 39'
    """
    return shown_cells({name: group["cells"][name] for name in group["columns"]})


def shown_cells(cells: Mapping[str, str | None]) -> str:
    """Write cells in one line, each behind the name of its column."""
    return ", ".join(
        f"{name} {'(missing)' if cell is None else cell}" for name, cell in cells.items()
    )
