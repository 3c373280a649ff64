"""At least and at most: no door, method or form publishes a finer or coarser cell than asked."""

from __future__ import annotations

import json
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pcsv
import pytest

import shoal
from shoal.errors import DataError, PrivacyNotMet, RecipeError, ShoalError
from shoal.partition.method import Method
from shoal.recipe import Recipe
from shoal.registry import names
from terminal import shoal as run

ROWS = 160
JOBS = {
    "Offices": {"Clerks": ["typist", "cashier"], "Heads": ["chief"]},
    "Farms": {"Fields": ["farmer"]},
}
ASKED = {
    "quasi": ["age", "zip", "job"],
    "sensitive": ["ill"],
    "k": 4,
    "seed": 5,
    "effort": "low",
    "hierarchies": {"zip": "masks:length=5", "job": JOBS},
    "at_least": {"age": 10, "zip": "3-digits", "job": "level:1"},
}


def people(rows: int = ROWS, seed: int = 1) -> pa.Table:
    rng = np.random.default_rng(seed)
    days = [date(1930, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 29_000, rows)]
    return pa.table(
        {
            "age": pa.array(rng.integers(0, 105, rows)),
            "zip": pa.array([f"{code:05d}" for code in rng.integers(10_100, 10_400, rows)]),
            "job": pa.array(rng.choice(["typist", "cashier", "chief", "farmer"], rows)),
            "born": pa.array(days),
            "cost": pa.array(np.round(rng.exponential(60, rows), 2)),
            "ill": pa.array(rng.choice(["flu", "gout", "cold"], rows)),
        }
    )


PEOPLE = people()


def cells(release: shoal.Release, name: str) -> set[str]:
    return {str(text) for text in release.table[name].to_pylist() if text is not None}


def ends(cell: str) -> tuple[Decimal, Decimal]:
    low, high = cell.strip("[]").split(", ")
    return Decimal(low), Decimal(high)


def check(release: shoal.Release) -> None:
    """No age is finer than ten years, no postcode than three digits, no job is named."""
    for cell in cells(release, "age") - {"*"}:
        low, high = ends(cell)
        assert low % 10 == 0 and high % 10 == 9
    assert all(len(cell.rstrip("*")) <= 3 for cell in cells(release, "zip"))
    assert cells(release, "job") <= {"Clerks", "Heads", "Fields", "Offices", "Farms", "*"}
    found = shoal.verify(release.table, release.certificate, hierarchies={"job": JOBS})
    assert found.holds
    # Ages stand on a line, which is coded, or on a ladder.
    recounted = {item.what for item in found.items if item.status == "recounted"}
    assert recounted & {"'age' is published as coded", "'age' is as coarse as asked"}
    assert recounted >= {"'zip' is as coarse as asked", "'job' is as coarse as asked"}
    assert all(release.columns[name].exact == 0 for name in ("age", "zip", "job"))


@pytest.mark.parametrize("method", sorted(names(Method)))
def test_no_method_publishes_finer_cells(method):
    check(shoal.anonymize(PEOPLE, **ASKED, method=method))


@pytest.mark.parametrize("publish", ["snapped", "tight"])
def test_no_form_publishes_finer_cells(publish):
    check(shoal.anonymize(PEOPLE, **ASKED, publish=publish))


def test_bounds_are_those_of_bands():
    release = shoal.anonymize(PEOPLE, **{**ASKED, "publish": {"age": "bounds"}})
    lows = release.table["age_lo"].to_pylist()
    highs = release.table["age_hi"].to_pylist()
    assert all(low % 10 == 0 and high % 10 == 9 for low, high in zip(lows, highs, strict=True))
    assert shoal.verify(release.table, release.certificate).holds


@pytest.mark.parametrize("method", sorted(names(Method)))
def test_no_method_publishes_coarser_cells(method):
    asked = {**ASKED, "quasi": ["age", "job"], "hierarchies": {"job": JOBS}, "at_least": {}}
    most = {"age": 40, "job": "level:2"}
    release = shoal.anonymize(PEOPLE, **asked, at_most=most, withhold=0.2, method=method)
    for cell in cells(release, "age"):
        low, high = ends(cell) if cell.startswith("[") else (Decimal(cell), Decimal(cell))
        assert low // 40 == high // 40
    assert "*" not in cells(release, "job")
    assert shoal.verify(release.table, release.certificate).holds
    assert release.table.num_rows >= 0.8 * ROWS


