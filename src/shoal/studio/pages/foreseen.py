"""Foreseen: says before a run who would be below k over all releases, and what would change it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from nicegui import ui

from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.frame import listen
from shoal.studio.jobs import COMPILING
from shoal.studio.ledger_choice import LedgerChoice
from shoal.studio.pages.background import Asked, Background
from shoal.studio.pages.checking import problems_of
from shoal.studio.words import percent

PURPOSE = "foresee"
LARGE = 100_000  # rows from which on nobody waits for it unasked
NOBODY = (
    "A ledger has to know who is who: choose the column that tells people apart (Protection, "
    "Published before)."
)
AT_WORK = "It is being counted what this release and earlier ones tell together ..."
COSTLY = (
    "What this release and earlier ones tell together is not counted by itself: with {rows:,} rows "
    "that takes about as long as two runs with little effort. The run counts it in any case."
)
CONSEQUENCE = {
    "guard": "A run would be refused as it stands.",
    "measure": "It would be published all the same, and written down.",
    "sticky": "Sticky groups are asked for.",
}
Told = Mapping[str, Any]


def lacking(desk: Desk) -> list[str]:
    """List what keeps a desk from holding a release against its ledger."""
    if desk.ledger is None or desk.recipe.person is not None:
        return []
    return [NOBODY]


def headline(told: Told, ledger: LedgerChoice) -> str:
    """Say in one sentence who would be below k, and what then happens.

    >>> told = {"releases": 2, "exposed": 33, "k": 5}
    >>> headline(told, LedgerChoice(place="ward.ledger")).partition(". ")[0]
    'Together with 2 earlier releases, about 33 people would be in the company of fewer than 5'
    """
    releases = told["releases"]
    if not releases:
        return "Nothing was published before: this release will be the first in the ledger."
    beside = f"ogether with {_earlier(releases)}"
    if not told["exposed"]:
        return f"T{beside}, nobody would be in the company of fewer than {told['k']:,}."
    begun = f"T{beside}" if ledger.across != "sticky" else f"Without sticky groups, t{beside}"
    people = f"{told['exposed']:,} {'person' if told['exposed'] == 1 else 'people'}"
    said = f"about {people} would be in the company of fewer than {told['k']:,}"
    return f"{begun}, {said}. {CONSEQUENCE[ledger.across]}"


def _earlier(releases: int) -> str:
    return f"{releases:,} earlier release{'' if releases == 1 else 's'}"


def waiting(told: Told) -> str:
    """Say whom waiting would hide."""
    moved = told["only_moved"]
    others = told["exposed"] - moved
    if not moved:
        return "Waiting helps none of them: they are grouped with others than before."
    hidden = f"Waiting until more people have joined or left hides {moved:,} of them at best"
    if not others:
        return f"{hidden}."
    return f"{hidden}; {others:,} are grouped with others than before."


def rounding(told: Told) -> str:
    """Say whom rounding would hide, as far as it can be told."""
    if told["by_boxes"] is None:
        return "Rounding helps none of them: who joined or left is seen without knowing any row."
    still = f"{told['by_boxes']:,} of 100 people who are grouped with others would be below"
    return (
        "Rounding numbers that are published as they are makes rows harder to recognize. Even if "
        f"nobody recognized one, {still} {told['k']:,} by their cells; the guard does not count on "
        "it."
    )


def sticky(told: Told) -> str:
    """Say what sticky groups cost, once they were tried."""
    tried = told.get("sticky")
    if tried is None:
        return "Sticky groups are being tried ..."
    if "refused" in tried:
        return f"Sticky groups can't be had: {tried['refused']}."
    said = f"Sticky groups leave nobody below {told['k']:,}"
    if tried["loss"] is not None and told["loss"] is not None:
        said += (
            f"; a cell loses {percent(tried['loss'])} of its detail, not {percent(told['loss'])}"
        )
    if tried["waiting"]:
        said += f"; {tried['waiting']:,} people wait for a later release"
    if tried["out"]:
        said += f"; {tried['out']:,} are no longer published, as others left their groups"
    return f"{said}."


def together(run: StudioRun) -> str:
    """Say what a release that was made tells together with earlier ones."""
    told = run.told.get("facts", {}).get("together")
    if run.ledger is None or told is None:
        return ""
    earlier = told["releases"]
    if not earlier:
        return f"Nothing stood in {run.ledger.name} before: this release will be the first."
    beside = f"Together with {_earlier(earlier)}"
    lacking = [
        (told["people below k"], f"people share all groups with fewer than {run.recipe.k:,}"),
        (told["newcomers below k"], "joined with too few others"),
        (told["leavers below k"], "left with too few others"),
    ]
    said = "; ".join(f"{count:,} {words}" for count, words in lacking if count)
    if not said:
        least = told["k over all releases"]
        said = f"everybody shares all groups with at least {least:,} people"
    if told["waiting"]:
        said += f"; {told['waiting']:,} people wait for a later one"
    return f"{beside}: {said}."


def foreseen(desk: Desk) -> None:
    """Draw the sentence, and what would change it."""
    Foreseen(desk)


class Foreseen:
    """Follow what is asked, and draw what it would tell."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.by_hand = False
        self.place = ui.element("div").classes("paper stack").props('data-testid="foreseen"')
        self.shown: object = None
        self.work = Background(desk, PURPOSE, PURPOSE, self._wanted, self._draw)
        self.work.follow()
        listen(desk, self._draw)

    @property
    def _rows(self) -> int:
        return 0 if self.desk.sheet is None else self.desk.sheet.table.num_rows

    def _wanted(self) -> Asked | None:
        """Return what is to be foreseen; None where that means nothing, or takes long."""
        desk = self.desk
        if desk.ledger is None or desk.sheet is None or lacking(desk):
            return None
        if problems_of(desk.recipe, desk.sheet) or (self._rows > LARGE and not self.by_hand):
            return None
        asked = msgspec.structs.replace(desk.ledger, across="guard")  # every mode is told
        recipe = desk.recipe.as_dict()
        return {"table": str(desk.sheet.path), "recipe": recipe, "ledger": asked.as_dict()}

    def _told(self) -> Told:
        """Return all that is known so far."""
        job = self.work.job
        told = self.work.told[-1] if self.work.told else {}
        return {**told, **(job.result or {})} if job is not None else {}

    def _draw(self) -> None:
        ledger = self.desk.ledger
        self.place.set_visibility(ledger is not None and bool(self.desk.recipe.quasi))
        job = self.work.job
        state = job and (job.state, job.compiling)
        now = (ledger, self._told(), state, lacking(self.desk), self.by_hand)
        if ledger is None or now == self.shown:
            return
        self.shown = now
        self.place.clear()
        with self.place:
            ui.label("Together with earlier releases").classes("side-title")
            self._say(ledger)

    def _say(self, ledger: LedgerChoice) -> None:
        told = self._told()
        job = self.work.job
        if told:
            self._outcome(told, ledger)
        elif lacking(self.desk):
            ui.label(NOBODY).classes("warn")
        elif self._rows > LARGE and not self.by_hand:
            ui.label(COSTLY.format(rows=self._rows)).classes("faint")
            with ui.element("div").classes("choices"):
                button = ui.button("Count it now", on_click=self._count)
                button.props('outline no-caps data-testid="foresee-now"')
        elif job is not None and job.problem:
            ui.label(job.problem).classes("problem").props('role="alert"')
        else:
            is_cold = job is not None and job.compiling
            ui.label(f"{AT_WORK} {COMPILING}" if is_cold else AT_WORK).classes("faint")

    def _outcome(self, told: Told, ledger: LedgerChoice) -> None:
        words = ui.label(headline(told, ledger)).props('aria-live="polite"')
        words.props('data-testid="foreseen-words"')
        if not told["exposed"]:
            return
        words.classes("side-title warn")
        for said in (waiting(told), rounding(told), sticky(told)):
            ui.label(f"• {said}")
        if ledger.across != "sticky" and "loss" in told.get("sticky", {}):
            with ui.element("div").classes("choices"):
                button = ui.button("Keep people in their groups", on_click=self._stick)
                button.props('outline no-caps data-testid="stick"')

    def _count(self) -> None:
        self.by_hand = True
        self.work.hear()

    def _stick(self) -> None:
        """Ask for sticky groups; undo brings back what was."""
        if self.desk.ledger is not None:
            told = self._told().get("sticky", {})
            leavers = self.desk.ledger.leavers or (told.get("leavers") if told["out"] else None)
            self.desk.choose_ledger(
                msgspec.structs.replace(self.desk.ledger, across="sticky", leavers=leavers)
            )
            ui.notify("People stay in the groups they were published in. Run makes the release.")
