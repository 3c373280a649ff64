"""What a new user sees on a first try: cells that tell something, and words that are understood."""

from __future__ import annotations

import pandas as pd
import pytest

import shoal
from shoal.adapters.demo_data import patients
from terminal import PROGRESS, process
from terminal import shoal as terminal

QUASI = ["birth_date", "sex", "postcode", "nationality"]
INSIDE = ("begun with", "withheld", "gate", "peeling", "height-share", "snapped", "for you alone")


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    return patients().to_pandas().head(1500)


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y"])
def test_dates_that_pandas_reads_as_text_are_no_column_of_stars(people, tmp_path, form):
    written = people.assign(birth_date=pd.to_datetime(people["birth_date"]).dt.strftime(form))
    written.to_csv(tmp_path / "people.csv", index=False)
    read = pd.read_csv(tmp_path / "people.csv", dtype={"postcode": str})
    assert read["birth_date"].map(type).eq(str).all()
    asked = {"quasi": QUASI, "sensitive": ["diagnosis"], "k": 5, "seed": 1, "effort": "low"}
    release = shoal.anonymize(read, **asked)
    assert release.columns["birth_date"].lost < 0.05
    assert (release.table["birth_date"] != "*").mean() > 0.95
    by_path = shoal.anonymize(tmp_path / "people.csv", **asked)
    assert by_path.columns["birth_date"].lost == release.columns["birth_date"].lost


def test_a_hierarchy_of_dates_keeps_decades_at_a_large_k():
    asked = {"quasi": QUASI, "sensitive": ["diagnosis"], "k": 25, "seed": 1, "effort": "low"}
    trees = {"birth_date": "dates", "postcode": "masks(length=5)"}
    release = shoal.anonymize(patients(), **asked, hierarchies=trees)
    assert release.columns["birth_date"].lost < 0.3
    stars = shoal.anonymize(patients(), **asked, hierarchies=trees, loss="height")
    assert stars.columns["birth_date"].lost > 0.9  # what it was


def test_the_first_line_of_a_run_is_about_people(people, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people.to_csv("people.csv", index=False)
    asked = ("-q", "birth_date,sex,postcode", "-s", "diagnosis,cost", "-i", "name", "--seed", 1)
    said = process("anonymize", "people.csv", "-o", "out.csv", *asked, "--effort", "low")
    lines = [line for line in said.err.splitlines() if line and not PROGRESS.fullmatch(line)]
    assert said.code == 0 and lines[0].startswith("1,500 people released in ")
    assert not any(word in said.err for word in INSIDE)
    told = [
        terminal("inspect", "people.csv"),
        terminal("verify", "out.csv", "out.csv.certificate.json"),
        terminal("audit", "out.csv", "-q", "birth_date,sex,postcode", "-s", "diagnosis"),
        terminal("attack", "out.csv", "--original", "people.csv"),
    ]
    for each in told:
        assert each.code == 0 and not any(word in each.out + each.err for word in INSIDE)
