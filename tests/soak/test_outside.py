"""The recount of the soak: cells, models and matchings by hand."""

from __future__ import annotations

import datetime

import pytest

from soak.outside import cells
from soak.outside.matching import possible_matches
from soak.outside.promises import OF_GROUPS, Group, Whole
from soak.outside.tables import Column

AGE = Column("number", [])
CITY = Column("category", [])
TREE = Column("category", [], "file", {"Oslo": ("Norway", "*"), "Rome": ("Italy", "*")})
CODE = Column("category", [], "masks")
DAY = Column("date", [])
MONTH = Column("date", [], "dates")
TIME = Column("time", [])
BIRTH = datetime.date(2021, 3, 5)
MIDNIGHT = datetime.datetime(2021, 3, 5)


@pytest.mark.parametrize(
    "column, cell, inside, outside",
    [
        (AGE, "[20, 29]", 20, 30),
        (AGE, "[20, 29]", 29, None),
        (AGE, "90+", 1e9, 89),
        (AGE, "[80, 90+]", 95, 79),
        (AGE, "<=5", -1, 6),
        (AGE, "[<=5, 10]", -1, 11),
        (AGE, "39", 39.0, 40),
        (AGE, None, None, 5),
        (CITY, '"*"', "*", "x"),
        (CITY, '"""a"" b"', '"a" b', "a b"),
        (CITY, "Oslo", "Oslo", None),
        (TREE, "Norway", "Oslo", "Rome"),
        (CODE, "101**", "10115", "10215"),
        (DAY, "[2021-01-01, 2021-12-31]", BIRTH, datetime.date(2022, 1, 1)),
        (TIME, "2021-03-05", MIDNIGHT, datetime.datetime(2021, 3, 5, 1)),
        (TIME, "[2021-01-01, 2021-12-31]", MIDNIGHT, datetime.datetime(2021, 12, 31, 1)),
        (MONTH, "2021-Q1", BIRTH, datetime.date(2021, 4, 1)),
        (MONTH, "2020s", BIRTH, datetime.date(2030, 1, 1)),
    ],
)
def test_cells_by_hand(column, cell, inside, outside):
    fits = cells.reader(column)(cell)
    assert fits(inside) and not fits(outside)
    assert cells.reader(column)("*")(None)


@pytest.mark.parametrize("column, cell", [(AGE, "old"), (TREE, "Spain"), (MONTH, "spring")])
def test_unreadable_cells_are_told(column, cell):
    with pytest.raises(cells.Unreadable):
        cells.reader(column)(cell)


# Shares of 3/6, 2/6 and 1/6 in the table; of 2/3 and 1/3 in the group.
TABLE = ["flu"] * 3 + ["gout"] * 2 + ["hip"]
GROUP = ["flu", "flu", "gout"]


@pytest.mark.parametrize(
    "model, kept, broken",
    [
        ("l-diversity", {"l": 2}, {"l": 3}),
        ("p-sensitive", {"p": 2}, {"p": 3}),
        ("frequency-l-diversity", {"l": 1.5}, {"l": 1.51}),
        ("entropy-l-diversity", {"l": 1.88}, {"l": 1.9}),
        ("recursive-l-diversity", {"c": 2.1, "l": 2}, {"c": 2, "l": 2}),
        ("alpha-k", {"alpha": 0.67}, {"alpha": 0.66}),
        ("t-closeness", {"t": 0.17}, {"t": 0.16}),
        ("t-closeness", {"t": 0.17, "distance": "ordered"}, {"t": 0.16, "distance": "ordered"}),
        ("beta-likeness", {"beta": 0.34}, {"beta": 0.33}),
        ("beta-likeness", {"beta": 9, "form": "enhanced"}, {"beta": 0.33, "form": "enhanced"}),
        ("delta-disclosure", {"delta": 0.29, "absent": "skip"}, {"delta": 9}),
    ],
)
def test_models_by_hand(model, kept, broken):
    judge = OF_GROUPS[model]
    whole = Whole.of(TABLE, {})
    assert judge(Group.of(GROUP), whole, kept)
    assert not judge(Group.of(GROUP), whole, broken)


def test_values_that_stand_equally_often():
    judge = OF_GROUPS["m-invariance"]
    whole = Whole.of(TABLE, {})
    assert judge(Group.of(["flu", "gout"] * 2), whole, {"m": 2})
    assert not judge(Group.of(["flu", "gout"] * 2), whole, {"m": 3})
    assert not judge(Group.of(GROUP), whole, {"m": 2})
    assert not judge(Group.of(["flu", "gout", None]), whole, {"m": 2})


def test_a_distance_along_a_tree():
    paths = {"flu": ("lung", "*"), "cold": ("lung", "*"), "gout": ("joint", "*")}
    whole = Whole.of(["flu", "cold", "gout"], paths)
    # 1/3 of flu for cold costs half of the way, 1/3 of flu for gout the whole way.
    judge = OF_GROUPS["t-closeness"]
    assert judge(Group.of(["flu"]), whole, {"t": 0.5, "distance": "hierarchical"})
    assert not judge(Group.of(["flu"]), whole, {"t": 0.49, "distance": "hierarchical"})


def test_numbers_that_lie_far_enough_apart():
    whole = Whole.of([30, 33, 36], {})
    assert OF_GROUPS["k-e"](Group.of([30, 33, 36]), whole, {"k": 3, "e": 6})
    assert not OF_GROUPS["k-e"](Group.of([30, 30, 36]), whole, {"k": 3, "e": 6})
    assert not OF_GROUPS["k-e"](Group.of([30, 33, 35]), whole, {"k": 3, "e": 6})


@pytest.mark.parametrize(
    "edges, matches",
    [
        ([[0, 1], [0, 1]], [2, 2]),
        ([[0, 1], [1]], [1, 1]),  # the second person needs row 1
        ([[0], [0]], None),
        ([[0, 1], [1, 2], [2, 0]], [2, 2, 2]),
        ([[0, 1, 2], [1, 2], [1, 2]], [1, 2, 2]),
    ],
)
def test_possible_matches_by_hand(edges, matches):
    assert possible_matches(edges, len(edges)) == matches


def test_bounds_cover_values_and_bands_that_lie_between_them():
    assert cells.between(1, 5)(3) and not cells.between(1, 5)(6)
    assert cells.between(1, 2)("[1, 2]") and not cells.between(1, 2)("[1, 3]")
    assert cells.between(80, "90+")("90+") and not cells.between(80, 90)("90+")