@pytest.mark.parametrize("publish", ["snapped", "tight", "bounds"])
def test_a_grid_does_not_reach_beyond_the_widest_cell(publish):
    asked = {"quasi": ["cost"], "k": 3, "at_most": {"cost": 25}, "withhold": 0.2, "seed": 1}
    release = shoal.anonymize(PEOPLE.select(["cost"]), **asked, publish=publish)
    table = release.table
    if publish == "bounds":
        pairs = zip(table["cost_lo"].to_pylist(), table["cost_hi"].to_pylist(), strict=True)
    else:
        pairs = (ends(cell) for cell in cells(release, "cost") if cell.startswith("["))
    for low, high in pairs:
        assert low // 25 == high // 25 or high == (low // 25 + 1) * 25
    assert shoal.verify(table, release.certificate).holds


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        ("age", "37"),
        ("age", "[30, 34]"),
        ("age", "[35, 44]"),
        ("zip", "10117"),
        ("zip", "1011*"),
        ("job", "typist"),
    ],
)
def test_a_finer_cell_is_seen_later(column, cell):
    release = shoal.anonymize(PEOPLE, **ASKED, method="mondrian")
    forged = _forged(release.table, column, cell)
    found = shoal.verify(forged, release.certificate, hierarchies={"job": JOBS})
    differs = [item.what for item in found.items if item.status == "differs"]
    assert any(f"'{column}' is" in what for what in differs)


@pytest.mark.parametrize(
    ("column", "cell"), [("age", "[0, 79]"), ("age", "*"), ("zip", "10***"), ("zip", "*")]
)
def test_a_coarser_cell_is_seen_later(column, cell):
    asked = {**ASKED, "quasi": ["age", "zip"], "hierarchies": {"zip": "masks:length=5"}}
    asked["at_least"] = {}
    most = {"age": 40, "zip": "3-digits"}
    release = shoal.anonymize(PEOPLE, **asked, at_most=most, withhold=0.3)
    found = shoal.verify(_forged(release.table, column, cell), release.certificate)
    differs = [item.what for item in found.items if item.status == "differs"]
    assert any(f"'{column}' is" in what for what in differs)


def _forged(table: pa.Table, column: str, cell: str) -> pa.Table:
    """Write another cell wherever the first one stands."""
    first = table[column].to_pylist()[0]
    told = [cell if text == first else text for text in table[column].to_pylist()]
    return table.set_column(table.column_names.index(column), column, pa.array(told))


@pytest.mark.parametrize("column", ["age", "zip"])
def test_the_gate_refuses_what_broken_bands_would_publish(monkeypatch, column):
    if column == "age":
        monkeypatch.setattr("shoal.declare.coding.Coding.upper", lambda coding, values: None)
    else:
        monkeypatch.setattr("shoal.declare.hierarchies.tree.Tree.above", lambda tree, level: tree)
    with pytest.raises(PrivacyNotMet, match=r"does not allow|finer or coarser"):
        shoal.anonymize(PEOPLE, **ASKED)


def test_the_first_step_is_charged():
    """By hand: one row in each of ten bands of 10 out of [0, 99]: each leaves 9 of 99 open."""
    table = pa.table({"age": pa.array([10 * i + 5 for i in range(10)] * 3)})
    release = shoal.anonymize(table, quasi=["age"], k=3, at_least={"age": 10})
    assert cells(release, "age") == {f"[{10 * i}, {10 * i + 9}]" for i in range(10)}
    for loss in ("span-share", "height-share", "leaf-share", "loss-metric"):
        assert release.loss(loss) == pytest.approx(9 / 99)


def test_nodes_are_charged_what_they_hide():
    """By hand: level 1 of 3 in half of the rows of a tree of height 3."""
    table = pa.table({"job": ["typist", "typist", "farmer", "farmer"]})
    asked = {"quasi": ["job"], "k": 2, "hierarchies": {"job": JOBS}, "at_least": {"job": "level:1"}}
    release = shoal.anonymize(table, **asked)
    assert cells(release, "job") == {"Clerks", "Fields"}
    assert release.loss("height-share") == pytest.approx(1 / 3)
    assert release.loss("leaf-share") == pytest.approx((1 / 3 + 0) / 2)  # 2 and 1 of 4 leaves
    assert release.loss("loss-metric") == pytest.approx((1 / 3 + 0) / 2)


def test_open_ends_stay_the_last_bands():
    asked = {**ASKED, "quasi": ["age"], "hierarchies": {}, "at_least": {"age": 10}}
    release = shoal.anonymize(PEOPLE, **asked, top={"age": 90}, bottom={"age": 19})
    assert {"90+", "<=19"} <= cells(release, "age")
    joined = shoal.anonymize(PEOPLE, **{**asked, "k": 40}, top={"age": 90}, bottom={"age": 19})
    assert any(cell.endswith("90+]") for cell in cells(joined, "age"))


