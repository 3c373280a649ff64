"""Run figures: the figures of a run by which runs are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.screen import one_in
from shoal.studio.desk_items import StudioRun
from shoal.studio.words import percent
from shoal.studio.work.previewing import weighed

LOSS = "detail that a cell lost, on average"
FOUND = "highest risk of being found"
LOSSES = ("published-height-share", "height-share")  # one for all runs, whatever they minimized
RISK = "highest-prosecutor-risk"


def loss_of(run: StudioRun, importance: Mapping[str, float] | None = None) -> float | None:
    """Return the mean loss of a cell as printed, or of the groups where cells name no box.

    Columns weigh as much as they matter: by the run's own recipe, or by what is given.
    """
    weights = run.recipe.importance if importance is None else importance
    left = run.told.get("facts", {}).get("left", {})
    columns = {name: one["loss"] for name, one in left.items() if one["loss"] is not None}
    if weights and columns and len(columns) == len(left):
        return weighed(columns, weights)
    losses = run.told.get("losses", {})
    return next((losses[name] for name in LOSSES if losses.get(name) is not None), None)


def risk_of(run: StudioRun, when: str) -> float | None:
    """Return the risk of whoever is easiest to find, `before` or `after`."""
    facts = run.told.get("facts", {})
    risks = [one for one in facts.get("risks", ()) if one["name"] == RISK]
    if risks:
        highest: float | None = risks[0].get(when)
        if highest is not None and when == "after" and run.recipe.person is not None:
            # Risks count rows, and a group of six rows may hold five people.
            return max(highest, 1 / run.recipe.k)
        return highest
    likeliest: float | None = facts.get("link", {}).get("largest") if when == "after" else None
    return likeliest


def figures_of(run: StudioRun) -> dict[str, Any]:
    """List the figures of a run that are read first."""
    facts = run.told.get("facts", {})
    rows = facts.get("rows", {})
    return {
        LOSS: percent(loss_of(run)),
        "groups": facts.get("groups"),
        "rows in the smallest group (recounted)": run.told.get("k")
        if facts.get("groups")
        else None,
        FOUND: fall(risk_of(run, "before"), risk_of(run, "after")),
        "rows published": rows.get("published", run.told.get("rows")),
        "rows left out": rows.get("withheld"),
    }


def chance(risk: float) -> str:
    """Say a risk for people.

    >>> chance(1.0), chance(0.2), chance(0)
    ('certain', 'at most 1 in 5', 'none')
    """
    if risk >= 1:
        return "certain"
    if risk <= 0:
        return "none"
    return f"at most {one_in(risk)}"


def fall(before: float | None, after: float | None) -> str | None:
    """Say two risks as a change from one to the other."""
    if after is None:
        return None
    if before is None:
        return chance(after)
    return f"{chance(before)} before, {chance(after)} now"
