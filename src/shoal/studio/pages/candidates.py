"""Candidates: draws all runs and cheap tries as dots of risk against loss, to take one of them.

Tries are computed on a sample when someone asks for them: several k, without and with each promise,
bands of the groups' own or the same for everyone. They stay while one after the other is taken, and
go when anything else is asked that moves them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from shoal import registry
from shoal.privacy.model import Model
from shoal.recipe import Recipe
from shoal.screen import one_in
from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.frame import OFTEN, listen
from shoal.studio.jobs import Job
from shoal.studio.pages.charts import chart, scatter_of_kinds
from shoal.studio.pages.checking import choose_k, problems_of
from shoal.studio.pages.promised import spoken
from shoal.studio.pages.protection_models import RECOMMENDED, refusal, starts
from shoal.studio.pages.run_figures import loss_of, risk_of
from shoal.studio.words import percent
from shoal.studio.work.candidates import is_uniform

PURPOSE = "candidates"
CHOSEN = ("k", "preset", "seed", "models", "method")  # what a candidate chooses by itself
KINDS = {  # the kinds of dots: their names, and their shapes
    "run": ("your runs", "diamond"),
    "local": ("tried: bands that fit each group", "circle"),
    "uniform": ("tried: the same bands for everyone", "rect"),
}
MEANT = (
    "Each dot is a release that you have made or could make. Further left keeps more detail, "
    "further down is safer. Click a dot to take its settings; undo brings yours back."
)
RISKS = {
    "highest": "finding the easiest person",
    "average": "finding a person, on average",
    "guessed": "guessing a sensitive value",
}
IN_RUNS = {"average": "average-prosecutor-risk", "guessed": "best-guess"}
COLUMNS = {
    "take": "take it",
    "kind": "what it is",
    "words": "settings",
    "loss": "detail lost",
    **RISKS,
}
TAKE = """<q-td :props="props"><q-btn flat dense no-caps color="primary"
  :aria-label="'take ' + props.row.words" :disable="props.row.taken"
  @click="$parent.$emit('take', props.row.place)">{{ props.row.taken ? 'Taken' : 'Take' }}</q-btn>
</q-td>"""


@dataclass(frozen=True)
class Candidate:
    """A release that was made or could be made: its settings, its loss and its risks."""

    kind: str
    title: str
    k: int
    models: tuple[str, ...]
    method: str
    loss: float
    risks: Mapping[str, float | None]
    recipe: Recipe | None = None
    """All settings, of a run."""

    @property
    def words(self) -> str:
        """Say its settings in one line."""
        said = [f"k = {self.k:,}", *map(spoken, self.models)]
        if not self.models:
            said.append("no further promise")
        if is_uniform(self.method):
            said.append("the same bands for everyone")
        return "; ".join([self.title, *said] if self.title else said)

    def is_asked(self, recipe: Recipe) -> bool:
        """Tell whether these settings are the ones that are asked for now."""
        if self.recipe is not None:
            return self.recipe == recipe
        asked = (recipe.k, sorted(recipe.models), recipe.method)
        return asked == (self.k, sorted(self.models), self.method)


def promises_of(recipe: Recipe) -> list[list[str]]:
    """List the promises that are tried: those asked for, each left out, and each one more."""
    asked = list(recipe.models)
    tried = [asked, *([one for one in asked if one != left_out] for left_out in asked)]
    known = registry.names(Model)
    there = {registry.parse(text)[0] for text in asked}
    for name in RECOMMENDED if recipe.sensitive else ():
        model = known[name]
        if name not in there and refusal(recipe, model) is None:
            tried.append([*asked, registry.spell(registry.create(Model, name, starts(model)))])
    return tried


def moving(recipe: Recipe) -> dict[str, Any]:
    """Return the fields of a recipe that move the dots."""
    return {name: value for name, value in recipe.as_dict().items() if name not in CHOSEN}


def of_run(run: StudioRun, importance: Mapping[str, float]) -> Candidate | None:
    """Return a run as a candidate; None where its loss is not known."""
    loss = loss_of(run, importance)
    if loss is None:
        return None
    risks: dict[str, float | None] = {"highest": risk_of(run, "after")}
    told = run.told.get("facts", {}).get("risks", ())
    for name, risk in IN_RUNS.items():
        known = [one["after"] for one in told if one["name"] == risk and one["after"] is not None]
        risks[name] = max(known, default=None)
    recipe = run.recipe
    return Candidate("run", run.title, recipe.k, recipe.models, recipe.method, loss, risks, recipe)


def of_try(told: Mapping[str, Any]) -> Candidate | None:
    """Return what was tried as a candidate; None where it can't be had."""
    if "refused" in told:
        return None
    return Candidate(
        "uniform" if is_uniform(told["method"]) else "local",
        "",
        told["k"],
        tuple(told["models"]),
        told["method"],
        told["loss"],
        {name: told[name] for name in RISKS},
    )


