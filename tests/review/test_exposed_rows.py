"""The rows that are easiest to find, beside the literal reading."""

from __future__ import annotations

import numpy as np
import pytest

from naive.exposed_rows import fewest_columns, people_alike
from shoal.review import exposed_rows
from shoal.review.exposed_rows import learnt, most_exposed
from shoal.review.risks.exposure import Coded, Exposure

TABLE = [  # sex, age, town
    ("f", 20, "Oslo"),
    ("f", 20, "Oslo"),
    ("m", 20, "Oslo"),
    ("m", 30, "Rome"),
    ("f", 30, "Oslo"),
    ("m", 20, "Oslo"),
]


def coded(values: list[object]) -> Coded:
    known = sorted({str(value) for value in values if value is not None})
    codes = [len(known) if value is None else known.index(str(value)) for value in values]
    return np.array(codes, np.int32), len(known)


def exposure(rows: list[tuple[object, ...]], sensitive: list[object] | None = None) -> Exposure:
    columns = list(zip(*rows, strict=True))
    quasi = {f"c{i}": coded(list(column)) for i, column in enumerate(columns)}
    return Exposure.of(quasi, {} if sensitive is None else {"ill": coded(sensitive)})


def test_who_is_alone_on_one_column_stands_before_who_needs_two() -> None:
    seen = exposure(TABLE)
    first, second, *others = most_exposed(seen, 10)
    assert (first.people, first.columns) == (1, ("c2",)), "the only one from Rome"
    assert (second.people, second.columns) == (1, ("c0", "c1")), "the only f of 30"
    assert [one.people for one in others] == [2, 2]
    assert {one.label for one in others} == {0, 1}
    assert len(most_exposed(seen, 1)) == 1


def test_those_who_are_flagged_stand_first() -> None:
    seen = exposure(TABLE)
    flagged = np.arange(seen.groups.count) == 1
    assert most_exposed(seen, 10, first=flagged)[0].label == 1


@pytest.mark.parametrize("seed", range(40))
def test_it_agrees_with_the_literal_reading(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [tuple(rng.integers(0, rng.integers(1, 4), 4).tolist()) for _ in range(15)]
    persons = rng.integers(0, 9, 15).tolist() if seed % 2 else list(range(15))
    seen = exposure(rows)
    who = (np.array(persons, np.int32), 15) if seed % 2 else None
    exposed = most_exposed(seen, 100, who=who)
    assert sorted(one.label for one in exposed) == list(range(seen.groups.count))
    assert [one.people for one in exposed] == sorted(one.people for one in exposed)
    for one in exposed:
        row = rows[int(np.flatnonzero(seen.groups.labels == one.label)[0])]
        chosen = tuple(int(name[1:]) for name in one.columns)
        assert one.people == people_alike(rows, persons, row, tuple(range(4)))
        assert one.people == people_alike(rows, persons, row, chosen)
        assert len(chosen) == fewest_columns(rows, persons, row)


def test_of_many_columns_none_that_is_named_can_be_spared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exposed_rows, "MOST_TRIED", 3)
    rng = np.random.default_rng(5)
    rows = [tuple(rng.integers(0, 2, 6).tolist()) for _ in range(30)]
    for one in most_exposed(exposure(rows), 10):
        row = rows[int(np.flatnonzero(exposure(rows).groups.labels == one.label)[0])]
        chosen = tuple(int(name[1:]) for name in one.columns)
        alike = people_alike(rows, list(range(30)), row, chosen)
        assert alike == one.people
        for left_out in chosen:
            rest = tuple(c for c in chosen if c != left_out)
            assert people_alike(rows, list(range(30)), row, rest) > one.people


def test_a_value_is_learnt_where_all_share_it_and_none_is_missing() -> None:
    rows = [("a",), ("a",), ("b",), ("b",), ("c",), ("c",), ("d",), ("d",)]
    ill = ["flu", "flu", "flu", "cold", None, None, "flu", None]
    assert learnt(exposure(rows, ill))["ill"].tolist() == [True, False, False, False]


def test_a_table_without_rows_exposes_nobody() -> None:
    empty = Exposure.of({"c0": (np.zeros(0, np.int32), 0)}, {})
    assert most_exposed(empty, 5) == []
