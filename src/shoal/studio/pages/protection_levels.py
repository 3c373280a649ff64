"""Levels: draws the best choices of one level for each column as dots of loss against risk.

People read it as the same bands for everyone; the method is `full-domain`. A dot or a row of the
table takes a choice: the method is then fixed to these levels, and the run follows it. The dots are
computed anew when anything that matters to them has changed and stayed so for a moment; levels that
were taken do not matter.
"""

from __future__ import annotations

import time
from typing import Any

from nicegui import ui

from shoal import registry
from shoal.errors import ShoalError
from shoal.recipe import Recipe
from shoal.recipe.scheme import at_levels, without_levels
from shoal.review.report.document import shown
from shoal.studio.desk import Desk
from shoal.studio.frame import OFTEN, listen
from shoal.studio.jobs import Job
from shoal.studio.pages.charts import chart, scatter
from shoal.studio.pages.checking import ask, problems_of
from shoal.studio.pages.ladders import ladders
from shoal.studio.pages.protection_curve import ENDED, WAIT
from shoal.studio.words import in_words

PURPOSE = "levels"
METHOD = "full-domain"
MEANT = (
    "Ages in ten-year bands for all, or as single years for all: bands never overlap, and counts "
    "add up. It costs more than bands that differ from group to group."
)
RISKS = {"average": "average risk of being found", "highest": "highest risk of being found"}
COLUMNS = {
    "take": "take it",
    "words": "levels",
    "loss": "loss",
    "average": "average risk",
    "highest": "highest risk",
    "left out": "rows left out",
}
TAKE = """<q-td :props="props"><q-btn flat dense no-caps color="primary"
  :aria-label="'take choice ' + props.row.place" :disable="props.row.taken"
  @click="$parent.$emit('take', props.row.place)">{{ props.row.taken ? 'Taken' : 'Take' }}</q-btn>
</q-td>"""
Choice = dict[str, Any]


def is_on(recipe: Recipe) -> bool:
    """Tell whether every column is to stand at one level."""
    return _name(recipe.method) == METHOD


def wanted(desk: Desk) -> dict[str, Any] | None:
    """Return what the choices are computed from; None where nothing can be computed yet."""
    recipe = desk.recipe
    if desk.sheet is None or not recipe.quasi or not is_on(recipe) or problems_of(recipe):
        return None
    asked = {name: value for name, value in recipe.as_dict().items() if name != "seed"}
    asked["method"] = without_levels(recipe.method)
    return {"table": str(desk.sheet.path), "recipe": asked}


def said(levels: list[int], every: list[dict[str, Any]]) -> str:
    """Say the level of each column in one line.

    >>> said([1], [{"column": "age", "rungs": ["as it is", "bands of 5"]}])
    'age: bands of 5'
    """
    pairs = zip(every, levels, strict=True)
    return "; ".join(f"{one['column']}: {one['rungs'][level]}" for one, level in pairs)


def same_bands(desk: Desk) -> None:
    """Draw the switch, and the choices where it is on."""
    ui.label("The same bands for everyone").classes("side-title")

    def switched(on: bool) -> None:
        if on != is_on(desk.recipe):
            ask(desk, method=METHOD if on else Recipe().method)

    switch = ui.switch(
        f"One level for each column in all rows ({METHOD})",
        on_change=lambda event: switched(bool(event.value)),
    )
    switch.props('data-testid="same-bands"')
    ui.label(MEANT).classes("faint")
    place = ui.element("div").classes("stack")
    with place:
        LevelChoices(desk)

    def follow() -> None:
        switch.set_value(is_on(desk.recipe))
        place.set_visibility(is_on(desk.recipe))

    listen(desk, follow)


