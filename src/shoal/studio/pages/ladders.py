"""Ladders: draws the levels of each column, the coarsest on top, with the one that is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from shoal.studio.desk_items import StudioRun

MEANT = (
    "Every column stands on one rung of its ladder in all rows. The lower the rung, the more is "
    "left of a column."
)


def ladders(every: Sequence[Mapping[str, Any]]) -> None:
    """Draw a ladder for each column."""
    with ui.element("div").classes("ladders"):
        for one in every:
            _ladder(one["column"], one["rungs"], one["taken"])


def _ladder(column: str, rungs: Sequence[str], taken: int) -> None:
    with ui.element("div"):
        ui.label(column).classes("side-title")
        steps = ui.element("ol").classes("ladder")
        steps.props["aria-label"] = f"The levels of {column}, the coarsest first"
        with steps:
            for level in reversed(range(len(rungs))):
                _rung(rungs[level], is_taken=level == taken)


def _rung(words: str, *, is_taken: bool) -> None:
    rung = ui.element("li").classes("rung")
    if is_taken:
        rung.classes("taken").props('aria-current="true"')
        words = f"✓ {words}"
    with rung:
        ui.label(words)


def of_runs(runs: Sequence[StudioRun]) -> None:
    """Draw the ladders of each release that has them."""
    ui.label(MEANT).classes("faint")
    for run in runs:
        with ui.element("div").classes("paper stack"):
            ui.label(f"{run.title}: the level of each column").classes("side-title")
            if every := run.told["facts"].get("ladders"):
                ladders(every)
            else:
                ui.label("Its groups have cells of their own, and no levels.").classes("faint")
