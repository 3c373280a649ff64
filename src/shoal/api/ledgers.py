"""Ledgers at the door: what a release is compared with, and how it is written down."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.adapters.ledgers import LedgerFile
from shoal.adapters.ledgers.entries import Entry
from shoal.adapters.ledgers.ledger_file import EVERYBODY
from shoal.adapters.ledgers.prepared import Prepared
from shoal.adapters.ledgers.recording import Recording, recording
from shoal.engines.local.members import unnamed_people
from shoal.errors import RecipeError
from shoal.flows.port import Outcome
from shoal.groups import Note
from shoal.ledger.across import EarlierReleases, Leavers
from shoal.ledger.past import Past
from shoal.recipe import Recipe, Run
from shoal.review.across_releases import Mode
from shoal.wording import FILE, Option, Remedy, Sentence, Set


@dataclass(frozen=True)
class LedgerAsked:
    """Options about several releases, before anything is opened."""

    ledger: str | Path | None = None
    across: Mode | None = None
    leavers: Leavers | None = None
    wait: int | None = None
    recipient: str | None = None

    def opened(self, recipe: Recipe) -> OpenLedger | None:
        """Open the ledger; None where none is asked for."""
        given = {"across": self.across, "leavers": self.leavers, "wait": self.wait}
        Run.of(**{name: value for name, value in given.items() if value is not None})
        self._refuse_senseless(recipe)
        if self.ledger is None:
            return None
        ledger = LedgerFile.planned(self.ledger)
        past = ledger.past(self.recipient or EVERYBODY)
        across = EarlierReleases(
            self.across or "guard", past, ledger.hashed, leavers=self.leavers, wait=self.wait or 0
        )
        return OpenLedger(ledger, across, self.recipient or EVERYBODY, is_new=not ledger.is_made)

    def _refuse_senseless(self, recipe: Recipe) -> None:
        """Refuse options that mean nothing together."""
        errors = []
        if self.ledger is None:
            given = {"across": self.across, "leavers": self.leavers, "recipient": self.recipient}
            for name in [name for name, value in given.items() if value is not None]:
                problem = Sentence(Option(name), " is about what was published before")
                errors.append(RecipeError(problem, remedy=Remedy(Set("ledger", FILE))))
        elif recipe.overlaps:
            problem = Sentence(Option("ledger"), " is about releases in groups")
            errors.append(RecipeError(problem, remedy=Remedy(Set("method", "shoal"))))
        elif recipe.person is None:
            errors.append(unnamed_people())
        if (self.wait or self.leavers) and self.across != "sticky":
            staying = "waiting and leaving are about groups that people stay in"
            errors.append(RecipeError(staying, remedy=Remedy(Set("across", "sticky"))))
        if errors:
            raise RecipeError.together(errors)


@dataclass(frozen=True)
class NotRecorded:
    """A release that the ledger has already: another copy of it is nothing new."""

    entry: Entry

    def pending(self, *written: object) -> None:
        """Write nothing down."""


@dataclass(frozen=True)
class OpenLedger:
    """The ledger of a release, and how the release is held against it."""

    ledger: LedgerFile
    across: EarlierReleases
    recipient: str
    is_new: bool = False
    """Whether the ledger is made with this release."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """Say that a new ledger is made, and where its key is."""
        if not self.is_new:
            return ()
        key = f"{self.ledger.place}.key"
        return (
            Note(
                "ledger",
                f"this release begins a new ledger, '{self.ledger.place}', with the key '{key}'; "
                "keep both private, and keep a copy of both",
            ),
        )

    def refuse_twice(self, outcome: Outcome, recipe: Recipe) -> None:
        """Refuse a release that the ledger has already."""
        if _there(self.ledger, self.prepared(outcome, recipe)) is not None:
            facts = {"the ledger": "as it was"}
            raise RecipeError("the ledger has this release already", facts)

    def prepared(self, outcome: Outcome, recipe: Recipe) -> Prepared:
        """Collect what the ledger is to keep of a release."""
        assert outcome.crossed is not None
        published = outcome.crossed.published
        public = outcome.certificate.public
        says: dict[str, Any] = {
            "k": recipe.k,
            "mode": self.across.mode,
            "person": recipe.person,
            "rows": public.rows,
            "rows hash": public.hash,
            "people hash": published.fingerprint,
            "waiting hash": published.waiting_mark,
            "quasi": list(recipe.quasi),
            "sensitive": list(recipe.sensitive),
            "keep": list(recipe.keep),
            "recipe": recipe.to_share(),
            "figures": outcome.crossed.figures,
        }
        compared = self.across.past.numbers_of_releases
        return Prepared.of(published, says, self.recipient, compared, self.ledger.key)

    @contextmanager
    def recorded(self, outcome: Outcome, recipe: Recipe) -> Iterator[Recording | NotRecorded]:
        """Write a release down while its files take their places."""
        assert outcome.crossed is not None
        crossed = outcome.crossed

        def judge(past: Past) -> None:
            self.across.judge(crossed, recipe.k, past)

        self.ledger.make()
        with written_down(self.ledger, self.prepared(outcome, recipe), judge) as record:
            yield record


@contextmanager
def written_down(
    ledger: LedgerFile, prepared: Prepared, judge: Callable[[Past], None]
) -> Iterator[Recording | NotRecorded]:
    """Hold a ledger while the files of a release take their places, and write the release down."""
    with ledger.alone():  # what a killed run left pending is settled before anything is looked up
        there = _there(ledger, prepared)
    if there is not None:  # the same release, written to a second place
        yield NotRecorded(there)
        return
    with recording(ledger, prepared.published, prepared.says, prepared.recipient, judge) as record:
        yield record


def _there(ledger: LedgerFile, prepared: Prepared) -> Entry | None:
    """Find the entry of these people in these rows, for this recipient; None without one.

    While somebody waits, rows like those of an earlier release are a release of their own.
    """
    marks = ("rows hash", "people hash", "waiting hash")
    wanted = [prepared.says[mark] for mark in marks]
    return next(
        (
            each.entry
            for each in ledger.listed()
            if each.counts
            and [each.entry.says.get(mark) for mark in marks] == wanted
            and each.entry.says["recipient"] == prepared.recipient
        ),
        None,
    )
