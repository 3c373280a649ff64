"""Our own search: exact changes, never below the optimum of brute force, nearly always at it."""

from __future__ import annotations

import numpy as np
import pytest

from naive.graphs import partitions
from networks.graphs import SizeAlone, groups, network, random_graph
from shoal.kernels.networks.search import Weights
from shoal.networks import searching
from shoal.networks.searching import GraphShoal


def begun(rng: np.random.Generator, count: int, k: int, alpha: float = 0.5):
    pairs, rows = random_graph(rng, count)
    method = GraphShoal(network(pairs, count), alpha)
    order = rng.permutation(count)
    partition = [order[at : at + k].tolist() for at in range(0, count - count % k, k)]
    partition[-1] += order[count - count % k :].tolist()
    return method, rows, groups(partition)


@pytest.mark.parametrize("square", [1 << 24, 0], ids=["square", "hashed"])
def test_changes_are_exact(monkeypatch, square) -> None:
    monkeypatch.setattr(searching, "SQUARE", square)
    rng = np.random.default_rng(1)
    for _ in range(60):
        count = int(rng.integers(6, 30))
        method, rows, first = begun(rng, count, 3)
        alike = np.zeros(count, np.int32)
        search = searching._Swapping(method, rows, first, alike, rng)
        attributes, structure = method.prices(rows)
        told = search._sweep(Weights(attributes, structure, 0.01, 8), 200)
        after = searching.Groups.of(search.clusters.labels)
        change = method.objective(rows, after) - method.objective(rows, first)
        assert told[0] == pytest.approx(change, abs=1e-9)
        assert sorted(after.sizes) == sorted(first.sizes)


def test_brute_force_is_met() -> None:
    rng = np.random.default_rng(2)
    met = 0
    for _ in range(12):
        count = int(rng.integers(6, 10))
        alpha = float(rng.choice([0.0, 0.3, 0.7, 1.0]))
        pairs, rows = random_graph(rng, count)
        method = GraphShoal(network(pairs, count), alpha)
        grouped = method.divide(rows, 3, SizeAlone(3), rng)
        every = (groups(partition) for partition in partitions(range(count), 3))
        best = min(method.objective(rows, each) for each in every)
        reached = method.objective(rows, grouped)
        assert reached >= best - 1e-9
        met += reached <= best + 1e-9
    assert met >= 9


def test_sensitive_values_of_groups_stay() -> None:
    rng = np.random.default_rng(4)
    method, rows, first = begun(rng, 24, 4)
    alike = rng.integers(0, 3, 24).astype(np.int32)
    after = searching._Swapping(method, rows, first, alike, rng).run(lambda share: None)
    before = sorted(sorted(alike[first.labels == g]) for g in range(first.count))
    assert before == sorted(sorted(alike[after.labels == g]) for g in range(after.count))


def test_a_seed_repeats_the_clusters() -> None:
    pairs, rows = random_graph(np.random.default_rng(6), 40)
    method = GraphShoal(network(pairs, 40))
    runs = [method.divide(rows, 3, SizeAlone(3), np.random.default_rng(8)) for _ in range(2)]
    assert (runs[0].labels == runs[1].labels).all()
