"""Rounds: a search that need not settle; it keeps the best groups and knows when to stop.

The methods with centres promise to go on until nothing moves; adjustment breaks the descent that
such a promise rests on. So a search stops after the rounds it was given, when groups come back that
were there before, or when five rounds in a row have not lowered the squared error; and its result
is the best round, not the last.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from shoal.arrays import Labels
from shoal.groups import Groups, Note, Watch, within

PATIENCE = 5


@dataclass
class Rounds:
    """State of a search that goes in rounds."""

    most: int
    done: int = 0
    best: Labels = field(default_factory=lambda: np.zeros(0, np.int32))
    best_round: int = 0
    error: float = float("inf")
    why: str = ""
    seen: dict[bytes, int] = field(default_factory=dict)

    def over(self, labels: Labels, error: float) -> bool:
        """Take note of a round; tell whether it was the last."""
        self.done += 1
        if error < self.error:
            self.best = labels.copy()
            self.best_round = self.done
            self.error = error
        before = self.seen.setdefault(_print_of(labels), self.done)
        if before < self.done:
            again = (
                "nothing moved"
                if before == self.done - 1
                else f"the groups of iteration {before} came back"
            )
            self.why = again
        elif self.done - self.best_round >= PATIENCE:
            self.why = f"no improvement in {PATIENCE}"
        elif self.done == self.most:
            self.why = "no more were allowed"
        return bool(self.why)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Why it stopped, and which round was the best."""
        return (
            Note("rounds", f"stopped after {self.done} iterations: {self.why}"),
            Note("rounds", f"the best groups are those of iteration {self.best_round}"),
        )

    def watch(self, outer: Watch) -> Watch:
        """Make a watch for this round: its share of all that may come."""
        return within(outer, self.done / self.most, (self.done + 1) / self.most)


def _print_of(labels: Labels) -> bytes:
    """Compute a hash that is equal for equal partitions, whatever the groups are called."""
    return blake2b(Groups.of(labels).labels.tobytes(), digest_size=16).digest()
