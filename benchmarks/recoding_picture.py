"""Recoding picture: twelve people before and after local recoding, `banded` and `full-domain`.

    python -m benchmarks.recoding_picture      writes docs/pictures/global-recoding.svg

A bar reaches over the ages that a published cell leaves open; the dot is the age before.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

import pyarrow as pa

import shoal
from shoal.handover.before_after import aligned

PICTURE = Path(__file__).parent.parent / "docs" / "pictures" / "global-recoding.svg"
PEOPLE = pa.table(
    {
        "age": [21, 23, 25, 27, 31, 34, 36, 38, 62, 64, 67, 95],
        "sex": list("ffffmmmmmmmf"),
        "city": [
            *("Oslo", "Oslo", "Oslo", "Bergen", "Bergen", "Oslo"),
            *("Oslo", "Bergen", "Rome", "Rome", "Milan", "Rome"),
        ],
    }
)
CITIES = "Oslo,Norway,*\nBergen,Norway,*\nRome,Italy,*\nMilan,Italy,*\n"
PANELS = {
    "": "as it came",
    "shoal": "shoal (local recoding)",
    "banded": "banded",
    "full-domain": "full-domain (global recoding)",
}
WIDTH = 322
LINE = 24
HEAD = 58
ACROSS = 150  # pixels from the youngest to the oldest age drawn
AGES = (20, 100)
INK = "#1d2b2f"
FAINT = "#5b6b70"
BAR = "#12929b"
Cells = tuple[str | None, ...]


def published(method: str) -> list[Cells]:
    """Return the cells of each person under a method; nothing but None for one left out."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "city.csv")
        tree.write_text(CITIES)
        release = shoal.anonymize(
            PEOPLE,
            quasi=["age", "sex", "city"],
            k=3,
            method=method,
            hierarchies={"city": str(tree)},
            withhold=0.1,
            seed=1,
        )
        found = aligned(release, PEOPLE)
    assert found is not None
    texts = [found.texts[name].to_pylist() for name in PEOPLE.column_names]
    return list(zip(*texts, strict=True))


def picture() -> str:
    """Draw all panels side by side."""
    parts = []
    before: list[Cells] = [
        tuple(map(str, row)) for row in zip(*PEOPLE.to_pydict().values(), strict=True)
    ]
    for place, (method, title) in enumerate(PANELS.items()):
        cells = before
        if method:
            cells = published(method)
        inside = "".join(_panel(title, cells))
        parts.append(f'<g transform="translate({16 + place * WIDTH} 0)">{inside}</g>')
    wide = 16 + WIDTH * len(PANELS)
    high = HEAD + LINE * PEOPLE.num_rows + 16
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
        'font-family="sans-serif" font-size="13" role="img">'
        "<title>Twelve people before and after local recoding, banded and full-domain</title>"
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def _panel(title: str, cells: list[Cells]) -> Iterator[str]:
    yield _text(0, 20, title, INK, bold=True)
    bottom = HEAD + LINE * len(cells) - 6
    for age in range(AGES[0], AGES[1] + 1, 20):
        x = _x(age)
        yield f'<line x1="{x}" x2="{x}" y1="{HEAD - 8}" y2="{bottom}" stroke="#d9dfdd"/>'
        yield _text(x, HEAD - 14, str(age), FAINT, middle=True)
    for row, (cell, was) in enumerate(zip(cells, PEOPLE["age"].to_pylist(), strict=True)):
        yield from _person(HEAD + LINE * row + 8, cell, was)


def _person(y: int, cells: Cells, was: int) -> Iterator[str]:
    """Draw one person: a bar over the published ages, the age before, and the other cells."""
    age = cells[0]
    if age is None:
        yield f'<circle cx="{_x(was)}" cy="{y}" r="3.5" fill="none" stroke="{FAINT}"/>'
        yield _text(ACROSS + 14, y + 4, "left out", FAINT)
        return
    numbers = list(map(int, re.findall(r"\d+", age))) or list(AGES)
    low = _x(numbers[0])
    high = _x(numbers[-1])
    if high > low:
        bar = f'x="{low}" y="{y - 6}" width="{high - low}" height="12" rx="3"'
        yield f'<rect {bar} fill="{BAR}" fill-opacity="0.35"/>'
    yield f'<circle cx="{_x(was)}" cy="{y}" r="3" fill="{INK}"/>'
    yield _text(ACROSS + 14, y + 4, ", ".join(map(str, cells)), INK)


def _x(age: float) -> float:
    return round((age - AGES[0]) / (AGES[1] - AGES[0]) * ACROSS, 1)


def _text(
    x: float, y: float, words: str, colour: str, *, bold: bool = False, middle: bool = False
) -> str:
    look = ' font-weight="bold"' if bold else ""
    look += ' text-anchor="middle" font-size="11"' if middle else ""
    return f'<text x="{x}" y="{y}" fill="{colour}"{look}>{escape(words)}</text>'


if __name__ == "__main__":
    PICTURE.write_text(picture())
