"""The core spells no flags, as remedies are data; and nobody asks which plug-in it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from architecture import checker, speech
from conftest import ROOT

PACKAGE = ROOT / "src" / "shoal"
COMMANDS = {  # modules that show a reader commands for the terminal, on purpose
    "handover/commands.py",  # the commands that make a release again
    "handover/graph_commands.py",  # the same of a graph
    "review/suggested_command.py",  # the command to go on with after a look at the table
    "review/report/sections.py",  # how the reader of a report checks a release
    "studio/pages/handing_over.py",  # how the receiver of a release checks it
    "recipe/recipe_options.py",  # the declarations, from which the terminal takes its flags
    "recipe/run.py",
}


def test_only_the_terminal_spells_flags() -> None:
    assert speech.flag_faults(PACKAGE, COMMANDS) == []


def test_every_exception_is_needed() -> None:
    faulty = {fault.split(":")[0] for fault in speech.flag_faults(PACKAGE)}
    assert faulty == COMMANDS


@pytest.mark.parametrize(
    "text",
    [
        'remedy = "--withhold 0.01"',
        'remedy = "leave them out (--withhold 0.01)"',
        'remedy = f"--model {name}"',
        'remedy = f"lower k (-k {k})"',
        'remedy = "name one: -s diagnosis"',
        'def f():\n    """Silent."""\n    return "leave --keep-order out"',
    ],
)
def test_flag_guard_bites(tmp_path: Path, text: str) -> None:
    (tmp_path / "privacy.py").write_text(text, "utf-8")
    assert len(speech.flag_faults(tmp_path)) == 1


@pytest.mark.parametrize(
    "text",
    [
        '"""Type `shoal anonymize --memory 2GB`."""',
        'remedy = Set("withhold", 0.01)',
        'style = ":root { --ink: #000 } body { color: var(--ink) }"',
        'remedy = "mkdir -p folder"',
        'words = "a well-known - or little known - value"',
    ],
)
def test_flag_guard_lets_the_rest_pass(tmp_path: Path, text: str) -> None:
    (tmp_path / "privacy.py").write_text(text, "utf-8")
    (tmp_path / "cli").mkdir()
    (tmp_path / "cli" / "options.py").write_text('flag = "--withhold"', "utf-8")
    assert speech.flag_faults(tmp_path) == []


def test_nobody_asks_which_plugin_it_has() -> None:
    assert speech.plugin_faults(PACKAGE, checker.PLUGIN_ROOMS) == []


@pytest.mark.parametrize(
    "question",
    [
        "isinstance(method, Shoal)",
        "isinstance(method, shoal.Shoal)",
        "isinstance(method, (Other, Shoal))",
        "isinstance(method, Other | Shoal)",
        "issubclass(type(method), Shoal)",
    ],
)
def test_plugin_guard_bites(tmp_path: Path, question: str) -> None:
    for place, text in (
        ("partition/shoal.py", f'class Shoal(Method):\n    name = "shoal"\n{question}'),
        ("partition/method.py", "class Method:\n    name: ClassVar[str]"),
        ("recipe/planning.py", f"{question}\nisinstance(method, Method)"),
    ):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text, "utf-8")
    faults = speech.plugin_faults(tmp_path, ("partition",))
    assert faults == ["recipe/planning.py:1: asks for the plug-in Shoal"]
