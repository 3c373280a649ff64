"""SaNGreeA: the paper's partitions, and the naive greedy label for label."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from naive.graphs import Greedy
from networks.graphs import (
    BY_ATTRIBUTES,
    BY_STRUCTURE,
    PAPER,
    SizeAlone,
    clusters_of,
    cost_of,
    network,
    paper_rows,
    random_graph,
)
from shoal.errors import RecipeError
from shoal.networks import sangreea
from shoal.networks.methods import method_of
from shoal.networks.sangreea import Sangreea
from tries import tries


@pytest.mark.parametrize(
    ("alpha", "expected"), [(1, BY_ATTRIBUTES), (0.5, BY_ATTRIBUTES), (0, BY_STRUCTURE)]
)
def test_the_papers_example(alpha, expected) -> None:
    method = Sangreea(network(PAPER, 9), alpha)
    grouped = method.divide(paper_rows(), 3, SizeAlone(3), np.random.default_rng(0))
    assert clusters_of(grouped) == sorted(map(sorted, expected))


def test_the_naive_greedy_gives_the_same_clusters() -> None:
    rng = np.random.default_rng(5)
    for _ in range(tries(120)):
        count = int(rng.integers(3, 13))
        k = int(rng.integers(2, min(count, 5) + 1))
        alpha = Fraction(int(rng.integers(0, 11)), 10)
        pairs, rows = random_graph(rng, count)
        method = Sangreea(network(pairs, count), float(alpha))
        grouped = method.divide(rows, k, SizeAlone(k), rng)
        naive = Greedy(count, pairs, cost_of(rows), len(rows.axes), k, alpha).run()
        assert clusters_of(grouped) == sorted(map(sorted, naive))


def test_it_refuses_what_would_take_hours(monkeypatch) -> None:
    monkeypatch.setattr(sangreea, "MOST_NODES", 8)
    with pytest.raises(RecipeError, match="quadratic time: 9 nodes"):
        Sangreea(network(PAPER, 9)).divide(paper_rows(), 3, SizeAlone(3), np.random.default_rng(0))


@pytest.mark.parametrize(
    "text", ["sangria", "shoal:alpha=2", "shoal:alpha=x", "sangreea:beta=1", "mondrian"]
)
def test_odd_methods_are_refused(text) -> None:
    with pytest.raises(RecipeError):
        method_of(text, network(PAPER, 9))
