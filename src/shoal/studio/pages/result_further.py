"""Further results: run jobs about a release that take longer, when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import ui

from shoal import registry
from shoal.mining.task import Task
from shoal.review.report.document import shown
from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.frame import OFTEN
from shoal.studio.jobs import Job
from shoal.studio.pages.result_panels import figures

QUICK = ("distributions", "association", "queries")


def usefulness(desk: Desk, runs: Sequence[StudioRun]) -> None:
    """Show what a data miner gets out of a release, if that is asked."""
    ui.label(
        "What the release is good for, measured beside the original: choose what matters to its "
        "readers. Some of it takes minutes."
    ).classes("faint")
    for run in runs:
        with ui.element("div").classes("paper"):
            ui.label(f"{run.title}: what is it good for?").classes("side-title")
            with ui.column().classes("gap-1"):
                boxes = {
                    name: _box(name, registry.summary(task))
                    for name, task in registry.names(Task).items()
                }
            Further(desk, run, "mine", "Measure", _mined, partial(_ticked, boxes)).show()


def _box(name: str, words: str) -> ui.checkbox:
    return ui.checkbox(f"{name}: {words}", value=name in QUICK).props("dense")


def _ticked(boxes: Mapping[str, ui.checkbox]) -> dict[str, Any]:
    return {"tasks": [name for name, box in boxes.items() if box.value]}


def _mined(result: Mapping[str, Any]) -> None:
    for task, measured in result["utility"].items():
        ui.label(task).classes("side-title")
        ui.label(result["meanings"].get(task, "")).classes("faint")
        rows = [
            (name, one["unchanged"], f"{shown(one['value'])}{_interval(one)}")
            for name, one in measured.items()
        ]
        figures(("figure", "original", "release"), rows, f"What {task} gives")
    for notice in result["notices"]:
        ui.label(f"• {notice}").classes("faint")


def _interval(one: Mapping[str, Any]) -> str:
    return (
        f" ({shown(one['low'])} to {shown(one['high'])})" if "low" in one and "high" in one else ""
    )


@dataclass
class Further:
    """Draw a button that starts a job about a release, how far it is, and what came of it."""

    desk: Desk
    run: StudioRun
    do: str
    words: str
    draw: Callable[[Mapping[str, Any]], None]
    asked: Callable[[], dict[str, Any]]

    def show(self) -> None:
        """Draw the state now, and again when the job is over."""
        self.state()
        self.drawn = self.job if self.job is not None and self.job.over else None
        ui.timer(OFTEN, self._look)

    @property
    def job(self) -> Job | None:
        """Return the job that was started last."""
        return self.run.further.get(self.do)

    def _start(self) -> None:
        hierarchies = {
            name: spec for name, spec in self.run.recipe.hierarchies.items() if spec != "none"
        }
        about: dict[str, Any] = {
            "table": str(self.run.sheet.path),
            "folder": str(self.run.folder),
            "hierarchies": hierarchies,
        }
        self.run.further[self.do] = self.desk.shop.start(self.do, **about, **self.asked())
        self.state.refresh()

    def _stop(self) -> None:
        self.run.further[self.do].cancel()
        self.state.refresh()

    def _look(self) -> None:
        if self.job is not None and self.job.over and self.drawn is not self.job:
            self.drawn = self.job
            self.state.refresh()

    @ui.refreshable_method
    def state(self) -> None:
        """Draw the button, and what came of the job."""
        job = self.job
        busy = job is not None and not job.over
        with ui.row().classes("items-center"):
            button = ui.button(self.words, on_click=self._start).props(
                f"outline no-caps data-testid={self.do}-start"
            )
            button.set_enabled(not busy)
            if busy:
                ui.button("Cancel", on_click=self._stop).props("flat no-caps")
                ui.spinner(size="sm")
                ui.label().classes("faint").bind_text_from(job, "stage")
        if job is not None and job.state == "done" and job.result is not None:
            self.draw(job.result)
        elif job is not None and job.problem:
            ui.label(job.problem).classes("problem")
