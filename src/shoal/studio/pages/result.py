"""The result: before and after next to each other, what an attacker gains, what it cost; two runs side by side if asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from nicegui import ui

from shoal.review.report.document import shown
from shoal.studio.desk import Desk, Run
from shoal.studio.frame import listen
from shoal.studio.pages import result_further, result_panels
from shoal.studio.pages.releases import choice, empty, offer
from shoal.studio.pages.result_cells import cells

HIGHEST = "highest-prosecutor-risk"
TABS = {
    "cells": "Before and after",
    "distributions": "Distributions",
    "correlations": "Correlations",
    "risks": "Risk",
    "attacks": "Attacks",
    "cost": "Cost",
    "groups": "Groups and notes",
    "use": "What it is good for",
}


def show(desk: Desk) -> None:
    """The latest release, or the one that is chosen, and another beside it; an empty page while there is none."""

    @ui.refreshable
    def result() -> None:
        runs = {run.number: run for run in desk.finished}
        if first.value in runs:
            others = [runs[beside.value]] if beside.value in runs and beside.value != first.value else []
            _result(desk, [runs[first.value], *others])

    with ui.row().classes("items-center gap-4") as choices:
        first, beside = choice("Release"), choice("Beside it").props("data-testid=beside")
        ui.link("Hand it over", "/hand-over")
    empty(desk)
    result()
    for one in (first, beside):
        one.on_value_change(result.refresh)
    listen(desk, lambda: offer(desk, choices, first, beside))


def _result(desk: Desk, runs: Sequence[Run]) -> None:
    with ui.element("div").classes("tiles"):
        for name, value in _tiles(runs):
            with ui.element("div").classes("tile"):
                ui.label(value).classes("tile-value")
                ui.label(name).classes("faint")
    with ui.tabs().props("dense no-caps align=left outside-arrows mobile-arrows").classes("w-full") as tabs:
        for name, words in TABS.items():
            ui.tab(name, label=words)
    with ui.tab_panels(tabs, animated=False).props("keep-alive").classes("w-full transparent-panels"):
        places = {name: ui.tab_panel(name) for name in TABS}
    with places["cells"]:
        jump = cells(desk, runs)

    def show_row(row: int) -> None:
        tabs.set_value("cells")
        ui.timer(0.4, lambda: jump and jump(row), once=True)  # once the grids are on the screen

    panels: dict[str, Callable[[], None]] = {
        "distributions": partial(result_panels.distributions, runs),
        "correlations": partial(result_panels.correlations, runs),
        "risks": partial(result_panels.risks, runs),
        "attacks": partial(result_further.attacks, desk, runs),
        "cost": partial(result_panels.cost, runs, show_row if jump else None),
        "groups": partial(result_panels.sizes, runs),
        "use": partial(result_further.usefulness, desk, runs),
    }

    def open_panel(name: str) -> None:
        """Drawn when it is first looked at."""
        if name in panels:
            with places[name]:
                panels.pop(name)()

    tabs.on_value_change(lambda changed: open_panel(changed.value))
    tabs.set_value("cells")


def _tiles(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """The figures that are read first; of two runs, both."""
    every = [result_panels.facts_of(run) for run in runs]

    def both(figure: Callable[[result_panels.Facts], str]) -> str:
        return " | ".join(dict.fromkeys(figure(facts) for facts in every)) if len(every) > 1 else figure(every[0])

    found = [("rows published", both(lambda facts: f"{facts['rows']['published']:,}"))]
    if all(facts["groups"] for facts in every):
        found.append(("groups", both(lambda facts: f"{facts['groups']:,}")))
        found.append(("rows in the smallest group", both(lambda facts: f"{facts['k']:,}")))
        found.append(("rows withheld", both(lambda facts: f"{facts['rows']['withheld']:,}")))
    if all("promise" in facts for facts in every):
        found.append(("promised to everyone", both(lambda facts: str(facts["promise"]).replace("k-", f"{facts['k']}-"))))
    risks = [next((one for one in facts["risks"] if one["name"] == HIGHEST), None) for facts in every]
    if all(one and one["after"] is not None for one in risks):
        found.append(("highest risk of being found", both(lambda facts: _fall(risks[every.index(facts)]))))
    losses = [{one["name"]: one["value"] for one in facts["losses"]} for facts in every]
    if all("height-share" in of for of in losses):
        found.append(("mean loss of a cell", both(lambda facts: shown(losses[every.index(facts)]["height-share"]))))
    return found


def _fall(risk: result_panels.Facts | None) -> str:
    return f"{shown(risk['before'])} → {shown(risk['after'])}" if risk else ""
