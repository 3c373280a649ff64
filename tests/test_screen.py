"""Screens: few lines, in fixed places, without a sign that a terminal or a browser carries out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.groups import Note
from shoal.screen import MOST_LINES, Bar, Chart, Screen, one_in
from shoal.wording import Sentence, Set

NAMES = st.text(min_size=1, max_size=60)
BARS = st.lists(st.builds(Bar, NAMES, st.just((0.2, 0.3, 0.5)), st.just(("1", "two"))), max_size=8)


@given(st.lists(st.tuples(NAMES, NAMES), max_size=4), BARS, st.lists(NAMES, max_size=30))
def test_a_screen_has_at_most_fifteen_lines(facts, bars, notices):
    chart = Chart("title", ("number", ""), tuple(bars))
    screen = Screen("done", tuple(facts), chart, tuple(notices))
    lines = [line for line in screen.lines(rest="more", taken=2) if line]
    assert len(lines) <= MOST_LINES - 2 + (len(bars) == 8 and bool(notices))
    assert all(sign.isprintable() for line in lines for sign in line)
    harmless = Screen(
        "done",
        tuple((_without_tags(title), _without_tags(text)) for title, text in facts),
        Chart("title", ("number", ""), tuple(_named(bar) for bar in bars)),
        tuple(map(_without_tags, notices)),
    )
    assert screen.page().count("<") == harmless.page().count("<")


def _without_tags(text: str) -> str:
    return text.replace("<", "x")


def _named(bar: Bar) -> Bar:
    return Bar(_without_tags(bar.name), bar.shares, bar.texts)


def test_bars_stand_below_each_other_and_are_drawn_where_someone_draws():
    bars = (Bar("age", (0.5, 0.5, 0.0), ("50 %", "")), Bar("city", (0, 0, 1), ("-", "x"), True))
    lines = Chart("columns", ("exact", ""), bars).lines(lambda shares: f"<{shares[0]}>".ljust(5))
    assert lines == [
        "columns          exact",
        "  age    <0.5>    50 %",
        "  city   <0>         -   x   !",
    ]


def test_routine_notices_wait_behind_the_others_and_remedies_are_spelled_by_the_door():
    remedy = Sentence("more of it: ", Set("importance", {"job": 3}))
    notices = (Note("dropped", "dropped: a"), Note("lost", remedy))
    lines = Screen("done", notices=notices).lines()
    assert lines[-2:] == ['! more of it: importance={"job": 3}', "! dropped: a"]


def test_dropped_columns_are_told_before_what_was_understood_or_counted_among_the_rest():
    notices = [Note("understood", f"c{i}: dates") for i in range(30)] + [Note("dropped", "gone: a")]
    lines = Screen("done", notices=tuple(notices)).lines(rest="--verbose")
    assert "! gone: a" in lines and lines.index("! gone: a") < lines.index("! c0: dates")
    lost = tuple(Note("lost", f"c{i}: lost") for i in range(30))
    lines = Screen("done", notices=(*notices, *lost)).lines(rest="--verbose")
    assert lines[-1] == "! 48 more notices, dropped columns among them (--verbose)"


@pytest.mark.parametrize(("chance", "said"), [(1 / 7, "1 in 7"), (0.3, "1 in 3"), (1, "1 in 1")])
def test_a_chance_is_never_said_smaller_than_it_is(chance, said):
    assert one_in(chance) == said
