"""Levels of a line: widths double until they span it, whatever the distance of its points."""

from __future__ import annotations

import pyarrow as pa
import pytest

from shoal.encode.axes import axis_of
from shoal.encode.levels import widths
from shoal.encode.profile import profile


def doubling(values: list[float]) -> list[float]:
    line, _ = axis_of(profile(pa.array(values), "x"), None)
    return widths(line)


def test_widths_double_up_to_the_range():
    last = doubling([0.0, 1.0, 2.0, 10.0])[-1]
    assert last < 10 <= 2 * last


@pytest.mark.parametrize("values", [[0, 2**53, 2**53 + 1], [0.0, 5e-324, 1e308, -1e308]])
def test_numbers_that_share_a_point_do_not_double_nothing_for_ever(values):
    assert all(width > 0 for width in doubling(values))
