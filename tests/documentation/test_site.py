"""The documentation site is built without a warning, and answers are three clicks away."""

from __future__ import annotations

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from tools.site.navigation import navigation

from conftest import ROOT

CLICKS = 3
ANSWERS = {
    "how to read a German Excel file": "German, French and other European Excel",
    "what l-diversity is": "Every group holds at least l different sensitive values",
    "what height-share means": "On average, the share of its detail that a cell lost",
    "the signature of shoal.audit": "released: Any",
    "whether two releases may be published": "two releases of the same people",
}


class Page(HTMLParser):
    """The links and the text of a built page, without its head."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value for name, value in attrs if tag == "a" and name == "href" and value]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    # Not --quiet: MkDocs counts only the warnings that it shows.
    said = built.stdout + built.stderr
    assert built.returncode == 0 and "WARNING" not in said, said
    return folder


def reached(site: Path, clicks: int) -> dict[str, int]:
    """Return the pages that some clicks lead to from the first one, with how many they take."""
    found = {"index.html": 0}
    front = ["index.html"]
    for click in range(1, clicks + 1):
        near = {target for name in front for target in _targets(site, name)}
        front = sorted(near - set(found))
        found |= dict.fromkeys(front, click)
    return found


def _targets(site: Path, name: str) -> set[str]:
    """Return the pages of the site to which a page links."""
    links = {urldefrag(urljoin(name, link))[0] for link in _page(site, name).links}
    return {link for link in links if link.endswith(".html") and not urlsplit(link).scheme}


def _page(site: Path, name: str) -> Page:
    return Page((site / name).read_text("utf-8"))


def unreached(site: Path, near: set[str]) -> set[str]:
    """Find the pages to which so few clicks don't lead."""
    return {str(path.relative_to(site)) for path in site.rglob("*.html")} - near - {"404.html"}


def fetched(site: Path) -> list[str]:
    """Find the pages that load anything from elsewhere."""
    parts = ('src="http', "url(http", '<link rel="stylesheet" href="http', "fonts.g")
    pages = [(path.name, path.read_text("utf-8")) for path in site.rglob("*.html")]
    return [name for name, text in pages if any(part in text for part in parts)]


def test_the_site_is_built_without_a_warning_and_answers_are_three_clicks_away(site: Path) -> None:
    near = set(reached(site, CLICKS))
    texts = [_page(site, name).text for name in near]
    missed = {question for question, said in ANSWERS.items() if not any(said in t for t in texts)}
    assert missed == set()
    assert unreached(site, near) == set()
    assert fetched(site) == []


def test_a_new_page_takes_its_place_by_itself() -> None:
    pages = ["index.md", "guides/old.md", "guides/new.md", "guides/deep/one.md", "odd.md"]
    tabs = {title: inside for tab in navigation(pages) for title, inside in tab.items()}
    assert tabs == {
        "Start": ["index.md"],
        "Guides": ["guides/new.md", "guides/old.md", {"Deep": ["guides/deep/one.md"]}],
        "Reference": ["odd.md"],
    }
