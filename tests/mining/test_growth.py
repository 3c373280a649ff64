"""Frequent sets: FP-growth and the search by chance agree with brute force, with Eclat and with
mlxtend.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlxtend.frequent_patterns import association_rules, fpgrowth

from conftest import data_file
from naive import rules as naive
from shoal.errors import RecipeError
from shoal.mining import growth
from shoal.mining.features import features_of, plain
from shoal.mining.growth import Baskets, Chances, by_chance, fp_growth, least
from shoal.mining.items import Items
from shoal.mining.rules import rules_of

ITEMS = 7
rows_of_items = st.lists(st.sets(st.integers(0, ITEMS - 1), max_size=5), max_size=14)


def baskets(rows: Sequence[set[int]], counts: Sequence[int] | None = None) -> Baskets:
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    items = np.array([item for row in rows for item in sorted(row, reverse=True)], np.int32)
    return Baskets(starts, items, np.array(counts or [1] * len(rows), np.int64), ITEMS)


@given(rows_of_items, st.integers(1, 4), st.integers(1, 5))
def test_fp_growth_counts_like_brute_force_and_eclat(
    rows: list[set[int]], minimum: int, longest: int
) -> None:
    found = fp_growth(baskets(rows), minimum, longest)
    assert found == naive.frequent(rows, minimum, longest) == naive.eclat(rows, minimum, longest)


@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, ITEMS - 1), max_size=4), st.integers(1, 3)), max_size=8
    )
)
def test_a_basket_counts_as_often_as_it_says(some: list[tuple[set[int], int]]) -> None:
    repeated = [row for row, count in some for _ in range(count)]
    found = fp_growth(baskets([row for row, _ in some], [count for _, count in some]), 2, 4)
    assert found == naive.frequent(repeated, 2, 4)


shares = st.sampled_from(
    [Fraction(0), Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), Fraction(1)]
)
tables = st.lists(
    st.tuples(st.lists(shares, min_size=6, max_size=6), st.integers(1, 3)), max_size=8
)
COLUMN = [0, 0, 1, 2, 2, 3]


def chances(rows: list[tuple[list[Fraction], int]]) -> Chances:
    held = (
        np.array([[float(share) for share in row] for row, _ in rows])
        .reshape(len(rows), len(COLUMN))
        .T
    )
    counts = np.array([count for _, count in rows], np.int64)
    return Chances(
        np.ascontiguousarray(held), counts, np.array(COLUMN), np.arange(10, 10 + len(COLUMN))
    )


@given(tables, st.sampled_from([0.5, 1.0, 1.5]), st.integers(1, 4))
def test_expected_supports_equal_brute_force(
    rows: list[tuple[list[Fraction], int]], minimum: float, longest: int
) -> None:
    everything = naive.expected([row for row, count in rows for _ in range(count)], COLUMN, longest)
    wanted = {
        tuple(10 + item for item in itemset): total
        for itemset, total in everything.items()
        if total >= minimum
    }
    table = chances(rows)
    found = by_chance(table, minimum, longest)
    assert found.keys() == wanted.keys()
    for itemset, total in wanted.items():
        assert found[itemset] == pytest.approx(float(total), rel=1e-12)
        assert table.support(itemset) == pytest.approx(float(total), rel=1e-12)


@given(st.lists(st.lists(st.booleans(), min_size=6, max_size=6), max_size=10), st.integers(1, 3))
def test_chances_of_nothing_or_all_give_what_fp_growth_gives(
    held: list[list[bool]], minimum: int
) -> None:
    rows = [{item for item, there in enumerate(row) if there} for row in held]
    table = Chances(
        np.array(held, float).reshape(len(held), 6).T.copy(),
        np.ones(len(held), np.int64),
        np.arange(6),
        np.arange(6),
    )
    assert by_chance(table, minimum, 4) == fp_growth(baskets(rows), minimum, 4)


def test_a_threshold_is_rounded_up_as_decimals_say() -> None:
    assert [least(0.05, 100), least(0.07, 100), least(0.0701, 100), least(1e-9, 100)] == [
        5,
        7,
        8,
        1,
    ]
    for support in (0, 1.01, -1):
        with pytest.raises(RecipeError, match="support"):
            least(support, 100)


def test_too_many_sets_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growth, "MOST_SETS", 6)
    with pytest.raises(RecipeError, match="support"):
        fp_growth(baskets([{0, 1, 2}]), 1, 3)
    with pytest.raises(RecipeError, match="support"):
        by_chance(chances([([Fraction(1)] * 6, 1)]), 1, 3)


def real(name: str, rows: int) -> tuple[Items, Baskets, pd.DataFrame]:
    """A real table as baskets, and as the columns of zeros and ones that mlxtend takes."""
    table = parquet.read_table(data_file(name)).slice(0, rows)
    original = plain(table, features_of(table, table.column_names, {}))
    items = Items.of(original, 5)
    found = items.baskets(original)
    held = np.zeros((found.rows, items.count), bool)
    basket = np.repeat(np.arange(len(found.counts)), np.diff(found.starts))
    first = np.cumsum(found.counts) - found.counts
    for copy in range(int(found.counts.max())):
        there = found.counts[basket] > copy
        held[first[basket[there]] + copy, found.items[there]] = True
    return items, found, pd.DataFrame(held)


# in mlxtend's certainty, which is not compared
@pytest.mark.filterwarnings("ignore:invalid value encountered in divide:RuntimeWarning")
@pytest.mark.parametrize(
    ("name", "rows", "support", "longest"),
    [
        ("mushroom.parquet", 8124, 0.3, 4),
        ("nursery.parquet", 12960, 0.05, 4),
        ("cmc.parquet", 1473, 0.1, 5),
    ],
)
def test_counts_and_rules_are_those_of_mlxtend(
    name: str, rows: int, support: float, longest: int
) -> None:
    _, found, frame = real(name, rows)
    own = fp_growth(found, least(support, found.rows), longest)
    theirs = fpgrowth(frame, min_support=support, max_len=longest)
    counts = {
        tuple(sorted(s)): round(share * found.rows)
        for s, share in zip(theirs["itemsets"], theirs["support"], strict=True)
    }
    assert own == counts and len(own) > 50
    rules = rules_of(own, found.rows, 0.7, "any")
    others = association_rules(theirs, metric="confidence", min_threshold=0.7)
    told = {
        (tuple(sorted(a)), tuple(sorted(c))): (s, v)
        for a, c, s, v in zip(
            *(others[n] for n in ("antecedents", "consequents", "support", "confidence")),
            strict=True,
        )
    }
    assert rules.keys() == told.keys() and len(rules) > 20
    assert all((rules[r].support, rules[r].confidence) == pytest.approx(told[r]) for r in told)


def test_an_item_of_a_table_is_held_by_the_rows_that_say_so() -> None:
    table = pa.table({"age": [20, 30, 40, 50, None], "sex": ["f", "m", "f", None, "m"]})
    original = plain(table, features_of(table, ["age", "sex"], {}))
    items = Items.of(original, 2)
    found = fp_growth(items.baskets(original), 1, 1)
    told = {items.text(item): count for (item,), count in found.items()}
    assert told == {"age<40": 2, "age>=40": 2, "sex=f": 2, "sex=m": 2}
