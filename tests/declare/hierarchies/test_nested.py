"""Nested dicts: ragged branches, values of any type, refusals."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import DataError, RecipeError

WORLD = {"Europe": {"North": ["Norway", "Sweden"], "Italy": None}, "Asia": ["Japan"], "Moon": {}}


def test_branches_of_any_depth():
    tree = Hierarchy.nested(WORLD).fit(pa.array(["Italy", "Norway"]), "category", "country").tree
    assert tree.paths() == [
        ("Norway", "North", "Europe", "*"),
        ("Sweden", "North", "Europe", "*"),
        ("Italy", "Italy", "Europe", "*"),
        ("Japan", "Japan", "Asia", "*"),
        ("Moon", "Moon", "Moon", "*"),
    ]
    assert tree.height[tree.node[0]].tolist() == [0] * 5
    assert tree.height[tree.ancestor(0, 2)] == 2 and tree.height[tree.root] == 3


def test_numbers_and_booleans_as_values():
    assert Hierarchy.nested({"few": [1, 2.0], "many": [3]}).fit(
        pa.array([1, 2, 3]), "number", "n"
    ).tree.leaves == ("1", "2", "3")
    assert Hierarchy.nested({"any": [True, False]}).fit(
        pa.array([True]), "category", "b"
    ).tree.leaves == ("true", "False")


def test_values_that_it_lacks_are_counted_and_not_named():
    with pytest.raises(DataError) as caught:
        Hierarchy.nested(WORLD).fit(
            pa.array(["Atlantis", "Italy"]), "category", "country", np.array([7, 1])
        )
    assert "1 of 2 values of column 'country'" in str(caught.value) and caught.value.facts == {
        "rows concerned": 7
    }
    assert "Atlantis" not in str(caught.value)


@pytest.mark.parametrize(
    "tree", [{"a": ["x"], "b": ["x"]}, {"a": ["x", "x"]}, {"x": None, "b": {"x": None}}]
)
def test_values_that_stand_twice_are_refused(tree):
    with pytest.raises(DataError, match="holds values twice"):
        Hierarchy.nested(tree).fit(pa.array(["x"]), "category", "c")
    with pytest.raises(DataError, match="holds values twice"):
        Hierarchy.nested(tree).public_shares([])


def test_one_number_in_two_spellings_stands_twice():
    with pytest.raises(DataError, match="holds values twice"):
        Hierarchy.nested({"a": ["1"], "b": ["1.0"]}).fit(pa.array([1]), "number", "c")


@pytest.mark.parametrize("tree", [{}, ["a"], "a"])
def test_what_is_no_dict_is_refused(tree):
    with pytest.raises(RecipeError):
        Hierarchy.nested(tree)


@pytest.mark.parametrize("tree", [{"a": "x"}, {"a": [["x"]]}, {"a": [{"b": ["x"]}]}, {"a": 3}])
def test_odd_contents_are_refused(tree):
    with pytest.raises(RecipeError):
        Hierarchy.nested(tree).fit(pa.array(["x"]), "category", "c")
