"""Result: shows before and after, what an attacker gains, the cost, and two runs side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from nicegui import ui

from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.frame import listen
from shoal.studio.pages import (
    ladders,
    left,
    result_attacks,
    result_exposed,
    result_further,
    result_panels,
)
from shoal.studio.pages.releases import choice, empty, offer
from shoal.studio.pages.result_cells import cells
from shoal.studio.pages.run_figures import FOUND, LOSS, chance, loss_of, risk_of
from shoal.studio.pages.terms import explained
from shoal.studio.words import percent

TABS = {
    "cells": "Before and after",
    "distributions": "Distributions",
    "correlations": "Correlations",
    "risks": "Risk",
    "exposed": "Who is at risk",
    "attacks": "Attacks",
    "cost": "Cost",
    "levels": "Levels",
    "groups": "Groups and notes",
    "use": "What it is good for",
}


def show(desk: Desk) -> None:
    """Show the latest or the chosen release, and another beside it; empty while there is none."""

    @ui.refreshable
    def result() -> None:
        runs = {run.number: run for run in desk.finished}
        if first.value in runs:
            others = (
                [runs[beside.value]] if beside.value in runs and beside.value != first.value else []
            )
            _result(desk, [runs[first.value], *others])

    with ui.row().classes("items-center gap-4") as choices:
        first = choice("Release")
        beside = choice("Beside it").props("data-testid=beside")
    empty(desk)
    result()
    for one in (first, beside):
        one.on_value_change(result.refresh)
    listen(desk, lambda: offer(desk, choices, first, beside))


def _result(desk: Desk, runs: Sequence[StudioRun]) -> None:
    _tiles(runs)
    left.of_runs(desk, runs)
    with (
        ui.tabs()
        .props("dense no-caps align=left outside-arrows mobile-arrows")
        .classes("w-full") as tabs
    ):
        for name, words in tabs_of(runs).items():
            ui.tab(name, label=words)
    with (
        ui.tab_panels(tabs, animated=False).props("keep-alive").classes("w-full transparent-panels")
    ):
        places = {
            name: ui.tab_panel(name).props(f"data-testid=panel-{name}") for name in tabs_of(runs)
        }
    with places["cells"]:
        jump = cells(desk, runs)

    def show_row(row: int) -> None:
        tabs.set_value("cells")
        ui.timer(0.4, lambda: jump and jump(row), once=True)  # once the grids are on the screen

    panels = _panels(desk, runs, show_row if jump else None)

    def open_panel(name: str) -> None:
        """Draw a panel when it is first looked at."""
        if name in panels:
            with places[name]:
                panels.pop(name)()

    tabs.on_value_change(lambda changed: open_panel(changed.value))
    tabs.set_value("cells")


def tabs_of(runs: Sequence[StudioRun]) -> dict[str, str]:
    """Return the tabs with their words; levels where a release has one for each column."""
    leveled = any(result_panels.facts_of(run).get("ladders") for run in runs)
    return {name: words for name, words in TABS.items() if leveled or name != "levels"}


def _panels(
    desk: Desk, runs: Sequence[StudioRun], show_row: Callable[[int], None] | None
) -> dict[str, Callable[[], None]]:
    """Return the functions that draw the tabs which are not drawn at once."""
    return {
        "distributions": partial(result_panels.distributions, runs),
        "correlations": partial(result_panels.correlations, runs),
        "risks": partial(result_panels.risks, runs),
        "exposed": partial(result_exposed.exposed, desk, runs, show_row),
        "attacks": partial(result_attacks.attacks, desk, runs),
        "cost": partial(result_panels.cost, runs, show_row),
        "levels": partial(ladders.of_runs, runs),
        "groups": partial(result_panels.sizes, runs),
        "use": partial(result_further.usefulness, desk, runs),
    }


def _tiles(runs: Sequence[StudioRun]) -> None:
    """Draw the figures that are read first; of two runs both, where they differ."""
    every = [dict(_read_first(run)) for run in runs]
    with ui.element("div").classes("tiles"):
        for name in [name for name in every[0] if all(name in figures for figures in every)]:
            with ui.element("div").classes("tile"):
                value = " | ".join(dict.fromkeys(figures[name] for figures in every))
                ui.label(value).classes("tile-value")
                with ui.element("div").classes("faint") as below:
                    ui.label(name)
                explained(below, name)


def _read_first(run: StudioRun) -> Iterator[tuple[str, str]]:
    facts = result_panels.facts_of(run)
    yield "rows published", f"{facts['rows']['published']:,}"
    if facts["groups"]:
        yield "groups", f"{facts['groups']:,}"
        yield "rows in the smallest group", f"{facts['k']:,}"
        yield "rows left out", f"{facts['rows']['withheld']:,}"
    if "promise" in facts:
        yield "promised to everyone", str(facts["promise"]).replace("k-", f"{facts['k']}-")
    if (risk := risk_of(run, "after")) is not None:
        before = risk_of(run, "before")
        yield FOUND, chance(risk) if before is None else f"{chance(before)} → {chance(risk)}"
    if (loss := loss_of(run)) is not None:
        yield LOSS, percent(loss)
