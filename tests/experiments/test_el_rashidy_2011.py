"""Errors under each reading of a centre, by hand; and verdicts that must fail."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from experiments.el_rashidy_2011 import FIRST, MEMBER, ONE_PASS, mines_best
from experiments.groups_2011 import squared_error
from experiments.slijepcevic_2021 import OURS, THEIRS, above
from experiments.verdicts import FAILS, HOLDS, IN_PART, UNKNOWN

from shoal.declare.hierarchies.nested import Nested
from shoal.encode.profile import profile
from shoal.encode.rows import encode
from shoal.groups import Groups

TREE = Nested(tree={"Norway": ["Oslo", "Bergen"], "Italy": ["Rome", "Bari"]})


@pytest.mark.parametrize(
    ("reading", "error"),
    [
        ("medoid", 0 + 0 + 0.25),  # Oslo, Oslo | Bergen is one level of two away
        ("frequencies", 2 * (0.5 / 3) ** 2 + (1.0 / 3) ** 2),
        ("ancestor", 3 * 0.25),  # all three stand one level below Norway
    ],
)
def test_errors_by_hand(reading, error):
    city = pa.array(["Oslo", "Oslo", "Bergen"])
    rows = encode([profile(city, "city")], {"city": TREE})
    assert squared_error(rows, Groups.of(np.zeros(3, int)), reading) == pytest.approx(error)


def mined(first: list[float]) -> list[dict]:
    errors = {FIRST: first, MEMBER: [0.2, 0.3], ONE_PASS: [0.25, 0.35]}
    return [
        {"method": method, "k": k, "seed": seed, "error": value + seed / 1000}
        for method, values in errors.items()
        for k, value in zip((5, 25), values, strict=True)
        for seed in (1, 2)
    ]


@pytest.mark.parametrize(
    ("errors", "verdict"),
    [([0.1, 0.2], HOLDS), ([0.22, 0.32], IN_PART), ([0.3, 0.4], FAILS), ([0.1, 0.3], IN_PART)],
)
def test_mining_is_judged_against_every_rival(errors, verdict):
    assert mines_best(mined(errors)).verdict == verdict
    assert mines_best([]).verdict == UNKNOWN


@pytest.mark.parametrize(
    ("gains", "verdict"),
    [
        ([0.01] * 6, HOLDS),
        ([0.01] * 5 + [-0.01], IN_PART),
        ([-0.01] * 6, FAILS),
        ([0.0001] * 6, FAILS),  # within the spread: ties
    ],
)
def test_accuracy_must_beat_the_printed_figures(gains, verdict):
    rows = [
        {"method": OURS, "k": k, "seed": seed, "accuracy": theirs + gain + 0.001 * (seed - 2)}
        for (k, theirs), gain in zip(THEIRS.items(), gains, strict=True)
        for seed in (1, 2, 3)
    ]
    assert above(rows, OURS).verdict == verdict


def test_a_goal_for_every_k_is_not_judged_on_some():
    rows = [{"method": OURS, "k": k, "seed": 1, "accuracy": 0.99} for k in list(THEIRS)[:-1]]
    assert above(rows, OURS) == (UNKNOWN, "not measured at k = 100")
