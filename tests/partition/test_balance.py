"""Rows that are worth more: what the kernel minimizes, and what it does for those who lose most."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import RecipeError
from shoal.groups import Groups
from shoal.kernels.guards import NO_RULES, of_some
from shoal.kernels.partition.block import Held, block_of
from shoal.kernels.partition.refine import refine as refine_block
from shoal.partition.balance import FREE, MOST, PRICE, QUARTERS, Balance
from shoal.partition.merge import merge_small
from shoal.partition.pieces import Pieces, ordered
from shoal.partition.refinement import refine
from shoal.partition.shoal import Shoal
from shoal.review.losses.loss import Evidence
from shoal.review.losses.worst_subgroup_loss import WorstSubgroupLoss
from tables import AtLeast, adult, samples
from tries import telling


def searched(case, worth: np.ndarray) -> tuple[Pieces, Pieces, int]:
    """Pieces before and after a search on one block, and what it says it saved."""
    tuples = ordered(case.rows)
    rng = np.random.default_rng(case.seed)
    groups = Groups.of(rng.integers(0, max(case.rows.count // case.k, 1), size=case.rows.count))
    groups = merge_small(groups, case.rows, case.k, lambda share: None)
    tuple_of = np.repeat(np.arange(len(tuples.counts)), tuples.counts)
    before = Pieces.of(groups.labels[tuples.order], tuple_of, len(tuples.counts))
    held = Held(before.group, before.held, before.count)
    block = block_of(case.rows.costs, tuples.codes, worth, held, before.groups, before.groups + 8)
    saved = refine_block(case.rows.costs, block, case.k, 10, 3, of_some(NO_RULES, tuples.first))
    live = np.flatnonzero(block.home >= 0)
    live = live[np.lexsort((block.owner[live], block.home[live]))]
    return before, Pieces.numbered(block.home[live], block.owner[live], block.held[live]), saved


def weighted(case, pieces: Pieces, worth: np.ndarray) -> int:
    """The loss by its definition: each row of each group pays its worth times the cost of the
    box.
    """
    return pieces.loss(case.rows.costs, ordered(case.rows).codes, worth)


def test_what_is_saved_is_what_the_weighted_loss_falls_by_and_k_counts_rows():
    moved = 0
    for case in samples(300):
        worth = (
            np.random.default_rng(case.seed)
            .integers(1, 33, len(ordered(case.rows).counts))
            .astype(np.int32)
        )
        before, after, saved = searched(case, worth)
        assert weighted(case, before, worth) - weighted(case, after, worth) == saved >= 0
        assert np.bincount(after.group, after.count).min() >= case.k
        moved += saved > 0
    assert moved > telling(150)


def test_a_worth_that_all_share_changes_nothing():
    for case in samples(100):
        ones = np.ones(len(ordered(case.rows).counts), np.int32)
        _, plain, saved = searched(case, ones)
        _, fourfold, more = searched(case, 4 * ones)
        assert more == 4 * saved
        assert (plain.group.tolist(), plain.held.tolist()) == (
            fourfold.group.tolist(),
            fourfold.held.tolist(),
        )


def test_rows_that_lose_more_are_worth_more_within_bounds():
    rows = adult()
    groups = Shoal(effort="low").divide(rows, 10, AtLeast(10), np.random.default_rng(0))
    tuples = ordered(rows)
    tuple_of = np.repeat(np.arange(len(tuples.counts)), tuples.counts)
    pieces = Pieces.of(groups.labels[tuples.order], tuple_of, len(tuples.counts))
    for balance in (0.5, 1.0):
        weights = Balance(rows, tuples, balance)
        assert (weights.worth == 1).all()
        weights.weigh(pieces)
        assert QUARTERS == weights.worth.min() < weights.worth.max() <= QUARTERS * MOST**balance
        mean = (
            np.bincount(tuple_of, Evidence(rows, groups).row_losses[tuples.order]) / tuples.counts
        )
        assert (
            mean[weights.worth > 2 * QUARTERS].mean() > 2 * mean[weights.worth == QUARTERS].mean()
        )


def test_balance_helps_those_who_lose_most():
    rows = adult().some(np.arange(4000))

    def worst(balance):
        """What the worst-off lose under a balance: the mean of several seeds."""
        method = Shoal(balance=balance)
        found = [
            method.divide(rows, 5, AtLeast(5), np.random.default_rng(seed)) for seed in (1, 2, 3)
        ]
        return np.mean([WorstSubgroupLoss().measure(Evidence(rows, groups)) for groups in found])

    assert worst(1.0) < worst(0.8) < worst(0.0)


def test_refining_another_method_is_never_balanced():
    rows = adult().some(np.arange(4000))
    groups = Shoal(balance=0).divide(rows, 10, AtLeast(10), np.random.default_rng(1))
    again = refine(groups, rows, 10, AtLeast(10), np.random.default_rng(2))
    assert Evidence(rows, again).row_losses.sum() <= Evidence(rows, groups).row_losses.sum()


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_a_balance_that_means_nothing_is_refused(wrong: float):
    with pytest.raises(RecipeError, match="from 0 to 1"):
        Shoal(balance=wrong)


@pytest.mark.parametrize(("balance", "allowed"), [(0.5, 0.0), (FREE, 0.0), (1.0, PRICE)])
def test_balance_costs_no_more_than_its_price(balance, allowed):
    """Beside the same search without balance, which ends earlier."""
    raised = 0
    for case in samples(100):
        begun = Groups.of(np.arange(case.rows.count) // case.k)
        begun = begun if begun.sizes.min() >= case.k else Groups.of(np.zeros(case.rows.count, int))
        plain, balanced = (
            refine(
                begun,
                case.rows,
                case.k,
                AtLeast(case.k),
                np.random.default_rng(1),
                effort="default",
                balance=some,
            )
            for some in (0.0, balance)
        )
        losses = [
            Evidence(case.rows, groups).heights.sum(axis=0) @ groups.sizes
            for groups in (begun, plain, balanced)
        ]
        assert losses[2] <= losses[0] * (1 + allowed) + 1e-4
        raised += losses[2] > losses[1] + 1e-4
    assert raised < 20
