"""Navigation: sections in their order; a new page in a folder takes its place by itself."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Start", ("index.md", "tutorial.md", "tutorial-notebook.md", "questions/", "how-to/")),
    ("Guides", ("guides/", "scale.md")),
    ("Concepts", ("concepts/",)),
    ("Catalogue", ("catalogue/",)),
    ("Reference", ("reference/",)),
    ("Results", ("results/", "benchmarks.md")),
    ("Project", ("project/", "decisions/")),
)
"""Tabs, each with the pages and folders that it shows."""
TITLES = {
    "questions": "Which, how, whether",
    "how-to": "For your work",
    "python": "Python",
    "commands": "Commands",
    "recoders": "Ways to publish",
    "effects": "Effects of a distortion",
    "tasks": "Mining tasks",
    "decisions": "Decisions",
}
"""Names of folders that are not simply their name."""
FIRST = ("index.md", "README.md")


def navigation(pages: Iterable[str]) -> list[dict[str, Any]]:
    """Arrange pages, given by their paths under docs/, into sections.

    A page that no section names stands at the end of the reference: none is lost.
    """
    paths = sorted(pages)
    tabs = [{title: _pages_of(title, places, paths)} for title, places in SECTIONS]
    placed = set(_flat(tabs))
    rest = [path for path in paths if path not in placed]
    for tab in tabs:
        if "Reference" in tab:
            tab["Reference"] += rest
    return [tab for tab in tabs if any(tab.values())]


def _pages_of(tab: str, places: Iterable[str], paths: list[str]) -> list[Any]:
    """List the pages of files and folders; the folder of a tab's name needs no heading."""
    listed: list[Any] = []
    for place in places:
        if not place.endswith("/"):
            listed += [path for path in paths if path == place]
            continue
        inside = _folder(place, paths)
        named = {_title(place): inside}
        listed += [named] if inside and _title(place) != tab else inside
    return listed


def _folder(folder: str, paths: list[str]) -> list[Any]:
    """List a folder: its first page, then pages, then inner folders with their pages."""
    inside = [path for path in paths if path.startswith(folder)]
    own = [path for path in inside if "/" not in path.removeprefix(folder)]
    own.sort(key=lambda path: (PurePosixPath(path).name not in FIRST, path))
    inner = sorted({path.removeprefix(folder).split("/")[0] for path in inside if path not in own})
    return [*own, *({_title(name): _folder(f"{folder}{name}/", paths)} for name in inner)]


def _title(folder: str) -> str:
    """Return the heading of a folder."""
    name = folder.strip("/").rpartition("/")[2]
    return TITLES.get(name, name.capitalize().replace("-", " "))


def _flat(listed: Iterable[Any]) -> list[str]:
    """Return every page of a navigation."""
    pages: list[str] = []
    for entry in listed:
        if isinstance(entry, str):
            pages.append(entry)
        else:
            pages += _flat(page for inner in entry.values() for page in inner)
    return pages
