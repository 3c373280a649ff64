"""Drawing: a graph before and after as two small SVG pictures, each part at the same place in both.

| form | before | after |
|---|---|---|
| supergraph | a dot for each person in the circle of their cluster | circles as large as clusters |
| k-degree | a circle for each number of neighbours, red below k people | the same of the release |

Beyond 80 clusters a circle holds several of them, which hang together, as a dot each. Beyond 1,500
edges lines stand for numbers of edges between circles, beyond 10,000 people a dot for several. So a
picture of 10,000 nodes has a few hundred elements. No text in it comes from a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.arrays import AnyArray, Flags, Floats, Longs
from shoal.groups import Groups
from shoal.networks.network import Network
from shoal.networks.structure import Structure
from shoal.studio.work.graph_layout import GAP, HIGH, MARGIN, MOST, WIDE, Bubbles, bubbles_of, radii

MOST_LINES = 1_500  # edges that are drawn one by one
MOST_LINKS = 300  # lines between circles
MOST_DOTS = 10_000
TURN = 2.399963  # the golden angle: dots of a circle fill it evenly
ROOM = 0.86  # of a circle that its dots take
LETTERS = 10.0  # radius from which on a digit fits into a circle
LETTER = 4.0  # more for each further sign
DOT = 1.0  # width of the dot of a cluster, where a circle has one
Row = tuple[Any, ...]


@dataclass(frozen=True)
class Pictures:
    """Two pictures, what they show, and the same as a table."""

    before: str
    after: str
    said_before: str
    said_after: str
    heads: tuple[str, ...]
    rows: Sequence[Row]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, as a worker tells it."""
        return {**vars(self), "rows": [list(row) for row in self.rows]}


def of_clusters(network: Network, groups: Groups, alone: Flags) -> Pictures:
    """Draw a release in clusters; `alone` marks people whom nobody looks like before."""
    structure = Structure.of(network, groups)
    bubbles = bubbles_of(structure)
    links = _links(bubbles)
    dots = PeopleDots.of(bubbles, groups)
    lines = network.edges <= MOST_LINES and dots.each == 1
    before = [dots.lines(network) if lines else links, _outlines(bubbles), dots.drawn(alone)]
    after = [links, _clusters(bubbles)]
    several = bubbles.count < groups.count
    return Pictures(
        before=_svg(before),
        after=_svg(after),
        said_before=_said_before(dots.each, int(alone.sum()), lines=lines),
        said_after=_said_after(groups.count, bubbles.count, several=several),
        heads=("circle", "people", "clusters", "edges inside", "edges to others"),
        rows=[
            (number + 1, *(int(count) for count in counts))
            for number, counts in enumerate(
                zip(bubbles.people, bubbles.clusters, bubbles.inner, bubbles.outer, strict=True)
            )
        ],
    )


def of_degrees(original: Longs, released: Longs, k: int) -> Pictures:
    """Draw a k-degree release: circles for numbers of neighbours, red where fewer than k share."""
    highest = int(max(original.max(initial=0), released.max(initial=0))) + 1
    before = np.bincount(original, minlength=highest)
    after = np.bincount(released, minlength=highest)
    listed = np.flatnonzero(before + after)
    rows = [(int(one), int(before[one]), int(after[one])) for one in listed]
    few = int(before[(before > 0) & (before < k)].sum())
    circle = "A circle for each number of neighbours, the fewest first"
    return Pictures(
        before=_svg([_classes(before, k)]),
        after=_svg([_classes(after, k)]),
        said_before=f"{circle}; red ones are shared by fewer than {k:,} people: {few:,} in all.",
        said_after=f"{circle}; each is shared by at least {k:,} people.",
        heads=("neighbours", "people before", "people after"),
        rows=rows,
    )


