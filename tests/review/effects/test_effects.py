"""Effects: by hand, against brute force, and as the paper tells them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.naive import logistic

from shoal.errors import DataError
from shoal.kernels.clusters import assignment, cluster, from_centres, matched
from shoal.review.effects.cid import Cid
from shoal.review.effects.dunn_index import DunnIndex
from shoal.review.effects.effect import Pair
from shoal.review.effects.ild import Ild
from shoal.review.effects.ppd import Ppd
from shoal.review.effects.values_nearly_kept import ValuesNearlyKept

TWO = np.array([[0.0, 0.0], [0.2, 0.0], [10.0, 10.0], [9.0, 10.0], [9.5, 9.0], [0.1, 0.4]])


def test_by_hand_two_rows_one_of_which_moves():
    pair = Pair(
        np.array([[0.0, 0.0], [10.0, 10.0]]), np.array([[3.0, 4.0], [10.0, 10.0]]), clusters=2
    )
    assert Ppd().measure(pair) == pytest.approx(0.25)
    assert Ild().measure(pair) == pytest.approx(0.25)
    assert Cid().measure(pair) == pytest.approx(1.0)
    assert ValuesNearlyKept().measure(pair) == 0.5


def test_nothing_moves():
    pair = Pair(TWO, TWO.copy(), clusters=2)
    assert (Ppd().measure(pair), Ild().measure(pair), Cid().measure(pair)) == (0.0, 0.0, None)
    assert ValuesNearlyKept().measure(pair) == 1.0


def test_ranges_are_those_of_the_original():
    pair = Pair(np.array([[0.0], [10.0]]), np.array([[-10.0], [20.0]]), clusters=1)
    assert Ppd().measure(pair) == pytest.approx(1.0)
    assert Ild().measure(pair) == pytest.approx(0.0)


def test_rows_with_missing_values_are_left_out_of_clusters_alone():
    before = np.vstack((TWO, [[np.nan, 5.0]]))
    after = np.vstack((TWO, [[np.nan, 6.0]]))
    pair = Pair(before, after, clusters=2)
    assert Ild().measure(pair) == 0.0
    assert Ppd().measure(pair) == pytest.approx(0.1 / 7)
    assert ValuesNearlyKept().measure(pair) == pytest.approx(12 / 13)


def test_by_hand_dunns_index():
    points = np.array([[0.0], [1.0], [4.0], [6.0]])
    assert DunnIndex().measure(Pair(points, points, clusters=2)) == pytest.approx(1.5)
    alike = np.array([[0.0], [0.0], [1.0], [1.0]])
    assert DunnIndex().measure(Pair(alike, alike, clusters=2)) is None
    assert DunnIndex().measure(Pair(points, points, clusters=1)) is None


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=4, max_size=14),
    st.integers(2, 3),
)
def test_dunns_index_equals_brute_force(cells: list[tuple[int, int]], count: int):
    points = np.array([*cells, (-9, -9), (9, 9), (0, 9)], float)
    pair = Pair(points, points, count)
    found = DunnIndex().measure(pair)
    labels = pair.clusters_after.labels.tolist()
    if len(set(labels)) > 1 and found is not None:
        assert found == pytest.approx(
            logistic.dunn([tuple(row) for row in pair.after.tolist()], labels)
        )


@given(
    st.integers(1, 6).flatmap(
        lambda n: st.lists(st.integers(0, 20), min_size=n * n, max_size=n * n)
    )
)
def test_matching_is_the_cheapest_of_all(cells: list[int]):
    size = round(len(cells) ** 0.5)
    costs = np.array(cells, float).reshape(size, size)
    chosen = assignment(costs)
    assert sorted(chosen.tolist()) == list(range(size))
    assert costs[np.arange(size), chosen].sum() == logistic.cheapest_matching(costs.tolist())


def test_matched_centres_need_not_stand_in_order():
    centres = np.array([[0.0, 0.0], [5.0, 5.0], [9.0, 0.0]])
    assert matched(centres, centres[[2, 0, 1]] + 0.5).tolist() == pytest.approx([0.5**0.5] * 3)


@given(
    st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=3, max_size=25),
    st.integers(1, 3),
)
def test_k_means_agrees_with_the_literal_one(cells: list[tuple[int, int]], count: int):
    points = np.array(cells, float)
    assert from_centres(points, points[:count]).labels.tolist() == logistic.k_means(
        [tuple(row) for row in points.tolist()], [tuple(row) for row in points[:count].tolist()]
    )


def test_the_best_of_several_runs_finds_what_everyone_sees():
    found = cluster(TWO, 2, np.random.default_rng(0))
    assert (
        found.labels[0]
        == found.labels[1]
        == found.labels[5]
        != found.labels[2]
        == found.labels[3]
        == found.labels[4]
    )


def test_fewer_rows_than_clusters_are_refused():
    with pytest.raises(DataError, match="can't form 7 clusters"):
        cluster(TWO, 7, np.random.default_rng(0))


def test_some_rows_of_a_longer_table_are_measured_by_its_ranges():
    some = np.array([[5.0, 1.0], [5.0, 3.0], [5.0, 2.0]])
    pair = Pair(some, some + 2.0, 1, ends=(np.array([0.0, 0.0]), np.array([100.0, 10.0])))
    assert Ppd().measure(pair) == pytest.approx((0.02**2 + 0.2**2) ** 0.5)
    assert ValuesNearlyKept().measure(pair) == 0.0


def test_a_table_that_stays_keeps_its_centres_whatever_its_clusters():
    cloud = np.random.default_rng(0).normal(size=(300, 4))
    for clusters in (3, 5, 8):
        assert Ild().measure(Pair(cloud, cloud.copy(), clusters)) == 0.0
