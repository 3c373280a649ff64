"""Runs compared: draws one line for each run, the best of each figure marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nicegui import ui

from shoal import registry
from shoal.review.report.document import shown
from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.pages.promised import spoken
from shoal.studio.pages.result_panels import figures
from shoal.studio.pages.run_figures import chance, loss_of, risk_of
from shoal.studio.words import percent

COLUMNS = (
    "run",
    "k",
    "further promises",
    "what matters more or less",
    "method",
    "detail lost",
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
            lines = lines_of(desk.finished, desk.recipe.importance)
            figures(COLUMNS, lines, "Runs side by side")
            if desk.recipe.importance:
                words = "Detail lost is weighed by what matters to you now, in every line."
                ui.label(words).classes("faint")


def lines_of(
    runs: Sequence[StudioRun], importance: Mapping[str, float] | None = None
) -> list[tuple[str, ...]]:
    """Return the figures of each run as they are shown; losses by what matters now."""
    losses = [loss_of(run, importance or {}) for run in runs]
    risks = [risk_of(run, "after") for run in runs]
    lines: list[tuple[str, ...]] = []
    marked = zip(_marked(losses, percent), _marked(risks, chance), strict=True)
    for run, (loss, risk) in zip(runs, marked, strict=True):
        facts = run.told.get("facts", {})
        recipe = run.recipe
        weights = ", ".join(f"{name}: {weight:g}" for name, weight in recipe.importance.items())
        promises = "; ".join(map(spoken, recipe.models)) or "-"
        asked = (shown(recipe.k), promises, weights or "-", registry.parse(recipe.method)[0])
        figures = (
            loss,
            risk,
            shown(facts.get("groups")),
            shown(facts.get("rows", {}).get("withheld")),
        )
        lines.append((run.title, *asked, *figures, f"{run.job.seconds:.1f}"))
    return lines


def _marked(values: Sequence[float | None], said: Callable[[float], str]) -> list[str]:
    """Return figures as they are shown, the lowest marked where they differ."""
    known = [value for value in values if value is not None]
    lowest = min(known) if len(set(known)) > 1 else None
    spelled = ["-" if value is None else said(value) for value in values]
    return [
        f"{words} (lowest)" if value is not None and value == lowest else words
        for words, value in zip(spelled, values, strict=True)
    ]
