"""Graphs of a soak: random ones, released into folders and recounted from outside."""

from __future__ import annotations

import itertools
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

import shoal
from shoal.errors import ShoalError
from soak.outside.graphs import AskedGraph, degree_faults, supergraph_faults
from soak.outside.tables import Column, Original
from soak.releases import Done

MODELS = (
    ("l-diversity", {"l": 2}),
    ("entropy-l-diversity", {"l": 1.5}),
    ("recursive-l-diversity", {"c": 4, "l": 2}),
    ("alpha-k", {"alpha": 0.8}),
    ("t-closeness", {"t": 0.6}),
    ("p-sensitive", {"p": 2}),
    ("beta-likeness", {"beta": 3}),
    ("k-e", {"e": 1}),
)
ILLS = ("flu", "gout", "hip", "asthma")


def released(rng: Random, folder: Path) -> Done:
    """Release a random graph, and recount it from its files."""
    people, pairs = _drawn(rng)
    if rng.random() < 0.25:
        return _by_degrees(rng, folder, len(people["age"].values), pairs)
    return _in_clusters(rng, folder, people, pairs)


def _drawn(rng: Random) -> tuple[Original, list[tuple[int, int]]]:
    """Draw people and who knows whom: sparse or dense, in blocks, with people who know nobody."""
    count = rng.randint(4, 60)
    share = rng.choice((0.0, 0.03, 0.1, 0.3, 0.7, 1.0))
    blocks = rng.choice((1, 1, 3))
    pairs = [
        (one, other)
        for one, other in itertools.combinations(range(count), 2)
        if one % blocks == other % blocks and rng.random() < share
    ]
    gaps = rng.choice((0.0, 0.0, 0.2))

    def cells(kind: str, values: list[Any], **more: Any) -> Column:
        return Column(kind, [None if rng.random() < gaps else value for value in values], **more)

    ages = [rng.randint(0, 99) for _ in range(count)]
    codes = [f"x{rng.randint(100, 999)}" for _ in range(count)]
    sexes = [rng.choice("fm") for _ in range(count)]
    ills = [rng.choice(ILLS) for _ in range(count)]
    people = {
        "age": cells("number", ages),
        "zip": cells("category", codes, hierarchy="masks"),
        "sex": cells("category", sexes),
        "ill": cells("category", ills),
    }
    return people, pairs


def _in_clusters(rng: Random, folder: Path, people: Original, pairs: list[tuple[int, int]]) -> Done:
    sensitive = ["ill"] if rng.random() < 0.6 else []
    models = [rng.choice(MODELS)] if sensitive and rng.random() < 0.7 else []
    asked = AskedGraph(
        k=rng.randint(2, 6),
        quasi=rng.sample(["age", "zip", "sex"], rng.randint(1, 3)),
        sensitive=sensitive,
        models=models,
        withhold=rng.choice((0.0, 0.0, 0.2)),
        most_dense=rng.choice((1.0, 1.0, 0.8)),
    )
    method = f"{rng.choice(('shoal', 'sangreea'))}:alpha={rng.choice((0, 0.3, 0.5, 1))}"
    call = {
        "quasi": asked.quasi,
        "sensitive": sensitive,
        "models": [f"{name}:{_spelled(given)}" for name, given in models],
        "k": asked.k,
        "withhold": asked.withhold,
        "most_dense": asked.most_dense,
        "method": method,
        "hierarchies": {"zip": "masks"} if "zip" in asked.quasi else {},
        "effort": "low",
        "seed": rng.randrange(10**6),
    }
    described = {"people": people, "pairs": pairs, "call": call}
    nodes, edges = _tables(people, pairs)
    try:
        release = shoal.graph.anonymize(nodes, edges, **call)
    except ShoalError as refused:
        return Done("refused", {"graphs: refused": 1}, _odd(refused), described)
    release.write(folder / "out")
    labels = release.outcome.published_labels.tolist()
    wrong = supergraph_faults(people, pairs, folder / "out", asked, labels)
    return Done("released", {"graphs: clusters": 1}, wrong + _unverified(folder), described)


def _by_degrees(rng: Random, folder: Path, count: int, pairs: list[tuple[int, int]]) -> Done:
    k = rng.randint(2, 6)
    nodes = pa.table({"id": list(range(count))})
    edges = pa.table({"a": [one for one, _ in pairs], "b": [other for _, other in pairs]})
    described = {"count": count, "pairs": pairs, "k": k}
    try:
        release = shoal.graph.anonymize(nodes, edges, form="k-degree", k=k, seed=1)
    except ShoalError as refused:
        return Done("refused", {"graphs: refused": 1}, _odd(refused), described)
    release.write(folder / "out")
    wrong = degree_faults(pairs, folder / "out", k, release.outcome.place.tolist())
    private = release.certificate.private
    if private.edges_added < private.bound:
        wrong.append("fewer edges are added than the proven bound")
    return Done("released", {"graphs: degrees": 1}, wrong + _unverified(folder), described)


def _tables(people: Original, pairs: list[tuple[int, int]]) -> tuple[pa.Table, pa.Table]:
    columns = {name: pa.array(column.values) for name, column in people.items()}
    nodes = pa.table({"id": list(range(len(people["age"].values))), **columns})
    one = pa.array([pair[0] for pair in pairs], pa.int64())
    return nodes, pa.table({"a": one, "b": pa.array([pair[1] for pair in pairs], pa.int64())})


def _unverified(folder: Path) -> list[str]:
    return [] if shoal.verify(folder / "out").holds else ["verify does not confirm a release"]


def _odd(refused: ShoalError) -> list[str]:
    """A refusal is one that people can act on: of the house, never of our own."""
    return [] if refused.exit_code in (2, 3, 4) else [f"refused with {refused.exit_code}"]


def _spelled(given: dict[str, Any]) -> str:
    return ",".join(f"{name}={value}" for name, value in given.items())
