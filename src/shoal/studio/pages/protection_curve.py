"""Curve: draws loss against k, computed in the background, so that k is chosen on it.

It is begun anew when anything that matters to it has changed and stayed so for a moment; the chosen
k does not matter.
"""

from __future__ import annotations

import time
from typing import Any

from nicegui import ui

from shoal.recipe import Recipe
from shoal.review.report.document import shown
from shoal.studio.desk import Desk
from shoal.studio.frame import OFTEN, listen
from shoal.studio.jobs import Job
from shoal.studio.pages.charts import AFTER, WORDS, chart, lines
from shoal.studio.pages.checking import choose_k, problems_of
from shoal.studio.words import percent
from shoal.studio.work.frontier import KS

PURPOSE = "frontier"
WAIT = 0.7  # seconds without a change
COLUMNS = {"k": "k", "loss": "detail lost", "groups": "groups", "risk": "highest risk"}
SERIES = {"loss": "detail lost, %", "risk": "highest risk, %"}
CHOOSE = """<q-td :props="props"><q-btn flat dense no-caps color="primary"
  :aria-label="'choose k = ' + props.row.k"
  @click="$parent.$emit('choose', props.row.k)">{{ props.row.k }}</q-btn></q-td>"""
ENDED = {
    "waiting": "Waiting for its turn.",
    "done": "",
    "cancelled": "Stopped.",
    "failed": "It ended unexpectedly.",
    "refused": "Refused.",
}
Point = dict[str, Any]


def wanted(desk: Desk) -> dict[str, Any] | None:
    """Return what a curve is computed from; None where nothing can be computed yet."""
    if desk.sheet is None or not desk.recipe.quasi or problems_of(desk.recipe):
        return None
    return {"table": str(desk.sheet.path), "recipe": mattering(desk.recipe)}


def mattering(recipe: Recipe) -> dict[str, Any]:
    """Return the fields of the recipe that move the curve."""
    return {
        name: value
        for name, value in recipe.as_dict().items()
        if name not in ("k", "preset", "seed")
    }


def curve(desk: Desk) -> None:
    """Draw the curve, as far as it is known."""
    Curve(desk)


