"""Cells blanked after global recoding, counted from outside: every row is safe by equal cells.

Cells that are not blank stand at one level, blanks are counted and said, and what was blanked is
no more than the recipe allows.
"""

from __future__ import annotations

import warnings
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from guarantees.test_one_scheme import TREE, people
from shoal.engines import promises
from shoal.engines.local import engine
from shoal.errors import PrivacyNotMet, RecipeError, ShoalError
from shoal.recode.scheme import nodes_at

QUASI = ["age", "city"]


def released(table: pa.Table, **asked) -> shoal.Release:
    given = {
        "quasi": QUASI,
        "k": 4,
        "method": "full-domain",
        "hierarchies": {"city": TREE},
        "keep_order": True,
        "suppress": "cells",
        "seed": 1,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.ShoalWarning)
        return shoal.anonymize(table, **{**given, **asked})


def looks(release: shoal.Release, quasi=QUASI) -> list[tuple]:
    return list(zip(*(release.table[name].to_pylist() for name in quasi), strict=True))


def assert_one_scheme_or_blank(release, table: pa.Table, quasi) -> None:
    """Equal values have equal cells, or a blank."""
    kept = pa.array(np.flatnonzero(np.asarray(release.groups) >= 0))
    for name in quasi:
        cells: dict[object, set[object]] = {}
        values = table[name].take(kept).to_pylist()
        for value, cell in zip(values, release.table[name].to_pylist(), strict=True):
            cells.setdefault(value, set()).add(cell)
        assert all(len(each - {"*"}) <= 1 for each in cells.values())


def blanks_said(release) -> bool:
    return any("blanked single cells" in notice for notice in release.notices)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"k": 12},
        {"withhold": 0.1},
        {"models": ["l-diversity:l=2"], "sensitive": ["ill"]},
        {"models": ["t-closeness:t=0.4"], "sensitive": ["ill"], "withhold": 0.2},
        {"quasi": ["age", "born", "city"]},
        {"publish": "tight"},
        {"loss": "discernibility"},
        {"loss": "loss-metric"},
        {"method": "full-domain:aggregate=geometric", "loss": "leaf-share"},
        {"importance": {"city": 5}},
        {"top": {"age": 90}, "bottom": {"age": 20}},
        {"at_most": {"city": "level:2"}, "withhold": 0.2},
        {"at_least": {"age": 10}},
        {"method": "full-domain:at_least=[age=1;city=0],at_most=[age=1;city=0]"},
    ],
    ids=str,
)
def test_every_row_is_safe_by_equal_cells(asked):
    table = people()
    release = released(table, **asked)
    quasi = asked.get("quasi", QUASI)
    assert min(Counter(looks(release, quasi)).values()) >= asked.get("k", 4)
    assert_one_scheme_or_blank(release, table, quasi)
    verified = shoal.verify(release.table, release.certificate, hierarchies={"city": TREE})
    assert not [item for item in verified.items if item.status == "differs"]
    if "at_most" in asked:
        assert "*" not in release.table["city"].to_pylist()
    if "models" not in asked:
        assert release.table.num_rows == table.num_rows or "withhold" in asked


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_random_tables(data):
    rows = data.draw(st.integers(3, 40))
    k = data.draw(st.integers(2, 3))
    cell = st.sampled_from(["a", "b", "c", "*", "", None])
    table = pa.table(
        {
            "x": pa.array(data.draw(st.lists(cell, min_size=rows, max_size=rows)), pa.string()),
            "y": data.draw(st.lists(st.integers(0, 50), min_size=rows, max_size=rows)),
        }
    )
    release = released(table, quasi=["x", "y"], k=k, hierarchies={})
    assert min(Counter(looks(release, ["x", "y"])).values()) >= k
    assert release.table.num_rows == rows
    assert_one_scheme_or_blank(release, table, ["x", "y"])


