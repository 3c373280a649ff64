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

    def __call__(self, stage: str) -> Watch:
        """Report that a stage begins."""
        self.say("stage", name=stage)
        return self.share

    def share(self, share: float, loss: float | None = None) -> None:
        """Report the share of the stage that is done, and the loss of the groups so far."""
        if time.monotonic() - self.last >= OFTEN:
            self.last = time.monotonic()
            self.say("share", share=float(share), loss=None if loss is None else float(loss))

    def say(self, says: str, **told: Any) -> None:
        """Report anything else: a point of a curve, say."""
        self.to.write(json.dumps({"says": says, **told}, allow_nan=False) + "\n")
        self.to.flush()
