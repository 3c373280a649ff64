"""Desks: one for each browser that has come, by what its cookie proves.

What is on a desk is a project (`projects`), which outlives the studio. A browser may open another
project, and come back to its desk without a cookie as long as nobody else looks at it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from shoal.studio.desk import Desk
from shoal.studio.desk_state import keep, opened
from shoal.studio.jobs import Shop
from shoal.studio.projects import Projects, is_busy

MANY = 20  # desks at once


class Desks:
    """Keep the desk of every browser, by the name that its cookie proves."""

    def __init__(
        self,
        projects: Projects,
        shop: Shop,
        first: Callable[[Desk], None] = lambda desk: None,
        looked_at: Callable[[str], bool] = lambda name: False,
    ) -> None:
        self.projects = projects
        self.shop = shop
        self.first = first
        self.looked_at = looked_at
        self.all: dict[str, Desk] = {}

    def of(self, name: str) -> Desk:
        """Return the desk of a browser, and set it up when the browser first comes.

        Where there are too many desks, the one that was left longest ago is closed.
        """
        if name in self.all:
            self.all[name] = self.all.pop(name)
            return self.all[name]
        desk = self._put(name, Desk(self.projects.new(), self.shop))
        self.first(desk)
        return desk

    def last_left(self) -> str | None:
        """Name the browser that was here last and whose desk nobody looks at; None without one."""
        names = (name for name in reversed(self.all) if not self.looked_at(name))
        return next(names, None)

    def open(self, name: str, key: str) -> bool:
        """Lay another project on the desk of a browser; False where it can't be opened."""
        folder = self.projects.place_of(key)
        if folder is None or is_busy(folder):
            return False
        live = next((desk for desk in self.all.values() if desk.folder == folder), None)
        self._leave(name)
        self._put(name, live or self._laid_out(folder))
        return True

    def begin(self, name: str) -> None:
        """Give a browser an empty desk; what it worked on stays a project."""
        self._leave(name)
        self._put(name, Desk(self.projects.new(), self.shop))

    def remove(self, name: str, key: str) -> None:
        """Remove a project with all that it holds, also where it is on a desk."""
        for other, desk in list(self.all.items()):
            if desk.folder.name == key:
                del self.all[other]
                desk.close()
        self.projects.remove(key)
        if name not in self.all:
            self.begin(name)

    def close(self) -> None:
        """Close every desk."""
        for desk in self.all.values():
            desk.close()

    def _laid_out(self, folder: Path) -> Desk:
        return opened(folder, self.shop)

    def _put(self, name: str, desk: Desk) -> Desk:
        while len(self.all) >= MANY:
            self._leave(next(iter(self.all)))
        self.all[name] = desk
        if not desk.is_kept:
            desk.is_kept = True
            desk.listeners.append(lambda: keep(desk))
        return desk

    def _leave(self, name: str) -> None:
        """Take a desk from a browser, and close it unless another browser has it too."""
        desk = self.all.pop(name, None)
        if desk is not None and all(desk is not other for other in self.all.values()):
            desk.close()
