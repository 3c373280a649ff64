"""One spelling in all pages: British words, with -ize as in anonymize."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
OTHER = re.compile(
    r"\b(?:\w*(?:color|behavior|neighbor|favor)(?:s|ed|ing|al|hoods?)?|gray"
    r"|(?:anonymi|generali|minimi|maximi|normali|recogni|randomi|summari)s(?:e|ed|es|ing|ation)\w*)\b",
    re.I,
)
CODE = re.compile(r"```.*?```|`[^`]*`|\]\([^)]*\)", re.S)


def other_spellings(text: str) -> list[str]:
    """Find words of a page, outside code and links, that are spelled the other way."""
    return OTHER.findall(CODE.sub(" ", text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_have_one_spelling(page: Path) -> None:
    assert other_spellings(page.read_text("utf-8")) == []


@pytest.mark.parametrize("word", ["color", "neighbors", "anonymised", "Generalisation", "gray"])
def test_guard_bites(word: str) -> None:
    assert other_spellings(f"a {word} here") == [word]
    assert other_spellings(f"a `{word}` here, and colours, promised, centre, wise") == []