class Curve:
    """Draw a chart, a table of its figures, and how far the computation is."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.wanted: dict[str, Any] | None = None
        self.due = 0.0
        self.drawn: Any = None
        ui.label("What each k costs").classes("side-title")
        ui.label(
            "Detail that a cell loses: 0 % is as in your table, at 100 % nothing is left. Click a "
            "point to choose its k."
        ).classes("faint")
        with ui.element("div").classes("progress"):
            self.state = ui.label().props('aria-live="polite" data-testid="curve-state"')
            self.bar = ui.linear_progress(show_value=False).props('aria-label="the curve"')
            self.stop = ui.button("Stop", on_click=self._cancel).props(
                'flat dense data-testid="curve-stop"'
            )
            self.again = ui.button("Compute", on_click=self._start).props(
                'flat dense data-testid="curve-start"'
            )
        empty = lines({SERIES["loss"]: []}, "k", doubling=True)
        self.chart = chart(empty, 250, "The detail lost and the highest risk for each k")
        self.chart.on_point_click(lambda event: self._choose(event.data))
        self.problem = ui.label().classes("problem")
        columns = [
            {"name": name, "field": name, "label": label, "align": "left"}
            for name, label in COLUMNS.items()
        ]
        with ui.expansion("The same as a table").props('dense data-testid="curve-table"'):
            self.table = (
                ui.table(columns=columns, rows=[], row_key="k")
                .props("flat dense")
                .classes("figures")
            )
            self.table.add_slot("body-cell-k", CHOOSE)
            self.table.on("choose", lambda event: self._choose([event.args]))
        self.note = ui.label().classes("faint")
        listen(desk, self._heard)
        ui.timer(OFTEN, self._tick)

    def _heard(self) -> None:
        """Note a change, and wait whether it stays."""
        now = wanted(self.desk)
        if now != self.wanted:
            self.wanted = now
            self.due = time.monotonic() + WAIT
        self._draw()

    def _tick(self) -> None:
        job = self.desk.jobs.get(PURPOSE)
        if (
            self.wanted is not None
            and (job is None or job.asked != self.wanted)
            and time.monotonic() >= self.due
        ):
            self._start()
        self._draw()

    def _start(self) -> None:
        if self.wanted is not None:
            self.desk.start(PURPOSE, "frontier", **self.wanted)
            self._draw()

    def _cancel(self) -> None:
        if PURPOSE in self.desk.jobs:
            self.desk.jobs[PURPOSE].cancel()
        self._draw()

    def _choose(self, data: Any) -> None:
        """Choose the k of the clicked point, if it is one."""
        k = data[0] if isinstance(data, list) and data else None
        if isinstance(k, int | float) and int(k) in KS:
            choose_k(self.desk, int(k))

    def _draw(self) -> None:
        """Show what is known, if it differs from what is shown."""
        job = self.desk.jobs.get(PURPOSE)
        current = job is not None and job.asked == self.wanted
        seen = (
            id(job),
            current,
            len(job.told) if job else 0,
            job and (job.state, job.stage, job.share, job.waiting_for),
            self.desk.recipe.k,
        )
        if seen == self.drawn:
            return
        self.drawn = seen
        points = sorted((job.told if job and current else []), key=lambda point: int(point["k"]))
        self._say(job if current else None, points)
        self._plot([point for point in points if point.get("loss") is not None])

    def _say(self, job: Job | None, points: list[Point]) -> None:
        """Say how far the computation is, and what it was computed from."""
        running = job is not None and not job.over
        self.state.set_text(_state(job, len(points), waiting=self.wanted is not None))
        self.bar.set_visibility(running)
        self.bar.set_value(job.share if job else 0.0)
        self.stop.set_visibility(running)
        self.again.set_visibility(job is not None and job.state in ("cancelled", "failed"))
        refused = list(dict.fromkeys(point["refused"] for point in points if "refused" in point))
        self.problem.set_text(
            "\n".join([*([job.problem] if job and job.problem else []), *refused])
        )
        self.note.set_text(_note(points))

    def _plot(self, points: list[Point]) -> None:
        self.chart.set_visibility(self.wanted is not None)
        k = self.desk.recipe.k
        series = {
            words: [
                (point["k"], round(100 * point[name], 2))
                for point in points
                if point[name] is not None
            ]
            for name, words in SERIES.items()
        }
        options = lines(series, "k", doubling=True)
        options["series"][0]["markLine"] = {
            "silent": True,
            "symbol": "none",
            "lineStyle": {"color": AFTER, "width": 2, "type": "solid"},
            "label": {"formatter": f"k = {k}", "color": WORDS},
            "data": [{"xAxis": k}],
        }
        self.chart.options.clear()
        self.chart.options.update(options)
        self.chart.update()
        rows = [
            {
                "k": point["k"],
                "groups": shown(point["groups"]),
                **{name: percent(point[name]) for name in SERIES},
            }
            for point in points
        ]
        if rows != self.table.rows:  # drawn anew under a click, its buttons would lose that click
            self.table.rows = rows
            self.table.update()


def _state(job: Job | None, points: int, *, waiting: bool) -> str:
    if job is None:
        if waiting:
            return "About to compute the curve."
        return "The curve needs quasi-identifiers and a recipe without problems."
    if job.state == "running" and not points and job.compiling:
        return job.waiting_for
    return ENDED.get(job.state, f"Computing: {job.stage or 'beginning'}; {points} points so far.")


def _note(points: list[Point]) -> str:
    """Say what the curve was computed from, if not the whole table at full effort."""
    if not points:
        return ""
    first = points[0]
    said = []
    if first["rows"] < first["of"]:
        said.append(
            f"Computed from {first['rows']:,} of {first['of']:,} rows, drawn by chance: all rows "
            "together lose less."
        )
    if first["little_effort"]:
        said.append("Computed with little effort: the run itself loses a little less.")
    return " ".join(said)
