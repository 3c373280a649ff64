"""Mining: several tasks on several releases of one table, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.errors import PrivacyNotMet
from shoal.mining.classes import strangers
from shoal.mining.concrete import unread
from shoal.mining.task import Figure, MiningMaterial, Task, reason
from shoal.mining.threads import one_thread
from shoal.screen import Bar, Chart, Screen, Shown, one_in
from shoal.wording import PYTHON, Door, Sentence, said

MOST_FIGURES = 10


@dataclass(frozen=True, repr=False)
class Mined(Shown):
    """Figures of what a release is good for, and of what it gives away."""

    utility: Mapping[str, Mapping[str, Figure]]  # by task, then by figure
    risk: Mapping[str, float | None]
    notices: tuple[str, ...] = ()
    # Lines that were asked for, by the name of the task.
    told: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def screen(self) -> Screen:
        """Each figure beside that of the original."""
        done = f"{len(self.utility)} task{'s' * (len(self.utility) != 1)} measured"
        least = self.risk.get("k")
        safe = ""
        if least is not None and least >= 1:
            safe = f" Nobody is found with a chance above {one_in(1 / least)}."
        notices = tuple(self.notices)
        return Screen(f"{done} beside the original.{safe}", (), self._chart(), notices)

    def _chart(self) -> Chart:
        """List figures of each task, first ones first."""
        figures = [
            Bar(f"{task}: {name}", (), (_written(one.unchanged), _written(one.value)))
            for task, each in self.utility.items()
            for name, one in each.items()
        ]
        title = "figures"
        if len(figures) > MOST_FIGURES:
            title = f"{MOST_FIGURES} of {len(figures)} figures"
        return Chart(title, ("original", "release"), tuple(figures[:MOST_FIGURES]))

    def as_dict(self, door: Door = PYTHON) -> dict[str, Any]:
        """Return plain data; figures without an interval have no ends."""
        return {
            "utility": {
                task: {name: _plain(one) for name, one in figures.items()}
                for task, figures in self.utility.items()
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
    material: MiningMaterial,
    tasks: Sequence[Task],
    risk: Mapping[str, float | None],
    *,
    named: bool = True,
) -> Mined:
    """Do tasks one after the other.

    A task without its material is skipped with a notice, and so is one that refuses the material
    unless it was asked for by name.
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
                figures = task.measure(material)
        except PrivacyNotMet as refused:
            problem = (
                f"{task.name}: a part of the original can't be anonymized as the release was: "
            )
            notices.append(Sentence(problem, refused.problem))
            continue
        if figures:
            utility[task.name] = figures
        else:
            notices.append(
                f"{task.name}: there is nothing to measure: too few rows, columns or "
                "different values"
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


def _written(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}"
