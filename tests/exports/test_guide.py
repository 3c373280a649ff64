"""The German example of the guide about files prints what the guide shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tools.site.example_tables import german

from terminal import shoal as typed

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "files.md"


def test_the_german_example_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = re.findall(r"```(?:sh|output)[^\n]*\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    command, shown = blocks[0], blocks[1]
    (tmp_path / "patienten.csv").write_bytes(b"\xef\xbb\xbf" + german().encode())
    monkeypatch.chdir(tmp_path)
    done = typed(*shlex.split(command)[1:])
    assert done.code == 0, done.err
    written = (tmp_path / "released.csv").read_bytes()
    assert written.startswith(b"\xef\xbb\xbf")
    assert written.decode("utf-8-sig").replace("\r\n", "\n").startswith(shown)
    said = typed("verify", "released.csv", "released.csv.certificate.json")
    assert said.code == 0, said.out
