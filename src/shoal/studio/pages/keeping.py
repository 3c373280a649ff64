"""Keeping: offers the settings as a file, and takes them up again."""

from __future__ import annotations

import shutil

from nicegui import events, run, ui

from shoal.errors import ShoalError
from shoal.handover.commands import released_name
from shoal.studio.desk import Desk
from shoal.studio.settings import LARGEST, kept, taken
from shoal.studio.words import in_words

MEANT = "For you alone: hierarchies that were edited list values of your table."


def keep_settings(desk: Desk) -> None:
    """Draw a button that fetches all present settings."""

    def fetch() -> None:
        place = desk.folder / "settings.zip"
        try:
            place.write_bytes(kept(desk.recipe))
        except ShoalError as refusal:
            _refuse(refusal)
            return
        name = released_name(desk.sheet.name if desk.sheet else "", ".zip").replace(
            ".released", ".settings"
        )
        ui.download.from_url(desk.offer(place, name))

    with ui.button("Keep these settings", icon="download", on_click=fetch).props(
        'flat no-caps data-testid="keep-settings"'
    ):
        ui.tooltip(MEANT)


def take_settings(desk: Desk) -> None:
    """Draw a button that takes settings up from a file; undo brings back what was."""

    async def read(uploaded: events.UploadEventArguments) -> None:
        upload.reset()
        content = await uploaded.file.read()
        folder = desk.new_place()
        folder.mkdir(mode=0o700)
        try:
            recipe = await run.io_bound(
                taken, content, folder, desk.sheet.columns if desk.sheet else []
            )
        except ShoalError as refusal:
            shutil.rmtree(folder, ignore_errors=True)
            _refuse(refusal)
            return
        if recipe is not None:  # else the studio ends
            ui.notify("The settings are taken up. Undo brings back what was.")
            desk.put(recipe)

    upload = ui.upload(
        on_upload=read, on_rejected=_too_large, auto_upload=True, max_file_size=LARGEST
    ).classes("hidden")
    upload.props('accept=".zip,.toml" data-testid="settings-file"')
    words = "Take up kept settings"
    button = ui.button(words, icon="upload", on_click=lambda: upload.run_method("pickFiles"))
    button.props("flat no-caps")


def _refuse(refusal: ShoalError) -> None:
    ui.notify(in_words(refusal), type="negative", multi_line=True, classes="multi-line")


def _too_large() -> None:
    ui.notify(
        f"These are no settings: a .zip or .toml file of at most {LARGEST // 2**20} MB is.",
        type="negative",
    )