@dataclass(frozen=True)
class PeopleDots:
    """A place for each person inside the circle of their cluster; left-out ones have none."""

    x: Floats
    y: Floats
    there: Flags
    width: float
    each: int
    """How many people a dot stands for."""

    @classmethod
    def of(cls, bubbles: Bubbles, groups: Groups) -> PeopleDots:
        """Fill each circle evenly, people of one cluster beside each other."""
        labels = groups.labels
        there = labels >= 0
        bubble = np.where(there, bubbles.of_cluster[np.maximum(labels, 0)], bubbles.count)
        order = np.lexsort((labels, bubble))
        begin = np.concatenate(([0], np.cumsum(bubbles.people)))
        place = np.empty(len(labels), np.int64)
        place[order] = np.arange(len(labels))
        held = np.minimum(bubble, max(bubbles.count - 1, 0))
        x, y = _inside(bubbles, held, place - begin[held], bubbles.people)
        each = -(-int(there.sum()) // MOST_DOTS) or 1
        # as wide as leaves a third of each circle empty
        width = float(np.clip(1.1 * np.sqrt(_share(bubbles)), 1.2, 9.0))
        return cls(x, y, there & (place % each == 0), width, each)

    def drawn(self, alone: Flags) -> str:
        """Draw the dots; people who stand alone are red, and on top."""
        others = self._path(self.there & ~alone, "var(--accent)")
        return others + self._path(self.there & alone, "var(--bad)")

    def lines(self, network: Network) -> str:
        """Draw a line for each edge."""
        both = self.there[network.one] & self.there[network.other]
        ends = zip(network.one[both].tolist(), network.other[both].tolist(), strict=True)
        path = "".join(f"M{self._at(one)}L{self._at(other)}" for one, other in ends)
        return _path(path, "var(--faint)", 0.7, opacity=0.5)

    def _at(self, person: int) -> str:
        return f"{self.x[person]:.1f} {self.y[person]:.1f}"

    def _path(self, shown: Flags, colour: str) -> str:
        dots = "".join(f"M{self._at(one)}h0" for one in np.flatnonzero(shown).tolist())
        return _path(dots, colour, self.width)


def _share(bubbles: Bubbles) -> float:
    """Return the area of a circle for each person in it."""
    return float((bubbles.radius**2).sum() / max(int(bubbles.people.sum()), 1))


def _inside(
    bubbles: Bubbles, bubble: Longs, number: Longs, count: Longs, room: float = ROOM
) -> tuple[Floats, Floats]:
    """Place the dots of circles: dot `number` of `count` in a circle stands on a spiral."""
    away = room * bubbles.radius[bubble] * np.sqrt((number + 0.5) / np.maximum(count[bubble], 1))
    x = bubbles.x[bubble] + away * np.cos(TURN * number)
    return x, bubbles.y[bubble] + away * np.sin(TURN * number)


def _clusters(bubbles: Bubbles) -> str:
    """Draw circles with their clusters as dots; one that is a cluster has its number of people."""
    return "".join(
        _one_cluster(bubbles, place) if count == 1 else _several_clusters(bubbles, place)
        for place, count in enumerate(bubbles.clusters)
    )


def _one_cluster(bubbles: Bubbles, place: int) -> str:
    people = int(bubbles.people[place])
    told = f"{people:,} people, {int(bubbles.inner[place]):,} edges inside"
    x, y, radius = bubbles.x[place], bubbles.y[place], bubbles.radius[place]
    return _circle(x, y, radius, "var(--accent)", told) + _number(x, y, radius, people)


def _several_clusters(bubbles: Bubbles, place: int) -> str:
    count = int(bubbles.clusters[place])
    told = f"{count:,} clusters with {int(bubbles.people[place]):,} people, "
    told += f"{int(bubbles.inner[place]):,} edges inside"
    radius = float(bubbles.radius[place])
    around = _circle(bubbles.x[place], bubbles.y[place], radius, "var(--paper)", told)
    width = DOT * radius / np.sqrt(count)
    room = 1 - width / 2 / radius
    x, y = _inside(bubbles, np.full(count, place), np.arange(count), bubbles.clusters, room)
    dots = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(x, y, strict=True))
    return around + _path(dots, "var(--accent)", width)


def _outlines(bubbles: Bubbles) -> str:
    places = zip(bubbles.x, bubbles.y, bubbles.radius, bubbles.people, strict=True)
    return "".join(
        _circle(x, y, radius, "var(--paper)", f"{people:,} people")
        for x, y, radius, people in places
    )


