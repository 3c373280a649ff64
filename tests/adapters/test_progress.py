"""Progress for programs: after two seconds, where someone looks, never on standard output."""

from __future__ import annotations

import io
import sys
import types

import pyarrow as pa
import pytest

import shoal
from shoal.adapters import progress
from shoal.adapters.progress import PATIENCE, NotebookBar, Progress, TerminalLine, progress_of
from shoal.errors import PrivacyNotMet, notices_shown_by_door


def people(rows: int) -> pa.Table:
    return pa.table({"age": [20 + row % 7 for row in range(rows)]})


class Recorded:
    """A place that remembers what was drawn."""

    def __init__(self) -> None:
        self.drawn: list[tuple[str, float]] = []
        self.cleared = 0

    def draw(self, stage: str, share: float, seconds: float) -> None:
        self.drawn.append((stage, share))

    def clear(self) -> None:
        self.cleared += 1


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def looking(monkeypatch, name: str = "stderr") -> Terminal:
    """Put a terminal in the place of a stream; pytest sets its own between fixtures and test."""
    stream = Terminal()
    monkeypatch.setattr(sys, name, stream)
    monkeypatch.delenv("SHOAL_PROGRESS", raising=False)
    return stream


def test_nothing_is_drawn_before_two_seconds_and_not_too_often():
    times = iter([0, 0, 1.9, 2, 2.05, 2.2, 2.5])
    place = Recorded()
    shown = Progress(place, lambda: next(times))
    watch = shown("dividing")
    for share in (0.1, 0.2, 0.3, 0.4):
        watch(share)
    shown("recoding")
    shown.close()
    assert place.drawn == [("dividing", 0.2), ("dividing", 0.4), ("recoding", 0.0)]
    assert place.cleared == 1


def test_a_quick_call_draws_and_clears_nothing(monkeypatch):
    terminal = looking(monkeypatch)
    stdout = looking(monkeypatch, "stdout")
    shoal.anonymize(people(20), quasi=["age"], k=2)
    assert terminal.getvalue() == "" and stdout.getvalue() == ""


def test_a_slow_call_draws_on_standard_error_alone(monkeypatch):
    terminal = looking(monkeypatch)
    stdout = looking(monkeypatch, "stdout")
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    shoal.anonymize(people(60), quasi=["age"], k=2)
    assert "looking at the table" in terminal.getvalue() and stdout.getvalue() == ""
    assert terminal.getvalue().endswith("\r\x1b[2K")


@pytest.mark.parametrize("switch", ["0", "false", "no"])
def test_the_environment_turns_it_off(monkeypatch, switch):
    terminal = looking(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setenv("SHOAL_PROGRESS", switch)
    shoal.anonymize(people(20), quasi=["age"], k=2)
    assert terminal.getvalue() == ""


def test_a_door_or_a_caller_with_progress_of_their_own_get_no_bar(monkeypatch):
    terminal = looking(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    stages: list[str] = []

    def told(name: str):
        stages.append(name)
        return lambda share, loss=None: None

    shoal.anonymize(people(20), quasi=["age"], k=2, progress=told)
    with notices_shown_by_door():
        shoal.anonymize(people(20), quasi=["age"], k=2)
    assert "recounting" in stages and terminal.getvalue() == ""


def test_nobody_looks_no_bar(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress_of(None) as stage:
        assert not isinstance(stage, Progress)


def test_the_bar_goes_away_when_a_call_is_refused(monkeypatch):
    terminal = looking(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with pytest.raises(PrivacyNotMet):
        shoal.anonymize(people(20), quasi=["age"], k=21)
    assert terminal.getvalue().endswith("\r\x1b[2K")


def test_a_kernel_gets_a_bar_that_is_updated_in_its_place(monkeypatch):
    shown: list[tuple[str, dict[str, str]]] = []

    class Handle:
        def update(self, data, raw):
            shown.append(("update", data))

    def display(data, raw, display_id):
        shown.append(("display", data))
        return Handle()

    shell = types.SimpleNamespace(kernel=object())
    ours = types.SimpleNamespace(
        get_ipython=lambda: shell, display=types.SimpleNamespace(display=display)
    )
    monkeypatch.setitem(sys.modules, "IPython", ours)
    monkeypatch.delenv("SHOAL_PROGRESS", raising=False)
    place = progress._place()
    assert isinstance(place, NotebookBar)
    place.draw("a <b>", 0.5, 3)
    place.draw("a <b>", 0.6, 4)
    place.clear()
    assert [how for how, _ in shown] == ["display", "update", "update"]
    assert "a &lt;b&gt;: 50%" in shown[0][1]["text/html"] and shown[-1][1]["text/html"] == ""


def test_a_line_fits_into_a_narrow_terminal(monkeypatch):
    terminal = looking(monkeypatch)
    monkeypatch.setenv("COLUMNS", "20")
    TerminalLine().draw("dividing into groups", 0.5, PATIENCE)
    assert len(terminal.getvalue().removeprefix("\r\x1b[2K")) <= 19
