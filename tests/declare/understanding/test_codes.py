"""Codes: systems by spelling and name, levels by prefix, and words that mean missing."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal.declare.understanding.bands import is_banded, ordered
from shoal.declare.understanding.codes import codes_in
from shoal.declare.understanding.missing import proposed, words_for
from shoal.recipe import hierarchy_of


@pytest.mark.parametrize(
    ("name", "cells", "said", "hierarchy"),
    [
        ("plz", ["01067", "10117"], "postcodes of 4 or 5 digits", "masks:length=5"),
        ("zip", [60601, 60602], "postcodes of 4 or 5 digits", "masks:length=5"),
        ("x", ["0417", "12345"], "codes of 4 to 5 digits", "masks:length=5"),
        ("x", ["SW1A 1AA", "M1 1AE"], "postcodes", "masks:length=8"),
        ("dx", ["E11.9", "J45"], "codes of ICD-10", "masks:length=5,steps=[2,4]"),
        ("nace", ["C10.1", "G47.2"], "codes of NACE", "masks:length=5,steps=[2,3,4]"),
        ("isco", [2512, 5120], "codes of ISCO", "masks:length=4,steps=[1,2,3]"),
        ("fips", ["06037", "36061"], "codes of FIPS", "masks:length=5,steps=[3]"),
        ("country", ["DE", "FR"], "codes of countries (ISO)", None),
    ],
)
def test_systems(name: str, cells: list[object], said: str, hierarchy: str | None) -> None:
    codes = codes_in(pa.array(cells), name)
    assert codes is not None and (codes.said, codes.hierarchy) == (said, hierarchy)
    assert hierarchy is None or hierarchy_of(hierarchy) is not None


@pytest.mark.parametrize("cells", [["Oslo", "Rome"], ["10-19", "20-29"], [34, 35], [1.5, 2.5]])
def test_others_are_no_codes(cells: list[object]) -> None:
    assert codes_in(pa.array(cells), "x") is None


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("7+", (7, float("inf"))),
        ("90 and over", (90, float("inf"))),
        ("<1", (float("-inf"), 1)),
        (">=65", (65, float("inf"))),
        ("10-19", (10, 19)),
        ("5", (5, 5)),
    ],
)
def test_bands_know_their_ends(text: str, ends: tuple[float, float]) -> None:
    assert ordered(text) == ends


def test_numbers_alone_are_no_bands() -> None:
    assert not is_banded(pa.array(["1", "2"]))
    assert is_banded(pa.array(["1", "2+"]))


def test_words_for_missing_are_proposed() -> None:
    words = pa.array(["nurse", "keine Angabe", "-", "n/a"])
    assert proposed(words, np.array([9, 2, 3, 1])) == ("-", "keine Angabe", "n/a")
    assert proposed(pa.array([1, 2, 99]), np.array([5, 5, 1])) == ("99",)
    assert proposed(pa.array([1, 2, -9]), np.array([5, 5, 1])) == ("-9",)
    assert proposed(pa.array([90, 95, 99]), np.array([5, 5, 1])) == ()


def test_a_word_may_be_for_one_column() -> None:
    assert words_for("smoker", ["NA", "smoker=99", "age=999"], ["age", "smoker"]) == ("NA", "99")
