"""Types of CSV columns: numbers, dates and times where every value is one, and codes stay codes."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from math import inf, isnan

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.declare.understanding.spelled import HEAD, Guess, inferred

TIME = pa.timestamp("us")
ZONED = pa.timestamp("us", "UTC")
CLOCK = pa.time64("us")


@pytest.mark.parametrize(
    ("texts", "kind", "values"),
    [
        (["1", "-20", None, ""], pa.int64(), [1, -20, None, None]),
        (["9223372036854775807", "-9223372036854775808"], pa.int64(), [2**63 - 1, -(2**63)]),
        (["1", "2.50", "-3e2", ".5", "5.", "1E+3"], pa.float64(), [1, 2.5, -300, 0.5, 5, 1000]),
        (["1", "inf", "-Infinity"], pa.float64(), [1, inf, -inf]),
        (["2024-02-29", None, "0001-01-01"], pa.date32(), [date(2024, 2, 29), None, date(1, 1, 1)]),
        (
            ["2024-02-29T01:02", "2024-02-29 01:02:03.5"],
            TIME,
            [datetime(2024, 2, 29, 1, 2), datetime(2024, 2, 29, 1, 2, 3, 500000)],
        ),
        (["2024-02-29T01:02:03.123456789"], TIME, [datetime(2024, 2, 29, 1, 2, 3, 123456)]),
        (
            ["2024-02-29T01:02:03Z", "2024-02-29T01:02:03+01:00"],
            ZONED,
            [datetime(2024, 2, 29, h, 2, 3, tzinfo=UTC) for h in (1, 0)],
        ),
        (["01:02", "23:59:59.25", None], CLOCK, [time(1, 2), time(23, 59, 59, 250000), None]),
    ],
)
def test_values_of_one_kind_get_its_type(
    texts: list[str | None], kind: pa.DataType, values: list[object]
) -> None:
    column = inferred(pa.array(texts, pa.string()))
    assert column.type == kind
    assert column.to_pylist() == values


@pytest.mark.parametrize(
    "texts",
    [
        ["01234", "56789"],
        ["-01"],
        ["00.5"],
        ["+4712"],
        ["1", "NA"],
        ["1", "null"],
        ["nan", "inf", None],
        ["0x1F"],
        ["1,5"],
        ["1 "],
        ["1_000"],
        ["9223372036854775808"],
        ["12345678901234567890", "1"],
        ["true", "False"],
        ["2024-02-30"],
        ["2024-02-28", "2024-02-28T01:02"],
        ["2024-02-28T01:02", "2024-02-28T01:02Z"],
        ["29.02.2024"],
        ["25:00"],
        ["1\n2"],
        ["1\n"],
        ["", ""],
        [None, None],
        ["", None, "x"],
    ],
)
def test_everything_else_stays_the_text_it_is(texts: list[str | None]) -> None:
    column = inferred(pa.array(texts, pa.string()))
    assert column.type == pa.string()
    assert column.to_pylist() == texts


def test_nan_beside_numbers_is_a_number() -> None:
    column = inferred(pa.array(["1", "NaN"]))
    assert column.type == pa.float64() and isnan(column[1].as_py())


def test_one_word_far_below_the_head_decides() -> None:
    assert inferred(pa.array(["1"] * 3 * HEAD + ["x"])).type == pa.string()
    assert inferred(pa.array(["1"] * 3 * HEAD + ["1.5"])).type == pa.float64()
    assert inferred(pa.array([None] * 3 * HEAD + ["7"], pa.string())).type == pa.int64()


WORDS = [
    "",
    "1",
    "-7",
    "007",
    "1.5",
    "nan",
    "1e999",
    "99999999999999999999",
    "2024-02-29",
    "2024-02-30",
    "12:30",
    "2024-02-29T12:30",
    "2024-02-29T12:30Z",
    "x",
    None,
]


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=2), max_size=4))
def test_a_column_seen_in_parts_has_the_type_of_the_whole(parts: list[list[str | None]]) -> None:
    guess = Guess()
    whole = pa.array([text for part in parts for text in part], pa.string())
    for part in parts:
        guess.look(pa.array(part, pa.string()))
    expected = inferred(whole)
    typed = whole if guess.rule is None else guess.rule.typed(whole)
    assert typed.type == expected.type and str(typed) == str(expected)
