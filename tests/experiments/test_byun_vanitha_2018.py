"""Every verdict on Byun et al. 2007 can hold and fail."""

from __future__ import annotations

import pytest
from experiments.byun_vanitha_2018 import (
    CLASSES,
    MEDIAN,
    MEMBER,
    at_most_quadratic,
    both_below,
    linear,
    near_k,
)
from experiments.verdicts import FAILS, HOLDS, IN_PART, UNKNOWN


def losses(member: float, classes: float) -> list[dict]:
    """What three methods lose at k = 5; median partitioning loses 100."""
    return [
        {"method": method, "k": 5, "seed": 1, "loss": loss}
        for method, loss in ((MEMBER, member), (CLASSES, classes), (MEDIAN, 100.0))
    ]


@pytest.mark.parametrize(
    ("member", "classes", "verdict"), [(50, 60, HOLDS), (50, 110, IN_PART), (120, 110, FAILS)]
)
def test_both_must_lose_less_than_median_partitioning(member, classes, verdict):
    assert both_below(losses(member, classes), "loss")[0] == verdict


def sizes(mean: float) -> list[dict]:
    return [{"method": MEMBER, "k": 10, "average-group-size": mean, "largest-group": 19}]


def test_groups_are_near_k_or_not():
    assert near_k(sizes(10.2))[0] == HOLDS
    assert near_k(sizes(15.0))[0] == FAILS
    assert near_k([])[0] == UNKNOWN


def growing(power: float) -> list[dict]:
    return [
        {"method": MEMBER, "rows": rows, "seconds": 1e-9 * rows**power}
        for rows in (1_000, 5_000, 30_000)
    ]


def test_a_figure_that_bends_is_not_linear():
    assert linear(growing(1.0), MEMBER, "seconds")[0] == HOLDS
    assert linear(growing(4.0), MEMBER, "seconds")[0] == FAILS
    assert linear(growing(1.0)[:2], MEMBER, "seconds")[0] == UNKNOWN


def test_time_that_grows_faster_than_the_square_fails_the_theorem():
    assert at_most_quadratic(growing(1.9))[0] == HOLDS
    assert at_most_quadratic(growing(2.5))[0] == FAILS
