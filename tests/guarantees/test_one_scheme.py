"""One scheme for all rows, counted from outside: equal values are published equally everywhere.

Each column stands at one level, under every kind of model and with values of every kind.
"""

from __future__ import annotations

import datetime
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import PrivacyNotMet, RecipeError

TREE = {"Europe": {"North": ["Oslo", "Bergen"], "South": ["Rome"]}, "Asia": {"East": ["Tokyo"]}}


def people(rows: int = 240, seed: int = 3) -> pa.Table:
    rng = np.random.default_rng(seed)
    born = [
        datetime.date(1950, 1, 1) + datetime.timedelta(int(d)) for d in rng.integers(0, 18000, rows)
    ]
    cities = ["Oslo", "Bergen", "Rome", "Tokyo", None]
    return pa.table(
        {
            "age": pa.array(rng.integers(18, 105, rows)),
            "born": pa.array(born),
            "city": pa.array(rng.choice(cities, rows, p=[0.4, 0.25, 0.2, 0.1, 0.05])),
            "ill": pa.array(rng.choice(["flu", "gout", "cold"], rows)),
        }
    )


def released(table: pa.Table, **asked) -> shoal.Release:
    given = {
        "quasi": ["age", "city"],
        "k": 4,
        "method": "full-domain",
        "hierarchies": {"city": TREE},
        "keep_order": True,
    }
    return shoal.anonymize(table, **{**given, **asked})


def assert_one_scheme(release, table: pa.Table, names) -> None:
    """Equal values have equal cells."""
    kept = np.flatnonzero(np.asarray(release.groups) >= 0)
    assert release.table.num_rows == len(kept)
    for name in names:
        cells: dict[object, set[object]] = {}
        values = table[name].take(pa.array(kept)).to_pylist()
        for value, cell in zip(values, release.table[name].to_pylist(), strict=True):
            cells.setdefault(value, set()).add(cell)
        assert all(len(each) == 1 for each in cells.values())


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"withhold": 0.1},
        {"withhold": 1},
        {"models": ["l-diversity:l=2"], "sensitive": ["ill"]},
        {"models": ["t-closeness:t=0.3"], "sensitive": ["ill"], "withhold": 0.2},
        {"models": ["lkc:l=1,c=0.9"], "sensitive": ["ill"], "withhold": 0.2},
        {"quasi": ["age", "born", "city"], "withhold": 0.3},
        {"publish": "tight"},
        {"publish": "bounds"},
        {"loss": "discernibility"},
        {"loss": "loss-metric"},
        {"method": "full-domain:aggregate=geometric", "loss": "leaf-share"},
        {"importance": {"city": 5}},
        {"missing": "own", "top": {"age": 90}, "bottom": {"age": 20}},
    ],
    ids=str,
)
def test_equal_values_are_published_equally_and_groups_are_large_enough(asked):
    table = people()
    release = released(table, **asked)
    quasi = asked.get("quasi", ["age", "city"])
    assert_one_scheme(release, table, quasi)
    cells = zip(*(release.table[name].to_pylist() for name in quasi), strict=True)
    assert min(Counter(cells).values()) >= 4
    verified = shoal.verify(release.table, release.certificate, hierarchies={"city": TREE})
    assert not [item for item in verified.items if item.status == "differs"]


def test_the_node_of_the_level_is_printed_though_its_members_share_a_lower_one():
    table = pa.table({"city": ["Oslo"] * 4 + ["Bergen"] * 2 + ["Rome"] * 6})
    release = released(table, quasi=["city"], k=4)
    # everyone from the South comes from Rome, and a group of Romans alone would be `Rome`
    assert Counter(release.table["city"].to_pylist()) == {"North": 6, "South": 6}


def test_an_interval_of_a_ladder_is_neither_snapped_nor_tightened():
    table = pa.table({"age": [22, 23, 24, 21, 33, 34, 36, 37]})
    release = released(table, quasi=["age"], k=4, hierarchies={"age": "ladder:widths=10-20"})
    assert set(release.table["age"].to_pylist()) == {"[20, 29]", "[30, 39]"}


def test_the_top_is_the_last_rung_and_opens_the_band_above_it():
    table = pa.table({"age": [90, 95, 99, 104, 70, 71, 72, 73]})
    asked = {"quasi": ["age"], "k": 4, "top": {"age": 90}}
    release = released(table, **asked, hierarchies={"age": "ladder:widths=5-20"})
    assert Counter(release.table["age"].to_pylist()) == {"90+": 4, "[70, 74]": 4}
    release = released(table, **asked, hierarchies={"age": "ladder:widths=20"})
    assert Counter(release.table["age"].to_pylist()) == {"[80, 90+]": 4, "[60, 79]": 4}


