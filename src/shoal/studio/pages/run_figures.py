"""Run figures: the figures of a run by which runs are compared."""

from __future__ import annotations

from typing import Any

from shoal.review.report.document import shown
from shoal.studio.desk_items import StudioRun

LOSS = "loss of a cell"
LOSSES = ("published-height-share", "height-share")  # one for all runs, whatever they minimized
RISK = "highest-prosecutor-risk"


def loss_of(run: StudioRun) -> float | None:
    """Return the mean loss of a cell as printed, or of the groups where cells name no box."""
    losses = run.told.get("losses", {})
    return next((losses[name] for name in LOSSES if losses.get(name) is not None), None)


def risk_of(run: StudioRun, when: str) -> float | None:
    """Return the risk of whoever is easiest to find, `before` or `after`."""
    facts = run.told.get("facts", {})
    risks = [one for one in facts.get("risks", ()) if one["name"] == RISK]
    if risks:
        highest: float | None = risks[0].get(when)
        return highest
    likeliest: float | None = facts.get("link", {}).get("largest") if when == "after" else None
    return likeliest


def figures_of(run: StudioRun) -> dict[str, Any]:
    """List the figures of a run that are read first."""
    facts = run.told.get("facts", {})
    rows = facts.get("rows", {})
    return {
        LOSS: loss_of(run),
        "groups": facts.get("groups"),
        "rows in the smallest group (recounted)": run.told.get("k")
        if facts.get("groups")
        else None,
        "highest risk of being found": _fall(risk_of(run, "before"), risk_of(run, "after")),
        "rows published": rows.get("published", run.told.get("rows")),
        "rows left out": rows.get("withheld"),
    }


def _fall(before: float | None, after: float | None) -> str | None:
    """Write two figures as a change from one to the other."""
    if after is None:
        return None
    return shown(after) if before is None else f"{shown(before)} before, {shown(after)} after"
