"""Background: keeps one job going that follows the recipe, and draws what it has told.

A job is begun anew when anything that matters to it has changed and stayed so for a moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from shoal.studio.desk import Desk
from shoal.studio.frame import OFTEN, listen
from shoal.studio.jobs import Job

WAIT = 0.7  # seconds without a change
Asked = Mapping[str, Any]


class Background:
    """Start the job for what is wanted now, and call `draw` whenever there is news of it."""

    def __init__(
        self,
        desk: Desk,
        purpose: str,
        do: str,
        wanted: Callable[[], Asked | None],
        draw: Callable[[], None],
    ) -> None:
        self.desk = desk
        self.purpose = purpose
        self.do = do
        self.ask = wanted
        self.draw = draw
        self.wait = WAIT
        self.is_patient = False
        """Whether a job that is under way is waited for, as it is short, and not cancelled."""
        self.wanted: Asked | None = None
        self.due = 0.0
        self.seen: object = ()

    def follow(self) -> None:
        """Follow the desk from now on, while the present element is shown."""
        listen(self.desk, self.hear)
        ui.timer(min(OFTEN, self.wait), self._tick)

    @property
    def job(self) -> Job | None:
        """Return the job about what is wanted now; None before there is one."""
        job = self.desk.jobs.get(self.purpose)
        return job if job is not None and job.asked == self.wanted else None

    @property
    def told(self) -> list[dict[str, Any]]:
        """Return what the present job has told so far."""
        return self.job.told if self.job is not None else []

    def start(self) -> None:
        """Begin the job anew."""
        if self.wanted is not None:
            self.desk.start(self.purpose, self.do, **self.wanted)
        self._show()

    def cancel(self) -> None:
        """End the job."""
        if self.purpose in self.desk.jobs:
            self.desk.jobs[self.purpose].cancel()
        self._show()

    def hear(self) -> None:
        """Note what is wanted now, and wait whether it stays."""
        now = self.ask()
        if now != self.wanted:
            self.wanted = now
            self.due = time.monotonic() + self.wait
        self._show()

    def _tick(self) -> None:
        other = self.desk.jobs.get(self.purpose)
        busy = self.is_patient and other is not None and not other.over
        due = self.wanted is not None and self.job is None and time.monotonic() >= self.due
        if due and not busy:
            self.start()
        self._show()

    def _show(self) -> None:
        """Draw anew where something differs from what is shown."""
        job = self.job
        news = (
            id(job),
            self.wanted is None,
            job and (job.state, job.stage, job.share, len(job.told), job.waiting_for),
            id(self.desk.recipe),
        )
        if news != self.seen:
            self.seen = news
            self.draw()
