"""Cells: what is written is read back as what it was, however hostile the text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.recode.cells import Everything, Interval, Value, ValueSet, read, write

PIECES = st.sampled_from(
    ["*", '"', "[", "]", "{", "}", ", ", ",", "a", "1", " (group)", "\n", "\\", "'", "é", " "]
)
HOSTILE = st.one_of(st.lists(PIECES, max_size=6).map("".join), st.text(max_size=12))
ENDS = st.text(
    st.characters(blacklist_characters=",", blacklist_categories=["Cs"]), min_size=1, max_size=8
)


@given(HOSTILE)
@example("")
@example("*")
@example('"*"')
@example("[1, 2]")
@example('"')
def test_any_text_is_a_value(text):
    written = write(Value(text))
    assert written is not None
    assert read(written) == Value(text)
    assert written == text or written.startswith('"')


@given(ENDS, ENDS)
def test_intervals(lo, hi):
    assert read(write(Interval(lo, hi))) == Interval(lo, hi)


@given(st.lists(HOSTILE, min_size=2, max_size=5))
@example(["a, b", "c"])
@example(["", "*"])
@example(["{a", "b}"])
def test_sets(texts):
    written = write(ValueSet(tuple(texts)))
    assert written is not None and written[0] + written[-1] == "{}"
    assert read(written) == ValueSet(tuple(texts))


@pytest.mark.parametrize("text", ["{a}", "{}", '{a, "b}', '{"a"b, c}', "{a, "])
def test_what_looks_like_a_set_and_is_none_is_a_value(text):
    assert read(text) == Value(text)


@given(HOSTILE, HOSTILE)
def test_different_values_are_written_differently(one, other):
    assert (write(Value(one)) == write(Value(other))) == (one == other)


@given(HOSTILE)
def test_no_value_is_taken_for_something_else(text):
    assert write(Value(text)) not in (None, write(Everything()), "")


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, None),
        (Everything(), "*"),
        (Interval("20", "29"), "[20, 29]"),
        (Interval("1980-01-01", "1984-12-31"), "[1980-01-01, 1984-12-31]"),
        (Value("Oslo"), "Oslo"),
        (Value("a, b"), "a, b"),
        (Value("*"), '"*"'),
        (Value(""), '""'),
        (Value("[20, 29]"), '"[20, 29]"'),
        (Value('say "x"'), 'say "x"'),
        (Value('"x"'), '"""x"""'),
    ],
)
def test_as_the_page_says(cell, text):
    assert write(cell) == text
    assert read(text) == cell
