"""Help that is known before a command is loaded: as the command says it, and at once."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from shoal.cli import COMMANDS, known_help
from terminal import shoal

SINGLE = sorted(set(COMMANDS) - {"ledger"})  # a group cuts what it says of its commands


@pytest.mark.parametrize("width", [50, 80, 200])
def test_known_help_is_what_the_commands_say(monkeypatch: pytest.MonkeyPatch, width: int):
    monkeypatch.setenv("COLUMNS", str(width))
    known = {name: shoal(name, "--help").out for name in SINGLE}
    monkeypatch.setattr(known_help, "PLACE", Path("nowhere.json"))
    assert {name: shoal(name, "--help").out for name in SINGLE} == known


def test_commands_of_a_group_are_listed():
    said = shoal("ledger", "-h").out
    assert "  init " in said and "  withdraw " in said
    assert "Make a new ledger" in shoal("ledger", "init", "--help").out


@pytest.mark.parametrize("words", [["--help"], ["anonymize", "--help"], ["demo", "-h"]])
def test_help_waits_for_no_library(words: list[str]):
    code = (
        "import sys\nfrom shoal.cli import main\nmain(sys.argv[1:])\n"
        "print([name for name in ('numpy', 'pyarrow', 'numba', 'rich') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
    )
    assert "Usage: shoal" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("kept", ["not json", "{}", '{"demo": {}}'])
def test_what_is_not_known_is_asked_of_the_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kept: str
):
    (tmp_path / "known.json").write_text(kept)
    monkeypatch.setattr(known_help, "PLACE", tmp_path / "known.json")
    assert "invented hospital patients" in shoal("demo", "--help").out


def test_help_beside_other_words_is_that_of_the_command():
    assert known_help.command_known_by(["anonymize", "people.csv", "--help"]) is None
    assert known_help.command_known_by(["anonymize"]) is None
    assert known_help.command_known_by(["unknown", "--help"]) is None
    assert isinstance(known_help.command_known_by(["demo", "-h"]), click.Command)
    assert json.loads(known_help.PLACE.read_text("utf-8")).keys() == COMMANDS.keys()
