"""Rules of a release beside those of its original, in tables and in baskets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from conftest import data_file
from shoal.errors import DataError, RecipeError
from shoal.mining.association import Association
from shoal.mining.at_random import dealt
from shoal.mining.features import features_of, plain
from shoal.mining.growth import fp_growth
from shoal.mining.items import Items, PublishedItems
from shoal.mining.task import Figure, MiningMaterial
from shoal.mining.transactions import Transactions

QUASI = ("age", "sex", "education", "marital-status")
PERFECT = {
    "lost rules": 0.0,
    "ghost rules": 0.0,
    "jaccard": 1.0,
    "top-100 overlap": 1.0,
    "support error": 0.0,
    "confidence error": 0.0,
    "rank correlation of confidences": 1.0,
    "lost rules, sampled": 0.0,
    "ghost rules, sampled": 0.0,
    "rules within bounds": 1.0,
    "width of bounds": 0.0,
}


@pytest.fixture(scope="module")
def adult() -> pa.Table:
    return parquet.read_table(data_file("adult.parquet")).select([*QUASI, "income"]).slice(0, 3000)


@pytest.fixture(scope="module")
def released(adult: pa.Table) -> pa.Table:
    return shoal.anonymize(
        adult, quasi=list(QUASI), sensitive=["income"], k=10, method="mondrian", seed=1
    ).table


def material(original: pa.Table, released: pa.Table, **given: Any) -> MiningMaterial:
    return MiningMaterial(original, released, QUASI, ("income",), **given)


def values(figures: Any) -> dict[str, float | None]:
    return {name: figure.value for name, figure in figures.items()}


def test_a_release_that_is_the_original_is_perfect(adult: pa.Table) -> None:
    found = Association().measure(material(adult, adult))
    assert {name: found[name].value for name in PERFECT} == PERFECT
    assert all(
        figure.value == figure.unchanged
        for figure in found.values()
        if figure.unchanged is not None
    )
    assert found["rules"].value > 50


def test_a_release_keeps_rules_that_groups_by_lot_lose(adult: pa.Table, released: pa.Table) -> None:
    found = values(Association().measure(material(adult, released)))
    assert 0 < found["lost rules"] < 0.5 < found["lost rules, groups drawn by lot"]
    assert found["rules within bounds"] == 1.0 and found["width of bounds"] > 0
    assert found["lost rules, sampled"] == pytest.approx(found["lost rules"], abs=0.1)
    assert found["rules into sensitive columns"] > 0


@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.integers(0, 9)), st.sampled_from("abcd")),
        min_size=2,
        max_size=9,
    )
)
def test_boxes_by_lot_hold_their_rows(rows: list[tuple[int | None, str]]) -> None:
    tree = shoal.Hierarchy.nested({"ab": ["a", "b"], "cd": ["c", "d"]})
    table = pa.table(
        {"age": pa.array([age for age, _ in rows], pa.int64()), "town": [town for _, town in rows]}
    )
    original = plain(table, features_of(table, table.column_names, {"town": tree}))
    items = Items.of(original, 3)
    half = len(rows) // 2
    true = fp_growth(items.baskets(original), 1, 2)
    for sizes in ([1] * len(rows), [half, len(rows) - half]):
        lot = PublishedItems.of(items, dealt(original, np.array(sizes), ["age", "town"]))
        low, high = (
            lot.chances(way, range(items.count), 0).supports(true)
            for way in ("certain", "possible")
        )
        assert lot.rows == len(rows)
        assert all(low[itemset] <= count <= high[itemset] for itemset, count in true.items())
        if len(sizes) == len(rows):
            assert low == high == true


def test_a_box_by_lot_is_a_node() -> None:
    tree = shoal.Hierarchy.nested({"ab": ["a", "b"], "cd": ["c", "d"]})
    table = pa.table({"town": ["a", "b", "c", "d"]})
    original = plain(table, features_of(table, ["town"], {"town": tree}))
    items = Items.of(original, 2)
    some = original.some([1, 2])
    lot = PublishedItems.of(items, dealt(some, np.array([2]), ["town"]))
    assert (
        lot.chances("expected", range(4), 0).chance.tolist() == [[0.25]] * 4
    )  # above b and c there is the root alone


def test_row_order_does_not_matter(adult: pa.Table, released: pa.Table) -> None:
    backward = released.take(list(range(released.num_rows))[::-1])
    one, other = (
        values(Association().measure(material(adult, some, tables=1)))
        for some in (released, backward)
    )
    same = [name for name in one if "sampled" not in name]
    assert {name: other[name] for name in same} == pytest.approx(
        {name: one[name] for name in same}, abs=1e-12
    )


def test_withheld_rows_may_hold_anything(adult: pa.Table) -> None:
    found = Association().measure(material(adult, adult.slice(600)))
    assert found["rules within bounds"].value == 1.0
    untrue = adult.slice(600).set_column(4, "income", pa.array(["<=50K"] * (adult.num_rows - 600)))
    assert Association().measure(material(adult, untrue))["rules within bounds"].value < 1.0


def test_bounds_that_do_not_hold_are_counted() -> None:
    original = pa.table({"age": [1, 1, 1, 1], "ill": ["a", "a", "b", "b"]})
    untrue = pa.table({"age": ["1", "1", "1", "1"], "ill": ["a", "a", "a", "b"]})
    found = Association(support=0.1, confidence=0.1).measure(
        MiningMaterial(original, untrue, ("age",), ("ill",))
    )
    assert (
        found["rules within bounds"].value == 0.0
    )  # three rows are certainly a, two were; one may be b, two were


def test_groups_imply_sensitive_values_by_hand() -> None:
    original = pa.table({"age": [1, 2, 3, 4, 5, 6, 7], "ill": ["a", "a", "b", "c", "c", "d", "d"]})
    printed = pa.table(
        {"age": ["[1, 3]"] * 3 + ["[4, 7]"] * 4, "ill": ["a", "a", "b", "c", "c", "d", None]}
    )
    found = Association(support=0.1, confidence=0.1, l=2).measure(
        MiningMaterial(original, printed, ("age",), ("ill",))
    )
    assert found["groups that imply 'ill'"] == Figure(
        1, 7
    )  # two of three say a; two of four say c, which is no more than 1 / 2
    assert found["groups that imply 'ill', by fewer than k rows"] == Figure(1, None)  # k is 3


def test_rules_into_sensitive_columns_come_from_others() -> None:
    table = pa.table(
        {"age": [1, 1, 9, 9], "ill": ["a", "a", "b", "b"], "cure": ["x", "x", "y", "y"]}
    )
    found = Association(support=0.5, confidence=1).measure(
        MiningMaterial(table, table, ("age",), ("ill", "cure"))
    )
    assert found["rules into sensitive columns"] == Figure(
        4, 4
    )  # from two ages into two columns; not from ill to cure
    assert found["rules"] == Figure(
        18, 18
    )  # two sets of three items: three rules, and two for each of three pairs


def test_listed_rules_are_the_strongest_of_the_release(adult: pa.Table, released: pa.Table) -> None:
    lines = Association(rules=3).told(material(adult, released))
    assert len(lines) == 3 and all(" -> " in line for line in lines)
    told = [float(line.rpartition("confidence ")[2].rstrip(")")) for line in lines]
    assert told == sorted(told, reverse=True) and told[-1] > 0.9
    assert Association().told(material(adult, released)) == ()


def test_values_that_were_perturbed_have_no_groups() -> None:
    original = pa.table({"age": [1.0, 2.0, 8.0, 9.0], "ill": ["a", "a", "b", "b"]})
    perturbed = original.set_column(0, "age", pa.array([1.4, 2.2, 7.9, 2.1]))
    found = Association(support=0.25).measure(
        MiningMaterial(original, perturbed, (), ("age", "ill"))
    )
    assert not [name for name in found if "group" in name]
    assert found["rules within bounds"].value < 1.0


@pytest.mark.parametrize("way", ["midpoint", "expanded"])
def test_sampled_tables_are_sampled_whatever_others_want(
    adult: pa.Table, released: pa.Table, way: Any
) -> None:
    one, other = (
        Association().measure(material(adult, released, way=w, tables=2)) for w in ("sampled", way)
    )
    assert one == other


def test_no_rules_at_all_are_told_and_refused(adult: pa.Table) -> None:
    task = Association(support=1.0)
    assert "no rule of the original" in str(task.odd(material(adult, adult)))
    with pytest.raises(RecipeError, match=r"association:support"):
        task.measure(material(adult, adult))


def test_a_release_without_rules_loses_all(adult: pa.Table) -> None:
    everything = {name: pa.array(["*"] * adult.num_rows) for name in QUASI}
    blind = pa.table({**everything, "income": pa.array([None] * adult.num_rows, pa.string())})
    found = values(Association().measure(material(adult, blind)))
    assert (found["rules"], found["lost rules"], found["ghost rules"], found["jaccard"]) == (
        0,
        1.0,
        None,
        0.0,
    )


def test_tables_without_rows_are_told_and_refused(adult: pa.Table) -> None:
    assert "without rows" in str(Association().odd(material(adult, adult.slice(0, 0))))
    with pytest.raises(DataError, match="without rows"):
        Association().measure(material(adult.slice(0, 0), adult))


def test_bad_settings_are_refused(adult: pa.Table) -> None:
    for bad in ({"support": 0}, {"confidence": 2}, {"longest": 1}, {"bins": 1}, {"l": 1}):
        with pytest.raises(RecipeError):
            Association(**bad)  # type: ignore[arg-type]
    with pytest.raises(RecipeError, match="no column 'wage'"):
        Association(sensitive=("wage",)).measure(material(adult, adult))


@pytest.fixture(scope="module")
def groceries() -> pa.Table:
    return parquet.read_table(data_file("groceries.parquet"))


def baskets(original: pa.Table, renamed: Callable[[str], str]) -> MiningMaterial:
    items = pa.array([renamed(item) for item in original["item"].to_pylist()])
    hierarchy = shoal.Hierarchy.read(data_file("hierarchies/groceries/item.csv"))
    return MiningMaterial(
        original,
        pa.table({"transaction": original["transaction"], "item": items}),
        ("item",),
        (),
        {"item": hierarchy},
        tables=2,
    )


@pytest.mark.parametrize(
    ("support", "confidence", "known"), [(0.01, 0.3, 125), (0.006, 0.25, 463), (0.01, 0.5, 15)]
)
def test_groceries_hold_as_many_rules_as_arules_finds(
    groceries: pa.Table, support: float, confidence: float, known: int
) -> None:
    _, before = Transactions(support, confidence, 10)._before(baskets(groceries, str))
    assert len(before.rules) == known


def test_baskets_that_are_the_original_are_perfect(groceries: pa.Table) -> None:
    found = Transactions(support=0.02).measure(baskets(groceries, str))
    assert {name: found[name].value for name in PERFECT} == PERFECT
    assert all(figure.value == figure.unchanged for figure in found.values())


def test_rules_of_nodes_survive_where_items_are_generalized(groceries: pa.Table) -> None:
    rows = [
        line.split(";")
        for line in data_file("hierarchies/groceries/item.csv").read_text("utf-8").splitlines()
    ]
    fruit = {row[0]: row[1] for row in rows if row[1] in ("fruit", "vegetables")}
    assert len(fruit) > 5
    found = values(
        Transactions(support=0.02).measure(baskets(groceries, lambda item: fruit.get(item, item)))
    )
    assert 0 < found["lost rules"] < 1 and 0 < found["lost rules, sampled"] < 1
    assert found["rules within bounds"] == 1.0 and found["width of bounds"] > 0
    assert (found["lost rules of nodes"], found["ghost rules of nodes"]) == (0.0, 0.0)
    assert found["rules of nodes"] > 20


def test_two_rows_of_one_node_by_hand() -> None:
    tree = shoal.Hierarchy.nested({"fruit": ["apple", "pear"], "bread": ["roll"]})
    original = pa.table(
        {"transaction": [1, 1, 2, 2, 3], "item": ["apple", "roll", "pear", "roll", "apple"]}
    )
    printed = pa.table(
        {"transaction": [7, 7, 8, 8, 9], "item": ["fruit", "roll", "fruit", "roll", "apple"]}
    )
    task = Transactions(support=0.1, confidence=0.1)
    found = task.measure(MiningMaterial(original, printed, ("item",), (), {"item": tree}))
    # apple with roll: 1 of 3 baskets, expected 2 * 1/2 of 3; roll -> apple: 1/2, and so it is
    # expected
    assert found["support error"].value == pytest.approx(0.0) and found["lost rules"].value == 0.0
    assert found["width of bounds"].value == pytest.approx(
        2 / 3
    )  # each pair is certain nowhere and possible twice


def test_baskets_that_can_not_be_read_are_refused(groceries: pa.Table, adult: pa.Table) -> None:
    assert "'transaction' and 'item'" in (Transactions().lacks(material(adult, adult)) or "")
    with pytest.raises(RecipeError, match="transactions:transaction=COLUMN"):
        Transactions().measure(material(adult, adult))
    with pytest.raises(DataError, match="no hierarchy names"):
        Transactions().measure(baskets(groceries, lambda item: f"{item}!"))
    gaps = groceries.set_column(0, "transaction", pa.array([None] * groceries.num_rows, pa.int64()))
    with pytest.raises(DataError, match="gaps"):
        Transactions().measure(MiningMaterial(gaps, gaps, ("item",)))
    assert "no rule of the original" in str(Transactions(support=0.9).odd(baskets(groceries, str)))
