from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from naive.sequential import sequential
from shoal.errors import RecipeError
from shoal.kernels.partition import sequential as kernels
from shoal.partition.sequential import Sequential
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss
from tables import AtLeast, Column, adult, encoded, labels_of, samples


def loss_of(rows, groups):
    return TotalInformationLoss().measure(Evidence(rows, groups))


def divided(sample, seed=None, **parameters):
    rng = np.random.default_rng(sample.seed if seed is None else seed)
    return Sequential(**parameters).divide(sample.rows, sample.k, AtLeast(sample.k), rng)


@pytest.mark.parametrize(
    ("parameters", "tables"),
    [
        ({}, 300),
        ({"restarts": 3, "cycles": 2}, 100),
        ({"alpha": 1.0, "omega": 1.0}, 100),
        ({"cycles": 1}, 100),
    ],
)
def test_every_label_is_that_of_the_plain_reading(parameters, tables):
    for sample in samples(tables):
        naive = sequential(
            sample.columns, sample.k, np.random.default_rng(sample.seed), **parameters
        )
        assert divided(sample, **parameters).labels.tolist() == labels_of(naive), (
            f"sample {sample.seed}"
        )


def test_axes_with_many_codes_give_the_same_labels():
    """Codes that nobody holds change nothing, but make an axis too wide for a row of steps."""
    for sample in samples(200):
        columns = [
            Column([0.0 if cell is None else cell for cell in c.cells])
            for c in sample.columns
            if c.tree is None
        ]
        if not columns:
            continue
        rows = encoded(columns)
        parts = np.split(rows.costs.position, rows.costs.position_at[1:])
        wide = [np.pad(part, (0, kernels.WIDE + 1 - len(part)), mode="edge") for part in parts]
        size = np.full(len(parts), kernels.WIDE + 1, np.int32)
        starts = np.arange(len(parts)) * (kernels.WIDE + 1)
        padded = rows.costs._replace(size=size, position=np.concatenate(wide), position_at=starts)
        one, two = (
            divided(replace(sample, rows=r)).labels.tolist()
            for r in (rows, replace(rows, costs=padded))
        )
        assert one == two, f"sample {sample.seed}"


def test_restarts_keep_the_best():
    for sample in samples(40):
        losses = [loss_of(sample.rows, divided(sample, seed=3, restarts=n)) for n in (1, 4)]
        assert losses[1] <= losses[0]


def test_clumps_are_found():
    rows = encoded([Column([0.0, 50.0, 1.0, 51.0, 2.0, 52.0, 100.0, 101.0, 102.0])])
    groups = Sequential(restarts=5).divide(rows, 3, AtLeast(3), np.random.default_rng(0))
    assert groups.labels.tolist() == [0, 1, 0, 1, 0, 1, 2, 2, 2]


@pytest.mark.parametrize(
    "parameters", [{"restarts": 0}, {"cycles": 0}, {"omega": 0.5}, {"alpha": -1.0}]
)
def test_parameters_outside_their_range_are_refused(parameters):
    with pytest.raises(RecipeError, match=next(iter(parameters))):
        Sequential(**parameters)


def test_adult_of_fifty():
    rows = adult()
    groups = Sequential().divide(rows, 50, AtLeast(50), np.random.default_rng(1))
    assert loss_of(rows, groups) == pytest.approx(52_469, rel=0.05)
