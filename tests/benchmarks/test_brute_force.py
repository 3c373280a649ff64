"""Full-domain finds the choice of levels that trying all of them finds, on a cut of every table."""

from __future__ import annotations

import math

import pytest
from benchmarks.brute_force import LIMITS, Best, K, agree, encoded, opened, searched, tried

from benchmarks import brute_force

ROWS = 100
NODES = 40


@pytest.mark.parametrize("name", brute_force.names())
def test_the_best_levels_are_those_of_a_search_through_all(name):
    rows, levels = encoded(name, opened(name, ROWS), NODES)
    assert 1 < math.prod(len(each.number) for each in levels) <= NODES
    every = tried(rows, levels, K)
    for limit in LIMITS:
        assert agree(searched(rows, levels, K, limit), every[limit]), limit


def test_choices_that_differ_do_not_agree():
    one = Best(1_000_000_000, 3, (1, 0))
    assert agree(one, one) and agree(None, None)
    for other in (
        None,
        one._replace(loss=1_100_000_000),
        one._replace(out=4),
        Best(*one[:2], (0, 1)),
    ):
        assert not agree(one, other) and not agree(other, one)
