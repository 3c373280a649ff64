"""Losses of structure: the paper's two partitions to the last digit, random ones in fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb, log2

import numpy as np
import pytest

from naive import graphs as naive
from networks.graphs import BY_ATTRIBUTES, BY_STRUCTURE, PAPER, groups, network, paper_rows
from shoal.groups import Groups
from shoal.networks.structure import Structure, losses_of, trivial_sil
from shoal.review.losses.height_share import HeightShare
from shoal.review.losses.loss import Evidence
from tries import tries


@pytest.mark.parametrize(
    ("partition", "gil", "sil"),
    [
        pytest.param(BY_ATTRIBUTES, Fraction(201, 26), Fraction(76, 9), id="by attributes"),
        pytest.param(BY_STRUCTURE, Fraction(186, 13), Fraction(52, 9), id="by structure"),
    ],
)
def test_the_papers_partitions_cost_what_it_says(partition, gil, sil) -> None:
    assert naive.sil(partition, PAPER) == sil
    grouped = groups(partition)
    lost = losses_of(Structure.of(network(PAPER, 9), grouped), 9, 10)
    assert lost["sil"] == pytest.approx(float(sil), abs=1e-12)
    assert lost["nsil"] == pytest.approx(float(sil / 18), abs=1e-12)
    kept = 1 - sil / (20 * (1 - Fraction(10, 36)))
    assert lost["structure-kept"] == pytest.approx(float(kept), abs=1e-12)
    ngil = HeightShare().measure(Evidence(paper_rows(), grouped))
    assert ngil == pytest.approx(float(gil / 27), abs=1e-12)


def test_losses_agree_with_fractions_on_random_graphs() -> None:
    rng = np.random.default_rng(3)
    for _ in range(tries(150)):
        count = int(rng.integers(2, 10))
        pairs = [(a, b) for a in range(count) for b in range(a + 1, count) if rng.random() < 0.4]
        grouped = Groups.of(rng.integers(0, 3, count))
        partition = [np.flatnonzero(grouped.labels == g).tolist() for g in range(grouped.count)]
        lost = losses_of(Structure.of(network(pairs, count), grouped), count, len(pairs))
        assert lost["sil"] == pytest.approx(float(naive.sil(partition, pairs)), abs=1e-9)
        assert lost["nsil"] == pytest.approx(float(naive.nsil(partition, pairs)), abs=1e-9)
        if 0 < len(pairs) < comb(count, 2):
            kept = naive.structure_kept(partition, pairs)
            assert lost["structure-kept"] == pytest.approx(float(kept), abs=1e-9)
        else:
            assert lost["structure-kept"] is None


def test_bits_count_the_graphs_that_fit() -> None:
    structure = Structure.of(network(PAPER, 9), groups(BY_ATTRIBUTES))
    fitting = comb(3, 2) * comb(3, 3) * comb(3, 1) * comb(9, 1) * comb(9, 3)
    assert structure.bits == pytest.approx(log2(fitting))


def test_edges_of_nodes_left_out_are_lost_in_full() -> None:
    labels = np.array([0, 0, 0, 1, 1, 1, -1, -1, -1])
    lost = losses_of(Structure.of(network(PAPER, 9), Groups.of(labels)), 9, 10)
    kept = naive.sil([[0, 1, 2], [3, 4, 5]], [*PAPER[:3], (3, 4), (3, 5), (4, 5)])
    assert lost["sil"] == pytest.approx(float(kept) + 2 * 4)


def test_nothing_can_be_lost_of_empty_and_complete_graphs() -> None:
    assert trivial_sil(5, 0) == trivial_sil(5, 10) == trivial_sil(1, 0) == 0
