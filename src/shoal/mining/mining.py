"""Mining: several tasks on several releases of one table, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.errors import PrivacyNotMet
from shoal.mining.classes import strangers
from shoal.mining.concrete import unread
from shoal.mining.task import Figure, Material, Task, reason
from shoal.mining.threads import one_thread
from shoal.wording import PYTHON, Door, Sentence, said


@dataclass(frozen=True)
class Mined:
    """What a release is good for, and what it gives away; both as plain figures."""

    utility: Mapping[str, Mapping[str, Figure]]  # by task, then by figure
    risk: Mapping[str, float | None]
    notices: tuple[str, ...] = ()
    told: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # by task: lines that were asked for

    def as_dict(self, door: Door = PYTHON) -> dict[str, Any]:
        """Plain data, with notices as a door spells them; what has no interval has no ends."""
        return {
            "utility": {
                task: {name: _plain(one) for name, one in found.items()}
                for task, found in self.utility.items()
            },
            "risk": dict(self.risk),
            "notices": [said(notice, door) for notice in self.notices],
            **(
                {"told": {task: list(lines) for task, lines in self.told.items()}}
                if self.told
                else {}
            ),
        }


def mine(
    material: Material,
    tasks: Sequence[Task],
    risk: Mapping[str, float | None],
    *,
    named: bool = True,
) -> Mined:
    """Do tasks one after the other; those without their material say what they lack, as do odd ones
    that nobody named.
    """
    utility: dict[str, Mapping[str, Figure]] = {}
    columns = unread(material.released, material.features, material.quasi)
    notices: list[str] = [
        f"labels of '{name}' can't be read without its hierarchy, and count as *"
        for name in columns
    ]
    notices += strangers(material)
    for task in tasks:
        material.stage(task.name)(0.0)
        lacking = task.lacks(material)
        if not lacking and not named and (refused := task.odd(material)):
            lacking = reason(refused)
        if lacking:
            notices.append(Sentence(f"{task.name}: ", lacking))
            continue
        try:
            with one_thread():
                found = task.measure(material)
        except PrivacyNotMet as refused:
            notices.append(
                f"{task.name}: a part of the original can't be anonymized as the release was: {refused.problem}"
            )
            continue
        if found:
            utility[task.name] = found
        else:
            notices.append(
                f"{task.name}: there is nothing to measure: too few rows, columns or different values"
            )
    told = {task.name: task.told(material) for task in tasks if task.name in utility}
    return Mined(
        utility, risk, tuple(notices), {name: lines for name, lines in told.items() if lines}
    )


def _plain(figure: Figure) -> dict[str, float | None]:
    return {
        name: value
        for name, value in vars(figure).items()
        if name in ("value", "unchanged") or value is not None
    }
