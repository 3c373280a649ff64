"""Cells become single values: drawn evenly, by the middle, or as weighted rows; distributions
too.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import DataError
from shoal.mining.concrete import Way, concrete, unread
from shoal.mining.features import Plain, features_of, plain

TREE = {"city": Hierarchy.nested({"north": ["oslo", "bergen"], "south": ["rome", "bari", "pisa"]})}
ORIGINAL = pa.table(
    {
        "age": [20, 29, 40, 41, 60],
        "city": ["oslo", "bergen", "rome", "bari", "pisa"],
        "ill": ["cold", "flu", "flu", "gout", None],
    }
)
NAMES = ("age", "city", "ill")
FEATURES = features_of(ORIGINAL, NAMES, TREE)


def made(released: dict, way: Way = "sampled", tables: int = 10) -> tuple[Plain, ...]:
    return concrete(pa.table(released), FEATURES, ("age", "city"), way, tables)


def city(code: float) -> str | None:
    return None if np.isnan(code) else FEATURES[1].axis.values[int(code)].as_py()


def ill(code: float) -> str | None:
    return None if np.isnan(code) else FEATURES[2].axis.values[int(code)].as_py()


def test_a_table_that_is_not_generalized_becomes_itself():
    (only,) = concrete(ORIGINAL, FEATURES, ("age", "city"))
    assert np.array_equal(only.values, plain(ORIGINAL, FEATURES).values, equal_nan=True)
    assert [city(code) for code in only.column("city")] == ORIGINAL["city"].to_pylist()
    assert [ill(code) for code in only.column("ill")] == ORIGINAL["ill"].to_pylist()


def test_cells_are_drawn_evenly_from_what_they_may_stand_for():
    rows = 4000
    tables = made(
        {"age": ["[20, 23]"] * rows, "city": ["south"] * rows, "ill": ["flu"] * rows}, tables=3
    )
    assert len(tables) == 3 and not np.array_equal(tables[0].values, tables[1].values)
    ages, counts = np.unique(tables[0].column("age"), return_counts=True)
    assert ages.tolist() == [20, 21, 22, 23] and counts.min() > 900
    cities, counts = np.unique(
        [city(code) for code in tables[0].column("city")], return_counts=True
    )
    assert cities.tolist() == ["bari", "pisa", "rome"] and counts.min() > 1200
    assert {ill(code) for code in tables[0].column("ill")} == {"flu"}


def test_the_same_release_is_drawn_alike():
    released = {"age": ["[20, 60]"] * 50, "city": ["*"] * 50, "ill": ["flu"] * 50}
    for one, other in zip(made(released), made(released), strict=True):
        assert np.array_equal(one.values, other.values)


def test_everything_is_drawn_from_the_whole_column_and_missing_stays_missing():
    released = {
        "age": ["*", "[20, 29]", None] * 300,
        "city": ["*", "north", None] * 300,
        "ill": ["flu", "cold", None] * 300,
    }
    table = made(released)[0]
    age = table.column("age")
    where = np.array([city(code) for code in table.column("city")])
    assert (
        age[::3].min() == 20 and age[::3].max() == 29
    )  # as far as other cells of the release reach
    assert set(where[::3]) == {"oslo", "bergen", "rome", "bari", "pisa"} and set(where[1::3]) == {
        "oslo",
        "bergen",
    }
    assert (
        np.isnan(age[2::3]).all()
        and set(where[2::3]) == {None}
        and np.isnan(table.column("ill")[2::3]).all()
    )


def test_midpoint_and_mode():
    released = {
        "age": ["[20, 29]", "41", "[40, 60]", "*"],
        "city": ["north", "oslo", "south", "*"],
        "ill": ["flu", "flu", None, "gout"],
    }
    (only,) = made(released, "midpoint")
    assert only.column("age").tolist() == [24.5, 41.0, 50.0, 40.0]
    assert [city(code) for code in only.column("city")] == [
        "oslo",
        "oslo",
        "rome",
        "oslo",
    ]  # oslo is named by itself too
    assert only.weights.tolist() == [1.0] * 4


def test_bounds():
    (only,) = concrete(
        pa.table(
            {"age_lo": [20, None], "age_hi": [30, None], "city": ["rome"] * 2, "ill": ["flu"] * 2}
        ),
        FEATURES,
        NAMES,
        "midpoint",
    )
    assert only.column("age").tolist() == [25.0, 25.0]


DISTRIBUTED = [
    {"ill": ['{"flu": 0.4, "cold": 0.6}', '{"gout": 1.0}', None]},
    {"ill=flu": [0.4, 0.0, None], "ill=cold": [0.6, 0.0, None], "ill=gout": [0.0, 1.0, None]},
]


@pytest.mark.parametrize("ills", DISTRIBUTED, ids=["texts", "columns"])
def test_distributions_become_weights_draws_or_the_mode(ills):
    released = {"age": ["20", "[20, 30]", "41"], "city": ["oslo"] * 3, **ills}
    (expanded,) = made(released, "expanded")
    rows = zip(
        expanded.column("age"), map(ill, expanded.column("ill")), expanded.weights, strict=True
    )
    assert sorted(rows, key=str) == [
        (20, "cold", 0.6),
        (20, "flu", 0.4),
        (25, "gout", 1.0),
        (41, None, 1.0),
    ]
    (middle,) = made(released, "midpoint")
    assert [ill(code) for code in middle.column("ill")] == ["cold", "gout", None]
    drawn = [ill(table.column("ill")[0]) for table in made(released, tables=400)]
    assert set(drawn) == {"cold", "flu"} and 120 < drawn.count("flu") < 200


def test_labels_without_their_hierarchy_are_named_and_count_as_everything():
    features = features_of(ORIGINAL, NAMES, {})
    released = pa.table({"age": ["20"] * 200, "city": ["south"] * 200, "ill": ["flu"] * 200})
    assert (
        unread(released, features, NAMES) == ("city",) and unread(released, FEATURES, NAMES) == ()
    )
    assert len(np.unique(concrete(released, features, NAMES)[0].column("city"))) == 5


def test_columns_that_are_not_there_are_refused():
    with pytest.raises(DataError, match="the release has no column 'ill'"):
        made({"age": ["20"], "city": ["oslo"]})
    with pytest.raises(DataError, match="the original lacks"):
        features_of(ORIGINAL, ("age", "zip"), {})


def test_test_rows_may_hold_what_nobody_knew():
    found = plain(
        pa.table({"age": ["33", None], "city": ["atlantis", "oslo"], "ill": ["flu", "flu"]}),
        FEATURES,
    )
    assert (
        found.column("age")[0] == 33
        and np.isnan(found.column("age")[1])
        and np.isnan(found.column("city")[0])
    )
