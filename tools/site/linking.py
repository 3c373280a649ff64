"""Linking: names of plug-ins in backticks become links, and the words that are ours are explained.

So a page in docs/ need not know where the page of a method stands: `t-closeness` is enough.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from functools import cache

from tools.site import plugin_pages

WORDS = {
    "gate": "the final check: every promise is counted again in the table that is to be published",
    "gated": "counted again, and refused if a promise does not hold",
    "peeling": "rows that are alike after the least coarsening are grouped first",
    "snapped": "ends of intervals are widened to round numbers",
    "withheld": "left out of the release",
    "quasi-identifiers": "columns that others may know about a person",
    "quasi-identifier": "a column that others may know about a person",
}
"""Words of ours, as a reader who points at one is told."""
NAMED = re.compile(r"(?<![\[`\w])`([a-z][a-z0-9-]+)`(?![`\]])")
FENCE = re.compile(r"^ *```")


@cache
def _places() -> Mapping[str, str]:
    """Return the pages of plug-ins whose names can't be taken for an ordinary word."""
    known = plugin_pages.places()
    alone = ("mondrian", "mdav", "snapped", "tight", "centre", "nsvdist")
    return {name: place for name, place in known.items() if "-" in name or name in alone}


def linked(text: str, page: str) -> str:
    """Link the first mention of each plug-in on a page to the plug-in's own page."""
    seen: set[str] = set()
    lines: list[str] = []
    code = False
    for line in text.split("\n"):
        fence = bool(FENCE.match(line))
        code = code != fence
        plain = not code and not fence and not line.startswith(("#", "    "))
        lines.append(_linked(line, page, seen) if plain else line)
    return "\n".join(lines)


def _linked(line: str, page: str, seen: set[str]) -> str:
    """Link the plug-ins of a line that the page has not linked yet."""

    def one(mention: re.Match[str]) -> str:
        place = _places().get(mention[1])
        if place is None or place == page or place in seen or _in_link(line, mention.start()):
            return mention[0]
        seen.add(place)
        return f"[{mention[0]}]({posixpath.relpath(place, posixpath.dirname(page) or '.')})"

    return NAMED.sub(one, line)


def _in_link(line: str, place: int) -> bool:
    """Tell whether a place lies inside the text of a link."""
    before = line[:place]
    return before.rfind("[") > before.rfind("]")


def explained(text: str) -> str:
    """Explain the words of ours that a page uses, where a reader points at them."""
    used = [word for word in WORDS if re.search(rf"\b{word}\b", text)]
    return "\n".join([text, "", *(f"*[{word}]: {WORDS[word]}" for word in used)])
