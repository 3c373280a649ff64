"""Notices: list what a run's maker should know, warnings with a link to where they are mended."""

from __future__ import annotations

from nicegui import ui

from shoal.screen import ROUTINE
from shoal.studio.desk_items import StudioRun

DRAWN = ("lost",)  # kinds that stand beside the bars of columns, with a button
MENDED = {  # kinds of notices with a link: what it says, where it leads
    "leak": ("Round it (Protection, More)", "/protection"),
    "dropped": ("Give them a role", "/roles"),
}


def notices(run: StudioRun) -> None:
    """List what a run's maker should know before handing it over, warnings in another colour."""
    for notice in run.told.get("facts", {}).get("notices", ()):
        if notice["kind"] in DRAWN:
            continue
        look = "faint" if notice["kind"] in ROUTINE else "warn"
        with ui.element("div").classes("choices").props('data-testid="notice"'):
            ui.label(f"• {notice['text']}").classes(look)
            if notice["kind"] in MENDED:
                ui.link(*MENDED[notice["kind"]])


def search_notes(run: StudioRun) -> None:
    """Show the method's notes on how groups were searched, folded away."""
    if notes := run.told.get("facts", {}).get("search"):
        with (
            ui.expansion("How the groups were searched")
            .props("dense dense-toggle")
            .classes("w-full more")
        ):
            for note in notes:
                ui.label(f"• {note}").classes("faint")
