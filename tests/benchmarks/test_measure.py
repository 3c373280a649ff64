"""A program or a method may take some CPU seconds; who needs more has a line that says so."""

from __future__ import annotations

import pytest

from benchmarks import measure, run


def endless() -> None:
    while True:
        pass


def test_work_within_its_limit_returns_what_it_found() -> None:
    assert measure.limited(lambda: (7, "seven"), 60) == (7, "seven")


def test_work_beyond_its_limit_is_ended_and_a_fault_is_none_of_it() -> None:
    assert measure.limited(endless, 1) is None
    with pytest.raises(RuntimeError, match="not by its limit"):
        measure.limited(lambda: 1 // 0, 60)


def test_a_method_without_an_answer_is_not_asked_for_the_next_k(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = {5: (1.0, 0.1, 0.2), 10: None}
    asked = []

    def limited(work, seconds: int):
        asked.append((*work.args, seconds))
        return answers[work.args[1]]

    monkeypatch.setattr(measure, "limited", limited)
    found = run._at_each("genetic", [5, 10, 50], 30)
    assert found == [answers[5], "no answer within 30 CPU s", "not asked"]
    assert asked == [("genetic", 5, 30), ("genetic", 10, 30)]


def test_the_first_minute_runs_where_it_is_named() -> None:
    assert "first-minute" in run.SECTIONS and "first-minute" not in run.UNLESS_NAMED
    assert {*run.UNLESS_NAMED} == {"peers", "methods", "numbers", "terminal"}
