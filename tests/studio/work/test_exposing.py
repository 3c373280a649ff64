"""Who is easiest to find, before and after, in tables worked out by hand."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal.studio.work import anonymizing, exposing
from shoal.studio.work.anonymizing import laid_out
from shoal.studio.work.telling import Tell

ROWS = 24
PEOPLE = {
    # twelve of 30 and twelve of 40, and one of 99 whom nobody is like
    "age": [30] * 12 + [40] * 11 + [99],
    "town": ["Oslo", "Rome"] * 12,
    "ill": ["flu"] * 12 + ["gout", "gout", "cold", "cold"] * 3,
}
ASKED: dict[str, Any] = {
    "quasi": ["age", "town"],
    "sensitive": ["ill"],
    "k": 6,
    "force_keep": ["ill"],  # so few rows that it gives the age away
}


def exposed(folder: Path, table: dict[str, list[Any]], **asked: Any) -> dict[str, Any]:
    laid_out(pa.table(table), folder / "people.arrow")
    recipe = {**ASKED, **asked}
    tell = Tell(io.StringIO())
    anonymizing.do(tell, str(folder / "people.arrow"), recipe, str(folder), "people.csv")
    return exposing.do(tell, str(folder / "people.arrow"), recipe, str(folder))


def test_before_and_after_by_hand(tmp_path: Path) -> None:
    told = exposed(tmp_path, PEOPLE)
    assert (told["rows"], told["alone"], told["persons"]) == (24, 1, False)
    first = told["before"][0]
    assert (first["rows"], first["people"], first["columns"]) == ([24], 1, ["age"])
    assert first["cells"] == {"age": "99", "town": "Rome"}
    assert first["beside"]["people"] >= 6 and first["beside"]["cells"]["age"] != "99"
    learnt = told["after"][0]
    assert learnt["learnt"] == ["ill"] and learnt["of"] >= 6 and len(learnt["rows"]) == 5
    assert learnt["people"] == learnt["of"] and learnt["cells"]["age"] == "30"
    assert min(one["people"] for one in told["after"]) >= 6
    assert any(not one["learnt"] for one in told["after"])


def test_a_row_that_is_left_out_says_so_and_is_not_in_the_list_of_after(tmp_path: Path) -> None:
    told = exposed(tmp_path, PEOPLE, withhold=0.3)
    first = told["before"][0]
    assert first["rows"] == [24] and first["beside"] is None
    assert sum(one["of"] for one in told["after"]) == ROWS - 6


def test_several_rows_of_one_person_are_one_person(tmp_path: Path) -> None:
    twice = {name: values * 2 for name, values in PEOPLE.items()}
    told = exposed(tmp_path, {**twice, "who": list(range(ROWS)) * 2}, person="who")
    assert told["persons"] and told["alone"] == 2
    first = told["before"][0]
    assert (first["rows"], first["people"], first["of"]) == ([24, 48], 1, 2)
    assert all(one["people"] < one["of"] for one in told["after"])


def test_where_rows_have_boxes_of_their_own_nothing_is_told_of_after(tmp_path: Path) -> None:
    told = exposed(tmp_path, PEOPLE, method="nsvdist", k=2, sensitive=[], force_keep=[])
    assert told["after"] is None and told["before"][0]["beside"] is None


@pytest.mark.parametrize("published", ["bounds", "centre"])
def test_cells_of_any_kind_are_spelled(tmp_path: Path, published: str) -> None:
    told = exposed(tmp_path, PEOPLE, publish=published)
    cells = [one["beside"]["cells"] for one in told["before"]]
    assert all(isinstance(cell["age"], str) for cell in cells)


def test_a_cell_that_only_looks_left_out_is_published() -> None:
    texts = pa.table({"a": ["(withheld)", "(withheld)", None], "b": ["x", "(withheld)", "y"]})
    marks = pa.table({"a": np.array([True, True, True]), "b": np.array([False, True, True])})
    assert exposing.withheld(texts, marks).tolist() == [False, True, False]
