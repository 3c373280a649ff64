"""What goes where: results on standard output, everything else on standard error; lists and help
name all there is.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.cli import COMMANDS
from shoal.partition.method import Method
from shoal.privacy.model import Model
from shoal.registry import names, summary
from shoal.review.losses.loss import Loss
from shoal.review.losses.published import PublishedLoss
from shoal.review.risks.risk import Risk
from terminal import shoal, snapshot, write

TABLE = "name,age,sex,disease\n" + "".join(
    f"p{i},{20 + i % 13},{'fm'[i % 2]},{'abcde'[i * i % 5]}\n" for i in range(40)
)
ASKED = ("-q", "age,sex", "-s", "disease", "-i", "name", "-k", 4, "--seed", 1)
KEYS = {"rows", "groups", "k", "withheld", "method", "losses", "risks", "models", "seconds"}


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "people.csv", TABLE)
    return tmp_path


def test_a_table_goes_through_standard_streams(folder):
    before = snapshot(folder)
    said = shoal("anonymize", "-", "-o", "-", *ASKED, stdin=TABLE.encode())
    assert said.code == 0
    assert snapshot(folder) == before
    write(folder / "piped.csv", said.out)
    shoal("anonymize", "people.csv", "-o", "filed.csv", *ASKED)
    assert (folder / "piped.csv").read_bytes() == (folder / "filed.csv").read_bytes()
    assert shoal("verify", "piped.csv", "filed.csv.certificate.json").code == 0
    assert "40 people released" in said.err


def test_a_certificate_beside_standard_output(folder):
    said = shoal("anonymize", "people.csv", "-o", "-", *ASKED, "--certificate", "c.json")
    assert said.code == 0
    assert sorted(snapshot(folder)) == ["c.json", "c.private.json", "people.csv"]
    assert shoal("verify", "-", "c.json", stdin=said.out.encode()).code == 0


def test_json_is_one_object_with_the_promised_keys(folder):
    said = shoal("anonymize", "people.csv", "-o", "out.csv", *ASKED, "--json")
    assert said.code == 0
    assert set(said.json) >= KEYS
    assert said.json["rows"] == 40 and said.json["k"] >= 4 and said.json["withheld"] == 0
    assert set(names(Loss)) | set(names(PublishedLoss)) == set(said.json["losses"])
    assert set(names(Risk)) == set(said.json["risks"]["after"])
    assert "out.csv" not in said.err  # nothing is told twice


def test_audit_json(folder):
    said = shoal(
        "audit", "people.csv", "-q", "age,sex", "-s", "disease", "--json", "--missing", "wildcard"
    )
    assert said.code == 0
    assert {"rows", "k", "groups", "models", "risks", "wildcard"} <= set(said.json)
    alone = {
        name
        for name, model in names(Model).items()
        # nobody to compare with, and no groups that were made for it
        if model.judges != "population" and not model.balances
    }
    assert set(said.json["models"]) == alone
    assert all(
        set(of) == ({"disease"} if names(Model)[m].needs_sensitive else {""})
        for m, of in said.json["models"].items()
    )


@pytest.mark.parametrize("command", ["inspect", "verify"])
def test_other_json(folder, command):
    shoal("anonymize", "people.csv", "-o", "out.csv", *ASKED)
    args = ("people.csv",) if command == "inspect" else ("out.csv", "out.csv.certificate.json")
    said = shoal(command, *args, "--json")
    assert said.code == 0 and isinstance(said.json, dict) and said.err == ""


def test_json_stays_json_where_a_promise_is_broken(folder):
    shoal("anonymize", "people.csv", "-o", "out.csv", *ASKED)
    write(folder / "out.csv", (folder / "out.csv").read_text().replace("\n", "\n*,*,a\n", 1))
    said = shoal("verify", "out.csv", "out.csv.certificate.json", "--json")
    assert said.code == 4
    assert json.loads(said.out)["holds"] is False
    assert "differ" in said.err


@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(command, option):
    said = shoal(*filter(None, (command, option)))
    assert said.code == 0 and said.err == ""
    assert "Usage: shoal" in said.out
    assert all(name in said.out for name in COMMANDS) or command


def test_version():
    assert shoal("--version").out.startswith("shoal ")


@pytest.mark.parametrize(
    ("command", "bases"),
    [("methods", [Method]), ("models", [Model]), ("metrics", [Loss, PublishedLoss, Risk])],
)
def test_lists_name_everything_that_is_registered(command, bases):
    said = shoal(command)
    assert said.code == 0 and said.err == ""
    for base in bases:
        for name, plugin in names(base).items():
            line = next(
                line for line in said.out.split("\n") if line.startswith((f"{name} ", f"{name}("))
            )
            assert line.endswith(summary(plugin))


@pytest.mark.parametrize("variable", ["NO_COLOR", "FORCE_COLOR"])
def test_no_colour_where_it_is_not_wanted(folder, monkeypatch, variable):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv(variable, "1")
    said = shoal("anonymize", "people.csv", "-o", "out.csv", *ASKED)
    assert said.code == 0
    assert "\x1b[3" not in said.err and "\x1b" not in said.out


def test_names_with_markup_are_printed_as_they_are(folder):
    write(
        folder / "odd.csv", "[bold]age[/bold],[/]\n" + "".join(f"{i},{i % 2}\n" for i in range(12))
    )
    said = shoal("anonymize", "odd.csv", "-o", "out.csv", "-q", "[bold]age[/bold]", "-k", 3)
    assert said.code == 0 and "[/]" in said.err
    assert "[bold]age[/bold]" in shoal("inspect", "odd.csv").out


def test_the_demo_runs_and_its_files_agree(folder):
    said = shoal("demo", "here")
    assert said.code == 0 and said.out == ""
    assert shoal("verify", "here/released.csv", "here/released.csv.certificate.json").code == 0
    again = shoal(
        "anonymize", "here/patients.csv", "-o", "mine.csv", "--recipe", "here/recipe.toml", "-k", 10
    )
    assert again.code == 0
    assert (
        shoal("audit", "mine.csv", "-q", "birth_date,sex,postcode", "--require", "k=10").code == 0
    )
