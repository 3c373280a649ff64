"""Nesting of published values, recounted from cells alone: the sweep beside all pairs."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.recode.cells import Interval, Value, read
from shoal.review.nesting import nests


def cells(*texts: str | None):
    return [read(text) for text in texts]


@pytest.mark.parametrize(
    "texts",
    [
        (),
        (None, "*"),
        ("[20, 29]", "[20, 24]", "23", "[30, 39]", "*", None),
        ("[20, 29]", "[20, 29]"),
        ("[80, 90+]", "90+", "[85, 89]", "[80, 84]"),
        ("[<=5, 20]", "<=5", "[6, 10]", "[21, 30]"),
        ("[2021-03-01, 2021-03-31]", "2021-03-05", "[2021-01-01, 2021-12-31]", "2022-01-01"),
        ("[08:00:00, 11:59:59]", "09:30:00", "[12:00:00, 15:59:59]"),
        ("[-10, -1]", "[0, 9]", "-3"),
        ("[9007199254740992, 9007199254740992]", "[9007199254740993, 9007199254740999]"),
        ("Oslo", "Rome", "*"),
    ],
)
def test_nested_and_disjoint_values_pass(texts):
    assert nests(cells(*texts), None)


@pytest.mark.parametrize(
    "texts",
    [
        ("[20, 29]", "[25, 34]"),
        ("[20, 29]", "[29, 34]"),  # an end in common
        ("[20, 24]", "[25, 29]", "[24, 30]"),
        ("[80, 90+]", "[75, 85]"),
        ("[<=5, 20]", "[10, 30]"),
        ("[0, 39]", "[20, 59]", "[40, 79]"),
        ("[2021-03-01, 2021-03-31]", "[2021-03-31, 2021-04-30]"),
        ("[20, 29]", "twenty"),  # no point beside a band
        ("[9007199254740990, 9007199254740993]", "[9007199254740992, 9007199254740999]"),
    ],
)
def test_values_that_overlap_in_part_are_seen(texts):
    assert not nests(cells(*texts), None)


def test_bands_of_numbers_that_are_not_whole_may_share_an_end_if_their_hierarchy_has_both():
    tree = Hierarchy.intervals(10)
    assert nests(cells("[20, 30]", "[30, 40]", "[20, 40]", "33.5", "30"), tree)
    assert not nests(cells("[20, 30]", "[30, 40]"), None)
    assert not nests(cells("[20, 30]", "[30, 41]"), tree)
    assert not nests(cells("[20, 30]", "[30, 40]", "[25, 35]"), tree)


def test_labels_must_be_nodes_of_the_hierarchy():
    tree = Hierarchy.nested({"Norway": ["Oslo", "Bergen"], "Italy": ["Rome"]})
    assert nests(cells("Norway", "Oslo", "Rome", "*"), tree)
    assert not nests(cells("Norway", "Paris"), tree)


WHOLE = some.integers(0, 12)
SPANS = some.lists(some.tuples(WHOLE, WHOLE).map(sorted), max_size=6)


@given(SPANS)
def test_the_sweep_agrees_with_all_pairs_of_sets(spans):
    sets = [frozenset(range(low, high + 1)) for low, high in spans]
    expected = all(a <= b or b <= a or not a & b for a, b in combinations(sets, 2))
    printed = [
        Interval(str(low), str(high)) if low < high else Value(str(low)) for low, high in spans
    ]
    assert nests(printed, None) == expected
