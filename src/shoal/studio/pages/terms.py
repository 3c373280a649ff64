"""Terms: explains a word where it stands, when the mouse or the keyboard comes to it."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.pages.run_figures import FOUND, LOSS

MEANINGS = {
    "groups": "Rows of a group look alike on every column that others may know.",
    "rows in the smallest group": "Recounted from the published cells: at least k.",
    "rows left out": "Rows that are not in the release, as they would cost all others too much.",
    FOUND: "For the person who is easiest to find: the chance to pick the right row.",
    LOSS: "0 % is as in your table; at 100 % nothing is left of a cell. Weighed by what matters.",
    "Method": "How groups are found. 'shoal' loses least; Protection, More has the others.",
    "Hierarchies": "How values become less exact: digit by digit, by decades, by groups you name.",
    "Protection": "k people look alike in every row; further promises guard what is learnt.",
}


def explained(element: ui.element, name: str) -> None:
    """Explain an element by the meaning of a term, if it has one; it becomes a tab stop."""
    if name in MEANINGS:
        element.classes("term").props["tabindex"] = "0"
        with element:
            ui.tooltip(MEANINGS[name])
