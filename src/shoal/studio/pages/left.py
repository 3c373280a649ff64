"""Left: shows what is left of each column: exact, coarser and lost cells as one bar.

The three parts differ in pattern as in colour, and the figures stand beside them. A column that
tells nearly nothing any more is a warning, with a button that keeps it more exact next time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui

from shoal.studio.desk import Desk
from shoal.studio.desk_items import StudioRun
from shoal.studio.pages.checking import ask
from shoal.studio.words import percent

PARTS = {"exact": "exact", "widened": "coarser", "lost": "lost"}
MOSTLY = 0.5  # share of lost cells that is worth a warning
NOTHING = 0.8  # mean share that cells leave open: wide intervals tell as little as a lost cell
MORE = 3  # times as much a column matters that is to be kept more exact
MOST = 100
LEGEND = "What is left of each column: exact cells, coarser ones, and lost ones (*)."
Left = Mapping[str, Any]


def is_lost(left: Left) -> bool:
    """Tell whether a column tells nearly nothing any more.

    >>> is_lost({"lost": 0.95, "loss": 0.95}), is_lost({"lost": 0.0, "loss": 1.0})
    (True, True)
    >>> is_lost({"lost": 0.2, "loss": 0.4}), is_lost({"lost": None, "loss": None})
    (False, False)
    """
    return (left.get("lost") or 0) > MOSTLY or (left.get("loss") or 0) > NOTHING


def lost_columns(columns: Mapping[str, Left]) -> list[str]:
    """List the columns that tell nearly nothing any more."""
    return [name for name, left in columns.items() if is_lost(left)]


def in_words(left: Left) -> str:
    """Say the shares in one line; what there is none of is not said.

    >>> in_words({"exact": 0.14, "widened": 0.79, "lost": 0.07, "typical": "10 years"})
    'exact 14 %, coarser 79 % (typically 10 years), lost 7 %'
    >>> in_words({"exact": 1.0, "widened": 0.0, "lost": 0.0})
    'exact 100 %'
    """
    if left.get("exact") is None:
        return "averages: not counted"
    typical = f" (typically {_width(left['typical'])})" if left.get("typical") else ""
    said = {"exact": "", "widened": typical, "lost": ""}
    return ", ".join(
        f"{PARTS[part]} {percent(left[part])}{more}" for part, more in said.items() if left[part]
    )


def _width(typical: str) -> str:
    """Say a typical width; a bare figure is one of numbers.

    >>> _width("15"), _width("4 years")
    ('ranges of 15', '4 years')
    """
    if any(sign.isalpha() for sign in typical):
        return typical
    return f"ranges of {typical}"


def bar(name: str, left: Left) -> None:
    """Draw the three shares of one column as one bar."""
    with ui.element("div").classes("left-bar").props('role="img"') as drawn:
        for part in PARTS:
            share = left.get(part) or 0.0
            ui.element("div").classes(f"left-{part}").style(f"width: {100 * share:.2f}%")
    drawn.props["aria-label"] = f"{name}: {in_words(left)}"


def lines(columns: Mapping[str, Left]) -> None:
    """Draw a line for each column: its name, its bar, its figures."""
    with ui.element("div").classes("left"):
        for name, left in columns.items():
            ui.label(name).classes("name")
            bar(name, left)
            ui.label(in_words(left)).classes("faint left-words")


def left_of(run: StudioRun) -> dict[str, Left]:
    """Return what a run left of each column."""
    left: dict[str, Left] = run.told.get("facts", {}).get("left", {})
    return left


def of_runs(desk: Desk, runs: Sequence[StudioRun]) -> None:
    """Draw what each run left of the columns, and a warning for each that is lost."""
    for run in runs:
        if not left_of(run):
            continue
        with ui.element("div").classes("stack left-box").props('data-testid="left"'):
            ui.label(f"{run.title}. {LEGEND}").classes("faint")
            lines(left_of(run))
            for name in lost_columns(left_of(run)):
                _warning(desk, run, name)


def _warning(desk: Desk, run: StudioRun, name: str) -> None:
    """Draw what is wrong with a lost column, and the button that mends it."""
    lost = left_of(run)[name].get("lost") or 0
    if lost > MOSTLY:
        words = f"{name} is lost (*) for {percent(lost)} of the people."
    else:
        words = f"{name} is so wide for most people that it tells nearly nothing."
    with ui.element("div").classes("choices lost").props('data-testid="lost-column"'):
        ui.icon("warning").props('aria-hidden="true"').classes("warn")
        ui.label(words).classes("warn")
        button = ui.button("Keep this column more exact", on_click=lambda: prefer(desk, run, name))
        button.props('outline dense no-caps data-testid="more-exact"')
        button.props["aria-label"] = f"Keep {name} more exact"


def prefer(desk: Desk, run: StudioRun, name: str) -> None:
    """Let a column matter more than in a run, and lead to where the next one is made."""
    weight = min(run.recipe.importance.get(name, 1) * MORE, MOST)
    ask(desk, importance={**desk.recipe.importance, name: weight})
    ui.notify(f"{name} matters {weight:g} times as much now. Run again: others pay for it.")
    ui.navigate.to("/run")