def _links(bubbles: Bubbles) -> str:
    """Draw the links with the most edges, wider where there are more."""
    strongest = np.argsort(-bubbles.between, kind="stable")[:MOST_LINKS]
    most = max(int(bubbles.between.max(initial=1)), 1)
    drawn = []
    for link in strongest[::-1].tolist():
        one, other = bubbles.first[link], bubbles.second[link]
        width = 0.4 + 5.0 * np.sqrt(bubbles.between[link] / most)
        path = f"M{bubbles.x[one]:.1f} {bubbles.y[one]:.1f}"
        path += f"L{bubbles.x[other]:.1f} {bubbles.y[other]:.1f}"
        drawn.append(_path(path, "var(--faint)", width, opacity=0.35))
    return "".join(drawn)


def _classes(counts: AnyArray, k: int) -> str:
    """Draw circles in lines, from few neighbours to many; many classes share a circle."""
    numbers = np.flatnonzero(counts)
    parts = (
        np.array_split(numbers, MOST)
        if len(numbers) > MOST
        else np.split(numbers, range(1, len(numbers)))
    )
    radius = radii(np.array([counts[part].sum() for part in parts], np.int64))
    places = _in_lines(radius)
    drawn = []
    for part, size, (x, y) in zip(parts, radius, places, strict=True):
        few = counts[part].min(initial=k) < k
        span = f"{part[0]:,}" if len(part) == 1 else f"{part[0]:,} to {part[-1]:,}"
        told = f"{span} neighbours: {int(counts[part].sum()):,} people"
        drawn.append(_circle(x, y, size, "var(--bad)" if few else "var(--accent)", told))
        if len(part) == 1:
            drawn.append(_number(x, y, size, int(part[0])))
    return "".join(drawn)


def _in_lines(radius: Floats) -> list[tuple[float, float]]:
    """Place circles one behind the other, in as many lines as they need."""
    places = []
    x = y = MARGIN
    line = 0.0
    for size in radius.tolist():
        if x + 2 * size > WIDE - MARGIN:
            x = MARGIN
            y += line + GAP
            line = 0.0
        line = max(line, 2 * size)
        places.append((x + size, y + size))
        x += 2 * size + GAP
    return places


def _said_before(each: int, alone: int, *, lines: bool) -> str:
    dot = "A dot for each person" if each == 1 else f"A dot for {each:,} people"
    red = f"red: the {alone:,} who stand alone by the columns others know and their number of "
    edges = "each line is an edge" if lines else "lines are numbers of edges between circles"
    return f"{dot}, in the circle of their cluster; {red}neighbours; {edges}."


def _said_after(clusters: int, bubbles: int, *, several: bool) -> str:
    size = "circles are as large as their number of people, lines as wide as their number of edges"
    if not several:
        return f"{clusters:,} clusters: {size}."
    return (
        f"{clusters:,} clusters, a dot for each; those with many edges between them are drawn "
        f"together in {bubbles:,} circles: {size}."
    )


def _svg(parts: Sequence[str]) -> str:
    shown = f'viewBox="0 0 {WIDE:.0f} {HIGH:.0f}" width="100%"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {shown}>{"".join(parts)}</svg>'


def _path(path: str, colour: str, width: float, opacity: float = 1.0) -> str:
    if not path:
        return ""
    look = f'stroke="{colour}" stroke-width="{width:.2f}" stroke-opacity="{opacity:g}"'
    return f'<path d="{path}" fill="none" stroke-linecap="round" {look}/>'


def _circle(x: float, y: float, radius: float, fill: str, told: str) -> str:
    place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
    look = f'fill="{fill}" stroke="var(--faint)" stroke-width="0.8"'
    return f"<circle {place} {look}><title>{told}</title></circle>"


def _number(x: float, y: float, radius: float, number: int) -> str:
    """Write a number into a circle, where it has room."""
    text = f"{number:,}"
    if radius < LETTERS + LETTER * (len(text) - 1):
        return ""
    look = 'text-anchor="middle" dominant-baseline="central" font-size="13" fill="var(--ground)"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look} pointer-events="none">{text}</text>'
