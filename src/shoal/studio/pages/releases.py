"""Releases: lets one of the releases be chosen that were made so far.

One that is looked at stays, when another is made beside it.
"""

from __future__ import annotations

from nicegui import ui

from shoal.studio.desk import Desk
from shoal.studio.frame import listen
from shoal.studio.pages.checking import no_table

NONE = 0


def choice(label: str) -> ui.select:
    """Draw the field in which a release is chosen."""
    return (
        ui.select({NONE: "none"}, value=NONE, label=label)
        .classes("w-40")
        .props("dense options-dense")
    )


def offer(
    desk: Desk, around: ui.element, first: ui.select, beside: ui.select | None = None
) -> None:
    """Offer the releases there are now; at first the latest."""
    titles = {run.number: run.title for run in desk.finished}
    around.set_visibility(bool(titles))
    if list(first.options) != list(titles or [NONE]):
        first.set_options(
            titles or {NONE: "none"},
            value=first.value if first.value in titles else max(titles, default=NONE),
        )
        if beside is not None:
            beside.set_options(
                {NONE: "none", **titles}, value=beside.value if beside.value in titles else NONE
            )


def empty(desk: Desk) -> None:
    """Draw what is shown while there is none."""
    first = no_table()
    with ui.element("div").classes("paper") as then:
        ui.label("There is no release yet.")
        ui.link("Make a release", "/run")

    def follow() -> None:
        first.set_visibility(desk.sheet is None)
        then.set_visibility(desk.sheet is not None and not desk.finished)

    listen(desk, follow)
