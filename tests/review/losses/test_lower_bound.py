"""No grouping stays below the bound: beside all groupings of small tables, and beside a plain
search for cheap boxes.
"""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from naive.costs import Costs as NaiveCosts
from naive.exact import cheapest_boxes, least_loss
from shoal.encode.rows import Rows
from shoal.groups import Groups
from shoal.kernels.costs import UNIT
from shoal.review.certificate_format import LEAST
from shoal.review.losses import lower_bound
from shoal.review.losses.leaf_share import LeafShare
from shoal.review.losses.loss import Evidence
from shoal.review.losses.lower_bound import LowerBound
from shoal.review.losses.total_information_loss import TotalInformationLoss
from shoal.review.optimality_gap import bound_in, distance, gap_of
from tables import Column, adult, encoded, samples, table
from tries import tries


@pytest.fixture(autouse=True, scope="module")
def short_search():
    """Walk over boxes as long as users do: what walks prove is tested here."""


ADULT = {2: 3_764, 10: 14_331, 100: 38_374}  # each row alone: 3,068, 9,880 and 25,515


def small(seed: int) -> tuple[list[Column], Rows, int]:
    """A table of at most eight rows, and a k that may be too large for it."""
    rng = np.random.default_rng(seed)
    columns = table(rng, int(rng.integers(1, 9)))
    return columns, encoded(columns), int(rng.integers(1, 5))


def naive_costs(columns: list[Column]):
    return NaiveCosts(columns).of


def prices(rows: Rows, k: int, *, thorough: bool) -> tuple[list[int], int]:
    """What each row is charged alone, and all of them together."""
    alone, together = LowerBound(thorough=thorough)._prices(rows, k)
    of_row = np.empty(rows.count, np.int64)
    of_row[rows.distinct.order] = np.repeat(np.arange(len(alone)), rows.distinct.counts)
    return alone[of_row].tolist(), int(together @ rows.distinct.counts)


def test_no_grouping_of_a_small_table_loses_less_even_if_it_withholds_rows():
    sums = np.zeros(2)
    for seed in range(tries(700)):
        columns, rows, k = small(seed)
        best = least_loss(columns, k, withhold=True)
        thorough = seed % 4 == 0
        assert prices(rows, k, thorough=thorough)[1] <= best, f"seed {seed}"
        figure = LowerBound(thorough=thorough).measure(
            Evidence(rows, Groups.of(np.zeros(rows.count, np.int64)), k)
        )
        assert 0 <= figure <= best / UNIT, f"seed {seed}"
        sums += figure, best / UNIT
    assert sums[0] > 0.93 * sums[1]  # and little is left open on small tables


def test_the_bound_is_that_of_the_linear_programme_over_all_sets_of_k_rows():
    """As high as prices can be, where covers charge what boxes cost: with at most one line."""
    sums = np.zeros(2)
    for seed in range(tries(150)):
        columns, rows, k = small(seed)
        if rows.count < k or k == 1 or sum(column.tree is None for column in columns) > 1:
            continue
        cost = naive_costs(columns)
        chosen = list(combinations(range(rows.count), k))
        able = [k * cost(some) for some in chosen]
        inside = np.array([[row in some for row in range(rows.count)] for some in chosen], float)
        most = UNIT * len(columns)
        highest = linprog(-np.ones(rows.count), inside, able, bounds=(None, most)).fun
        ours = prices(rows, k, thorough=True)[1]
        assert ours <= -highest + 1 and ours >= -0.97 * highest - rows.count, f"seed {seed}"
        sums += ours, -highest
    assert sums[0] > 0.998 * sums[1] > 0


def test_every_set_of_k_rows_can_pay_the_prices():
    """The certificate of the bound, checked from outside on tables with too many sets to try."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        columns = table(rng, 16)
        rows = encoded(columns)
        cost = naive_costs(columns)
        _, together = LowerBound(thorough=True)._prices(rows, 3)
        of_row = np.empty(rows.count, np.int64)
        of_row[rows.distinct.order] = np.repeat(together, rows.distinct.counts)
        for some in combinations(range(rows.count), 3):
            assert sum(of_row[list(some)]) <= 3 * cost(some)


def test_a_row_alone_is_charged_the_cheapest_box_around_it():
    for seed in range(tries(500)):
        columns, rows, k = small(seed)
        ours = prices(rows, k, thorough=False)[0]
        naive = cheapest_boxes(columns, k)
        if sum(column.tree is None for column in columns) < 2:
            assert ours == naive, f"seed {seed}"
        else:
            assert all(one <= other for one, other in zip(ours, naive, strict=True)), f"seed {seed}"


def test_a_walk_that_is_broken_off_still_proves(monkeypatch):
    for seed in range(tries(300)):
        columns, rows, k = small(seed)
        monkeypatch.setattr(lower_bound, "PATIENCE", seed % 150)
        alone, together = prices(rows, k, thorough=False)
        assert together <= least_loss(columns, k, withhold=True), f"seed {seed}"
        assert all(
            one <= other for one, other in zip(alone, cheapest_boxes(columns, k), strict=True)
        ), f"seed {seed}"


def test_leaf_shares_have_a_bound_of_their_own():
    for sample in samples(150):
        rows = encoded(sample.columns, "leaf-share")
        groups = Groups.of(np.random.default_rng(sample.seed).permutation(rows.count) // sample.k)
        evidence = Evidence(
            rows, groups.withhold(np.flatnonzero(groups.sizes < sample.k)), sample.k
        )
        lost = LeafShare().measure(evidence)
        gap = gap_of(evidence, "leaf-share", {"leaf-share": lost, "lower-bound": 1e9})
        assert gap.loss == "leaf-share" and gap.least <= lost
        assert gap.gap is None or gap.gap >= 0
        assert bound_in(gap) == {}


def test_the_gap_is_said_as_what_the_loss_is_above_the_least():
    evidence = Evidence(encoded([Column([20.0, 30.0, 60.0])]), Groups.of([0, 0, 0]), 2)
    losses = {"total-information-loss": 3.0, "lower-bound": 1.5}
    assert gap_of(evidence, "height", losses).as_dict() == {
        "loss": "total-information-loss",
        "lost": 3.0,
        LEAST: 1.5,
        "gap": 1.0,
    }
    assert (
        distance(gap_of(evidence, "height", losses)) == "at most 100 % more than the best grouping"
    )
    nothing = {"total-information-loss": 3.0, "lower-bound": 0.0}
    assert gap_of(evidence, "height", nothing).gap is None
    assert "nothing is proven" in distance(gap_of(evidence, "height", nothing))
    all_kept = gap_of(evidence, "height", {"total-information-loss": 0.0, "lower-bound": 0.0})
    assert distance(all_kept) == "no grouping is better"
    # all groupings of so small a table are tried, and this is the best one
    assert gap_of(evidence, "height", losses, thorough=True).gap == 0.0
    assert gap_of(evidence, "squared-error", losses) is None
    assert (
        gap_of(evidence, "height", {"total-information-loss": 0.0, "lower-bound": 0.0}).gap == 0.0
    )


@pytest.mark.parametrize("k", ADULT)
def test_adult(k):
    rows = adult()
    evidence = Evidence(rows, Groups.of(np.zeros(rows.count, np.int64)), k)
    assert int(LowerBound().measure(evidence)) == ADULT[k]
    assert TotalInformationLoss().measure(evidence) > ADULT[k]