def test_importance_says_which_column_is_blanked():
    rng = np.random.default_rng(5)
    cells = {name: rng.choice(list("abcdefgh"), 60) for name in ("one", "two", "three")}
    table = pa.table(cells)
    fixed = "full-domain:at_most=[one=0;two=0;three=0]"
    lost = {}
    for dear in cells:
        asked = {"quasi": list(cells), "k": 3, "hierarchies": {}, "method": fixed}
        release = released(table, **asked, importance={dear: 10})
        lost[dear] = {name: release.table[name].to_pylist().count("*") for name in cells}
    for dear, counts in lost.items():
        assert all(counts[dear] < counts[other] for other in cells if other != dear)


def test_blanks_are_counted_in_the_notice_and_as_lost():
    table = pa.table({"x": ["a"] * 5 + ["b"], "y": ["u"] * 6})
    method = "full-domain:at_most=[x=0;y=0]"
    release = released(table, quasi=["x", "y"], k=2, hierarchies={}, method=method)
    assert Counter(looks(release, ["x", "y"])) == {("a", "u"): 4, ("*", "u"): 2}
    (said,) = [notice for notice in release.notices if "blanked" in notice]
    assert "2 of 'x' (33 %)" in said
    assert "'y'" not in said
    assert 'importance={"x": 3}' in said
    assert release.columns["x"].lost == pytest.approx(2 / 6)
    assert release.certificate.public.recipe["suppress"] == "cells"


def test_a_star_of_the_data_is_no_blank():
    table = pa.table({"x": ["*"] * 4 + ["a"] * 4 + ["b", "c"], "y": ["u"] * 10})
    method = "full-domain:at_most=[x=0;y=0]"
    release = released(table, quasi=["x", "y"], k=2, hierarchies={}, method=method)
    assert Counter(release.table["x"].to_pylist()) == {'"*"': 4, "a": 4, "*": 2}


def test_missing_values_are_a_value_of_their_own_and_blanked_with_others():
    table = pa.table({"x": ["a"] * 3 + [None] * 3 + ["b", None], "y": ["u"] * 6 + ["w", "w"]})
    method = "full-domain:at_most=[x=0;y=0]"
    release = released(table, quasi=["x", "y"], k=2, hierarchies={}, method=method)
    assert Counter(looks(release, ["x", "y"])) == {("a", "u"): 3, (None, "u"): 3, ("*", "w"): 2}


def test_a_missing_value_among_stars_is_blanked_and_all_stars_are_one_group():
    table = pa.table({"x": ["a", "b", "c", "d", "e", None], "y": ["u"] * 6})
    method = "full-domain:at_least=[x=1],at_most=[x=1;y=0]"
    release = released(table, quasi=["x", "y"], k=2, hierarchies={}, method=method)
    assert looks(release, ["x", "y"]) == [("*", "u")] * 6
    assert len({*np.asarray(release.groups).tolist()}) == 1
    (said,) = [notice for notice in release.notices if "blanked" in notice]
    assert "1 of 'x'" in said


def test_counted_as_elsewhere_a_blank_matches_everything():
    table = pa.table({"x": ["a"] * 5 + ["b"], "y": ["u"] * 6})
    method = "full-domain:at_most=[x=0;y=0]"
    release = released(table, quasi=["x", "y"], k=2, hierarchies={}, method=method)
    frame = release.table.to_pandas().replace("*", None)
    audited = shoal.audit(frame, quasi=["x", "y"], missing="wildcard")
    assert (audited.k, audited.wildcard.k) == (2, 6)


def test_rows_stay_the_default():
    table = people()
    rows = released(table, suppress="rows", withhold=1)
    plain = shoal.anonymize(
        table,
        quasi=QUASI,
        k=4,
        method="full-domain",
        hierarchies={"city": TREE},
        keep_order=True,
        withhold=1,
        seed=1,
    )
    assert rows.table.equals(plain.table)
    assert not blanks_said(rows)


