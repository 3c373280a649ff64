"""Verdicts at thresholds: whole numbers decide, however near."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.privacy.alpha_k import AlphaK
from shoal.privacy.column import Column, Sensitive
from shoal.privacy.entropy_l_diversity import EntropyLDiversity
from shoal.privacy.exact import at_most, decimal, exp, ln
from shoal.privacy.frequency_l_diversity import FrequencyLDiversity
from shoal.privacy.k_e import KE
from shoal.privacy.t_closeness import TCloseness

wholes = st.integers(0, 2**40)


def column(totals: list[int]) -> Column:
    return Column("s", pa.array(range(len(totals) - 1)), np.array(totals))


@given(
    st.lists(st.tuples(wholes, wholes), min_size=1, max_size=5), st.fractions(0, 5), st.booleans()
)
def test_ratios_are_compared_as_fractions(pairs, most, below):
    parts, those = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    expected = [part < most * whole if below else part <= most * whole for part, whole in pairs]
    assert at_most(parts, those, most, below=below).tolist() == expected


@given(st.integers(1, 10**12), st.integers(2, 10**12))
def test_ties_are_ties(part, whole):
    limit = Fraction(part, whole)
    shown = (np.array([part]), np.array([whole]))
    assert at_most(*shown, limit)[0] and not at_most(*shown, limit, below=True)[0]
    assert (
        not at_most(*shown, limit - Fraction(1, 10**40))[0]
        and at_most(*shown, limit + Fraction(1, 10**40), below=True)[0]
    )


def test_a_decimal_is_what_was_typed():
    assert (
        decimal(0.1) == Fraction(1, 10) and decimal(3) == 3 and decimal(1e-7) == Fraction(1, 10**7)
    )


def test_bounds_of_logarithms_enclose_them_tightly():
    for low, high in (ln(Fraction(2, 3)), exp(Fraction(7, 10)), ln(Fraction(1)), exp(Fraction(0))):
        assert low < high and high - low < Fraction(1, 10**47)
    assert ln(Fraction(1))[0] < 0 < ln(Fraction(1))[1]
    assert ln(exp(Fraction(3))[0])[0] < 3 < ln(exp(Fraction(3))[1])[1]


@pytest.mark.parametrize(
    ("counts", "l", "safe"),
    [
        ([5, 5], 2, True),
        ([500_000_000, 500_000_000], 2, True),
        ([500_001, 499_999], 2, False),  # the entropy lacks 8e-12
        ([1, 1, 1, 1, 1, 1, 1], 7, True),
        ([2, 1, 1], 2.8284271247461903, False),  # 2^1.5 = 2.82842712474619009760...
        ([2, 1, 1], 2.8284271247461898, True),
        ([0, 0], 1, True),
        ([0, 0], 1.1, False),
    ],
)
def test_entropy_at_its_threshold(counts, l, safe):
    assert EntropyLDiversity(l).safe(np.array([[*counts, 0]]), column([*counts, 0]))[0] == safe


def test_shares_at_their_threshold():
    counts = np.array([[1, 2, 0], [333_333, 666_667, 0]])
    assert AlphaK(0.666667).safe(counts, column([1, 1, 0])).tolist() == [True, True]
    assert AlphaK(0.666666).safe(counts, column([1, 1, 0])).tolist() == [False, False]
    tenths = np.array([[3, 7, 0]])
    assert AlphaK(0.7).safe(tenths, column([1, 1, 0]))[
        0
    ]  # as floats, 0.7 * 10 is 7.000000000000001 or 6.999999999999999
    assert FrequencyLDiversity(1.5).safe(counts, column([1, 1, 0])).tolist() == [True, False]


def test_distances_of_many_values_do_not_overflow():
    """Two thousand million rows; half of them, with the lower half of the values, are one group."""
    counts = np.array([[2**18] * 2500 + [0] * 2501])
    whole = column([2**18] * 5000 + [0])
    assert (
        TCloseness(0.5, "equal").safe(counts, whole)[0]
        and not TCloseness(0.4999, "equal").safe(counts, whole)[0]
    )
    assert TCloseness(0.5, "ordered").measures(counts, whole)[0] == pytest.approx(0.5 * 2500 / 4999)
    assert (
        not TCloseness(0.25, "ordered").safe(counts, whole)[0]
        and TCloseness(0.2501, "ordered").safe(counts, whole)[0]
    )


def test_ranges_are_those_of_the_decimals():
    spelled = Sensitive.of(
        "pay", np.arange(5, dtype=np.int32), pa.array([0.1, 0.4, 0.7, 10.0])
    ).column
    counts = np.array([[1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 1, 1, 0]])
    assert KE(0.3).safe(counts, spelled).tolist() == [True, True, True]
    assert KE(0.3000000000000001).safe(counts, spelled).tolist() == [False, False, True]
    assert KE(0.3, k=3).safe(counts, spelled).tolist() == [False, False, False]
    texts = Sensitive.of(
        "pay", np.arange(5, dtype=np.int32), pa.array(["10", "0.1", "0.4", "0.70"])
    ).column
    assert texts.values.to_pylist() == ["0.1", "0.4", "0.70", "10"]
    assert KE(0.3).safe(counts, texts).tolist() == [True, True, True]
    assert KE(0.3).lacks(Column("ill", pa.array(["flu"]), np.array([1, 0]))) == "numbers in 'ill'"
