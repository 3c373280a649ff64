"""Cabinet: lets a page open, begin, rename and remove projects for the browser that it is in."""

from __future__ import annotations

from nicegui import ui

from shoal.studio.desks import Desks
from shoal.studio.projects import Project, cleaned
from shoal.studio.sockets import Owners


class Cabinet:
    """Act for the browser whose page calls."""

    def __init__(self, desks: Desks, owners: Owners) -> None:
        self.desks = desks
        self.owners = owners

    @property
    def _browser(self) -> str:
        return self.owners.desk[ui.context.client.id]

    @property
    def here(self) -> str:
        """Return the key of the project that is on the desk."""
        return self.desks.of(self._browser).folder.name

    def recent(self) -> list[Project]:
        """List the projects there are, the latest first."""
        return self.desks.projects.recent()

    def open(self, key: str) -> bool:
        """Lay a project on the desk, and load the page anew; False where that can't be."""
        browser = self._browser
        if not self.desks.open(browser, key):
            return False
        self.owners.reload(browser)
        return True

    def begin(self) -> None:
        """Lay an empty project on the desk, and load the page anew."""
        browser = self._browser
        self.desks.begin(browser)
        self.owners.reload(browser)

    def rename(self, key: str, title: str) -> None:
        """Give a project another name, on a desk or in its folder."""
        live = [desk for desk in self.desks.all.values() if desk.folder.name == key]
        if not live:
            self.desks.projects.rename(key, title)
        elif cleaned(title):
            live[0].rename(cleaned(title))

    def remove(self, key: str) -> None:
        """Remove a project with its copy of the table and its runs."""
        browser = self._browser
        is_here = key == self.here
        self.desks.remove(browser, key)
        if is_here:
            self.owners.reload(browser)
