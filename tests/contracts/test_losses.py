"""What every metric keeps, found by the registry: a new one is under this contract from its first day."""

import inspect
import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import any_sample, samples

from shoal.encode.costs import BOX_LOSSES, costs_of
from shoal.encode.rows import Rows
from shoal.groups import Groups
from shoal.kernels.costs import between
from shoal.registry import names, summary
from shoal.review.losses.loss import Evidence, Loss

LOSSES = names(Loss)
SHARES = {"height-share", "leaf-share", "loss-metric", "classification-metric", "squared-error-share", "row-loss-p95"}
NEVER_BETTER_MERGED = {
    "total-information-loss",
    "height-share",
    "leaf-share",
    "loss-metric",
    "non-uniform-entropy",
    "discernibility",
    "average-group-size",
    "classification-metric",
    "row-loss-p95",
    "worst-subgroup-loss",
}
PROMISED = NEVER_BETTER_MERGED | {"entropy-loss", "squared-error", "squared-error-share", "query-error", "lower-bound"}


def divided(rows: Rows, seed: int, *, withheld: bool = True) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.integers(-1 if withheld else 0, max(rows.count // 3, 1), rows.count)


def test_every_promised_metric_is_there():
    assert set(LOSSES) >= PROMISED


@pytest.mark.parametrize("name", LOSSES)
def test_page(name):
    loss = LOSSES[name]
    page = inspect.getdoc(sys.modules[loss.__module__])
    assert loss.__module__.rsplit(".", 1)[1] == name.replace("-", "_")
    assert page.startswith(f"`{name}`: ")
    assert "By hand: " in page
    assert 20 < len(summary(loss)) < 128
    assert summary(loss).endswith(".")


@pytest.mark.parametrize("name", LOSSES)
def test_figures_are_finite_and_follow_neither_order_nor_labels(name):
    for sample in samples(40):
        labels = divided(sample.rows, sample.seed)
        figure = LOSSES[name]().measure(Evidence(sample.rows, Groups.of(labels), sample.k))
        assert figure is None or (isinstance(figure, float) and math.isfinite(figure) and figure >= 0)
        assert figure is None or name not in SHARES or figure <= 1 + 1e-12
        turned = np.random.default_rng(sample.seed).permutation(sample.rows.count)
        rows = Rows(sample.rows.axes, np.ascontiguousarray(sample.rows.codes[:, turned]), sample.rows.costs)
        again = LOSSES[name]().measure(Evidence(rows, Groups.of(np.where(labels < 0, -1, 99 - labels)[turned]), sample.k))
        assert again == (None if figure is None else pytest.approx(figure, rel=1e-9, abs=1e-12))


@pytest.mark.parametrize("name", sorted(set(LOSSES) - {"average-group-size", "discernibility", "lower-bound"}))
def test_nothing_is_lost_where_every_row_stands_alone(name):
    for sample in samples(20):
        figure = LOSSES[name]().measure(Evidence(sample.rows, Groups.of(np.arange(sample.rows.count))))
        assert figure is None or figure == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", sorted(NEVER_BETTER_MERGED))
def test_merging_groups_never_helps(name):
    for sample in samples(40):
        labels = divided(sample.rows, sample.seed, withheld=False)
        apart = LOSSES[name]().measure(Evidence(sample.rows, Groups.of(labels)))
        merged = LOSSES[name]().measure(Evidence(sample.rows, Groups.of(labels // 2)))
        assert apart is None or merged >= apart - 1e-12


@pytest.mark.parametrize("name", sorted(set(LOSSES) - {"average-group-size", "entropy-loss", "query-error", "lower-bound"}))
def test_withholding_a_group_never_helps(name):
    for sample in samples(40):
        groups = Groups.of(divided(sample.rows, sample.seed, withheld=False))
        kept = LOSSES[name]().measure(Evidence(sample.rows, groups))
        fewer = LOSSES[name]().measure(Evidence(sample.rows, groups.withhold([0])))
        assert kept is None or fewer >= kept - 1e-12


@given(any_sample(), st.integers(0, 2**32 - 1))
def test_no_grouping_stays_below_the_bound(sample, seed):
    groups = Groups.of(np.random.default_rng(seed).permutation(sample.rows.count) // sample.k)
    evidence = Evidence(sample.rows, groups.withhold(np.flatnonzero(groups.sizes < sample.k)), sample.k)
    assert LOSSES["lower-bound"]().measure(evidence) <= LOSSES["total-information-loss"]().measure(evidence)


@pytest.mark.parametrize("loss", BOX_LOSSES)
def test_costs_that_are_minimized_never_fall_when_a_box_grows(loss):
    for sample in samples(60):
        costs = costs_of(sample.rows.axes, loss, {"c0": 0.3})
        for a, axis in enumerate(sample.rows.axes):
            for lo in range(axis.size + 1):
                grown = [between(costs, a, lo, hi) for hi in range(lo, axis.size + 1)]
                assert grown == sorted(grown)
                assert grown[0] == 0 or loss == "non-uniform-entropy"
                assert grown[-1] <= costs.full[a]
            for hi in range(axis.size + 1):
                grown = [between(costs, a, lo, hi) for lo in range(hi, -1, -1)]
                assert grown == sorted(grown)
