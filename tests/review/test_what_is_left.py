"""What is left of each column: exact, widened and lost cells, counted from what is printed."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.declare.hierarchies.dates import Dates
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.hierarchies.intervals import Intervals
from shoal.declare.hierarchies.ladder import Ladder
from shoal.declare.hierarchies.masks import Masks
from shoal.declare.hierarchies.nested import Nested
from shoal.recode.cells import read
from shoal.review.losses.published import PublishedView
from shoal.review.release_summary import ReleaseSummary, lost_notes
from shoal.review.what_is_left import ColumnLeft, ColumnsLeft, column_left, columns_left
from shoal.screen import MOST_LINES

JOBS = {"craft": ["baker", "smith"], "office": ["clerk"]}

COLUMNS = {
    "numbers": (["20", "[20, 30]", "[20, 45]", "*"], None, (0.25, 0.5, 0.25, "10")),
    "large": (["[20000, 45000]"], None, (0, 1, 0, "25,000")),
    "dates": (["[1990-01-01, 1999-12-31]"] * 3 + ["*"], None, (0, 0.75, 0.25, "10 years")),
    "months": (["[2024-01-01, 2024-03-31]"], None, (0, 1, 0, "3 months")),
    "clock": (["[08:00:00, 12:00:00]"], None, (0, 1, 0, "4 hours")),
    "one value as an interval": (["[20, 20]"], None, (1, 0, 0, "")),
    "open ends": (["90+", "[80, 90+]"], None, (0, 1, 0, "10")),
    "an open end that came": (["80+", "<1", "79", "*"], None, (0.25, 0.5, 0.25, "80+")),
    "blood groups": (["A+", "0+", "0-", "*"], None, (0.75, 0, 0.25, "")),
    "bands that came": (["[18, 24]", "[25, 34]", "[35, 44]", "65+"], None, (0, 1, 0, "10")),
    "bands that joined": (["[0, 9]", "[10, 19]", "[10, 29]", "[20, 29]"], None, (0, 1, 0, "10")),
    "intervals that touch": (["[20, 30]", "[30, 40]", "[41, 50]"], None, (0, 1, 0, "10")),
    "intervals apart": (["[20, 30]", "[60, 70]"], None, (0, 1, 0, "10")),
    "fractions": (["[2.0, 2.9]", "[3.0, 3.9]"], None, (0, 1, 0, "0.9")),
    "bands of a ladder": (["[20, 29]", "[30, 39]"], Ladder("5-10-20"), (0, 1, 0, "10")),
    "bands of intervals": (["[20, 29]", "[30, 39]"], Intervals(10), (0, 1, 0, "10")),
    "missing": ([None, "*"], None, (0.5, 0, 0.5, "")),
    "quoted": (['"*"', '"[1, 2]"'], None, (1, 0, 0, "")),
    "masks": (
        ["1234*", "123**", "12345", "123**"],
        Masks(5),
        (0.25, 0.75, 0, "2 characters hidden"),
    ),
    "levels": (["craft", "baker", "*", "smith"], Nested(JOBS), (0.5, 0.25, 0.25, "level 1 of 2")),
    "calendar": (["1990s", "1990", "1990-05-01", "1990s"], Dates(), (0.25, 0.75, 0, "decade")),
}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["80+", "79", "78", "77"], (0.75, 0.25, 0, "80+")),
        (["80+", "[70, 79]", "[60, 69]", "*"], (0, 0.75, 0.25, "10")),
        (["<=5", "<=5", "80+", "*"], (0, 0.75, 0.25, "<=5")),
    ],
)
def test_an_end_that_the_recipe_caps_at_is_no_exact_value(texts, expected):
    assert _counted(texts, None, ("80+", "<=5")) == ColumnLeft("a", *expected)


def test_an_open_end_is_widened_whether_a_recipe_or_the_table_has_it():
    """`80+` of a table was called exact, beside `10-19` that was not."""
    people = pa.table({"age": [70] * 6 + [81, 83, 85, 91]})
    asked = {"quasi": ["age"], "k": 2, "method": "mondrian", "seed": 1}
    capped = shoal.anonymize(people, **asked, top={"age": 80}).columns["age"]
    assert (capped.exact, capped.widened, capped.typical) == (0.6, 0.4, "80+")
    plus = pa.table({"age": ["70"] * 6 + ["80+"] * 4})
    came = shoal.anonymize(plus, **asked).columns["age"]
    assert (came.exact, came.widened, came.typical) == (0.6, 0.4, "80+")


def test_bands_of_a_ladder_are_as_wide_as_people_call_them():
    people = pa.table({"age": list(range(20, 60))})
    release = shoal.anonymize(people, quasi=["age"], k=10, method="full-domain")
    assert release.table["age"][0].as_py() == "[20, 29]"
    assert release.columns["age"].typical == "10"


def test_a_least_width_is_said_as_it_was_asked_for():
    """`[20, 29]` was typically 9, where a width of 10 had been asked for."""
    people = pa.table({"age": list(range(20, 60))})
    release = shoal.anonymize(people, quasi=["age"], k=10, at_least={"age": 10}, seed=1)
    assert release.table["age"][0].as_py() == "[20, 29]"
    assert release.columns["age"].typical == "10"


@pytest.mark.parametrize("case", COLUMNS)
def test_cells_are_exact_widened_or_lost(case):
    texts, hierarchy, (exact, widened, lost, typical) = COLUMNS[case]
    expected = ColumnLeft("a", exact, widened, lost, typical)
    assert _counted(texts, hierarchy) == expected


def test_the_order_in_which_cells_are_met_does_not_matter():
    texts = ["[1, 3]", "[4, 6]", "[0, 9]", "*", "5", "[1, 4]"] * 3
    expected = _counted(texts, None)
    for seed in range(5):
        shuffled = np.random.default_rng(seed).permutation(texts).tolist()
        assert _counted(shuffled, None) == expected


def test_bounds_are_counted_and_centres_are_not():
    table = pa.table({"age_lo": [20, 30, None], "age_hi": [25, 30, None], "pay": ["7", "8", "9"]})
    view = PublishedView(table, ("age", "pay"), {}, {"age": "bounds", "pay": "centre"})
    left = columns_left(view)
    third = pytest.approx(1 / 3)
    assert left["age"] == ColumnLeft("age", third, third, third, "5")
    assert left["pay"] == ColumnLeft("pay") and "not counted" in str(left["pay"])


def test_a_release_says_what_is_left_in_every_engine_alike():
    people = _people(200)
    asked = {"quasi": ["age", "town"], "method": "mondrian", "k": 10, "seed": 1}
    local = shoal.anonymize(people, **asked)
    disk = shoal.anonymize(people, **asked, memory="1GB")
    assert local.columns == disk.columns and list(local.columns) == ["age", "town"]
    for column in local.columns.values():
        assert column.exact + column.widened + column.lost == pytest.approx(1)


def test_a_column_that_is_mostly_lost_is_a_notice_with_a_remedy():
    lost = ColumnLeft("job", 0.2, 0.2, 0.6)
    half = ColumnLeft("town", 0.5, 0.0, 0.5)
    notes = lost_notes(ColumnsLeft([lost, half]), 10, {"job": 2})
    assert [note.kind for note in notes] == ["lost"]
    assert 'importance={"job": 6}' in notes[0] and "k=5" in notes[0] and "60 %" in notes[0]
    assert "k=" not in lost_notes(ColumnsLeft([lost]), 2, {})[0]


@pytest.mark.parametrize("columns", [1, 8, 9, 40])
@pytest.mark.parametrize("notices", [0, 1, 2, 30])
def test_a_summary_has_at_most_fifteen_lines(columns, notices):
    each = [ColumnLeft(f"c{i}", 1 - i / 100, 0, i / 100) for i in range(columns)]
    notes = lost_notes(ColumnsLeft([ColumnLeft(f"c{i}", 0, 0, 1) for i in range(notices)]), 5, {})
    risks = [("finding a person", "now: at most 1 in 5"), ("guessing 'a'", "right for nobody")]
    summary = ReleaseSummary("done", tuple(risks), ColumnsLeft(each), notes)
    lines = [line for line in summary.screen.lines(rest="--verbose", taken=2) if line]
    assert len(lines) <= MOST_LINES - 2
    text = "\n".join(lines)
    assert "finding a person" in text and text.count("\n  c") == min(columns, 8)
    if columns > 8:
        assert f"the worst 8 of {columns} columns" in text and f"c{columns - 1}" in text
    shown = sum(line.startswith("! 'c") for line in lines)
    assert shown == notices or f"! {notices - shown} more notices (--verbose)" in lines


def _counted(
    texts: list[str | None], hierarchy: Hierarchy | None, ends: tuple[str, ...] = ()
) -> ColumnLeft:
    different = list(dict.fromkeys(texts))
    times = np.array([texts.count(text) for text in different])
    return column_left("a", [read(text) for text in different], times, hierarchy, ends)


def _people(rows: int) -> pa.Table:
    rng = np.random.default_rng(7)
    towns = rng.choice(["Oslo", "Rome", "Bern", "Kyiv"], rows)
    return pa.table({"age": rng.integers(1, 90, rows), "town": towns})
