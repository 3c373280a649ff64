"""Matchings are drawn from all that there are, each as likely as any other; links are as likely as
they say.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from naive import concealment as naive
from overlap.test_concealment import Record, Row, arrays
from shoal.kernels.overlap.switching import exchange, walk
from shoal.overlap.cover import Cover
from shoal.overlap.matching import Chain, links, matching, upper_limit

LINE = [(code,) for code in range(7)]
# every record has at least 3 matches, and yet one link is in 63 of 101 matchings
UNEVEN: list[Row] = [[(0, 3)], [(0, 5)], [(2, 4)], [(0, 6)], [(0, 6)], [(3, 5)], [(4, 6)]]
# each row covers its own record and the next: nobody can exchange, all can move on together
ROUND = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
MOVING: list[Row] = [[(0, 1), (0, 1), (0, 0)], [(0, 0), (0, 1), (0, 1)], [(0, 1), (0, 0), (0, 1)]]
TWINS = [(0,), (0,), (1,), (2,), (2,)]
OF_TWINS: list[Row] = [[(0, 1)], [(0, 1)], [(0, 2)], [(1, 2)], [(0, 2)]]

TABLES = {"uneven": (LINE, UNEVEN), "round": (ROUND, MOVING), "twins": (TWINS, OF_TWINS)}


def chain(records: list[Record], rows: list[Row]) -> Chain:
    cover = Cover.of(*arrays(records, rows))
    return Chain(cover.matches(cover.own()), np.random.default_rng(1))


@pytest.mark.parametrize("name", TABLES)
def test_every_matching_is_equally_likely(name: str) -> None:
    records, rows = TABLES[name]
    drawn = Counter()
    draws = 6000
    here = chain(records, rows)
    for _ in range(
        draws
    ):  # many steps in one go: a sweep of a small table is mostly the way there and back
        exchange(here.rows_of, here.holder, here.held, 30, here.rng)
        exchange(here.records_of, here.held, here.holder, 30, here.rng)
        walk(here.rows_of, here.holder, here.held, 15, 8 * len(rows), here.rng)
        drawn[tuple(np.argsort(here.carried).tolist())] += 1
    possible = naive.matchings(records, rows)
    assert set(drawn) <= set(possible)
    expected = draws / len(possible)
    surprise = sum((drawn[given] - expected) ** 2 / expected for given in possible)
    freedom = len(possible) - 1
    assert (
        surprise < freedom + 4 * (2 * freedom) ** 0.5 + 6
    )  # one of a thousand fair draws goes beyond


@pytest.mark.parametrize("name", TABLES)
def test_a_matching_gives_each_row_a_record_that_it_covers(name: str) -> None:
    records, rows = TABLES[name]
    cover = Cover.of(*arrays(records, rows))
    for given in (None, cover.assigned()):
        carried = matching(cover.matches(cover.own()), np.random.default_rng(4), given)
        assert sorted(carried.tolist()) == list(range(len(rows)))
        assert all(
            naive.covers(row, records[record])
            for row, record in zip(rows, carried.tolist(), strict=True)
        )


@pytest.mark.parametrize("name", TABLES)
def test_links_are_as_likely_as_they_say(name: str) -> None:
    records, rows = TABLES[name]
    cover = Cover.of(*arrays(records, rows))
    found = links(cover.matches(cover.own()), np.random.default_rng(2), 2000)
    truth = [max(map(float, of)) for of in naive.links(records, rows)]
    assert np.abs(found.of_records - truth).max() < 0.06
    assert abs(found.largest - max(truth)) < 0.06
    assert max(truth) <= found.limit < max(truth) + 0.2
    assert 1.0 <= found.effective <= found.draws == 2000


def test_k_matches_do_not_make_links_unlikely() -> None:
    assert min(naive.matches(LINE, UNEVEN)) == 3
    assert max(max(of) for of in naive.links(LINE, UNEVEN)) * 101 == 63


def test_limits_hold_as_often_as_they_say() -> None:
    rng = np.random.default_rng(5)
    means = rng.binomial(200, 0.3, 1000) / 200
    assert sum(upper_limit(mean, 200, 0.05) < 0.3 for mean in means) <= 50
    assert upper_limit(0.0, 100, 0.05) == pytest.approx(1 - 0.05 ** (1 / 100))
    assert upper_limit(1.0, 10, 0.05) == 1.0
