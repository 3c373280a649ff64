"""Attacking: run several attacks on one release and collect their findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from shoal.attacks.attack import LIMIT, Attack, Finding, Material
from shoal.errors import DataError, PrivacyNotMet
from shoal.wording import PYTHON, Door


@dataclass(frozen=True)
class Findings:
    """The findings of all attacks; the release `holds` where none that gates succeeds."""

    all: tuple[Finding, ...]
    notices: tuple[str, ...] = ()

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


def attack(material: Material, attacks: Iterable[Attack]) -> Findings:
    """Run attacks one after the other; those without their material say what they lack."""
    _refuse_lacking(material)
    findings = tuple(finding for one in attacks for finding in one.run(material))
    seen = [sight for sight in vars(material).values() if hasattr(sight, "boxes")]
    unread = dict.fromkeys(name for sight in seen for name in sight.boxes.unread)
    notices = [
        f"labels of '{name}' can't be read without its hierarchy, and count as *" for name in unread
    ]
    return Findings(findings, tuple(notices))


def _refuse_lacking(material: Material) -> None:
    """Refuse an original that lacks columns by which guesses are scored."""
    if material.original is not None and material.flow == "groups":
        columns = (*material.release.quasi, *material.release.sensitive)
        lacking = [name for name in columns if name not in material.original.column_names]
        if lacking:
            facts = {"lacking": ", ".join(map(repr, lacking))}
            raise DataError(
                "the original lacks columns of the release",
                facts,
                "name the table that the release was made from",
            )


def _conceded(finding: Finding) -> str:
    return f"The promise concedes {finding.conceded:.3f}." if finding.conceded else ""
