"""How published cells stand to items: by enumeration of all that a cell may stand for, and by
hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import rules as naive
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.mining.concrete import concrete
from shoal.mining.features import features_of, plain
from shoal.mining.growth import fp_growth
from shoal.mining.items import ItemCells, Items, PublishedItems, Reading

TREE = {"north": ["Oslo", "Bergen"], "south": {"coast": ["Rome", "Nice"], "inland": ["Milan"]}}
UNDER = {"north": {"Oslo", "Bergen"}, "coast": {"Rome", "Nice"}, "south": {"Rome", "Nice", "Milan"}}
TOWNS = ("Oslo", "Bergen", "Rome", "Nice", "Milan")
QUASI = ("age", "town")


@dataclass(frozen=True)
class Row:
    """The truth, and what is printed of it."""

    age: int | None
    town: str | None
    ill: str
    age_cell: str | None
    town_cell: str | None


@st.composite
def a_row(draw: st.DrawFn) -> Row:
    age = draw(st.one_of(st.none(), st.integers(20, 29)))
    town = draw(st.one_of(st.none(), st.sampled_from(TOWNS)))
    below = draw(st.integers(0, 4))
    above = draw(st.integers(0, 4))
    ages = [str(age), f"[{age - below}, {age + above}]"] if age is not None else [None]
    nodes = [town, *(node for node, towns in UNDER.items() if town in towns)]
    cells = draw(st.sampled_from([*ages, "*"])), draw(st.sampled_from([*nodes, "*"]))
    return Row(age, town, draw(st.sampled_from("ab")), *cells)


def tables(rows: Sequence[Row]) -> tuple[pa.Table, pa.Table]:
    ill = pa.array([row.ill for row in rows])
    ages = pa.array([row.age for row in rows], pa.int64())
    original = pa.table(
        {"age": ages, "town": pa.array([row.town for row in rows], pa.string()), "ill": ill}
    )
    printed = {"age": [row.age_cell for row in rows], "town": [row.town_cell for row in rows]}
    return original, pa.table(
        {name: pa.array(cells, pa.string()) for name, cells in printed.items()} | {"ill": ill}
    )


def read(rows: Sequence[Row]) -> tuple[pa.Table, Items, PublishedItems]:
    original, released = tables(rows)
    features = features_of(original, (*QUASI, "ill"), {"town": Hierarchy.nested(TREE)})
    items = Items.of(plain(original, features), 3)
    return original, items, PublishedItems.read(released, items, QUASI)


def may_be(rows: Sequence[Row]) -> list[tuple[set[object] | None, ...]]:
    """All that the cells of each row may stand for; None for anything."""
    seen = {row.town for row in rows}
    found = []
    for row in rows:
        ends = (row.age_cell or "").strip("[]").split(", ")
        age = (
            None
            if row.age_cell == "*"
            else set(range(int(ends[0]), int(ends[-1]) + 1))
            if row.age_cell
            else set()
        )
        town = (
            None
            if row.town_cell == "*"
            else UNDER.get(row.town_cell or "", {row.town_cell}) & seen - {None}
        )
        found.append((age, town, {row.ill}))
    return found


def members(items: Items) -> list[tuple[int, set[object]]]:
    """Of each item its column and its values."""
    found: list[tuple[int, set[object]]] = []
    for item, column in enumerate(items.feature.tolist()):
        low, high = items.ends(item) if column == 0 else (0, 0)
        ages = {age for age in range(50) if low <= age < high}
        found.append((column, ages if column == 0 else {items.text(item).partition("=")[2]}))
    return found


def everything(
    rows: Sequence[Row], cells: Sequence[tuple[set[object] | None, ...]]
) -> tuple[set[object], ...]:
    """What `*` is expected to be: as far as the other cells reach, or any town that there is."""
    told = [age for row in cells for age in row[0] or ()] or [
        row.age for row in rows if row.age is not None
    ]
    return (
        set(range(min(told), max(told) + 1)) if told else set(),
        {row.town for row in rows} - {None},
        set(),
    )


rows_of = st.lists(a_row(), min_size=1, max_size=7)


@given(rows_of)
def test_all_supports_equal_those_of_enumeration(rows: list[Row]) -> None:
    _, items, published = read(rows)
    cells = may_be(rows)
    what = members(items)
    star = everything(rows, cells)
    ways: dict[Reading, list[list[Fraction]]] = {
        "certain": [[naive.certain(row[c], values) for c, values in what] for row in cells],
        "possible": [[naive.possible(row[c], values) for c, values in what] for row in cells],
        "expected": [
            [naive.share(star[c] if row[c] is None else row[c], values) for c, values in what]
            for row in cells
        ],
    }
    for reading, held in ways.items():
        wanted = naive.expected(held, [column for column, _ in what], 3)
        table = published.chances(reading, range(items.count), 0)
        for itemset, total in wanted.items():
            assert table.support(itemset) == pytest.approx(float(total), rel=1e-12, abs=1e-12), (
                reading
            )


@given(rows_of)
def test_the_truth_lies_between_certain_and_possible(rows: list[Row]) -> None:
    original, items, published = read(rows)
    baskets = items.baskets(plain(original, items.features))
    true = fp_growth(baskets, 1, 3)
    low, likely, high = (
        published.chances(way, range(items.count), 0) for way in ("certain", "expected", "possible")
    )
    for itemset in [*combinations(range(items.count), 2), *true]:
        if len({int(items.feature[item]) for item in itemset}) == len(itemset):
            assert low.support(itemset) <= true.get(itemset, 0) <= high.support(itemset)
            assert (
                low.support(itemset)
                <= likely.support(itemset) + 1e-9
                <= high.support(itemset) + 2e-9
            )


def test_sampled_tables_tend_to_what_is_expected() -> None:
    rows = [
        Row(
            20 + i % 10,
            TOWNS[i % 5],
            "ab"[i % 2],
            f"[{18 + i % 10}, {24 + i % 10}]",
            "*" if i % 3 else "south",
        )
        for i in range(60)
    ]
    _, items, published = read(rows)
    drawn = concrete(tables(rows)[1], items.features, QUASI, tables=400)
    expected = published.chances("expected", range(items.count), 0)
    counts = [fp_growth(items.baskets(table), 1, 2) for table in drawn]
    for itemset in combinations(range(items.count), 2):
        mean = np.mean([found.get(itemset, 0) for found in counts])
        if items.feature[itemset[0]] != items.feature[itemset[1]]:
            assert mean == pytest.approx(expected.support(itemset), abs=0.6)


def standing(
    original: pa.Array, printed: Sequence[str | None], bins: int = 2
) -> dict[str, tuple[list[bool], list[bool], list[float]]]:
    table = pa.table({"x": original})
    items = Items.of(plain(table, features_of(table, ["x"], {})), bins)
    cells = ItemCells.read(
        pa.table({"x": pa.array(printed, pa.string())}), items.features[0], ["x"]
    )
    rows = cells.column.cell
    return {
        items.text(i): tuple(part[rows].tolist() for part in cells.standing(items, i))
        for i in range(items.count)
    }  # type: ignore[misc]


def test_a_length_counts_where_numbers_are_not_whole() -> None:
    found = standing(
        pa.array([0.0, 1.0, 2.0, 4.0]), ["[0, 4]", "[1, 2]", "[2, 3]", "1.5", None, "*"]
    )
    assert found == {
        "x<2": (
            [False, False, False, True, False, False],
            [True, True, False, True, False, True],
            [0.5, 1.0, 0.0, 1.0, 0.0, 0.5],
        ),
        "x>=2": (
            [False, False, True, False, False, False],
            [True, True, True, False, False, True],
            [0.5, 0.0, 1.0, 0.0, 0.0, 0.5],
        ),
    }


def test_a_published_distribution_is_the_chance_itself() -> None:
    table = pa.table({"ill": ["flu", "cold", "flu"]})
    items = Items.of(plain(table, features_of(table, ["ill"], {})), 5)
    shares = pa.table({"ill=flu": [0.25, 1.0], "ill=cold": [0.75, 0.0]})
    texts = pa.table({"ill": ['{"flu": 0.25, "cold": 0.75}', '{"flu": 1.0}']})
    for released in (shares, texts):
        cells = ItemCells.read(released, items.features[0], [])
        told = {
            items.text(i): [part[cells.column.cell].tolist() for part in cells.standing(items, i)]
            for i in range(2)
        }
        assert told["ill=flu"] == [[False, True], [True, True], [0.25, 1.0]]
        assert told["ill=cold"] == [[False, False], [True, False], [0.75, 0.0]]


def test_a_number_with_a_hierarchy_is_read_by_the_values_under_its_label() -> None:
    ages = pa.array([10, 20, 30, 40])
    tree = Hierarchy.nested({"odd": ["10", "30"], "even": ["20", "40"]})
    table = pa.table({"age": ages})
    items = Items.of(plain(table, features_of(table, ["age"], {"age": tree})), 2)
    cells = ItemCells.read(
        pa.table({"age": ["odd", "even", "30", "*"]}), items.features[0], ["age"]
    )
    found = cells.standing(items, 0)
    assert items.text(0) == "age<30"
    assert found.expected[cells.column.cell].tolist() == [0.5, 0.5, 0.0, 0.5]
    assert found.possible[cells.column.cell].tolist() == [True, True, False, True]
    assert not found.certain.any()


def test_a_label_that_nothing_names_may_be_anything() -> None:
    found = standing(pa.array(["a", "b"]), ["a", "unheard of"])
    assert found["x=a"] == ([True, False], [True, True], [1.0, 0.5])
