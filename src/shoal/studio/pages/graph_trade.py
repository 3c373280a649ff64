"""Trade: a slider between attributes and structure, with the curve of what each weight keeps.

The curve is measured in the background when what matters to it has stayed for a moment; the weight
itself does not matter.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from nicegui import ui

from shoal.studio.desk import Desk
from shoal.studio.frame import OFTEN, listen
from shoal.studio.jobs import Job
from shoal.studio.pages.charts import OTHER, chart, lines
from shoal.studio.pages.dial import Dial
from shoal.studio.words import percent
from shoal.studio.work.graph_trying import POINTS

WAIT = 0.7  # seconds without a change
ACROSS = "detail of columns lost, %"
UP = "structure kept, %"
CHOOSE = """<q-td :props="props"><q-btn flat dense no-caps color="primary"
  :aria-label="'choose alpha = ' + props.row.alpha"
  @click="$parent.$emit('choose', props.row.alpha)">{{ props.row.alpha }}</q-btn></q-td>"""
COLUMNS = {"alpha": "alpha", "lost": "detail of columns lost", "kept": "structure kept"}
Point = dict[str, Any]


class Trade:
    """Draw the slider, what its weight keeps, the curve, and the curve as a table."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.wanted: dict[str, Any] | None = None
        self.due = 0.0
        self.drawn: object = None
        ui.label("Columns, or who knows whom").classes("side-title")
        ui.label(
            "alpha is the weight of columns: at 0 clusters follow edges alone, at 1 values alone."
        ).classes("faint")
        self.dial = Dial(
            "alpha", 0.5, self._choose, ends=(0, 1), limits=(0, 1), passing=self._passing
        )
        self.words = ui.label().props('aria-live="polite" data-testid="trade-words"')
        with ui.element("div").classes("progress"):
            self.state = ui.label().classes("faint").props('data-testid="trade-state"')
            self.bar = ui.linear_progress(show_value=False).props('aria-label="the curve"')
            self.stop = ui.button("Stop", on_click=self._stop).props("flat dense")
            self.again = ui.button("Compute", on_click=desk.graph.try_weights).props("flat dense")
        self.problem = ui.label().classes("problem").props('role="alert"')
        what = "The structure kept against the detail of columns lost, for each alpha"
        self.chart = chart(lines({UP: []}, ACROSS), 260, what)
        self.chart.on_point_click(lambda event: self._clicked(event.data))
        columns = [
            {"name": name, "field": name, "label": label, "align": "left"}
            for name, label in COLUMNS.items()
        ]
        with ui.expansion("The same as a table").props('dense data-testid="trade-table"'):
            self.table = ui.table(columns=columns, rows=[], row_key="alpha")
            self.table.props("flat dense").classes("figures")
            self.table.add_slot("body-cell-alpha", CHOOSE)
            self.table.on("choose", lambda event: self._choose(event.args))
        listen(desk, self._heard)
        ui.timer(OFTEN, self._tick)

    @property
    def _open(self) -> bool:
        """Tell whether there is anything to trade."""
        graph = self.desk.graph
        recipe = graph.asked.recipe
        return (
            graph.sheet is not None
            and graph.asked.form == "supergraph"
            and bool(recipe.quasi)
            and recipe.k <= graph.sheet.table.num_rows
        )

    def _heard(self) -> None:
        """Note a change, and wait whether it stays."""
        now = self.desk.graph.wanted() if self._open else None
        if now != self.wanted:
            self.wanted = now
            self.due = time.monotonic() + WAIT
        self._draw()

    def _tick(self) -> None:
        job = self.desk.graph.trying
        fresh = job is None or job.asked != self.wanted
        if self.wanted is not None and fresh and time.monotonic() >= self.due:
            self.desk.graph.try_weights()
        self._draw()

    def _choose(self, alpha: float) -> None:
        self.desk.graph.change(alpha=round(float(alpha), 3))

    def _clicked(self, data: Any) -> None:
        """Choose the alpha of a point of the curve."""
        if isinstance(data, list) and len(data) == 3:
            self._choose(data[2])

    def _stop(self) -> None:
        if self.desk.graph.trying is not None:
            self.desk.graph.trying.cancel()

    def _passing(self, alpha: float) -> None:
        self.words.set_text(said(alpha, self._points()))

    def _points(self) -> list[Point]:
        job = self.desk.graph.trying
        told = job.told if job is not None and job.asked == self.wanted else []
        return sorted(told, key=lambda point: float(point["alpha"]))

    def _draw(self) -> None:
        """Show what is known, if it differs from what is shown."""
        job = self.desk.graph.trying
        points = self._points()
        alpha = self.desk.graph.asked.alpha
        seen = (id(job), len(points), job and (job.state, job.waiting_for), alpha)
        if seen == self.drawn:
            return
        self.drawn = seen
        if self.dial.value != alpha:  # else the hand that moves it would lose it
            self.dial.put(alpha)
        self.words.set_text(said(alpha, points))
        running = job is not None and not job.over
        self.state.set_text(_state(job, points))
        self.bar.set_visibility(running)
        self.bar.set_value(len(points) / POINTS)
        self.stop.set_visibility(running)
        self.again.set_visibility(job is not None and job.state in ("cancelled", "failed"))
        self.problem.set_text(job.problem or "" if job is not None else "")
        self._plot(points, alpha)

    def _plot(self, points: Sequence[Point], alpha: float) -> None:
        known = [point for point in points if point["kept"] is not None]
        options = lines({UP: [_shares(point) for point in known]}, ACROSS)
        for place, point in enumerate(known):  # what a click on a point tells
            options["series"][0]["data"][place].append(point["alpha"])
        if known:
            at = [round(100 * part, 2) for part in between(alpha, known)]
            options["series"][0]["markPoint"] = {
                "symbol": "circle",
                "symbolSize": 16,
                "itemStyle": {"color": OTHER},
                "label": {"show": False},
                "silent": True,
                "data": [{"coord": at}],
            }
        self.chart.options.clear()
        self.chart.options.update(options)
        self.chart.update()
        rows = [
            {"alpha": one["alpha"], "lost": percent(one["lost"]), "kept": percent(one["kept"])}
            for one in points
        ]
        if rows != self.table.rows:  # drawn anew under a click, its buttons would lose that click
            self.table.rows = rows
            self.table.update()