@pytest.mark.parametrize(
    ("least", "first_day"), [("month", "-01]"), ("year", "-01-01"), ("5-years", "-01-01")]
)
def test_dates_are_widened_by_the_calendar(least, first_day):
    release = shoal.anonymize(PEOPLE, quasi=["born"], k=3, at_least={"born": least})
    for cell in cells(release, "born"):
        low, high = cell.strip("[]").split(", ")
        assert low.endswith(first_day.strip("]"))
        after = date.fromisoformat(high) + timedelta(days=1)
        assert after.day == 1
        if least != "month":
            years = {"year": 1, "5-years": 5}[least]
            assert after.month == 1 and after.year % years == 0 and int(low[:4]) % years == 0


def test_a_calendar_keeps_its_levels():
    asked = {"quasi": ["born"], "k": 3, "hierarchies": {"born": "dates"}}
    release = shoal.anonymize(
        PEOPLE, **asked, at_least={"born": "year"}, at_most={"born": "decade"}
    )
    assert all(len(cell) == 4 or cell.endswith("0s") for cell in cells(release, "born"))


def test_missing_values_stay_apart_from_the_widest_cell():
    ages = [None, None, None, *range(10, 17)]
    table = pa.table({"age": pa.array(ages)})
    release = shoal.anonymize(table, quasi=["age"], k=3, at_least={"age": 5}, at_most={"age": 20})
    assert release.table["age"].null_count == 3
    with pytest.raises(PrivacyNotMet, match="3 of 10 rows find no group"):
        shoal.anonymize(table, quasi=["age"], k=4, at_most={"age": 20})
    release = shoal.anonymize(table, quasi=["age"], k=4, at_most={"age": 20}, withhold=0.3)
    assert release.table.num_rows == 7


def test_intervals_alone_are_said_to_publish_single_values():
    table = pa.table({"age": pa.array([30, 31, 32] * 5)})
    asked = {"quasi": ["age"], "k": 5, "hierarchies": {"age": "intervals:width=10"}}
    with pytest.warns(shoal.ShoalWarning, match="single value"):
        release = shoal.anonymize(table, **asked)
    assert cells(release, "age") == {"30", "31", "32"}
    assert any("at_least" in note for note in release.notices)
    widened = shoal.anonymize(table, **asked, at_least={"age": 10})
    assert cells(widened, "age") == {"[30, 39]"}
    assert not any("single value" in note for note in widened.notices)


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"at_least": {"agee": 10}}, RecipeError, "did you mean 'age'"),
        ({"at_least": {"age": 40}, "at_most": {"age": 10}}, RecipeError, "must be coarser"),
        ({"at_least": {"age": "3-digits"}}, RecipeError, "no digits"),
        ({"at_least": {"age": "level:1"}}, RecipeError, "no hierarchy"),
        ({"at_least": {"job": "level:7"}}, RecipeError, "does not reach so far"),
        ({"at_least": {"job": "level:1"}, "at_most": {"job": "level:0"}}, RecipeError, "coarser"),
        ({"at_least": {"age": "year"}}, RecipeError, "no calendar"),
        ({"at_least": {"ill": 10}}, RecipeError, "no quasi-identifier"),
        ({"at_least": {"age": 0}}, RecipeError, "not right"),
        ({"at_least": {"age": "wide"}}, RecipeError, "not right"),
        ({"at_least": {"age": True}}, RecipeError, "at_least"),
        ({"at_least": {"age": 2.5}}, RecipeError, "whole"),
        ({"at_least": {"age": 10}, "top": {"age": 95}}, RecipeError, "inside a band"),
        ({"at_least": {"age": 10}, "bottom": {"age": 20}}, RecipeError, "inside a band"),
        ({"at_least": {"age": 10}, "round": {"age": 10}}, RecipeError, "rounded"),
        ({"at_least": {"age": 10}, "publish": "centre"}, RecipeError, "no width"),
        ({"at_least": {"age": 10}, "at_most": {"age": 25}}, RecipeError, "multiple"),
        ({"at_least": {"born": "year"}, "at_most": {"born": 800}}, RecipeError, "differently"),
        ({"at_least": {"age": 10}, "method": "nsvdist"}, RecipeError, "at_least"),
    ],
)
def test_odd_questions_are_refused(asked, error, words):
    roles = {"quasi": ["age", "job", "born"], "sensitive": ["ill"], "hierarchies": {"job": JOBS}}
    with pytest.raises(error, match=words) as refused:
        shoal.anonymize(PEOPLE, **{**roles, "k": 3, **asked})
    assert refused.value.exit_code == 2


