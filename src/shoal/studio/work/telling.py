"""Telling: what a worker says on its way, one JSON object a line."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import IO, Any

from shoal.groups import Watch

OFTEN = 0.1  # seconds between two shares


class Tell:
    """What is handed to a task; called with the name of a stage it is the progress that
    `shoal.anonymize` takes.
    """

    def __init__(self, to: IO[str]) -> None:
        self.to = to
        self.last = 0.0

    def __call__(self, stage: str) -> Watch:
        """A stage begins."""
        self.say("stage", name=stage)
        return self.share

    def share(self, share: float, loss: float | None = None) -> None:
        """How far the stage is, and what the groups found so far lose."""
        if time.monotonic() - self.last >= OFTEN:
            self.last = time.monotonic()
            self.say("share", share=float(share), loss=None if loss is None else float(loss))

    def say(self, says: str, **told: Any) -> None:
        """Anything else: a point of a curve, say."""
        self.to.write(json.dumps({"says": says, **told}, allow_nan=False) + "\n")
        self.to.flush()

    def done(self, result: Mapping[str, Any]) -> None:
        """The end, when all went well."""
        self.say("done", result=result)