def test_a_seed_repeats_it():
    assert released(people(), seed=7).table.equals(released(people(), seed=7).table)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"method": "shoal"}, "blanks no single cells"),
        ({"method": "banded"}, "blanks no single cells"),
        ({"method": "full-domain:charge=level"}, "blank"),
        ({"suppress": "columns"}, "suppress"),
        ({"engine": "disk", "keep_order": False}, "can't do"),
    ],
    ids=str,
)
def test_what_can_not_be_is_refused(asked, words):
    with pytest.raises(RecipeError, match=words):
        released(people(), **asked)


def filled_in(table: pa.Table, name: str) -> pa.Table:
    """A release in which one blank has its value back."""
    cells = table[name].to_pylist()
    cells[cells.index("*")] = next(cell for cell in cells if cell != "*")
    return table.set_column(table.column_names.index(name), name, pa.array(cells))


def test_a_blank_that_is_filled_in_is_refused_and_does_not_verify(monkeypatch):
    table = pa.table({"x": ["a"] * 5 + ["b"], "y": ["u"] * 6})
    asked = {"quasi": ["x", "y"], "k": 2, "hierarchies": {}}
    asked["method"] = "full-domain:at_most=[x=0;y=0]"
    release = released(table, **asked)
    assert not shoal.verify(filled_in(release.table, "x"), release.certificate).holds
    honest = engine.recoded
    monkeypatch.setattr(engine, "recoded", lambda *given: filled_in(honest(*given), "x"))
    with pytest.raises(PrivacyNotMet):
        released(table, **asked)


def test_a_cell_that_should_be_blank_and_names_one_row_is_refused(monkeypatch):
    table = pa.table({"x": ["a"] * 5 + ["b"], "y": ["u"] * 6})
    method = "full-domain:at_most=[x=0;y=0]"
    naming = lambda axis, lo, hi, level: nodes_at(axis, lo, level)  # noqa: E731
    monkeypatch.setattr(promises, "nodes_of_groups", naming)
    with pytest.raises(ShoalError, match="do not cover"):
        released(table, quasi=["x", "y"], k=2, hierarchies={}, method=method)


def test_a_column_that_may_not_be_blank_keeps_rows_apart_or_refuses():
    table = pa.table({"x": ["a"] * 5 + ["b"], "y": ["u"] * 6})
    asked = {"quasi": ["x", "y"], "k": 2, "hierarchies": {"x": "flat"}, "at_most": {"x": "level:0"}}
    with pytest.raises(PrivacyNotMet):
        released(table, **asked)
    release = released(table, **asked, withhold=0.2)
    assert Counter(release.table["x"].to_pylist()) == {"a": 5}


def test_models_that_can_not_hold_are_refused():
    table = pa.table({"x": list("aabb"), "ill": ["flu"] * 4})
    asked = {"quasi": ["x"], "sensitive": ["ill"], "k": 2, "hierarchies": {}}
    with pytest.raises(PrivacyNotMet):
        released(table, **asked, models=["l-diversity:l=2"])


def test_a_scheme_fixes_levels_and_cells_are_blanked(tmp_path):
    cities = tmp_path / "city.csv"
    cities.write_text("Oslo,North\nBergen,North\nRome,South\nTokyo,East\n", encoding="utf-8")
    trees = {"city": str(cities)}
    first = released(people(), suppress="rows", withhold=1, keep_order=False, hierarchies=trees)
    scheme = tmp_path / "bands.toml"
    first.write(tmp_path / "first.csv", scheme=scheme)
    again = released(people(200, 9), scheme=str(scheme), k=6, hierarchies={})
    widths = [_width(cell) for cell in {*again.table["age"].to_pylist()} - {"*"}]
    assert {*widths} == {_width(cell) for cell in first.table["age"].to_pylist()}
    assert min(Counter(looks(again)).values()) >= 6
    assert again.table.num_rows == 200


def _width(cell: str) -> int:
    low, high = cell.strip("[]").split(", ")
    return int(high) - int(low)