class LevelChoices:
    """Draw the choices as dots and as a table, and the ladders of the one that is taken."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.wanted: dict[str, Any] | None = None
        self.due = 0.0
        self.drawn: Any = None
        self._progress()
        self.risk = ui.toggle(RISKS, value="average", on_change=lambda: self._draw())
        self.risk.props("dense no-caps flat")
        self.chart = chart(scatter([], "loss", "risk", None), 300, "Loss and risk of each choice")
        self.chart.on_point_click(lambda event: self._take(event.data_index + 1))
        self.problem = ui.label().classes("problem")
        self.taken = ui.label().props('aria-live="polite" data-testid="levels-taken"')
        self.free = ui.button("Let the best be taken", on_click=self._let_free)
        self.free.props('flat dense no-caps data-testid="levels-free"')
        self.ladders = ui.element("div").props('data-testid="levels-ladders"')
        self._table()
        listen(desk, self._heard)
        ui.timer(OFTEN, self._tick)

    def _progress(self) -> None:
        with ui.element("div").classes("progress"):
            self.state = ui.label().props('aria-live="polite" data-testid="levels-state"')
            self.bar = ui.linear_progress(show_value=False).props('aria-label="levels"')
            self.stop = ui.button("Stop", on_click=self._cancel).props("flat dense")
            self.again = ui.button("Compute", on_click=self._start).props("flat dense")

    def _table(self) -> None:
        columns = [
            {"name": name, "field": name, "label": label, "align": "left"}
            for name, label in COLUMNS.items()
        ]
        with ui.expansion("The same as a table").props('dense data-testid="levels-table"'):
            self.table = ui.table(columns=columns, rows=[], row_key="place")
            self.table.props("flat dense wrap-cells").classes("figures")
            self.table.add_slot("body-cell-take", TAKE)
            self.table.on("take", lambda event: self._take(event.args))

    def _heard(self) -> None:
        """Note a change, and wait whether it stays."""
        now = wanted(self.desk)
        if now != self.wanted:
            self.wanted = now
            self.due = time.monotonic() + WAIT
        self._draw()

    def _tick(self) -> None:
        job = self.desk.jobs.get(PURPOSE)
        stale = job is None or job.asked != self.wanted
        if self.wanted is not None and stale and time.monotonic() >= self.due:
            self._start()
        self._draw()

    def _start(self) -> None:
        if self.wanted is not None:
            self.desk.start(PURPOSE, "levels", **self.wanted)

    def _cancel(self) -> None:
        if PURPOSE in self.desk.jobs:
            self.desk.jobs[PURPOSE].cancel()

    @property
    def _job(self) -> Job | None:
        """Return the job whose result is about what is asked now."""
        job = self.desk.jobs.get(PURPOSE)
        if job is None or job.asked != self.wanted:
            return None
        return job

    @property
    def _told(self) -> dict[str, Any]:
        """Return the choices and ladders that the job has told; none before it has."""
        job = self._job
        return (job and job.result) or {"choices": [], "ladders": []}

    def _take(self, place: Any) -> None:
        """Fix the levels of a choice, counted from 1."""
        choices = self._told["choices"]
        if isinstance(place, int) and 0 < place <= len(choices):
            levels = dict(zip(self.desk.recipe.quasi, choices[place - 1]["levels"], strict=True))
            try:
                method = at_levels(without_levels(self.desk.recipe.method), levels)
            except ShoalError as refusal:
                ui.notify(in_words(refusal), type="negative", classes="multi-line")
            else:
                ask(self.desk, method=method)

    def _let_free(self) -> None:
        ask(self.desk, method=without_levels(self.desk.recipe.method))

    def _draw(self) -> None:
        """Show what is known, if it differs from what is shown."""
        job = self._job
        told = job and (id(job), job.state, job.stage, job.share)
        seen = (told, self.wanted is None, self.desk.recipe.method, self.risk.value)
        if is_on(self.desk.recipe) and seen != self.drawn:
            self.drawn = seen
            self._say(job)
            self._plot()

    def _say(self, job: Job | None) -> None:
        running = job is not None and not job.over
        self.state.set_text(_state(job, self._told))
        self.bar.set_visibility(running)
        self.bar.set_value(job.share if job else 0.0)
        self.stop.set_visibility(running)
        self.again.set_visibility(job is not None and job.state in ("cancelled", "failed"))
        self.problem.set_text((job and job.problem) or "")

    def _plot(self) -> None:
        choices: list[Choice] = self._told["choices"]
        every = self._told["ladders"]
        taken = place_of(self.desk.recipe, choices)
        fixed = without_levels(self.desk.recipe.method) != self.desk.recipe.method
        risk = str(self.risk.value)
        words = [said(choice["levels"], every) for choice in choices]
        points = [
            {"x": choice["loss"], "y": choice[risk], "words": _tip(choice, line)}
            for choice, line in zip(choices, words, strict=True)
        ]
        self.chart.options.clear()
        self.chart.options.update(scatter(points, "loss of a cell", RISKS[risk], taken))
        self.chart.update()
        self.table.rows = [
            {
                "place": place + 1,
                "taken": place == taken,
                "words": line,
                **{name: shown(choice[name]) for name in COLUMNS if name in choice},
            }
            for place, (choice, line) in enumerate(zip(choices, words, strict=True))
        ]
        self.table.update()
        self.free.set_visibility(fixed)
        self.taken.set_text(_taken(words, taken, fixed=fixed))
        self.ladders.clear()
        if taken is not None:
            steps = zip(every, choices[taken]["levels"], strict=True)
            with self.ladders:
                ladders([{**one, "taken": level} for one, level in steps])


def place_of(recipe: Recipe, choices: list[Choice]) -> int | None:
    """Find the choice that the recipe asks for: the best one unless levels are fixed."""
    if without_levels(recipe.method) == recipe.method:
        return 0 if choices else None
    for place, choice in enumerate(choices):
        levels = dict(zip(recipe.quasi, choice["levels"], strict=True))
        try:
            if at_levels(without_levels(recipe.method), levels) == recipe.method:
                return place
        except ShoalError:
            continue
    return None


def _name(method: str) -> str:
    try:
        return registry.parse(method)[0]
    except ShoalError:
        return method


def _tip(choice: Choice, words: str) -> str:
    """Say what a dot stands for, a line for each column."""
    levels = words.replace("; ", "\n")
    return f"{levels}\nloss {shown(choice['loss'])}, rows left out {choice['left out']:,}"


def _taken(words: list[str], taken: int | None, *, fixed: bool) -> str:
    if taken is None:
        return "The levels that you took are none of these." * bool(fixed and words)
    return f"{('The best', 'Taken by you')[fixed]}: {words[taken]}"


def _state(job: Job | None, told: dict[str, Any]) -> str:
    if job is None:
        return "It needs quasi-identifiers and a recipe without problems."
    if told["choices"]:
        shares = f"{len(told['choices'])} best of {told['nodes']:,} choices of levels"
        return f"The {shares}. Click a dot to take it; of equal loss, lower is safer."
    return job.waiting_for or ENDED.get(job.state, f"Computing: {job.stage or 'beginning'}.")