def _shares(point: Point) -> tuple[float, float]:
    return round(100 * point["lost"], 2), round(100 * point["kept"], 2)


def between(alpha: float, points: Sequence[Point]) -> tuple[float, float]:
    """Return what is lost of columns and kept of structure, on the line between known points.

    >>> known = [{"alpha": 0, "lost": 0.4, "kept": 0.6}, {"alpha": 1, "lost": 0.2, "kept": 0.1}]
    >>> [round(part, 3) for part in between(0.5, known)]
    [0.3, 0.35]
    """
    alphas = [point["alpha"] for point in points]
    lost = np.interp(alpha, alphas, [point["lost"] for point in points])
    return float(lost), float(np.interp(alpha, alphas, [point["kept"] for point in points]))


def said(alpha: float, points: Sequence[Point]) -> str:
    """Say what a weight keeps.

    >>> said(0.5, [{"alpha": 0.5, "lost": 0.2, "kept": 0.35, "people": 9, "of": 9}])
    'At alpha = 0.5 a cell loses about 20 % of its detail, and about 35 % of the structure is kept.'
    """
    known = [point for point in points if point["kept"] is not None]
    if not known:
        return ""
    lost, kept = between(alpha, known)
    detail = f"At alpha = {alpha:g} a cell loses about {_share(lost)} of its detail"
    return f"{detail}, and about {_share(kept)} of the structure is kept."


def _share(share: float) -> str:
    return "0 %" if share <= 0 else percent(share)


def _state(job: Job | None, points: Sequence[Point]) -> str:
    """Say how far the curve is, and what it is measured on."""
    if job is None:
        return ""
    if not job.over:
        return job.waiting_for or f"Trying weights: {len(points)} of {POINTS}."
    if job.state == "cancelled":
        return "Stopped."
    if not points:
        return ""
    people, everybody = points[0]["people"], points[0]["of"]
    where = f" on {people:,} of {everybody:,} people near each other" if people < everybody else ""
    return f"Tried with little effort{where}: a release keeps no less, or hardly less."
