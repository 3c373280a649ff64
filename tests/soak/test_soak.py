"""The soak bites: planted violations are found, and a short run with a seed is clean."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import shoal
from soak import cases, inputs, releases, runs, tampering, terminal_runs
from soak.__main__ import main
from soak.cases import Case
from soak.odd_files import MARK, SECRETS
from soak.outside.recount import Asked, Release, faults
from soak.outside.tables import Column, Original
from soak.releases import Done
from soak.requests import Request
from soak.tally import Result, Tally, write_failed
from terminal import Said

ILLS = ("flu", "gout", "hip")
ASKED = Asked(["age", "sex"], ["ill"], k=3, models=[("l-diversity", {"l": 2})], keep_order=True)
CALL = {"quasi": ASKED.quasi, "sensitive": ["ill"], "k": 3, "keep_order": True}


def people() -> Original:
    return {
        "age": Column("number", [20 + row % 7 for row in range(30)]),
        "sex": Column("category", ["fm"[row % 2] for row in range(30)]),
        "ill": Column("category", [ILLS[row % 3] for row in range(30)]),
    }


def released() -> tuple[Release, dict]:
    release = shoal.anonymize(
        inputs.arrow(people()), models=["l-diversity:l=2"], method="mondrian", **CALL
    )
    printed = {name: list(values) for name, values in release.table.to_pydict().items()}
    labels = [int(label) for label in release.groups]
    return Release(printed, labels), release.certificate.public.as_dict()


def test_a_true_release_has_no_faults():
    release, public = released()
    assert faults(people(), release, ASKED) == []
    assert releases.certified(Request(people(), ASKED, CALL, "python"), release, public) == []


def test_a_moved_row_is_found():
    release, _ = released()
    release.printed["age"][0] = "[60, 70]"
    assert any("a group of 1 rows" in fault for fault in faults(people(), release, ASKED))


def test_a_cell_beside_its_person_is_found():
    release, _ = released()
    moved = [
        "[60, 70]" if cell == release.printed["age"][0] else cell for cell in release.printed["age"]
    ]
    release.printed["age"][:] = moved
    assert "the cells of row 1 do not cover its person" in faults(people(), release, ASKED)


def test_a_falsified_value_is_found():
    release, _ = released()
    release.printed["ill"][0] = "hiv"
    assert any("sensitive" in fault for fault in faults(people(), release, ASKED))


def test_a_group_of_one_value_is_found():
    release, _ = released()
    release.printed["ill"][:] = ["flu"] * 30
    assert any("l-diversity" in fault for fault in faults(people(), release, ASKED))


@pytest.mark.parametrize("change", [-1, 1])
def test_another_k_in_a_certificate_is_found(change):
    release, public = released()
    public["k"] += change
    wrong = releases.certified(Request(people(), ASKED, CALL, "python"), release, public)
    assert any(re.match(r"the certificate states \d+ k", fault) for fault in wrong)


def test_a_cell_in_an_error_is_found():
    said = Said(3, "", f"shoal.errors.DataError: '{MARK}5' is no number\n")
    assert terminal_runs.rules_broken(said, SECRETS) == ["the value of a cell was printed"]


@pytest.mark.parametrize(
    "said",
    [
        Said(1, "", "a fault of ours: KeyError at x.py:1"),
        Said(2, "", "no such thing"),
        Said(0, "\x1b[2K", ""),
        Said(-9, "", ""),
    ],
)
def test_broken_rules_of_the_terminal_are_found(said):
    assert terminal_runs.rules_broken(said)


def test_a_verify_that_believes_everything_is_found(monkeypatch, tmp_path):
    monkeypatch.setattr(tampering, "verified", lambda *args: Said(0, "", ""))
    for number in range(9):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = tampering.tampered(Random(f"tampering {number}"), folder)
        if done.faults:
            assert all("verify exits with 0" in fault for fault in done.faults)
            return
    raise AssertionError("no change was found")


@pytest.mark.parametrize("kind, count", [("release", 24), ("odd input", 12), ("tampering", 1)])
def test_a_short_run_with_a_seed_is_clean(kind, count):
    wrong = {number: Case(7, number, (kind,)).run().faults for number in range(count)}
    assert {number: found for number, found in wrong.items() if found} == {}


def test_a_failed_case_is_a_file_that_runs_it_again(monkeypatch, tmp_path, capsys):
    place = write_failed(Result(7, 3, "release", "released", {}, ["planted"]), tmp_path)
    assert json.loads(place.read_text())["number"] == 3
    drawn = list[float]()

    def planted(rng: Random, folder: Path) -> Done:
        drawn.append(rng.random())
        return Done("released", {}, ["planted"])

    monkeypatch.setitem(cases.KINDS, "release", (planted, 1.0))
    assert main(["--case", str(place)]) == main(["--case", str(place)]) == 1
    assert "planted" in capsys.readouterr().out
    assert drawn[0] == drawn[1]


def test_what_is_raised_is_a_fault(monkeypatch):
    def broken(rng: Random, folder: Path) -> Done:
        raise KeyError(MARK)

    monkeypatch.setitem(cases.KINDS, "release", (broken, 1.0))
    done = Case(7, 0, ("release",)).run()
    assert done.faults and MARK not in done.faults[0]


def test_a_row_whose_only_cell_is_missing_is_written_as_it_came(tmp_path):
    whole = tampering.Copy([["x"], [""], ["a"]], {})
    tampering.put(whole, tmp_path / "out.csv", tmp_path / "out.json")
    assert (tmp_path / "out.csv").read_text() == "x\n\na\n"


def test_a_change_is_due_only_where_a_figure_tells():
    stated = {"columns": {"quasi": ["x"]}, "recipe": {}}
    whole = tampering.Copy([["x"], *[["a"]] * 2, *[["b"]] * 3], stated)
    swapped = tampering.Copy([["x"], *[["a"]] * 3, *[["b"]] * 2], stated)
    told = tampering.Copy([["x"], *[["a"]] * 1, *[["b"]] * 4], stated)
    assert tampering._may_be_true(tampering.MOVED, whole, swapped)
    assert not tampering._may_be_true(tampering.MOVED, whole, told)
    assert not tampering._may_be_true(tampering.FALSIFIED, whole, swapped)
    left_out = tampering.Copy(whole.lines, {**stated, "recipe": {"withhold": 0.1}})
    assert tampering._may_be_true(tampering.FALSIFIED, left_out, left_out)


def test_the_page_says_whether_the_goal_is_reached():
    enough = {"release: released": 60_000, "cases: odd input": 4_900, "cases: terminal": 100}
    broken = runs.Run("abc", 1, 1.0, enough, ["release 5: planted"])
    clean = [runs.Run("abd", seed, 1.0, enough) for seed in (2, 3)]
    assert "failure: 60,000 releases and 5,000 odd inputs." in runs.page_of([broken, *clean[:1]])
    assert "without one is not reached yet." in runs.page_of([broken, *clean[:1]])
    assert "without one is reached." in runs.page_of([broken, *clean])
    assert "failure: 0 releases and 0 odd inputs." in runs.page_of([*clean, broken])


def test_the_page_adds_up_the_runs(tmp_path):
    tally = Tally(7, 60.0)
    tally.add(Result(7, 0, "release", "released", {"released by csv": 1}, []))
    tally.add(Result(7, 1, "odd input", "odd", {}, ["planted"]))
    first = tally.as_run("abc")
    runs.add([first], tmp_path)
    tally.add(Result(7, 2, "release", "released", {"released by csv": 1}, []))
    longer = tally.as_run("abc").write(tmp_path)
    page = runs.add([*runs.read(longer), replace(first, seed=8)], tmp_path).read_text("utf-8")
    assert "| odd inputs | 2 |" in page and "| by csv | 3 |" in page
    assert "| cases that failed | 2 |" in page and "- abc, seed 8, odd input 1: planted" in page
    assert "| abc | 7 | 1 | 2 | 1 | 1 |" in page
