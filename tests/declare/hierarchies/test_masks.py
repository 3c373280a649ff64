"""Masks: known answers, short and hostile codes, numbers that lost their zeros."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import DataError, RecipeError


def paths(hierarchy, values, kind="category"):
    fitted = hierarchy.fit(pa.array(values), kind, "zip")
    found = fitted.tree.paths()
    return [found[leaf] for leaf in fitted.leaf]


def test_one_character_a_step():
    assert paths(Hierarchy.masks(5), ["12345"]) == [
        ("12345", "1234*", "123**", "12***", "1****", "*")
    ]


def test_steps_and_another_character():
    assert paths(Hierarchy.masks(5, character="#", steps=[2, 4]), ["12345"]) == [
        ("12345", "123##", "1####", "*")
    ]
    assert paths(Hierarchy.masks(5, steps=[2, 5]), ["12345"]) == [("12345", "123**", "*")]


def test_the_longest_value_decides_without_a_length():
    assert paths(Hierarchy.masks(), ["AB1", "AB"])[0] == ("AB1", "AB*", "A**", "*")


def test_short_codes_are_hidden_once_their_end_is_reached():
    found = dict(
        zip(
            ["123", "1234", "12345"],
            paths(Hierarchy.masks(5), ["123", "1234", "12345"]),
            strict=True,
        )
    )
    assert found["1234"][1] == found["12345"][1] == "1234*"
    assert found["123"] == ("123", "123", "123**", "12***", "1****", "*")


def test_whole_numbers_get_their_zeros_back():
    assert paths(Hierarchy.masks(5), [1234, 12345], "number") == [
        ("1234", "0123*", "012**", "01***", "0****", "*"),
        ("12345", "1234*", "123**", "12***", "1****", "*"),
    ]
    assert paths(Hierarchy.masks(3), [7.0], "number") == [("7", "00*", "0**", "*")]


def test_codes_that_hold_the_mask_are_told_from_it():
    fitted = Hierarchy.masks(5).fit(pa.array(["1234*", "12345", "12346"]), "category", "zip")
    tree = fitted.tree
    assert tree.written[tree.node[0, fitted.leaf[0]]] == "1234*"
    lo, hi = sorted(fitted.leaf[1:].tolist())
    assert tree.written[tree.ancestor(lo, hi)] == "1234* (group)"


@given(st.lists(st.text("01*é ", max_size=4), min_size=1, max_size=20, unique=True))
@settings(deadline=None)
def test_codes_under_one_mask_share_what_it_shows(codes):
    tree = Hierarchy.masks(4).fit(pa.array(codes), "category", "zip").tree
    texts = [text for node, text in enumerate(tree.written) if node != tree.root]
    assert len(set(texts)) == len(texts)
    for level in range(1, 4):
        shown = [leaf.ljust(4, "\0")[: 4 - level] for leaf in tree.leaves]
        nodes = tree.node[level].tolist()
        assert all(
            (a == b) == (x == y)
            for a, x in zip(nodes, shown, strict=True)
            for b, y in zip(nodes, shown, strict=True)
        )


@pytest.mark.parametrize(
    "bad",
    [{"length": 0}, {"length": 65}, {"character": "ab"}, {"character": "0"}, {"steps": [2, 1]}],
)
def test_bad_parameters_are_refused(bad):
    with pytest.raises(RecipeError):
        Hierarchy.masks(**bad)
    with pytest.raises(RecipeError):
        Hierarchy.masks(3, steps=[1, 4])


@pytest.mark.parametrize(
    ("values", "kind"),
    [(["123456", "1"], "category"), ([123456], "number"), ([-1], "number"), ([1.5], "number")],
)
def test_values_that_are_no_codes_are_refused(values, kind):
    with pytest.raises(DataError) as caught:
        Hierarchy.masks(5).fit(pa.array(values), kind, "zip")
    assert "123456" not in str(caught.value) and "'zip'" in str(caught.value)


def test_free_text_is_refused():
    with pytest.raises(DataError, match="more than 64"):
        Hierarchy.masks().fit(pa.array(["x" * 5000]), "category", "story")
