"""Every verdict on Li et al. 2007 can hold, hold in part and fail."""

from __future__ import annotations

import pytest
from experiments.significance import Significance
from experiments.verdicts import FAILS, HOLDS, IN_PART

from experiments import verdicts_2007 as verdicts

SURE, UNSURE = Significance(4.0, 0.001), Significance(1.0, 0.4)
AGAINST = Significance(-4.0, 0.001)


@pytest.mark.parametrize(
    ("finding", "verdict"),
    [
        (verdicts.above_one({"a": [3, 2], "b": [1.1, 1.2]}), HOLDS),
        (verdicts.above_one({"a": [3, 2], "b": [0.9, 1.2]}), IN_PART),
        (verdicts.above_one({"a": [0.9], "b": [0.8]}), FAILS),
        (verdicts.falls({"a": [9, 5, 3], "b": [5, 2]}), HOLDS),
        (verdicts.falls({"a": [9, 5, 3], "b": [5, 4]}), IN_PART),
        (verdicts.falls({"a": [3, 5]}), FAILS),
        (verdicts.dips([20, 17, 6, 9, 3]), HOLDS),
        (verdicts.dips([20, 17, 9, 6, 3]), FAILS),
        (verdicts.quick({"a": [0.2, 0.9]}), HOLDS),
        (verdicts.quick({"a": [0.2, 1.9]}), IN_PART),
        (verdicts.quick({"a": [1.2, 1.9]}), FAILS),
        (verdicts.no_order({"a": UNSURE, "b": UNSURE}), HOLDS),
        (verdicts.no_order({"a": UNSURE, "b": SURE}), IN_PART),
        (verdicts.no_order({"a": SURE, "b": SURE}), FAILS),
        (verdicts.further([SURE, SURE]), HOLDS),
        (verdicts.further([SURE, UNSURE]), IN_PART),
        (verdicts.further([AGAINST, UNSURE]), FAILS),
        (verdicts.same_trend({"a": 0.9, "b": 0.7}), HOLDS),
        (verdicts.same_trend({"a": 0.9, "b": 0.2}), IN_PART),
        (verdicts.same_trend({"a": -0.9, "b": 0.2}), FAILS),
        (verdicts.printed_dunn(1.05, 1.3), HOLDS),
        (verdicts.printed_dunn(1.3, 1.05), IN_PART),
        (verdicts.printed_dunn(2.0, 1.05), FAILS),
        (verdicts.protects([0.0, 0.01], [0.0, 0.0], 0.05), HOLDS),
        (verdicts.protects([0.0, 0.9], [0.0, 0.0], 0.05), IN_PART),
        (verdicts.protects([0.0, 0.01], [0.6, 0.7], 0.05), FAILS),
        (verdicts.resists_filters([0.2, 0.3]), HOLDS),
        (verdicts.resists_filters([0.2, 0.0]), IN_PART),
        (verdicts.resists_filters([-0.3, 0.0]), FAILS),
        (verdicts.keeps_centres([0.9, 1.1]), HOLDS),
        (verdicts.keeps_centres([0.9, 2.0]), IN_PART),
        (verdicts.keeps_centres([3.0, 2.0]), FAILS),
    ],
)
def test_a_verdict_follows_from_its_figures(finding, verdict):
    assert finding.verdict == verdict, finding.told
