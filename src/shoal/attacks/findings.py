"""Findings: what all attacks on a release got out of it, and the verdict in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shoal.attacks.attack import LIMIT, Finding
from shoal.errors import PrivacyNotMet
from shoal.screen import MOST_BARS, Bar, Chart, Screen, Shown, fine_percent, listed, one_in
from shoal.wording import PYTHON, Door, Sentence

NAMED = 3  # attacks that are named in the line


@dataclass(frozen=True, repr=False)
class Findings(Shown):
    """The findings of all attacks; the release `holds` where none that gates succeeds."""

    all: tuple[Finding, ...]
    notices: tuple[str, ...] = ()
    people: int | None = None
    """The number of people who were looked for; None where attacks were on numbers."""

    @property
    def holds(self) -> bool:
        """True if the release withstands all attacks that gate."""
        return not any(finding.refuses for finding in self.all)

    def require(self, **facts: object) -> Findings:
        """Return these findings, or raise `PrivacyNotMet` with the attacks that succeed."""
        worst = [finding for finding in self.all if finding.refuses]
        if not worst:
            return self
        told = {
            finding.called: f"{finding.words} {_conceded(finding)}".strip() for finding in worst
        }
        problem = f"{len(worst)} of {len(self.all)} attacks succeed"
        raise PrivacyNotMet(
            problem, {"limit of the advantage": worst[0].limit, **told, **facts}, worst[0].stops_it
        )

    def as_dict(self, door: Door = PYTHON) -> dict[str, Any]:
        """Return plain data, for JSON and certificates."""
        return {
            "holds": self.holds,
            "limit": LIMIT,
            "attacks": [finding.as_dict(door) for finding in self.all],
            "notices": list(self.notices),
        }

    @property
    def tried(self) -> tuple[Finding, ...]:
        """The findings of attacks that could be tried."""
        return tuple(finding for finding in self.all if finding.trials)

    @property
    def screen(self) -> Screen:
        """The verdict, and the attacks that gained most over guessing."""
        untried = [finding.called for finding in self.all if not finding.trials]
        lacking = [f"not tried, or nothing to try: {listed(untried, MOST_BARS)}"] if untried else []
        notices = (*_stopped(self), *self.notices, *lacking)
        return Screen(verdict_of(self), (), _chart(self.tried), notices)


def verdict_of(findings: Findings) -> Sentence:
    """Say in one line whether a release withstood its attacks, and how much was tried.

    >>> print(verdict_of(Findings((), people=0)))
    nothing was tried: every attack lacks what it needs.
    """
    tried = findings.tried
    if not tried:
        return Sentence("nothing was tried: every attack lacks what it needs.")
    names = dict.fromkeys(finding.name for finding in tried)
    whom = f" on {findings.people:,} people" if findings.people else ""
    count = f"Tried: {len(names)} attack{'s' * (len(names) > 1)}{whom}."
    worst = [finding for finding in tried if finding.refuses]
    if worst:
        succeed = "succeeds" if len(worst) == 1 else "succeed"
        named = listed([f"{finding.called} {_right(finding)}" for finding in worst], NAMED)
        return Sentence(
            f"NOT safe: {len(worst)} of {len(tried)} attacks {succeed}: {named}. {count}"
        )
    return Sentence(f"safe enough: no attack gets further than promised.{_linked(tried)} {count}")


def _stopped(findings: Findings) -> list[str]:
    """Say what would stop the attacks that succeed, each remedy once."""
    names: dict[str, list[str]] = {}
    for finding in findings.all:
        if finding.refuses:
            names.setdefault(finding.stops_it, []).append(finding.called)
    return [
        Sentence(f"what would stop {' and '.join(called)}: ", remedy)
        for remedy, called in names.items()
    ]


def _linked(tried: Sequence[Finding]) -> str:
    """Say how often people were found where a promise concedes a chance; nothing elsewhere."""
    conceding = [finding for finding in tried if finding.conceded and finding.attack is not None]
    if not conceding:
        return ""
    most = max(conceding, key=lambda finding: finding.attack or 0.0)
    promised = one_in(most.conceded)
    return f" A person is found in {_tries(most.attack)}; at most {promised} was promised."


def _chart(tried: Sequence[Finding]) -> Chart:
    """Draw how often guesses are right: without the release, and what the release adds."""
    ranked = sorted(tried, key=lambda finding: (not finding.refuses, -(finding.advantage or 0.0)))
    title = "attacks"
    if len(ranked) > MOST_BARS:
        title = f"the {MOST_BARS} that gain most of {len(ranked)}"
    bars = tuple(_bar(finding) for finding in ranked[:MOST_BARS])
    return Chart(title, ("right", "by guessing", ""), bars)


def _bar(finding: Finding) -> Bar:
    right = finding.attack or 0.0
    blind = finding.control or 0.0
    shares = (min(blind, right), 0.0, max(right - blind, 0.0))
    conceded = f"promised: at most {one_in(finding.conceded)}" if finding.conceded else ""
    return Bar(finding.called, shares, (_share(right), _share(blind), conceded), finding.refuses)


def _right(finding: Finding) -> str:
    return f"(right in {_tries(finding.attack)}, {_share(finding.control or 0.0)} by guessing)"


def _tries(rate: float | None) -> str:
    """Say a rate of success.

    >>> _tries(0.27), _tries(0.0002), _tries(0.0)
    ('27 of 100 tries', '2 of 10,000 tries', 'no try')
    """
    if not rate:
        return "no try"
    base = next((base for base in (100, 1_000, 10_000, 100_000) if rate * base >= 1), 1_000_000)
    return f"{max(round(rate * base), 1):,} of {base:,} tries"


def _share(rate: float) -> str:
    return _tries(rate).removesuffix(" tries").replace("no try", "never")


def _conceded(finding: Finding) -> str:
    return f"The promise concedes {fine_percent(finding.conceded)}." if finding.conceded else ""
