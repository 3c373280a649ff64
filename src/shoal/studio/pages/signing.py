"""Signing: says whether a release to be handed over is signed, and signs it with a key file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nicegui import run, ui

from shoal.adapters.keys import given_passphrase
from shoal.adapters.signing import Signer
from shoal.errors import ShoalError
from shoal.handover.folder import Handed
from shoal.studio.desk import Desk
from shoal.studio.words import in_words

WHY = (
    "Without a signature anyone may change the release, count everything anew and say that it is "
    "yours. A signature shows that it came from your key, as it is."
)


def show_signature(
    desk: Desk, handed: Handed, archive: Path, checked: str, refresh: Callable[[], object]
) -> None:
    """Show whether a release is signed, and the command that checks it; else offer to sign it."""
    with ui.element("div").classes("paper").props('data-testid="signature"'):
        signature = handed.signature
        if signature is None:
            ui.label("UNSIGNED").classes("side-title warn")
            ui.label(WHY).classes("faint")
            _form(handed, archive, refresh)
            return
        ui.label("Signed").classes("side-title")
        ui.label(
            "The signature is in the archive. Give your public key to those who check it, by a way "
            "that nobody can change; they type:"
        ).classes("faint")
        ui.label(checked).classes("typed")
        address = desk.offer(signature, signature.name)
        button = ui.button("Its signature", icon="download").props("flat dense no-caps align=left")
        button.on_click(lambda: ui.download.from_url(address))


def _form(handed: Handed, archive: Path, refresh: Callable[[], object]) -> None:
    """Ask for the file of a private key on this machine, and for its passphrase."""
    with ui.row().classes("items-center gap-4"):
        key = ui.input("Private key on this machine", placeholder="~/release.key")
        key.props("data-testid=key").classes("w-96")
        word = ui.input("Passphrase, if it has one", password=True).props("data-testid=passphrase")
        word.classes("w-64")
        button = ui.button("Sign it").props("outline no-caps data-testid=sign")
    ui.label("A pair of keys is made at the terminal: shoal keygen release.key").classes("faint")

    async def sign() -> None:
        place = str(key.value or "").strip()
        passphrase = str(word.value or "") or given_passphrase() or ""
        word.value = ""
        try:
            await run.io_bound(_sign, handed, place, passphrase, archive)
        except ShoalError as refusal:
            ui.notify(in_words(refusal), type="negative", multi_line=True, classes="multi-line")
        else:
            refresh()

    button.on_click(sign)


def _sign(handed: Handed, key: str, passphrase: str, archive: Path) -> None:
    """Sign a release, and pack it anew with its signature."""
    signer = Signer.of(Path(key).expanduser(), passphrase)
    assert signer is not None, "a place was given"
    handed.sign(signer)
    handed.pack(archive)
