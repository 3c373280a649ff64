"""Published before: names the ledger that releases are held against, and shows what is in it."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from nicegui import ui

from shoal.review.across_releases import Mode
from shoal.studio.desk import Desk
from shoal.studio.frame import OFTEN, listen
from shoal.studio.jobs import Job
from shoal.studio.ledger_choice import LedgerChoice, at_home
from shoal.studio.pages.foreseen import PURPOSE, foreseen
from shoal.studio.pages.roles import give
from shoal.studio.pages.timeline import timeline

OPENING = "ledger"  # the purpose of the job that reads a ledger
MEANT = (
    "Two releases about the same people can single people out together, although each is safe. A "
    "ledger is a file that remembers who was published with whom, and no name or value of anyone. "
    "Each release is held against it, and is written into it when you hand it over."
)
KEY = (
    "Its key is {key}: only you may read it. Keep both files private, and keep a copy of both; "
    "without the key the ledger can't be read."
)
NOT_THERE = "There is no ledger {place} yet. Its key would stand beside it, for you alone to read."
HELD: dict[str, str] = {
    "guard": "Refuse a release that leaves people with too few others",
    "measure": "Publish all the same, and write down what it tells",
    "sticky": "Keep people in the groups they were published in",
}
LEFT = {
    "": "ask when it matters",
    "keep": "publish these groups as they were",
    "withdraw": "no longer publish these groups",
}
LONGEST = 1000  # releases that a newcomer may wait


def open_ledger(desk: Desk, place: str, *, make: bool = False) -> None:
    """Read a ledger, and hold releases against it from then on."""
    forget_foreseen(desk)

    def then(job: Job) -> None:
        told = job.result
        if job.state == "done" and told is not None and told["is_there"]:
            _take(desk, told)

    desk.start(OPENING, "ledger", then=then, place=place, make=make)


def forget_foreseen(desk: Desk) -> None:
    """Count anew what would be told: the ledger may hold other releases."""
    job = desk.jobs.pop(PURPOSE, None)
    if job is not None:
        job.cancel()


def _take(desk: Desk, told: dict[str, Any]) -> None:
    """Choose a ledger that was read, and the column that told people apart last time."""
    if desk.sheet is None or (desk.ledger is not None and desk.ledger.place == told["place"]):
        return
    persons = [release["person"] for release in told["releases"]]
    if desk.recipe.person is None and persons and persons[-1] in desk.sheet.columns:
        give(desk, {persons[-1]: "identifier"}, person=persons[-1])
    desk.choose_ledger(LedgerChoice(place=told["place"]))


def published_before(desk: Desk) -> None:
    """Draw the choice of a ledger, its timeline, and what a release would tell beside it."""
    with ui.element("div").classes("paper stack").props('data-testid="published-before"'):
        PublishedBefore(desk)
    foreseen(desk)


class PublishedBefore:
    """Follow the desk's ledger, and the job that reads it."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.seen: object = ()
        self.shown: str | None = None
        ui.label("Published before?").classes("side-title")
        ui.label(MEANT).classes("faint")
        with ui.element("div").classes("choices"):
            self.typed = ui.input("Ledger on this machine", placeholder="~/ward.ledger")
            self.typed.props('dense outlined data-testid="ledger"').classes("w-96")
            self.typed.on("keydown.enter", lambda: self._open())
            opening = ui.button("Open it, or begin one", on_click=lambda: self._open())
            opening.props('outline no-caps data-testid="ledger-open"')
            self.begin = ui.button("Begin this ledger", on_click=lambda: self._open(make=True))
            self.begin.props('unelevated no-caps data-testid="ledger-begin"')
            self.away = ui.button("Take it away", on_click=lambda: desk.choose_ledger(None))
            self.away.props('flat no-caps data-testid="ledger-away"')
        self.now = ui.label().props('aria-live="polite" data-testid="ledger-now"')
        self.problem = ui.label().classes("problem")
        self.problem.props('role="alert" data-testid="ledger-problem"')
        with ui.element("div").classes("columns") as self.how:
            self._how()
        self.releases = ui.element("div").classes("stack")
        if desk.ledger is not None and not self._is_read(desk.ledger):
            open_ledger(desk, desk.ledger.place)
        listen(desk, self._follow)
        ui.timer(OFTEN, self._look)

    def _how(self) -> None:
        """Draw who is who, how releases are held against each other, and who gets this one."""
        columns = self.desk.sheet.columns if self.desk.sheet else []
        choices = {"": "not chosen yet", **{name: name for name in columns}}
        self.person = ui.select(choices, label="Column that tells people apart", value="")
        self.person.props('dense outlined data-testid="ledger-person"')
        self.person.on_value_change(lambda event: self._choose_person(event.value))
        assert set(HELD) == set(get_args(Mode))
        self.across = ui.select(HELD, label="What is done about it", value="guard")
        self.across.props('dense outlined data-testid="across"')
        self.across.on_value_change(lambda event: self._change(across=event.value))
        self.recipient = ui.input("Who gets it (empty: everybody)")
        self.recipient.props('dense outlined debounce=800 data-testid="recipient"')
        self.recipient.on_value_change(
            lambda event: self._change(recipient=(event.value or "").strip() or None)
        )
        self.leavers = ui.select(LEFT, label="Groups that people left", value="")
        self.leavers.props('dense outlined data-testid="leavers"')
        self.leavers.on_value_change(lambda event: self._change(leavers=event.value or None))
        self.wait = ui.number("Releases a newcomer may wait", value=0, min=0, max=LONGEST)
        self.wait.props('dense outlined debounce=800 data-testid="wait"')
        self.wait.on_value_change(lambda event: self._change(wait=_whole(event.value)))

    def _open(self, *, make: bool = False) -> None:
        place = str(self.typed.value or "").strip()
        if place:
            open_ledger(self.desk, place, make=make)
            self._look()

    def _change(self, **fields: Any) -> None:
        if self.desk.ledger is not None:
            self.desk.choose_ledger(msgspec.structs.replace(self.desk.ledger, **fields))

    def _choose_person(self, name: str) -> None:
        if (name or None) != self.desk.recipe.person:
            give(self.desk, {name: "identifier"} if name else {}, person=name or None)

    def _is_read(self, ledger: LedgerChoice) -> bool:
        """Tell whether the job about this ledger is under way, or went well."""
        job = self._job
        if job is None or (job.over and job.result is None):
            return False
        place = job.asked["place"] if job.result is None else job.result["place"]
        return bool(place == ledger.place)

    @property
    def _job(self) -> Job | None:
        return self.desk.jobs.get(OPENING)

    def _follow(self) -> None:
        """Show what is chosen."""
        ledger = self.desk.ledger
        self.away.set_visibility(ledger is not None)
        self.how.set_visibility(ledger is not None)
        if ledger is not None:
            if ledger.place != self.shown:  # what is typed stays, whatever else changes
                self.typed.set_value(ledger.shown)
            self.person.set_value(self.desk.recipe.person or "")
            self.across.set_value(ledger.across)
            self.recipient.set_value(ledger.recipient or "")
            self.leavers.set_value(ledger.leavers or "")
            self.wait.set_value(ledger.wait)
            for field in (self.leavers, self.wait):
                field.set_visibility(ledger.across == "sticky")
            self.shown = ledger.place
        self._look()

    def _look(self) -> None:
        """Show what the job says, where that is new."""
        job = self._job
        ledger = self.desk.ledger
        news = (id(job), job and job.state, ledger and ledger.place)
        if news == self.seen:
            return
        self.seen = news
        told = _told(job)
        missing = bool(told) and not told["is_there"]
        self.begin.set_visibility(missing)
        self.now.set_text(in_words(ledger, job))
        self.problem.set_text((job.problem or "") if job is not None else "")
        self.releases.clear()
        if ledger is not None and told.get("place") == ledger.place and not missing:
            with self.releases:
                timeline(told["releases"])


def in_words(ledger: LedgerChoice | None, job: Job | None) -> str:
    """Say which ledger is open, and where its key is.

    >>> in_words(None, None)
    'No ledger: releases are held against nothing that was published before.'
    """
    if job is not None and not job.over:
        return "The ledger is being read ..."
    told = _told(job)
    if told and not told["is_there"]:
        return NOT_THERE.format(place=at_home(told["place"]))
    if ledger is None:
        return "No ledger: releases are held against nothing that was published before."
    said = f"Held against {ledger.shown}."
    if told.get("place") != ledger.place:
        return said
    return f"{said} {KEY.format(key=at_home(told['key']))}"


def _told(job: Job | None) -> dict[str, Any]:
    """Return what a job found; nothing before it has."""
    if job is None:
        return {}
    return job.result or {}


def _whole(value: float | None) -> int:
    return min(max(int(value or 0), 0), LONGEST)
