"""Rules of frequent sets, and how two lists of them agree: by brute force and by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import rules as naive
from shoal.errors import RecipeError
from shoal.mining.rules import (
    AssociationRule,
    Strength,
    errors,
    jaccard,
    lost,
    measured,
    overlap,
    rank_correlation,
    rules_of,
    strongest,
)

rows_of_items = st.lists(st.sets(st.integers(0, 5), max_size=4), min_size=1, max_size=12)


@given(rows_of_items, st.sampled_from(["0", "0.3", "0.5", "0.75", "1"]))
def test_rules_are_those_of_brute_force(rows: list[set[int]], confidence: str) -> None:
    supports = naive.frequent(rows, 1, 4)
    wanted = naive.rules(supports, Fraction(confidence))
    found = rules_of(supports, len(rows), float(confidence), "any")
    assert found.keys() == wanted.keys()
    assert all(
        found[AssociationRule(*rule)] == Strength(c / len(rows), float(f))
        for rule, (c, f) in wanted.items()
    )
    one = rules_of(supports, len(rows), float(confidence), "one")
    assert one == {rule: strength for rule, strength in found.items() if len(rule.consequent) == 1}


def test_a_confidence_at_the_threshold_counts() -> None:
    assert AssociationRule((0,), (1,)) in rules_of({(0,): 10, (1,): 8, (0, 1): 7}, 20, 0.7)
    assert AssociationRule((0,), (1,)) in rules_of(
        {(0,): 0.3, (1,): 1.0, (0, 1): 0.1 + 0.1 + 0.1}, 20, 1
    )  # 0.30000000000000004
    assert AssociationRule((0,), (1,)) in rules_of({(0,): 0.1 + 0.2, (1,): 1.0, (0, 1): 0.3}, 20, 1)
    with pytest.raises(RecipeError, match="confidence"):
        rules_of({}, 1, 1.5)


def a(number: int) -> AssociationRule:
    return AssociationRule((number,), (9,))


def test_lost_ghost_and_common_rules() -> None:
    strength = Strength(0.5, 0.5)
    before = {a(n): strength for n in (1, 2, 3, 4)}
    after = {a(n): strength for n in (3, 4, 5)}
    assert (lost(before, after), lost(after, before), jaccard(before, after)) == (0.5, 1 / 3, 0.4)


def test_empty_lists_have_no_shares() -> None:
    some = {a(1): Strength(0.5, 0.5)}
    assert (
        lost({}, some),
        lost(some, {}),
        jaccard({}, {}),
        jaccard(some, {}),
        overlap({}, some, 5),
    ) == (None, 1.0, None, 0.0, None)
    assert overlap(some, {}, 5) == 0.0
    assert errors({}, {}) == (None, None, None, None)


def test_the_strongest_come_by_confidence_then_support_then_items() -> None:
    rules = {
        a(5): Strength(0.2, 0.9),
        a(4): Strength(0.2, 0.9),
        a(3): Strength(0.3, 0.9),
        a(2): Strength(0.1, 1.0),
    }
    assert strongest(rules, 3) == [a(2), a(3), a(4)]
    assert strongest(rules | {a(1): Strength(0.2, 0.9 + 1e-15)}, 3) == [a(2), a(3), a(1)]
    assert (
        overlap(
            rules, {a(2): Strength(0.5, 0.5), a(5): Strength(0.5, 0.4), a(9): Strength(0.1, 0.1)}, 2
        )
        == 0.5
    )


def test_errors_by_hand() -> None:
    before = {a(1): Strength(0.2, 0.5), a(2): Strength(0.4, 0.8)}
    after = {a(1): Strength(0.1, 0.75), a(2): Strength(0.4, 0.7)}
    found = errors(before, after)
    assert found == (pytest.approx(0.05), pytest.approx(0.25), pytest.approx(0.175), -1.0)


def test_a_rule_is_measured_even_where_nothing_holds_it() -> None:
    assert measured([a(1)], {(1,): 0.0, (1, 9): 0.0}, 10) == {a(1): Strength(0.0, 0.0)}


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12))
def test_rank_correlation_is_the_known_one(pairs: list[tuple[int, int]]) -> None:
    stats = pytest.importorskip("scipy.stats")
    one, other = (np.array(side, float) for side in zip(*pairs, strict=True))
    found = rank_correlation(one, other)
    if found is None:
        assert len(set(one)) == 1 or len(set(other)) == 1
    else:
        assert found == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-9)
