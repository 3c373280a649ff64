"""Telling: writes a worker's reports, one JSON object a line."""

from __future__ import annotations

import json
import time
from typing import IO, Any

from shoal.groups import Watch

OFTEN = 0.1  # seconds between two shares


class Tell:
    """Report the progress of a task.

    Called with the name of a stage, it is the `progress` that `shoal.anonymize` takes.
    """

    def __init__(self, to: IO[str]) -> None:
        self.to = to
        self.last = 0.0
        self.loss: float | None = None
        self.rounds = 0
        """Times that the loss changed in the present stage: each is a better division of a part."""

    def __call__(self, stage: str) -> Watch:
        """Report that a stage begins."""
        self.loss = None
        self.rounds = 0
        self.say("stage", name=stage)
        return self.share

    def share(self, share: float, loss: float | None = None) -> None:
        """Report the share of the stage that is done, and the loss of the groups so far."""
        if loss is not None:
            self.rounds += self.loss is not None and loss != self.loss
            self.loss = float(loss)
        if time.monotonic() - self.last >= OFTEN:
            self.last = time.monotonic()
            told = None if loss is None else float(loss)
            self.say("share", share=float(share), loss=told, rounds=self.rounds)

    def say(self, says: str, **told: Any) -> None:
        """Report anything else: a point of a curve, say."""
        self.to.write(json.dumps({"says": says, **told}, allow_nan=False) + "\n")
        self.to.flush()