def test_numbers_and_dates_get_their_ladder_and_the_recipe_states_it():
    release = released(people(), quasi=["age", "born"], hierarchies={}, withhold=0.3)
    assert release.recipe.hierarchies["age"] == "ladder:widths=5-10-20-40"
    born = str(release.recipe.hierarchies["born"])
    assert born.startswith("ladder:widths=month-quarter-year-5years")
    # The public recipe states what the cells show, which have one level for each column.
    stated = release.certificate.public.recipe["hierarchies"]
    assert stated["age"] == "ladder:widths=40"


def test_a_star_in_the_data_is_not_everything():
    table = pa.table({"code": ["*"] * 4 + ["a"] * 4, "age": [1, 2, 3, 4] * 2})
    release = released(table, quasi=["code", "age"], k=4, hierarchies={})
    assert set(release.table["code"].to_pylist()) <= {'"*"', "a"}
    assert set(release.table["age"].to_pylist()) == {"*"}


def test_levels_that_do_not_nest_are_said_and_told_apart(tmp_path):
    file = tmp_path / "city.csv"
    file.write_text("Oslo;x;North;*\nRome;x;South;*\nBari;y;South;*\n", encoding="utf-8")
    table = pa.table({"city": ["Oslo"] * 4 + ["Rome"] * 4 + ["Bari"] * 4})
    method = "full-domain:at_least=[city=1]"
    with pytest.warns(shoal.ShoalWarning, match="label"):
        release = released(table, quasi=["city"], hierarchies={"city": str(file)}, method=method)
    assert Counter(release.table["city"].to_pylist()) == {"x": 4, "x (group)": 4, "y": 4}


def test_where_no_levels_are_safe_the_nearest_are_named():
    with pytest.raises(PrivacyNotMet, match="no choice of one level") as caught:
        released(people(), method="full-domain:at_most=[age=2;city=1]", k=10)
    assert caught.value.facts["nearest levels"] == "age 2, city 1"
    assert "withhold=" in str(caught.value)
    assert "allow higher levels" in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"refine": True}, "can't be refined"),
        ({"person": "born", "suppress": "cells"}, "single cells can't be blanked"),
        ({"method": "mondrian", "withhold": 1}, "can't leave out any number of rows"),
        ({"engine": "disk"}, "can't do"),
        ({"method": "full-domain:aggregate=median"}, "aggregate"),
        ({"hierarchies": {"age": "ladder:widths=5-12"}}, "does not divide"),
        ({"top": {"age": 20}, "bottom": {"age": 50}}, "must lie above its bottom"),
    ],
    ids=str,
)
def test_what_goes_against_one_scheme_is_refused(asked, words):
    with pytest.raises(RecipeError, match=words):
        released(people(), **{"keep_order": False, **asked})


def test_a_population_is_counted_at_the_nodes():
    everyone = pa.concat_tables([people(), people(900, 4)]).select(["age", "city"])
    release = released(
        people(),
        models=["k-map:k=20"],
        population=everyone,
        withhold=0.5,
        hierarchies={"city": TREE},
    )
    assert release.table.num_rows >= 120


def test_compare_shows_it_beside_others():
    found = shoal.compare(
        people(), quasi=["age", "city"], methods=["full-domain", "mondrian"], k=[4]
    )
    rows = {row["method"]: row for row in found.to_pylist()}
    assert rows["full-domain"]["refused"] is None
    assert rows["full-domain"]["published-leaf-share"] > rows["mondrian"]["published-leaf-share"]


@pytest.mark.parametrize(
    "table",
    [
        pa.table({"age": [5] * 6, "city": ["Oslo"] * 6}),
        pa.table({"age": pa.array([None] * 6, pa.int64()), "city": ["Oslo"] * 6}),
        pa.table({"age": [1, 2, 3, 4, 5, 6], "city": ["Oslo", None, "Rome", None, "Oslo", "Rome"]}),
    ],
    ids=["all alike", "all missing", "some missing"],
)
def test_odd_tables(table):
    release = released(table, k=3)
    assert_one_scheme(release, table, ["age", "city"])
    assert release.table.num_rows == 6
