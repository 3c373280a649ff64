"""What every method keeps, whoever wrote it: the names come from the registry."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from shoal.errors import PrivacyNotMet
from shoal.partition.method import Method
from shoal.registry import names
from tables import AtLeast, Column, encoded, table

METHODS = names(Method)
TABLES = range(12)


@pytest.fixture(params=METHODS)
def method(request) -> Method:
    return METHODS[request.param]()


def divided(method: Method, columns: list[Column], k: int, seed: int = 0):
    return method.divide(rows_of(columns, method), k, AtLeast(k), np.random.default_rng(seed))


def rows_of(columns: list[Column], method: Method):
    return encoded(columns, method.losses[0])


@cache
def random_table(number: int) -> list[Column]:
    rng = np.random.default_rng(1000 + number)
    return table(rng, int(rng.integers(8, 60)), 1 + number % 5)


def ks(columns: list[Column]) -> list[int]:
    return sorted({1, 2, 3, 5, len(columns[0].cells) // 2, len(columns[0].cells)})


def assert_a_partition(groups, rows: int, k: int) -> None:
    assert groups.labels.dtype == np.int32
    assert len(groups.labels) == rows
    assert np.array_equal(np.unique(groups.labels), np.arange(groups.count))
    assert groups.sizes.min() >= k


def test_there_are_methods():
    assert METHODS


@pytest.mark.parametrize("number", TABLES)
def test_every_row_stands_in_one_group_of_at_least_k(method, number):
    columns = random_table(number)
    for k in ks(columns):
        assert_a_partition(divided(method, columns, k), len(columns[0].cells), k)


@pytest.mark.parametrize("number", TABLES)
def test_the_same_seed_gives_the_same_groups(method, number):
    columns = random_table(number)
    first, second = (divided(method, columns, 3, seed=number).labels for _ in range(2))
    assert np.array_equal(first, second)


def test_the_rows_are_left_as_they_were(method):
    rows = rows_of(random_table(4), method)
    before = rows.codes.copy()
    method.divide(rows, 3, AtLeast(3), np.random.default_rng(0))
    assert np.array_equal(rows.codes, before)


@pytest.mark.parametrize("number", TABLES)
def test_k_of_all_rows_gives_one_group(method, number):
    columns = random_table(number)
    assert divided(method, columns, len(columns[0].cells)).count == 1


def test_one_row_is_a_group_where_k_is_one(method):
    assert divided(method, [Column([4.0])], 1).labels.tolist() == [0]


@pytest.mark.parametrize("k", [1, 2, 7, 20])
def test_equal_rows(method, k):
    columns = [Column([3.0] * 20), Column(["a"] * 20, ("*", ["a", "b"]))]
    assert_a_partition(divided(method, columns, k), 20, k)


@pytest.mark.parametrize(
    "odd",
    [
        Column([1.0] * 15),
        Column(["a"] * 15, ("*", ["a"])),
        Column([None] * 15),
        Column([None] * 15, ("*", ["a", "b"])),
        Column([None] * 14 + [1.0]),
    ],
    ids=[
        "one number",
        "one category",
        "missing numbers",
        "missing categories",
        "one number, else missing",
    ],
)
@pytest.mark.parametrize("beside", [True, False], ids=["beside another", "alone"])
def test_odd_columns(method, odd, beside):
    columns = [odd, Column([float(x % 7) for x in range(15)])] if beside else [odd]
    for k in (1, 4, 15):
        assert_a_partition(divided(method, columns, k), 15, k)


def test_more_than_all_rows_is_refused(method):
    with pytest.raises(PrivacyNotMet) as refusal:
        divided(method, [Column([1.0, 2.0, 3.0])], 4)
    assert refusal.value.facts["rows"] == 3


def test_a_watch_that_interrupts_is_obeyed_or_never_asked(method):
    asked = []

    def watch(share: float) -> None:
        asked.append(share)
        raise KeyboardInterrupt

    try:
        method.divide(
            rows_of(random_table(4), method), 3, AtLeast(3), np.random.default_rng(0), watch
        )
    except KeyboardInterrupt:
        assert len(asked) == 1
    else:
        assert not asked


def test_the_watch_is_told_shares(method):
    shares: list[float] = []
    method.divide(
        rows_of(random_table(4), method), 3, AtLeast(3), np.random.default_rng(0), shares.append
    )
    assert all(0 <= share <= 1 for share in shares)
    assert shares == sorted(shares)
