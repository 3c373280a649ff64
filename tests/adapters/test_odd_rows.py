"""Rows that are about nobody: totals at the end, and second lines of names or units at the top."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import shoal
from shoal.adapters.odd_rows import odd_rows
from terminal import shoal as typed

ROWS = 30
AGES = [str(20 + n % 9) for n in range(ROWS)]
TALL = [f"{150 + n % 7}.5" for n in range(ROWS)]
TOWNS = ["Köln", "Bonn", "Gesamt"] * 10


def table(first: list[list[str | None]], last: list[str | None] | None = None) -> pa.Table:
    rows = [*first, *map(list, zip(AGES, TALL, TOWNS, strict=True)), *([last] if last else [])]
    names = ("age", "height", "town")
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})


@pytest.mark.parametrize("word", ["Gesamt", "Summe:", " TOTAL ", "Grand Total", "Insgesamt"])
def test_a_total_at_the_end_is_told(word: str) -> None:
    ((column, said),) = odd_rows(table([], [word, None, None]))
    assert column == "" and "the last row looks like a total" in said


@pytest.mark.parametrize(
    "last", [None, ["20", "150.5", "Gesamt"], [None, None, "Köln"], ["Gesamt", "150", "Bonn"]]
)
def test_other_last_rows_are_not(last: list[str | None] | None) -> None:
    assert odd_rows(table([], last)) == ()


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ([["years", "cm", None]], "the first row below the header"),
        (
            [["How old are you?", "How tall?", "Town"], ["{1}", "{2}", "{3}"]],
            "the first 2 rows below the header",
        ),
        ([["years", "150", None]], None),  # one column tells nothing
        ([], None),
    ],
)
def test_second_lines_of_names_or_units_are_told(
    first: list[list[str | None]], said: str | None
) -> None:
    notices = odd_rows(table(first))
    if said is None:
        assert notices == ()
    else:
        ((_, words),) = notices
        assert said in words and "'age' and 'height'" in words


def test_every_door_tells_and_no_cell_is_shown(tmp_path: Path) -> None:
    """A total was one more person, in a group of its own stars."""
    path = tmp_path / "people.csv"
    frame = table([], [None, None, None]).to_pandas()
    frame.insert(0, "case", [*(f"F{n}" for n in range(ROWS)), "Gesamt"])
    frame.to_csv(path, index=False)
    asked = {"quasi": ["age", "town"], "k": 3, "seed": 1, "effort": "low"}
    for people in (path, frame):
        notices = [str(note) for note in shoal.anonymize(people, **asked).notices]
        assert any("looks like a total" in note for note in notices)
    seen = typed("inspect", path)
    assert "the last row looks like a total" in seen.out
    frame.drop(columns="town").to_excel(tmp_path / "people.xlsx", index=False)
    assert "the last row looks like a total" in typed("inspect", tmp_path / "people.xlsx").out
