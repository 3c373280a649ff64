"""US ZIP codes: known answers, restricted prefixes, nine digits, numbers, and what is no code."""

from __future__ import annotations

import pyarrow as pa
import pytest

from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.hierarchies.us_zip import RESTRICTED, UsZip
from shoal.errors import DataError, RecipeError


def paths(hierarchy, values, kind="category"):
    fitted = hierarchy.fit(pa.array(values), kind, "zip")
    found = fitted.tree.paths()
    return [found[leaf] for leaf in fitted.leaf]


def test_three_digits_then_one():
    assert paths(UsZip(), ["10027"]) == [("10027", "100**", "1****", "*")]


def test_areas_of_few_people_are_all_alike():
    assert len(RESTRICTED.split("-")) == 17
    few = paths(UsZip(), ["03601", "05901", "10027"])
    assert few[0][1:] == few[1][1:] == ("000**", "000**", "*")


def test_nine_digits_and_lost_zeros():
    assert paths(UsZip(), ["10027-1234"])[0][1] == "100**"
    assert paths(UsZip(), [3601, 10027], "number")[0][1] == "000**"


def test_other_prefixes_may_be_named():
    assert paths(UsZip(restricted="100"), ["10027"])[0][1] == "000**"
    with pytest.raises(RecipeError, match="three digits"):
        UsZip(restricted="36")


def test_what_is_no_zip_code_is_refused_without_a_cell():
    with pytest.raises(DataError) as refused:
        UsZip().fit(pa.array(["10027", "SW1A 1AA"]), "category", "zip")
    assert "SW1A" not in str(refused.value)


def test_shown_digits_and_levels_are_measured():
    labels = ["10027", "100**", "000**", "1****", "*"]
    assert [int(shown) for shown in UsZip().coarseness(labels, "shown")] == [-5, -3, -3, -1, 0]
    assert [int(level) for level in UsZip().coarseness(labels, "level")] == [0, 1, 1, 2, 3]


def test_it_is_found_by_name():
    assert Hierarchy.us_zip() == UsZip()