def candidates(desk: Desk) -> None:
    """Draw the candidates, once something can be tried."""
    with ui.element("div").classes("paper stack").props('data-testid="candidates"') as place:
        ui.label("Candidates at a glance").classes("side-title")
        ui.label(MEANT).classes("faint")
        CandidatePicture(desk)

    def follow() -> None:
        place.set_visibility(desk.sheet is not None and bool(desk.recipe.quasi))

    listen(desk, follow)


class CandidatePicture:
    """Draw dots and a table of them, and how far tries have come."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.seen: object = ()
        self.shown: list[Candidate] = []
        with ui.element("div").classes("choices"):
            self.start = ui.button("Try other choices", on_click=self._start)
            self.start.props('outline no-caps data-testid="candidates-start"')
            self.stop = ui.button("Stop", on_click=self._stop).props("flat no-caps")
            self.risk = ui.toggle(RISKS, value="highest", on_change=lambda: self._draw())
            self.risk.props("dense no-caps flat").props["aria-label"] = "the risk that is shown"
        self.state = ui.label().classes("faint").props('aria-live="polite"')
        self.state.props('data-testid="candidates-state"')
        with ui.element("div") as self.picture:
            self.chart = chart(scatter_of_kinds({}, "", ""), 360, "Risk and loss of each candidate")
            self.chart.on_point_click(lambda event: self._clicked(event.series_name, event.name))
            self._table()
        listen(desk, self._draw)
        ui.timer(OFTEN, self._draw)

    def _table(self) -> None:
        columns = [
            {"name": name, "field": name, "label": label, "align": "left"}
            for name, label in COLUMNS.items()
        ]
        with ui.expansion("The same as a table").props('dense data-testid="candidates-table"'):
            self.table = ui.table(columns=columns, rows=[], row_key="place")
            self.table.props("flat dense wrap-cells").classes("figures")
            self.table.add_slot("body-cell-take", TAKE)
            self.table.on("take", lambda event: self._take(event.args))

    @property
    def _job(self) -> Job | None:
        """Return the job whose tries are about what is asked now."""
        job = self.desk.jobs.get(PURPOSE)
        if job is None or self.desk.sheet is None:
            return None
        same = moving(Recipe.of(**job.asked["recipe"])) == moving(self.desk.recipe)
        return job if same and job.asked["table"] == str(self.desk.sheet.path) else None

    def _start(self) -> None:
        desk = self.desk
        if desk.sheet is not None and not problems_of(desk.recipe, desk.sheet):
            recipe = {**desk.recipe.as_dict(), "seed": None}
            table = str(desk.sheet.path)
            promises = promises_of(desk.recipe)
            desk.start(PURPOSE, "candidates", table=table, recipe=recipe, promises=promises)
        self._draw()

    def _stop(self) -> None:
        if PURPOSE in self.desk.jobs:
            self.desk.jobs[PURPOSE].cancel()
        self._draw()

    def _candidates(self) -> Iterator[Candidate]:
        importance = self.desk.recipe.importance
        made = [of_run(run, importance) for run in self.desk.finished]
        job = self._job
        tried = [of_try(told) for told in job.told] if job is not None else []
        yield from filter(None, [*made, *tried])

    def _clicked(self, kind: str, words: str) -> None:
        """Take the dot that was clicked, by the words that are shown for it."""
        for place, one in enumerate(self.shown):
            if KINDS[one.kind][0] == kind and _tip(one) == words:
                self._take(place)
                return

    def _take(self, place: Any) -> None:
        if not isinstance(place, int) or not 0 <= place < len(self.shown):
            return
        one = self.shown[place]
        if one.recipe is not None:
            self.desk.put(one.recipe)
        else:
            choose_k(self.desk, one.k, models=list(one.models), method=one.method)
        ui.notify(f"Asked for now: {one.words}. Run makes the release.")

    def _draw(self) -> None:
        """Show what is known, if it differs from what is shown."""
        job = self._job
        told = job and (id(job), job.state, job.stage, len(job.told))
        runs = [run.number for run in self.desk.finished]
        news = (told, runs, id(self.desk.recipe), self.risk.value)
        if news == self.seen:
            return
        self.seen = news
        self.shown = list(self._candidates())
        busy = job is not None and not job.over
        self.start.set_visibility(not busy)
        self.stop.set_visibility(busy)
        self.state.set_text(_state(job, self.desk))
        self.picture.set_visibility(bool(self.shown))
        self._plot(str(self.risk.value))
        self._list()

    def _plot(self, risk: str) -> None:
        drawn = {}
        for kind, (name, shape) in KINDS.items():
            points = [
                {
                    "x": 100 * one.loss,
                    "y": 100 * (one.risks[risk] or 0),
                    "words": _tip(one),
                    "taken": one.is_asked(self.desk.recipe),
                    "label": one.title,
                }
                for one in self.shown
                if one.kind == kind and one.risks.get(risk) is not None
            ]
            drawn[name] = (points, shape)
        self.chart.options.clear()
        across = "detail that a cell lost, in percent"
        self.chart.options.update(scatter_of_kinds(drawn, across, f"{RISKS[risk]}, in percent"))
        self.chart.update()

    def _list(self) -> None:
        rows = [
            {
                "place": place,
                "taken": one.is_asked(self.desk.recipe),
                "kind": KINDS[one.kind][0],
                "words": one.words,
                "loss": percent(one.loss),
                **{name: _chance(name, one.risks.get(name)) for name in RISKS},
            }
            for place, one in enumerate(self.shown)
        ]
        if rows != self.table.rows:  # drawn anew under a click, its buttons would lose that click
            self.table.rows = rows
            self.table.update()


def _chance(name: str, risk: float | None) -> str:
    """Say a risk for people: a share of right guesses, or a chance to find someone.

    >>> _chance("highest", 0.2), _chance("guessed", 0.55), _chance("guessed", None)
    ('20 % (1 in 5)', '55 %', '-')
    """
    if risk is None:
        return "-"
    if name == "guessed" or not 0 < risk < 1:
        return percent(risk)
    return f"{percent(risk)} ({one_in(risk)})"


def _tip(one: Candidate) -> str:
    """Say what a dot stands for, a line for each thing."""
    risks = [
        f"{words}: {_chance(name, one.risks[name])}"
        for name, words in RISKS.items()
        if one.risks.get(name)
    ]
    return "\n".join([*one.words.split("; "), f"detail lost: {percent(one.loss)}", *risks])


def _state(job: Job | None, desk: Desk) -> str:
    """Say how far tries have come, and what they were tried on."""
    if job is None:
        if PURPOSE in desk.jobs:
            return "What is asked has changed since others were tried: try them again."
        return "Nothing else was tried yet: that takes some seconds, on a sample of your table."
    if not job.told:
        return job.problem or job.waiting_for or "Stopped."
    first = job.told[0]
    refused = sum("refused" in one for one in job.told)
    part = f"{first['rows']:,} of {first['of']:,} rows: a run loses less"
    whole = f"all {first['rows']:,} rows, with little effort: a run loses a little less"
    said = f"{len(job.told)} choices tried on {part if first['rows'] < first['of'] else whole}."
    if refused:
        said += f" {refused} can't be had."
    return said if job.over else f"{said} Going on ..."