def test_codes_that_would_stay_as_they_are_are_refused():
    table = pa.table({"zip": ["10117", "10118", "12", "12"] * 3})
    with pytest.raises(DataError, match="as they are") as refused:
        shoal.anonymize(table, quasi=["zip"], k=2, at_least={"zip": "3-digits"})
    assert "12" not in str(refused.value.facts.get("values concerned", ""))


def test_codes_need_no_hierarchy_to_be_masked():
    table = PEOPLE.select(["zip", "ill"])
    release = shoal.anonymize(table, quasi=["zip"], k=3, at_least={"zip": "3-digits"})
    assert cells(release, "zip") <= {"101**", "102**", "103**", "104**"}
    assert release.columns["zip"].widened == 1
    assert shoal.verify(release.table, release.certificate).holds


def test_people_with_rows_in_two_parts_are_left_out_or_refused():
    table = pa.table({"age": [5, 6, 7, 8, 25, 26, 27, 28], "id": [1, 2, 3, 4, 4, 5, 6, 7]})
    asked = {"quasi": ["age"], "k": 3, "person": "id", "at_most": {"age": 20}}
    with pytest.raises(PrivacyNotMet, match="2 of 8 rows"):
        shoal.anonymize(table, **asked)
    assert shoal.anonymize(table, **asked, withhold=0.25).table.num_rows == 6


def test_models_compare_parts_with_the_whole_table():
    asked = {**ASKED, "quasi": ["age"], "hierarchies": {}, "at_least": {"age": 10}, "k": 5}
    models = ["l-diversity:l=2", "t-closeness:t=0.6"]
    release = shoal.anonymize(PEOPLE, **asked, models=models, at_most={"age": 20}, withhold=0.3)
    assert shoal.verify(release.table, release.certificate).holds
    attacked = shoal.attack(release.table, original=PEOPLE, certificate=release.certificate)
    assert attacked.holds


@pytest.mark.parametrize("shards", [2, 3])
def test_shards_are_cut_between_the_widest_cells(shards):
    from shoal.engines.local.engine import LocalEngine
    from shoal.flows.groups import run as flow

    many = people(4000, 3)
    ages = [*range(100, 104), *np.random.default_rng(2).integers(0, 100, 3996).tolist()]
    jobs = ["typist", "cashier", "chief", "farmer", *many["job"].to_pylist()[4:]]
    table = pa.table({"age": ages, "job": jobs, "ill": many["ill"]})
    asked = {**ASKED, "quasi": ["age", "job"], "hierarchies": {"job": JOBS}, "at_least": {}}
    recipe = Recipe.of(**asked, at_most={"age": 20})
    outcome = flow(table, recipe, LocalEngine(shards=shards))
    assert outcome.table.num_rows == 4000
    for cell in set(outcome.table["age"].to_pylist()):
        low, high = ends(cell) if cell.startswith("[") else (Decimal(cell), Decimal(cell))
        assert low // 20 == high // 20


def test_every_door_says_the_same(tmp_path: Path):
    source = tmp_path / "people.csv"
    pcsv.write_csv(PEOPLE.select(["age", "zip", "ill"]), source)
    target = tmp_path / "out.csv"
    words = ["-q", "age,zip", "-s", "ill", "-k", "4", "--at-least", "age=10", "--seed", "1"]
    words += ["--at-least", "zip=3-digits", "--at-most", "age=40", "--withhold", "0.2"]
    words += ["--hierarchy", "zip=masks:length=5", "--save-recipe", str(tmp_path / "r.toml")]
    done = run("anonymize", str(source), "-o", str(target), *words)
    assert done.code == 0, done.err
    certificate = json.loads((tmp_path / "out.csv.certificate.json").read_text())
    assert certificate["recipe"]["at_least"] == {"age": 10, "zip": "3-digits"}
    verified = run("verify", str(target), f"{target}.certificate.json")
    assert verified.code == 0
    recipe = Recipe.read(tmp_path / "r.toml")
    assert recipe.at_most == {"age": 40}
    again = shoal.anonymize(source, recipe=recipe, seed=1)
    assert again.certificate.public.hash == certificate["hash"]
    refused = run(
        "anonymize", str(source), "-o", str(tmp_path / "x.csv"), *words[:6], "--at-most", "age=2"
    )
    assert refused.code == 4 and not (tmp_path / "x.csv").exists()


def test_no_error_names_a_cell():
    table = pa.table({"age": pa.array([987, 988, 11, 12, 13, 14])})
    with pytest.raises(ShoalError) as refused:
        shoal.anonymize(table, quasi=["age"], k=4, at_most={"age": 20})
    assert "987" not in str(refused.value)
    assert "withhold" in str(refused.value)
