"""Recount of a release of a graph, from the files of its folder, beside the original.

`supergraph_faults` and `degree_faults` list broken promises in words. Who stands in which cluster,
or has which number, is known to the maker of a release alone, and handed in.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from soak.outside import cells
from soak.outside.promises import OF_GROUPS, Group, Whole
from soak.outside.tables import Original, text_of

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class AskedGraph:
    """All that was promised about a release of a graph."""

    k: int
    quasi: list[str] = field(default_factory=list)
    sensitive: list[str] = field(default_factory=list)
    models: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    withhold: float = 0.0
    most_dense: float = 1.0


def rows_of(place: Path) -> list[dict[str, str]]:
    """Read a file of a release; an empty field is a missing value."""
    with place.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def supergraph_faults(
    people: Original, pairs: Pairs, folder: Path, asked: AskedGraph, labels: Sequence[int]
) -> list[str]:
    """List the broken promises of clusters; `labels` are the clusters of people, from 0, or -1."""
    clusters = rows_of(folder / "clusters.csv")
    between = {
        (int(row["cluster_1"]) - 1, int(row["cluster_2"]) - 1): int(row["edges"])
        for row in rows_of(folder / "cluster_edges.csv")
    }
    columns = {"cluster", "size", "inner_edges", *asked.quasi}
    wrong = [] if clusters and set(clusters[0]) == columns else ["columns are not those asked for"]
    wrong += _sizes(clusters, labels, asked)
    wrong += _edges(clusters, between, pairs, labels)
    wrong += _densities(clusters, between, asked)
    wrong += _cells(people, clusters, labels, asked)
    wrong += _members(people, folder / "members.csv", labels, asked)
    return wrong


def _sizes(clusters: list[dict[str, str]], labels: Sequence[int], asked: AskedGraph) -> list[str]:
    wrong = []
    held = Counter(label for label in labels if label >= 0)
    for number, row in enumerate(clusters):
        if int(row["cluster"]) != number + 1:
            wrong.append("clusters are not numbered through")
        if int(row["size"]) != held[number]:
            wrong.append("a size is not the number of people")
        if int(row["size"]) < asked.k:
            wrong.append("a cluster of fewer than k people")
    left_out = sum(label < 0 for label in labels)
    if left_out > asked.withhold * len(labels):
        wrong.append("more people are left out than allowed")
    return wrong


def _edges(
    clusters: list[dict[str, str]],
    between: dict[tuple[int, int], int],
    pairs: Pairs,
    labels: Sequence[int],
) -> list[str]:
    """Count every edge of the original again."""
    inner: Counter[int] = Counter()
    outer: Counter[tuple[int, int]] = Counter()
    for one, other in pairs:
        low, high = sorted((labels[one], labels[other]))
        if low < 0:
            continue
        if low == high:
            inner[low] += 1
        else:
            outer[low, high] += 1
    same = all(int(row["inner_edges"]) == inner[number] for number, row in enumerate(clusters))
    return [] if same and between == dict(outer) else ["numbers of edges are not the original's"]


def _densities(
    clusters: list[dict[str, str]], between: dict[tuple[int, int], int], asked: AskedGraph
) -> list[str]:
    sizes = [int(row["size"]) for row in clusters]
    inside = [
        (int(row["inner_edges"]), size * (size - 1) // 2)
        for row, size in zip(clusters, sizes, strict=True)
    ]
    across = [(edges, sizes[one] * sizes[other]) for (one, other), edges in between.items()]
    dense = any(edges > asked.most_dense * most for edges, most in (*inside, *across) if most)
    return ["a cluster or pair is denser than allowed"] if dense else []


def _cells(
    people: Original, clusters: list[dict[str, str]], labels: Sequence[int], asked: AskedGraph
) -> Iterator[str]:
    """Check that every person fits the cells of her cluster."""
    for name in asked.quasi:
        read = cells.reader(people[name])
        tests = [read(row[name] or None) for row in clusters]
        values = zip(people[name].values, labels, strict=True)
        if not all(tests[label](value) for value, label in values if label >= 0):
            yield "a cell beside its person"


def _members(
    people: Original, place: Path, labels: Sequence[int], asked: AskedGraph
) -> Iterator[str]:
    """Compare the values of each cluster with the original's, and count the models."""
    if not asked.sensitive:
        if place.exists():
            yield "members are published that nobody asked for"
        return
    rows = rows_of(place)
    for name in asked.sensitive:
        listed = Counter((int(row["cluster"]) - 1, row[name] or None) for row in rows)
        values = zip(labels, people[name].values, strict=True)
        true = Counter((at, None if it is None else text_of(it)) for at, it in values if at >= 0)
        if listed != true:
            yield f"values of a sensitive column are not the original's: {name}"
        whole = Whole.of([row[name] or None for row in rows], people[name].paths)
        for number in {int(row["cluster"]) for row in rows}:
            of = [row[name] or None for row in rows if int(row["cluster"]) == number]
            for model, given in asked.models:
                if not OF_GROUPS[model](Group.of(of), whole, given):
                    yield f"{model} is broken in a cluster"


def degree_faults(
    pairs: Pairs, folder: Path, k: int, numbers: Sequence[int], *, removes: bool = False
) -> list[str]:
    """List the broken promises of a k-degree graph; `numbers` are those of nodes, from 0."""
    nodes = [int(row["node"]) for row in rows_of(folder / "nodes.csv")]
    rows = rows_of(folder / "edges.csv")
    edges = [(int(row["node_1"]), int(row["node_2"])) for row in rows]
    wrong = []
    if nodes != list(range(1, len(numbers) + 1)):
        wrong.append("nodes are not numbered through")
    if len(set(edges)) != len(edges) or any(not 0 < one < other for one, other in edges):
        wrong.append("edges are not different pairs")
    ends = Counter(end for edge in edges for end in edge)
    if min(Counter(ends[node] for node in nodes).values(), default=k) < k:
        wrong.append("a degree is shared by fewer than k nodes")
    true = {tuple(sorted((numbers[one] + 1, numbers[other] + 1))) for one, other in pairs}
    if not removes and not true <= set(edges):
        wrong.append("an edge of the original is lost")
    return wrong
