"""Planes: sixty people as points, and the boxes in which each method publishes them.

    python -m tools.site.planes      writes docs/pictures/methods/*.svg and shoal-plane.svg

A person is a point: age from left to right, income upwards. A box is what a group publishes when
its ends are exact (`publish="tight"`), so a point in a box looks like at least k-1 others.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pyarrow as pa

import shoal
from shoal import registry

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
K = 5
SIDE = 260
HEAD = 28
AGES = (18, 82)
INCOMES = (10, 90)
INK = "#1d2b2f"
FAINT = "#5b6b70"
FILL = "#12929b"
Box = tuple[float, float, float, float]


def people() -> pa.Table:
    """Make sixty people: three crowds, and a few who stand apart. The same on every machine."""
    rng = np.random.default_rng(11)
    crowds = [(27, 30, 22), (45, 55, 20), (66, 38, 12)]
    ages: list[int] = []
    incomes: list[int] = []
    for age, income, count in crowds:
        ages += [int(age + shift) for shift in rng.integers(-8, 9, count)]
        incomes += [int(income + shift) for shift in rng.integers(-12, 13, count)]
    ages += [int(age) for age in rng.integers(20, 80, 6)]
    incomes += [int(income) for income in rng.integers(15, 88, 6)]
    return pa.table({"age": ages, "income": incomes})


def boxes(method: str) -> list[Box]:
    """Return the boxes that a method publishes, as ages and incomes from and to."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = shoal.anonymize(
            people(), quasi=["age", "income"], k=K, method=method, publish="tight", seed=1
        )
    cells = zip(*(release.published[name].to_pylist() for name in ("age", "income")), strict=True)
    return sorted({(*_ends(age, AGES), *_ends(income, INCOMES)) for age, income in cells})


def _ends(cell: str, whole: tuple[int, int]) -> tuple[float, float]:
    """Return the ends of a published cell; a star leaves everything open."""
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", cell)]
    low, high = map(float, whole)
    if not numbers:
        return low, high
    return max(numbers[0], low), min(numbers[-1], high)  # bands may reach beyond the picture


def plane(title: str, drawn: Sequence[Box]) -> Iterator[str]:
    """Draw one plane: its title, boxes and points."""
    yield f'<text x="0" y="18" fill="{INK}" font-weight="bold">{escape(title)}</text>'
    frame = f'x="0" y="{HEAD}" width="{SIDE}" height="{SIDE}"'
    yield f'<rect {frame} fill="#f6f8f8" stroke="#d9dfdd"/>'
    for left, right, low, high in drawn:
        x, y = _place(left, high)
        far, down = _place(right, low)
        size = f'width="{far - x + 8:.1f}" height="{down - y + 8:.1f}"'
        look = f'fill="{FILL}" fill-opacity="0.22" stroke="{FILL}" stroke-opacity="0.7"'
        yield f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" {size} rx="4" {look}/>'
    for age, income in zip(
        *(people()[name].to_pylist() for name in ("age", "income")), strict=True
    ):
        x, y = _place(age, income)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{INK}"/>'
    foot = HEAD + SIDE + 16
    yield f'<text x="0" y="{foot}" fill="{FAINT}" font-size="11">age →, income ↑</text>'


def _place(age: float, income: float) -> tuple[float, float]:
    across = (age - AGES[0]) / (AGES[1] - AGES[0])
    up = (income - INCOMES[0]) / (INCOMES[1] - INCOMES[0])
    return across * (SIDE - 16) + 8, HEAD + SIDE - 8 - up * (SIDE - 16)


def picture(panels: Sequence[tuple[str, Sequence[Box]]], title: str) -> str:
    """Return planes side by side as SVG."""
    step = SIDE + 40
    width = step * len(panels) - 8
    parts = [
        f'<g transform="translate({16 + step * i} 6)">{"".join(plane(name, drawn))}</g>'
        for i, (name, drawn) in enumerate(panels)
    ]
    size = f'viewBox="0 0 {width} {SIDE + HEAD + 32}" width="{width}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13"'
        f' role="img"><title>{escape(title)}</title>'
        f'<rect width="100%" height="100%" rx="8" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def pictures() -> Iterator[tuple[Path, str]]:
    """Draw every method, and the plane before and after."""
    known = {**registry.names(registry.Method), **registry.names(registry.Overlap)}
    for name in known:
        yield PICTURES / "methods" / f"{name}.svg", of_method(name)
    yield PICTURES / "shoal-plane.svg", before_and_after()


def of_method(name: str) -> str:
    """Draw the boxes of one method."""
    drawn = boxes(name)
    title = f"{name}: {len(drawn)} boxes, k = {K}"
    return picture([(title, drawn)], f"Sixty people in the boxes of {name}")


def before_and_after() -> str:
    """Draw the people alone, and in the boxes of the default method."""
    panels = [
        ("Sixty people, each alone", []),
        (f"published: {K} or more in each box", boxes("shoal")),
    ]
    return picture(panels, "Sixty people before and after: each box holds five or more of them")


if __name__ == "__main__":
    (PICTURES / "methods").mkdir(exist_ok=True)
    for place, text in pictures():
        place.write_text(text, "utf-8")
