"""Pages for users of ARX and sdcMicro: their commands run as printed, and give the tables shown."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import pytest

from conftest import ROOT
from terminal import shoal

GUIDES = ROOT / "docs" / "guides"


@pytest.mark.parametrize("page", ["from-arx.md", "from-sdcmicro.md"])
def test_the_example_of_a_page_is_what_is_published(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (GUIDES / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```\w+[^\n]*\n(.*?)```", text, flags=re.DOTALL)
    people = next(block for block in blocks if block.startswith("age,"))
    command = next(block for block in blocks if block.startswith("shoal anonymize"))
    monkeypatch.chdir(tmp_path)
    Path("ten.csv").write_text(people, encoding="utf-8")
    typed = shlex.split(command.replace("\\\n", " "))[1:]
    assert shoal(*typed).code == 0
    released = Path(typed[typed.index("-o") + 1])
    with released.open(encoding="utf-8", newline="") as file:
        rows = [tuple(row) for row in csv.reader(file)]
    assert rows == table_in(text, "| age | sex | zip | disease |")


def table_in(text: str, head: str) -> list[tuple[str, ...]]:
    """Read the table below a heading of columns, that heading included."""
    lines = text[text.index(head) :].split("\n\n")[0].splitlines()
    shown = [line for line in lines if not line.startswith("|---")]
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in shown]
