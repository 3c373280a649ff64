"""Attacking: run several attacks on one release and collect their findings."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.attacks.attack import Attack, Material
from shoal.attacks.findings import Findings
from shoal.errors import DataError


def attack(material: Material, attacks: Iterable[Attack]) -> Findings:
    """Run attacks one after the other; those without their material say what they lack."""
    _refuse_lacking(material)
    findings = tuple(finding for one in attacks for finding in one.run(material))
    seen = [sight for sight in vars(material).values() if hasattr(sight, "boxes")]
    unread = dict.fromkeys(name for sight in seen for name in sight.boxes.unread)
    notices = [
        f"labels of '{name}' can't be read without its hierarchy, and count as *" for name in unread
    ]
    people = max((sight.count for sight in seen), default=None)
    return Findings(findings, tuple(notices), people)


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
