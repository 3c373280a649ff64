"""What every metric keeps, found by the registry: a new one is under this contract from its first
day.
"""

import inspect
import math
import sys
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.encode.costs import BOX_LOSSES, costs_of
from shoal.encode.profile import profile
from shoal.encode.rows import Rows
from shoal.groups import Groups
from shoal.kernels.costs import between
from shoal.registry import names, summary
from shoal.review.losses.loss import Evidence, Loss
from tables import Sample, any_sample, samples

LOSSES = names(Loss)
SHARES = {
    "span-share",
    "height-share",
    "leaf-share",
    "loss-metric",
    "classification-metric",
    "row-loss-p95",
    "worst-subgroup-loss",
}
NEVER_BETTER_MERGED = {
    "total-information-loss",
    "span-share",
    "height-share",
    "leaf-share",
    "loss-metric",
    "non-uniform-entropy",
    "discernibility",
    "average-group-size",
    "row-loss-p95",
    "worst-subgroup-loss",
}
NEVER_BETTER_WITHHELD = NEVER_BETTER_MERGED - {"average-group-size"} | {
    "squared-error",
    "classification-metric",
}
OTHERS = {"entropy-loss", "squared-error-share", "query-error", "lower-bound"}
PROMISED = NEVER_BETTER_MERGED | NEVER_BETTER_WITHHELD | OTHERS


def divided(sample: Sample, *, withheld: bool = True) -> tuple[Rows, np.ndarray]:
    """The rows of a sample with a random class, and random labels."""
    rng = np.random.default_rng(sample.seed)
    rows = sample.rows
    labels = rng.integers(-1 if withheld else 0, max(rows.count // 3, 1), rows.count)
    classes = pa.array(rng.choice(["a", "b", None], rows.count), pa.string())
    return Rows(rows.axes, rows.codes, rows.costs, (profile(classes, "class"),)), labels


def turned(rows: Rows, order: np.ndarray) -> Rows:
    """The same rows in another order."""
    column = rows.sensitive[0]
    sensitive = (replace(column, codes=column.codes[order]),)
    return Rows(rows.axes, np.ascontiguousarray(rows.codes[:, order]), rows.costs, sensitive)


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
        rows, labels = divided(sample)
        figure = LOSSES[name]().measure(Evidence(rows, Groups.of(labels), sample.k))
        assert figure is None or (
            isinstance(figure, float) and math.isfinite(figure) and figure >= 0
        )
        assert figure is None or name not in SHARES or figure <= 1 + 1e-12
        order = np.random.default_rng(sample.seed).permutation(rows.count)
        renamed = Groups.of(np.where(labels < 0, -1, 99 - labels)[order])
        again = LOSSES[name]().measure(Evidence(turned(rows, order), renamed, sample.k))
        assert again == (None if figure is None else pytest.approx(figure, rel=1e-9, abs=1e-12))


@pytest.mark.parametrize(
    "name", sorted(set(LOSSES) - {"average-group-size", "discernibility", "lower-bound"})
)
def test_nothing_is_lost_where_every_row_stands_alone(name):
    for sample in samples(20):
        rows, _ = divided(sample)
        figure = LOSSES[name]().measure(Evidence(rows, Groups.of(np.arange(rows.count))))
        assert figure is None or figure == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", sorted(NEVER_BETTER_MERGED))
def test_merging_groups_never_helps(name):
    for sample in samples(40):
        rows, labels = divided(sample, withheld=False)
        apart = LOSSES[name]().measure(Evidence(rows, Groups.of(labels)))
        merged = LOSSES[name]().measure(Evidence(rows, Groups.of(labels // 2)))
        assert apart is None or merged >= apart - 1e-12


@pytest.mark.parametrize("name", sorted(NEVER_BETTER_WITHHELD))
def test_withholding_a_group_never_helps(name):
    for sample in samples(40):
        rows, labels = divided(sample, withheld=False)
        groups = Groups.of(labels)
        kept = LOSSES[name]().measure(Evidence(rows, groups))
        fewer = LOSSES[name]().measure(Evidence(rows, groups.withhold([0])))
        assert kept is None or fewer >= kept - 1e-12


@given(any_sample(), st.integers(0, 2**32 - 1))
def test_no_grouping_stays_below_the_bound(sample, seed):
    groups = Groups.of(np.random.default_rng(seed).permutation(sample.rows.count) // sample.k)
    evidence = Evidence(
        sample.rows, groups.withhold(np.flatnonzero(groups.sizes < sample.k)), sample.k
    )
    assert LOSSES["lower-bound"]().measure(evidence) <= LOSSES["total-information-loss"]().measure(
        evidence
    )


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
