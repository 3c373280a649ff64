"""Desks: one for each browser that has come, by what its cookie proves."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

from shoal.studio.desk import Desk
from shoal.studio.jobs import Shop

MANY = 20  # desks at once


class Desks:
    """Keep the desk of every browser, by the name that its cookie proves."""

    def __init__(
        self, folder: Path, shop: Shop, opened: Callable[[Desk], None] = lambda desk: None
    ) -> None:
        self.folder = folder
        self.shop = shop
        self.opened = opened
        self.all: dict[str, Desk] = {}

    def of(self, name: str) -> Desk:
        """Return the desk of a browser, and set it up when the browser first comes.

        Where there are too many desks, the one that was left longest ago is cleared.
        """
        if name in self.all:
            self.all[name] = self.all.pop(name)
            return self.all[name]
        while len(self.all) >= MANY:
            self.all.pop(next(iter(self.all))).close()
        self.all[name] = desk = Desk(self.folder / f"desk-{secrets.token_hex(8)}", self.shop)
        self.opened(desk)
        return desk

    def close(self) -> None:
        """Close every desk."""
        for desk in self.all.values():
            desk.close()
