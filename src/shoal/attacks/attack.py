"""Attack: the parts that all attacks share.

    material = what there is: the release as seen, and what the attacker knows or what scores the
               guesses
    tries    = for each person attacked, the chance of success and that of the same guess without
             the release
    finding  = both rates, the advantage with its interval, in plain words, and which setting would
             stop it

A gating attack refuses a release when the upper end of the interval lies above 0.05. Where a
promise concedes a rate (k-anonymity says that a person is found with a chance of 1 / k), the gate
measures the advantage over that rate, and the finding shows both. `gates` tells when: `always`,
`where promised` (only if a model of the recipe forbids what the attack finds), or `never`: what it
finds is reported.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from shoal.arrays import Floats
from shoal.attacks.chance import Advantage
from shoal.attacks.overlapped import Overlapped
from shoal.attacks.perturbed import Perturbed
from shoal.attacks.sight import PEOPLE, Seen, Sight
from shoal.encode.rows import Rows
from shoal.partition.method import Method
from shoal.privacy.model import Model
from shoal.screen import fine_percent
from shoal.wording import COLUMN, FILE, PYTHON, Blank, Door, Sentence, Set, said, without

LIMIT = 0.05
Gates = Literal["always", "where promised", "never"]
GIVE: Mapping[str, str | Set] = {
    "original": Set("original", FILE, "the original table"),
    "people": Sentence(
        Set("original", FILE, "the original table"),
        " or ",
        Set("register", FILE, "a register of what the attacker knows"),
    ),
    "earlier": Set("earlier", Blank("RELEASE"), "another release of the same people"),
    "sensitive": Set("sensitive", COLUMN, "a sensitive column"),
    "method": Set("certificate", FILE, "the recipe of the release"),
    "traces": "the file of the release",
    "overlapped": "what rows with boxes of their own tell, and about whom",
    "numbers": "the numbers before and after they were perturbed",
}


@dataclass(frozen=True)
class Material:
    """The tables and facts that attacks work with; what is absent makes some impossible."""

    release: Seen
    original: pa.Table | None = None
    register: pa.Table | None = None
    earlier: tuple[Seen, ...] = ()
    k: int | None = None
    models: tuple[Model, ...] = ()
    method: Method | None = None
    loss: str = "height"
    importance: Mapping[str, float] | None = None
    keeps_order: bool = False
    traces: Mapping[str, int] | None = None
    encoded: Rows | None = None  # the original on axes, where someone has them already
    numbers: Perturbed | None = None
    overlapped: Overlapped | None = None
    flow: str = "groups"
    most: int = PEOPLE

    @classmethod
    def of_numbers(cls, numbers: Perturbed) -> Material:
        """Wrap perturbed numbers, for attacks that look at no groups."""
        return cls(Seen(pa.table({}), ()), numbers=numbers, flow="distort")

    @property
    def people(self) -> pa.Table | None:
        """The people whom the attacker looks for: the register, or else the original."""
        return self.register if self.register is not None else self.original

    @property
    def scored(self) -> pa.Table:
        """The original, which tells whether a guess is right."""
        assert self.original is not None
        return self.original

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return self.release.sensitive

    @property
    def same_people(self) -> bool:
        """True if register and original are about the same people, row by row."""
        both = self.register is not None and self.original is not None
        return both and self.register.num_rows == self.original.num_rows  # type: ignore[union-attr]

    @cached_property
    def targets(self) -> Sight:
        """The release as seen by someone who has the register.

        Without a register, the attacker knows all quasi-identifiers of the original.
        """
        assert self.people is not None
        if self.register is None:
            return self.exactly
        # A register about other people is all that is known about them, so it counts as true.
        true = self.original if self.same_people else self.register
        return Sight.of(self.release, self.people, true, self.most)

    @cached_property
    def insiders(self) -> Sight:
        """The release as seen by someone who looks for people of the original.

        Their sensitive values are known, so that guesses can be scored.
        """
        return self.targets if self.same_people or self.register is None else self.exactly

    @cached_property
    def targets_kept(self) -> Sight | None:
        """The release as seen by someone who has the kept columns of the register too."""
        return self._knowing_kept(self.targets, self.people)

    @cached_property
    def insiders_kept(self) -> Sight | None:
        """The release as seen by someone who looks for people and knows their kept columns."""
        return self._knowing_kept(self.insiders, self.original)

    def _knowing_kept(self, sight: Sight, people: pa.Table | None) -> Sight | None:
        """Add the kept columns that are known; None where there is none."""
        assert people is not None
        known = [name for name in self.release.kept if name in people.column_names]
        empty = not people.num_rows or not self.release.table.num_rows
        return sight.knowing(known, people) if known and not empty else None

    @cached_property
    def exactly(self) -> Sight:
        """The release as seen by someone who knows all quasi-identifiers of the original."""
        return Sight.of(self.release, self.scored, None, self.most, self.encoded)


@dataclass(frozen=True)
class Tries:
    """For each person attacked, the chance of success with the release and without it."""

    attack: Floats
    control: Floats
    # The number of people who could have been attacked; None where only chance varies.
    population: int | None
    words: str
    column: str | None = None
    conceded: float = 0.0
    promised: bool = False
    reported: bool = False
    """Whether nothing is promised against it, so that it never gates."""


@dataclass(frozen=True)
class Finding:
    """The advantage of one attack over guessing; figures are None where it was not possible."""

    name: str
    column: str | None
    gates: bool
    trials: int
    attack: float | None
    control: float | None
    advantage: float | None
    low: float | None
    high: float | None
    conceded: float
    beyond: float | None
    words: str
    stops_it: str
    limit: float = LIMIT

    @property
    def called(self) -> str:
        """The name of the attack, and of the column that it is about."""
        return self.name + (f" of '{self.column}'" if self.column else "")

    @property
    def refuses(self) -> bool:
        """True if the attack gates and gains more than `limit` beyond what was conceded."""
        return self.gates and self.beyond is not None and self.beyond > self.limit

    def as_dict(self, door: Door = PYTHON) -> dict[str, Any]:
        """Return the finding as plain data, figures rounded to six digits."""
        plain = {
            name: round(value, 6) if isinstance(value, float) else value
            for name, value in vars(self).items()
        }
        texts = {"words": said(self.words, door), "stops_it": said(self.stops_it, door)}
        return {**plain, **texts, "refuses": self.refuses}

    def stated(self) -> dict[str, Any]:
        """Return the figures that a public certificate states."""
        figures = (
            "name",
            "column",
            "gates",
            "trials",
            "attack",
            "control",
            "advantage",
            "low",
            "high",
        )
        return {name: value for name, value in self.as_dict().items() if name in figures}


class Attack(ABC):
    """An attack. Its parameters are the fields of a frozen dataclass, with defaults."""

    name: ClassVar[str]
    """The name that users type."""
    gates: ClassVar[Gates] = "never"
    """When the attack refuses a release that it succeeds against."""
    needs: ClassVar[tuple[str, ...]] = ("original",)
    """The names of the material that the attack can't do without."""
    flows: ClassVar[tuple[str, ...]] = ("groups",)
    """The kinds of releases that the attack is about: groups, overlap, distort."""
    at_release: ClassVar[bool] = False
    """True if the attack runs before every release: it is quick, and needs the original alone."""
    stops_it: ClassVar[str]
    """The setting that would stop the attack."""

    def run(self, material: Material) -> Iterator[Finding]:
        """Yield one finding, or one for each sensitive column."""
        if material.flow not in self.flows:
            return
        absent = [need for need in self.needs if not _there(getattr(material, need))]
        if absent:
            yield self._impossible(without([GIVE[need] for need in absent]))
            return
        yield from self._findings(material)

    def _findings(self, material: Material) -> Iterator[Finding]:
        for tries in self._tries(material):
            yield self._finding(tries)

    @abstractmethod
    def _tries(self, material: Material) -> Iterator[Tries]:
        """Carry out the attack; all the material that it needs is there."""

    def _finding(self, tries: Tries) -> Finding:
        tried = len(tries.attack)
        if not tried:
            return self._impossible(tries.words, tries.column)
        right = float(np.mean(tries.attack))
        blind = float(np.mean(tries.control))
        gained = Advantage.of(tries.attack, tries.control, tries.population)
        above = tries.conceded > blind  # what was conceded takes the control's place
        allowed = np.full(tried, tries.conceded) if above else tries.control
        beyond = Advantage.of(tries.attack, allowed, tries.population)
        gates = self.gates == "always" or (self.gates == "where promised" and tries.promised)
        gates = gates and not tries.reported
        said = (
            f"{tries.words} Right in {fine_percent(right)} of the tries, {fine_percent(blind)} "
            f"without the release: gained {fine_percent(gained.value)} over guessing "
            f"({fine_percent(gained.low)} to {fine_percent(gained.high)})."
        )
        return Finding(
            name=self.name,
            column=tries.column,
            gates=gates,
            trials=tried,
            attack=right,
            control=blind,
            advantage=gained.value,
            low=gained.low,
            high=gained.high,
            conceded=tries.conceded,
            beyond=beyond.high,
            words=said,
            stops_it=self.stops_it,
        )

    def _impossible(self, why: str, column: str | None = None) -> Finding:
        return Finding(
            name=self.name,
            column=column,
            gates=False,
            trials=0,
            attack=None,
            control=None,
            advantage=None,
            low=None,
            high=None,
            conceded=0.0,
            beyond=None,
            words=why,
            stops_it=self.stops_it,
        )


def _there(part: object) -> bool:
    return part is not None and part != ()
