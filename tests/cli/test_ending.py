"""A run ends in at most fifteen lines for laypeople; --verbose shows every figure."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from terminal import shoal


@pytest.fixture(autouse=True, scope="module")
def short_search():
    """Search as users do: the tutorial shows what is found."""


@pytest.fixture
def people(tmp_path, monkeypatch):
    """Rows with twelve columns, of which `town` has a value of its own in each."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    columns = {f"number_{i}": rng.integers(0, 50, 60) for i in range(10)}
    towns = [f"Canary {i}" for i in range(60)]
    illnesses = rng.choice(["flu", "cold"], 60)
    pq.write_table(pa.table({**columns, "town": towns, "ill": illnesses}), "people.parquet")
    return "people.parquet"


QUASI = ",".join([*(f"number_{i}" for i in range(9)), "town"])
CALL = ("-q", QUASI, "-s", "ill", "-k", 10, "--effort", "low", "--seed", 1)


def test_a_run_ends_in_at_most_fifteen_lines(people):
    said = shoal("anonymize", people, "-o", "out.csv", *CALL)
    assert said.code == 0, said.err
    ending = said.err[said.err.index("60 people released in ") :]  # progress stands before it
    lines = [line for line in ending.splitlines() if line.strip()]
    assert len(lines) <= 15
    assert "the worst 8 of 10 columns" in said.err and "at most 1 in 10" in said.err
    assert lines[-2].startswith("hand over   out.csv and out.csv.certificate.json")
    assert lines[-2].endswith("keep private   out.csv.private.json")
    assert lines[-1] == "check it    shoal verify out.csv out.csv.certificate.json"
    assert shoal(*lines[-1].split()[3:]).code == 0
    assert "Canary" not in said.err and "begun with" not in said.err and "Warning" not in said.err


def test_a_lost_column_is_a_warning_with_what_saves_it(people):
    said = shoal("anonymize", people, "-o", "out.csv", "-q", "number_1,town", "-k", 10)
    assert "! 'town' is lost (*) for 100 % of the people" in said.err
    assert "(--importance town=3)" in said.err and "(-k 5)" in said.err
    again = shoal(
        "anonymize", people, "-o", "two.csv", "-q", "town", "-k", 5, "--importance", "town=3"
    )
    assert again.code == 0, again.err


def test_every_figure_stands_behind_verbose(people):
    said = shoal("anonymize", people, "-o", "out.csv", *CALL, "--verbose")
    assert said.code == 0, said.err
    for words in ("highest-prosecutor-risk", "total-information-loss", "note: begun with"):
        assert words in said.err
    assert all(f"number_{i} " in said.err for i in range(9))


def test_json_holds_the_columns_as_fractions(people):
    said = shoal("anonymize", people, "-o", "out.csv", "-q", "number_1,town", "-k", 10, "--json")
    assert said.json["columns"]["town"] == {"exact": 0, "widened": 0, "typical": "", "lost": 1}
    assert "--importance town=3" in " ".join(said.json["notices"]) and said.err == ""


def test_a_password_is_not_part_of_the_command_that_checks():
    from shoal.cli.released import Placed

    lines = Placed("postgresql://me:secret@host/ward", table="new").lines(signed=False)
    assert "secret" not in "".join(lines) and lines[1].endswith(" --table new")


def test_the_tutorial_shows_rows_that_the_demo_prints(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
    said = shoal("demo", tmp_path / "demo")
    assert said.code == 0
    section = page[page.index("Five of the demo's patients") : page.index("### 2.")]
    assert _tables_of(section) == [
        _printed(said.err, title) for title in ("before: five", "after:")
    ]


def _tables_of(markdown: str) -> list[list[list[str]]]:
    """Read the tables of a page, each as the cells of its lines; its header must be ruled off."""
    blocks = re.findall(r"(?:^\|.*\n)+", markdown, re.M)
    tables = []
    for block in blocks:
        header, ruler, *rows = [line.strip("|").split("|") for line in block.splitlines()]
        assert [cell.strip("-:") for cell in ruler] == [""] * len(header)
        tables.append([[cell.strip() for cell in line] for line in (header, *rows)])
    return tables


def _printed(text: str, title: str) -> list[list[str]]:
    """Read a table that the demo prints, below its title and up to an empty line."""
    lines = text[text.index(title) :].splitlines()[1:]
    end = next(place for place, line in enumerate(lines) if not line.strip())
    return [re.split(r" {2,}", line.strip()) for line in lines[:end]]
