"""Drawings of graphs: well-formed, small however many people there are, and true."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from networks.graphs import BY_ATTRIBUTES, PAPER, groups, network
from shoal.groups import Groups
from shoal.studio.work.graph_drawing import MOST_DOTS, MOST_LINKS, of_clusters, of_degrees
from shoal.studio.work.graph_layout import MOST
from studio.work.test_graph_layout import random_graph

SVG = "{http://www.w3.org/2000/svg}"
ALONE = np.array([True] * 2 + [False] * 7)


def parts(picture: str, name: str) -> list[ET.Element]:
    return list(ET.fromstring(picture).iter(f"{SVG}{name}"))


def dots(picture: str) -> dict[str, int]:
    """Dots by their colour."""
    found: dict[str, int] = {}
    for path in parts(picture, "path"):
        count = path.get("d", "").count("h0")
        if count:
            colour = path.get("stroke", "")
            found[colour] = found.get(colour, 0) + count
    return found


def test_the_papers_graph() -> None:
    made = of_clusters(network(PAPER, 9), groups(BY_ATTRIBUTES), ALONE)
    assert dots(made.before) == {"var(--accent)": 7, "var(--bad)": 2}
    lines = [path.get("d", "").count("L") for path in parts(made.before, "path")]
    assert sum(lines) == len(PAPER)
    assert "red: the 2 who stand alone" in made.said_before and "each line is an edge" in (
        made.said_before
    )
    assert [text.text for text in parts(made.after, "text")] == ["3", "3", "3"]
    assert made.said_after.startswith("3 clusters: ")
    assert made.rows == [(1, 3, 1, 3, 1), (2, 3, 1, 2, 4), (3, 3, 1, 1, 3)]


def test_people_who_were_left_out_are_not_drawn() -> None:
    labels = np.array([0, 0, 0, 1, 1, 1, 1, -1, -1])
    made = of_clusters(network(PAPER, 9), Groups(labels.astype(np.int32), 2), ALONE)
    assert sum(dots(made.before).values()) == 7
    lines = [path.get("d", "").count("L") for path in parts(made.before, "path")]
    assert sum(lines) == sum(a < 7 and b < 7 for a, b in PAPER)


def test_ten_thousand_people_make_a_small_picture() -> None:
    graph, clusters = random_graph(MOST_DOTS, 30_000, 5)
    made = of_clusters(graph, clusters, np.zeros(MOST_DOTS, np.bool_))
    for picture in (made.before, made.after):
        assert len(list(ET.fromstring(picture).iter())) < MOST_LINKS + 4 * MOST
        assert len(picture) < 400_000
    assert dots(made.before) == {"var(--accent)": MOST_DOTS}
    assert dots(made.after) == {"var(--accent)": 2_000}
    assert "2,000 clusters, a dot for each" in made.said_after
    assert "lines are numbers of edges" in made.said_before
    assert len(made.rows) == MOST and sum(row[1] for row in made.rows) == MOST_DOTS


def test_more_people_than_dots() -> None:
    graph, clusters = random_graph(2 * MOST_DOTS + 10, 1_000, 50)
    made = of_clusters(graph, clusters, np.zeros(graph.count, np.bool_))
    assert sum(dots(made.before).values()) <= MOST_DOTS
    assert made.said_before.startswith("A dot for 3 people")
    assert "lines are numbers of edges" in made.said_before  # most ends of edges have no dot


def test_numbers_of_neighbours() -> None:
    before = np.array([1, 1, 1, 2, 2, 5])
    after = np.array([1, 1, 1, 2, 2, 2])
    made = of_degrees(before, after, 3)
    fills = [circle.get("fill") for circle in parts(made.before, "circle")]
    assert fills == ["var(--accent)", "var(--bad)", "var(--bad)"]
    assert "fewer than 3 people: 3 in all" in made.said_before
    assert [circle.get("fill") for circle in parts(made.after, "circle")] == ["var(--accent)"] * 2
    assert made.rows == [(1, 3, 3), (2, 2, 3), (5, 1, 0)]


def test_many_numbers_of_neighbours_share_circles_inside_the_picture() -> None:
    many = np.repeat(np.arange(500), 2)
    made = of_degrees(many, many, 2)
    circles = parts(made.before, "circle")
    assert len(circles) == MOST
    for circle in circles:
        x, y, radius = (float(circle.get(name, "nan")) for name in ("cx", "cy", "r"))
        assert radius <= x <= 600 - radius and radius <= y <= 450 - radius
