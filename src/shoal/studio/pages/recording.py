"""Recording: a release that was held against a ledger is written into it before it is handed over.

Looking at the page publishes nothing; a button does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import ui

from shoal.handover.commands import released_name
from shoal.handover.folder import Handed
from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.frame import OFTEN
from shoal.studio.jobs import Job
from shoal.studio.ledger_choice import LedgerChoice, at_home, recorded
from shoal.studio.pages.published_before import open_ledger

PURPOSE = "record"
FIRST = (
    "The release can be handed over once it stands in {ledger}: the next one is then held against "
    "it. A copy of it stays beside the ledger, as groups that people left may be published from it "
    "again. Write down only what you hand over."
)


def must_be_recorded(run: StudioRun) -> bool:
    """Tell whether a release has a ledger in which it does not stand yet."""
    return run.ledger is not None and recorded(run.folder) is None


def record_first(
    desk: Desk, run: StudioRun, handed: Handed, suffix: str, refresh: Callable[[], object]
) -> None:
    """Offer to write a release into its ledger; call `refresh` once it stands there."""
    ledger = run.ledger
    assert ledger is not None, "a release without a ledger is written into none"
    name = released_name(run.sheet.name, suffix)

    def write() -> None:
        asked = {"folder": str(run.folder), "handed": str(handed.folder), "ledger": ledger.place}
        then = partial(_written, desk)
        run.further[PURPOSE] = desk.shop.start(PURPOSE, then=then, name=name, **asked)
        button.disable()

    with ui.element("div").classes("paper stack").props('data-testid="record-first"'):
        ui.label("Write it into the ledger").classes("side-title")
        ui.label(FIRST.format(ledger=ledger.shown)).classes("faint")
        with ui.element("div").classes("choices"):
            button = ui.button("Write it down, and hand it over", icon="edit_note", on_click=write)
            button.props('unelevated no-caps data-testid="record"')
        problem = ui.element("div").classes("stack")

    def look() -> None:
        job = run.further.get(PURPOSE)
        if job is None or not job.over or job is seen[0]:
            return
        seen[0] = job
        if job.state == "done":
            refresh()
            return
        button.enable()
        problem.clear()
        with problem:
            _refused(desk, run, ledger, job.problem or "It was cancelled.")

    seen: list[Job | None] = [None]
    ui.timer(OFTEN, look)


def _written(desk: Desk, job: Job) -> None:
    """Read the ledger anew, if the desk has it: it holds another release."""
    if job.state == "done" and desk.ledger is not None:
        open_ledger(desk, desk.ledger.place)


def _refused(desk: Desk, run: StudioRun, ledger: LedgerChoice, problem: str) -> None:
    """Say why nothing was written down, and offer to make the release again."""

    def again() -> None:
        desk.put(run.recipe)
        desk.choose_ledger(ledger)
        ui.notify(f"The settings of {run.title} are asked for again. Run compares it anew.")
        ui.navigate.to("/run")

    ui.label(problem).classes("problem").props('role="alert" data-testid="record-problem"')
    ui.button("Make it again with these settings", on_click=again).props("outline no-caps")


def stands_in(run: StudioRun) -> None:
    """Say where a release stands in its ledger, and where its copy is."""
    told = recorded(run.folder)
    if told is None:
        return
    copy = f" Its copy: {at_home(told['file'])}." if told["file"] else ""
    words = f"It stands in {at_home(told['ledger'])} as release {told['number']}.{copy}"
    ui.label(words).classes("good").props('data-testid="recorded"')


def not_compared(desk: Desk, run: StudioRun) -> None:
    """Warn of a release that was not held against the ledger of the desk."""
    if desk.ledger is None or (run.ledger is not None and run.ledger.place == desk.ledger.place):
        return
    with ui.element("div").classes("paper").props('data-testid="not-compared"'):
        words = f"{run.title} was not held against {desk.ledger.name}, and is not written into it."
        ui.label(words).classes("warn")
        ui.link("Make it again", "/run")
