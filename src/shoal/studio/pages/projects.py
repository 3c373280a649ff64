"""Projects: says what the studio is, lists recent projects, and names the one that is open."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime

from nicegui import ui

from shoal.studio.desk import Desk
from shoal.studio.frame import listen
from shoal.studio.pages.keeping import keep_settings
from shoal.studio.projects import DAYS, KEPT_FOR, Project

WHAT = (
    "Shoal publishes tables about people so that nobody in them can be picked out: every row looks "
    "like at least k - 1 others.",
    "It makes birth dates, postcodes and the like less exact, as little as possible, and shows you "
    "what that costs.",
    "Nothing leaves this machine, and nothing is released before it was recounted.",
)
BEFORE = (
    ("name", "age", "postcode", "illness"),
    ("Ada", "39", "10117", "asthma"),
    ("Ben", "36", "10119", "flu"),
    ("Cleo", "41", "10115", "gout"),
)
AFTER = (
    ("age", "postcode", "illness"),
    ("[35, 45]", "1011*", "asthma"),
    ("[35, 45]", "1011*", "flu"),
    ("[35, 45]", "1011*", "gout"),
)
SAVED = (
    f"Saved by itself, on this machine and for you alone. The copy of the table and the runs are "
    f"removed {DAYS} days after the last change, the settings stay."
)
SHOWN = 8  # projects that are listed


def welcome(desk: Desk) -> None:
    """Draw what this is, as long as there is no table; the list of projects below."""
    with ui.element("div").classes("paper welcome").props('data-testid="welcome"') as place:
        with ui.element("div").classes("stack"):
            for sentence in WHAT:
                ui.label(sentence)
            if desk.awaiting:
                ui.label(
                    f"The copy of {desk.awaiting} is gone. Choose the file again: the settings of "
                    f"{desk.title or 'this project'} wait for it."
                ).classes("warn")
        with ui.element("div").classes("welcome-picture").props('role="img"') as picture:
            _small(BEFORE)
            ui.label("→").classes("arrow")
            _small(AFTER)
        picture.props["aria-label"] = (
            "Three people with name, age, postcode and illness become three rows that look alike: "
            "no name, ages from 35 to 45, postcodes that begin with 1011."
        )

    def follow() -> None:
        place.set_visibility(desk.sheet is None)

    listen(desk, follow)


def _small(rows: Sequence[Sequence[str]]) -> None:
    """Draw a table that is a part of a picture: it is told in words beside it."""
    with ui.element("div").classes("small-table").style(f"--columns: {len(rows[0])}"):
        for place, row in enumerate(rows):
            for cell in row:
                ui.label(cell).classes("name" if place == 0 else "")


def recent(desk: Desk) -> None:
    """List the projects that can be opened, as long as there is no table."""
    cabinet = desk.cabinet
    if cabinet is None:
        return

    @ui.refreshable
    def listed() -> None:
        others = [one for one in cabinet.recent() if one.key != cabinet.here][:SHOWN]
        if others and desk.sheet is None:
            with ui.element("div").classes("paper stack").props('data-testid="recent"'):
                ui.label("Recent projects").classes("side-title")
                for one in others:
                    _line(desk, one, listed.refresh)

    listed()
    last = [desk.sheet]

    def follow() -> None:
        if desk.sheet is not last[0]:
            last[0] = desk.sheet
            listed.refresh()

    listen(desk, follow)


def _line(desk: Desk, project: Project, refresh: Callable[[], object]) -> None:
    cabinet = desk.cabinet
    assert cabinet is not None

    def go() -> None:
        if not cabinet.open(project.key):
            ui.notify("This project is gone.", type="negative")
            refresh()

    with ui.element("div").classes("choices project"):
        button = ui.button(project.title, icon="folder_open", on_click=go)
        button.props('flat no-caps data-testid="open-project"').set_enabled(not project.is_busy)
        ui.label(said(project)).classes("faint")
        ui.space()
        rename = ui.button("Rename", on_click=lambda: ask_name(desk, project, refresh))
        delete = ui.button("Delete", on_click=lambda: ask_delete(desk, project, refresh))
        for act in (rename, delete):
            act.props("flat dense no-caps").set_enabled(not project.is_busy)


def said(project: Project, now: float | None = None) -> str:
    """Say when a project was changed, and until when its table is kept.

    >>> from pathlib import Path
    >>> said(Project(Path("x"), "a", 0.0, has_table=False, is_busy=False), now=7200.0)
    'changed 2 hours ago; settings alone: choose its table again'
    """
    ago = elapsed((now or time.time()) - project.changed)
    if project.is_busy:
        return f"changed {ago}; open in another studio"
    if not project.has_table:
        return f"changed {ago}; settings alone: choose its table again"
    until = datetime.fromtimestamp(project.changed + KEPT_FOR)
    return f"changed {ago}; the copy of its table is kept until {until:%d %B}"


def elapsed(seconds: float) -> str:
    """Say how long ago something was.

    >>> elapsed(5), elapsed(90), elapsed(86_400 * 3)
    ('just now', '1 minute ago', '3 days ago')
    """
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= length:
            count = int(seconds // length)
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"


def ask_name(desk: Desk, project: Project, then: Callable[[], object]) -> None:
    """Ask for another name of a project."""
    cabinet = desk.cabinet
    assert cabinet is not None
    with ui.dialog(value=True) as dialog, ui.card().classes("paper"):
        typed = ui.input("Name of the project", value=project.title).props("autofocus")
        typed.props('data-testid="project-name"')

        def name() -> None:
            cabinet.rename(project.key, str(typed.value or ""))
            dialog.close()
            then()

        typed.on("keydown.enter", name)
        ui.button("Rename", on_click=name).props('data-testid="rename"')
    dialog.on("hide", dialog.delete)


def ask_delete(desk: Desk, project: Project, then: Callable[[], object]) -> None:
    """Ask whether a project may be removed for good."""
    cabinet = desk.cabinet
    assert cabinet is not None
    with ui.dialog(value=True) as dialog, ui.card().classes("paper"):
        ui.label(f"Delete {project.title}?").classes("text-lg")
        ui.label("Its settings, its copy of the table and its runs are removed for good.")

        def remove() -> None:
            dialog.close()
            cabinet.remove(project.key)
            then()

        with ui.row():
            ui.button("Keep it", on_click=dialog.close).props("autofocus")
            ui.button("Delete it", on_click=remove).props('outline data-testid="delete-it"')
    dialog.on("hide", dialog.delete)


def present(desk: Desk) -> None:
    """Name the project that is open, and offer to rename, export, delete it or begin another."""
    cabinet = desk.cabinet
    if cabinet is None:
        return

    def mine() -> Project:
        assert desk.sheet is not None
        title = desk.title or desk.sheet.name
        return Project(desk.folder, title, time.time(), has_table=True, is_busy=False)

    with ui.element("div").classes("paper stack").props('data-testid="project"'):
        with ui.element("div").classes("choices"):
            title = ui.label().classes("side-title").props('data-testid="project-title"')
            ui.space()
            rename = ui.button("Rename", on_click=lambda: ask_name(desk, mine(), lambda: None))
            keep_settings(desk)
            begin = ui.button("Begin another project", on_click=cabinet.begin)
            begin.props('data-testid="begin"')
            delete = ui.button("Delete", on_click=lambda: ask_delete(desk, mine(), lambda: None))
            for button in (rename, begin, delete):
                button.props("flat no-caps")
        ui.label(SAVED).classes("faint")

    def follow() -> None:
        if desk.sheet is not None:
            title.set_text(f"Project: {desk.title or desk.sheet.name}")

    listen(desk, follow)
