"""Task: the parts that all tasks of a data miner share.

    material = the original, the release and what is known about its columns; concrete tables made
               of the release
    figure   = what the release gives, and what it would give if it were the original itself

A task that lacks what it needs says so and measures nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import pyarrow as pa

from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import ShoalError
from shoal.groups import Watch, unwatched
from shoal.mining.concrete import Way, concrete
from shoal.mining.features import Feature, Plain, features_of, plain
from shoal.wording import COLUMN, FILE, Remedy, Sentence, Set, without

GIVE: Mapping[str, Sentence] = {
    "target": Sentence(Set("class_column", COLUMN, "a class to be predicted")),
    "trial": Remedy(
        Set("test", FILE, "rows to test on"),
        Set("certificate", FILE, "the recipe of the release to anonymize folds with"),
    ),
}
Found = TypeVar("Found")
One = TypeVar("One")
Again = Callable[[pa.Table], pa.Table]
"""Anonymizes a table as the release was."""


@dataclass(frozen=True)
class Figure:
    """A figure of a release and that of the original, with a 95 % interval where there is one."""

    value: float | None
    unchanged: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class MiningMaterial:
    """An original, its release and facts about both; what is absent makes some tasks impossible."""

    original: pa.Table
    released: pa.Table
    quasi: tuple[str, ...]
    beside: tuple[str, ...] = ()  # columns published as they are, or as distributions
    hierarchies: Mapping[str, Hierarchy | None] = field(default_factory=dict)
    target: str | None = None
    test: pa.Table | None = None
    again: Again | None = None
    way: Way = "sampled"
    tables: int = 10
    stage: Callable[[str], Watch] = lambda name: unwatched
    """Called with the name of a task that begins; long tasks look at the watch that it returns."""
    known: dict[Hashable, Any] = field(default_factory=dict)
    """Facts about the original and the rows to test on, shared by all releases of it."""

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """The columns that release and original share, on axes over the values of the original."""
        return features_of(self.original, (*self.quasi, *self.beside), self.hierarchies)

    @cached_property
    def before(self) -> Plain:
        """The original as numbers and codes."""
        return plain(self.original, self.features)

    @cached_property
    def after(self) -> tuple[Plain, ...]:
        """Concrete tables made of the release; one alone where nothing is left to chance."""
        return self.concrete(self.released)

    def concrete(self, released: pa.Table, tables: int | None = None) -> tuple[Plain, ...]:
        """Make concrete tables of a release of this kind, as many as usual unless told."""
        return concrete(
            released, self.features, self.quasi, self.way, self.tables if tables is None else tables
        )

    def once(self, what: Hashable, find: Callable[[], Found]) -> Found:
        """Compute something about the original once for all releases that use it."""
        key = (
            what,
            self.target,
            tuple(
                (feature.name, repr(self.hierarchies.get(feature.name)))
                for feature in self.features
            ),
        )
        if key not in self.known:
            self.known[key] = find()
        return self.known[key]

    def in_turn(self, task: str, things: Sequence[One]) -> Iterator[One]:
        """Yield things one after the other, looking at the watch before each."""
        watch = self.stage(task)
        for number, thing in enumerate(things):
            watch(number / len(things))
            yield thing

    @property
    def trial(self) -> bool | None:
        """True if something can be trained on the release and tested on rows outside of it."""
        return True if self.test is not None or self.again is not None else None


def reason(refused: ShoalError) -> Sentence:
    """Convert a refusal to a notice: the problem, and the remedy."""
    helps = ("; try: ", refused.remedy) if refused.remedy else ()
    return Sentence("not possible: ", refused.problem, *helps)


class Task(ABC):
    """Something that people do with a table; parameters are fields of a frozen dataclass."""

    name: ClassVar[str]
    """The name that users type."""
    needs: ClassVar[tuple[str, ...]] = ()
    """The names of the material that the task can't do without."""

    def lacks(self, material: MiningMaterial) -> Sentence | None:
        """Name the material that is missing; None where nothing is."""
        absent = [GIVE[need] for need in self.needs if getattr(material, need) is None]
        return without(absent) if absent else None

    def odd(self, material: MiningMaterial) -> ShoalError | None:
        """Return an error if the task refuses material that is there, else None."""
        return None

    def told(self, material: MiningMaterial) -> tuple[str, ...]:
        """List lines that a parameter asked for; they may hold values of the table."""
        return ()

    @abstractmethod
    def measure(self, material: MiningMaterial) -> Mapping[str, Figure]:
        """Measure figures by name; all that is needed is there."""
