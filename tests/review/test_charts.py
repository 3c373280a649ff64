"""Charts: what stands on their axes."""

from __future__ import annotations

import re

import pytest

from shoal.review import charts


@pytest.mark.parametrize("most", [0.12, 0.7, 1.2, 60_000, 3_000_000])
def test_no_two_ticks_have_one_label(most: float):
    rows = [
        {"method": "noise", "x": share * most, "y": share * most, "k": 2}
        for share in (0.1, 0.9, 1.0)
    ]
    drawing = charts.drawn(charts.single(charts.against_another(rows, "x", "y")), "svg").decode()
    labels = re.findall(r">(-?[0-9][0-9.,]*)</text>", drawing)
    assert labels[0] == "0" and labels.count("0") == 2 and len(labels) >= 8
    half = [labels[: labels.index("0", 1)], labels[labels.index("0", 1) :]]
    assert all(len(set(axis)) == len(axis) for axis in half)
