"""Runs compared: draws one line for each run, the best of each figure marked."""

from __future__ import annotations

from collections.abc import Sequence

from nicegui import ui

from shoal.review.report.document import shown
from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.pages.result_panels import figures
from shoal.studio.pages.run_figures import loss_of, risk_of

COLUMNS = (
    "run",
    "k",
    "further promises",
    "method",
    "loss of a cell",
    "highest risk",
    "groups",
    "rows left out",
    "seconds",
)


def compared(desk: Desk) -> None:
    """Draw a table of all finished runs, if there are several."""
    if len(desk.finished) > 1:
        with ui.element("div").classes("paper stack").props('data-testid="compared"'):
            ui.label("Side by side").classes("side-title")
            figures(COLUMNS, lines_of(desk.finished), "Runs side by side")


def lines_of(runs: Sequence[StudioRun]) -> list[tuple[str, ...]]:
    """Return the figures of each run as they are shown."""
    losses = [loss_of(run) for run in runs]
    risks = [risk_of(run, "after") for run in runs]
    lines: list[tuple[str, ...]] = []
    for run, loss, risk in zip(runs, _marked(losses), _marked(risks), strict=True):
        facts = run.told.get("facts", {})
        recipe = run.recipe
        asked = (shown(recipe.k), ", ".join(recipe.models) or "-", recipe.method)
        figures = (
            loss,
            risk,
            shown(facts.get("groups")),
            shown(facts.get("rows", {}).get("withheld")),
        )
        lines.append((run.title, *asked, *figures, f"{run.job.seconds:.1f}"))
    return lines


def _marked(values: Sequence[float | None]) -> list[str]:
    """Return figures as they are shown, the lowest marked where they differ."""
    known = [value for value in values if value is not None]
    lowest = min(known) if len(set(known)) > 1 else None
    return [
        f"{shown(value)} (lowest)" if value is not None and value == lowest else shown(value)
        for value in values
    ]
