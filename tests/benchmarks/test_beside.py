"""Peers are scored by what they publish, and what goes wrong with one is a line of the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.peers import beside
from benchmarks.peers.beside import Contender, Published, counted, published
from benchmarks.peers.environments import Environment, installed, kind_of

from benchmarks import adult

PEOPLE = adult.table().select(adult.QUASI).slice(0, 4)
ALL = ",".join(["*"] * len(adult.QUASI))
HEADER = ",".join(["row", *adult.QUASI])


def file_of(folder: Path, *lines: str) -> Path:
    path = folder / "published.csv"
    path.write_text("\n".join([HEADER, *lines]) + "\n", "utf-8")
    return path


def test_what_is_published_is_counted_from_its_cells(tmp_path: Path) -> None:
    found = counted(file_of(tmp_path, f"0,{ALL}", f"1,{ALL}", f"3,{ALL}"), PEOPLE)
    assert (found.smallest, found.left_out, found.problem) == (3, 1, "")
    assert found.loss > len(adult.QUASI)  # a row left out costs 1 on each column, others something


def test_an_empty_release_is_a_problem(tmp_path: Path) -> None:
    assert counted(file_of(tmp_path), PEOPLE).problem == "an empty table"


def test_a_group_that_is_too_small_is_said_in_its_line() -> None:
    asked = Contender("Shoal", "by_shoal")
    below, held = (
        beside._line(asked, {"Shoal": Published(smallest, 0, 10.0, 1.0)}, 5) for smallest in (4, 5)
    )
    assert "**not k-anonymous**" in below and "yes" in held


def test_a_script_that_fails_or_runs_out_of_time_is_a_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(beside, "HERE", tmp_path)
    limited = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 1))\nwhile True: pass"
    for text, problem in (("raise ValueError(7)", "ValueError"), (limited, "within 1 CPU s")):
        (tmp_path / "by_none.py").write_text(text)
        home = installed("ours", ())
        assert problem in published(Contender("none", "by_none"), home, PEOPLE, 5, 1).problem


def test_a_peer_that_is_not_installed_is_a_line() -> None:
    home = Environment("", kind_of("ERROR: No matching distribution found for anjana==0.0"))
    found = published(Contender("anjana", "by_anjana"), home, PEOPLE, 5, 1)
    assert found.problem == "no such version to be had"
    said = "Traceback\nImportError: No module named 'x' in /home/ada"
    assert kind_of(said) == "ImportError"


def test_every_contender_has_its_script() -> None:
    for asked in beside.CONTENDERS:
        assert (beside.HERE / f"{asked.script}.py").exists()
        assert all("==" in need for need in asked.requirements)
