"""Run card: shows how far one run is, the loss so far, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui

from shoal.screen import fine_percent
from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.jobs import Job
from shoal.studio.pages import left
from shoal.studio.pages.charts import chart, lines
from shoal.studio.pages.foreseen import together
from shoal.studio.pages.result_notices import notices, search_notes
from shoal.studio.pages.result_panels import figures
from shoal.studio.pages.run_figures import figures_of

WORDS = {
    "waiting": ("Waiting for its turn", "hourglass_empty", "faint"),
    "running": ("At work", "sync", ""),
    "done": ("Done: every promise was recounted", "verified", "good"),
    "lost": ("Done and recounted, but columns are lost", "warning", "warn"),
    "refused": ("Refused: nothing was published", "block", "bad"),
    "failed": ("Failed: nothing was published", "error", "bad"),
    "cancelled": ("Cancelled: nothing was kept", "cancel", "warn"),
}
LOST = "Loss of a cell by the groups so far, before they are printed"


def so_far(job: Job) -> str:
    """Say the loss so far, what was gained by how many rounds, and how long it may take.

    >>> so_far(Job("anonymize", {}, loss=0.25, losses=[(0.0, 0.5), (1.0, 0.25)], rounds=12))
    'Loss of a cell by the groups so far, before they are printed: 25 %; 25 % gained in 12 rounds'
    """
    if job.loss is None:
        return ""
    words = f"{LOST}: {fine_percent(job.loss)}"
    if job.losses and job.losses[0][1] > job.loss:
        words += f"; {fine_percent(job.losses[0][1] - job.loss)} gained"
        words += f" in {job.rounds:,} round{'s' * (job.rounds > 1)}" if job.rounds else " so far"
    if job.seconds_left is not None:
        words += f"; at most about {job.seconds_left:,.0f} s more"
    return words


def falling(losses: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Build the curve of the loss so far; its axes begin where it does, as its fall is what counts.

    >>> options = falling([(1.0, 0.25), (2.0, 0.2)])
    >>> options["series"][0]["data"], options["yAxis"][0]["scale"], options["yAxis"][0]["min"]
    ([[1.0, 25.0], [2.0, 20.0]], True, None)
    """
    points = [(round(second, 1), round(100 * loss, 3)) for second, loss in losses]
    options = lines({"detail lost, %": points}, "seconds")
    options["series"][0]["showSymbol"] = False
    for axis in (options["xAxis"], *options["yAxis"]):
        axis |= {"scale": True, "min": None}
    return options


class RunCard:
    """Follow a job until it is over."""

    def __init__(self, desk: Desk, run: StudioRun) -> None:
        self.desk = desk
        self.run = run
        self.seen: Any = None
        with (
            ui.element("div")
            .classes("paper stack run")
            .props('data-testid="run-card"') as self.element
        ):
            with ui.element("div").classes("choices"):
                ui.label(run.title).classes("side-title").props('role="heading" aria-level="2"')
                self.icon = ui.icon("sync").props('aria-hidden="true"')
                self.state = ui.label().props('aria-live="polite" data-testid="run-state"')
                self.seconds = ui.label().classes("faint")
            self.body = ui.element("div").classes("stack")
            with ui.element("div").classes("choices"):
                self.cancel = ui.button("Cancel", icon="close", on_click=run.job.cancel).props(
                    'outline data-testid="cancel"'
                )
                self.again = ui.button("Use these settings again", on_click=self._again).props(
                    'flat data-testid="again"'
                )
                self.remove = ui.button("Remove", on_click=self._remove).props(
                    'flat data-testid="remove"'
                )
        with self.body:
            self._progress()
        self.tick()

    def delete(self) -> None:
        """Take the card off the screen."""
        self.element.delete()

    def tick(self) -> None:
        """Show what is new."""
        job = self.run.job
        now = (
            job.state,
            job.stage,
            job.share,
            len(job.losses),
            int(job.seconds * (2 if job.seconds < 10 else 1)),
        )
        if now == self.seen:
            return
        new_state = self.seen is None or self.seen[0] != job.state
        self.seen = now
        digits = 1 if job.seconds < 10 or job.over else 0
        self.seconds.set_text(f"{job.seconds:.{digits}f} s")
        if not job.over:
            self._advance()
        if new_state:
            self._turn()

    def _turn(self) -> None:
        """Show another state of the job."""
        job = self.run.job
        is_spoilt = job.state == "done" and bool(left.lost_columns(left.left_of(self.run)))
        words, icon, look = WORDS["lost" if is_spoilt else job.state]
        self.state.set_text(words)
        self.state.classes(replace=look)
        self.icon.set_name(icon)
        self.cancel.set_visibility(not job.over)
        self.remove.set_visibility(job.over)
        if job.over:
            self.body.clear()
            with self.body:
                self._outcome()

    def _progress(self) -> None:
        self.stage = ui.label().props('data-testid="run-stage"')
        self.bar = ui.linear_progress(show_value=False).props('aria-label="how far the stage is"')
        self.lost = ui.label().props('data-testid="run-loss"')
        self.curve = chart(falling([]), 150, f"{LOST}, over time")
        self.curve.set_visibility(False)

    def _advance(self) -> None:
        job = self.run.job
        said = job.first_time * (not job.losses)
        stage = f"{job.stage} ..." if job.stage else "beginning ..."
        self.stage.set_text(f"{stage} {said}")
        self.bar.props["indeterminate"] = job.share <= 0
        self.bar.set_value(job.share)
        self.lost.set_text(so_far(job))
        if len(job.losses) > 1:
            self.curve.set_visibility(True)
            self.curve.options.update(falling(job.losses))
            self.curve.update()

    def _outcome(self) -> None:
        """Show figures and notices, or the whole reason why there is no release."""
        if self.run.job.state != "done":
            ui.label(self.run.job.problem or "").classes("problem")
            return
        lines = [(name, value) for name, value in figures_of(self.run).items() if value is not None]
        figures(("figure", "value"), lines, f"Figures of {self.run.title}")
        beside = together(self.run)
        if beside:
            ui.label(beside).props('data-testid="together"')
        left.of_runs(self.desk, [self.run])
        notices(self.run)
        search_notes(self.run)
        with ui.element("div").classes("facts"):
            ui.link("See the result", "/result")
            ui.link("Hand it over", "/hand-over")

    def _again(self) -> None:
        """Make the run's settings the present ones; undo brings back what was."""
        self.desk.put(self.run.recipe)
        ui.notify(f"The settings of {self.run.title} are asked for again.")

    def _remove(self) -> None:
        """Take the run off the desk; undo brings it back."""
        ui.notify(f"{self.run.title} is removed. Undo brings it back.")
        self.desk.remove(self.run)
