"""Clock: which stage of a flow is at work, how many seconds each took, and the seed of a run."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from shoal.groups import Watch, heard, unwatched
from shoal.recipe import Recipe

Stage = Callable[[str], Watch]
"""Is told the name of the stage that begins; gives back who is told of its progress."""


def unstaged(name: str) -> Watch:
    """Tell nobody which stage begins."""
    return unwatched


def seed_of(recipe: Recipe) -> int:
    """Give the seed that a recipe names, or else one from the operating system."""
    return recipe.seed if recipe.seed is not None else secrets.randbits(63)


@dataclass
class Clock:
    """Tells the watcher which stage begins, and sums up the seconds each took."""

    stage: Stage
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, name: str) -> Iterator[Watch]:
        """Run one stage."""
        start = time.perf_counter()
        yield heard(self.stage(name))
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
