"""`verify`, `audit` and `attack` answer in one line first; every figure stands behind --verbose."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from attacks.people import people
from terminal import Said, in_house_form, shoal

ROLES = ("-q", "age,city", "-s", "ill")
INSIDE = ("prosecutor", "withheld", "gate", "begun with", "snapped", "height", "told nothing")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(people(7, 120), "people.parquet")
    said = shoal("anonymize", "people.parquet", "-o", "out.csv", *ROLES, "-k", 4, "--seed", 1)
    assert said.code == 0, said.err
    return tmp_path


def lines_of(said: Said) -> list[str]:
    lines = [line for line in said.out.splitlines() if line.strip()]
    assert len(lines) <= 15, said.out
    assert not any(word in said.out for word in INSIDE) or said.code, said.out
    return lines


def test_a_release_is_verified_in_one_line(folder):
    said = shoal("verify", "out.csv", "out.csv.certificate.json")
    lines = lines_of(said)
    assert said.code == 0 and lines[0].startswith("verified: all ") and "UNSIGNED" in lines[0]
    assert lines[1].startswith("counted again: ") and "k 4" in lines[1]
    every = shoal("verify", "out.csv", "out.csv.certificate.json", "--verbose")
    assert every.out.startswith(said.out) and "published-height-share" in every.out


def test_a_release_that_differs_says_so_first(folder):
    text = Path("out.csv").read_text()
    Path("out.csv").write_text("\n".join(text.splitlines()[:-1]) + "\n")
    said = shoal("verify", "out.csv", "out.csv.certificate.json")
    lines = lines_of(said)
    assert said.code == 4 and lines[0].startswith("NOT verified: ")
    assert "rows are not those of the certificate" in lines[0] + lines[1] + lines[2]
    assert in_house_form(said)


def test_an_audit_says_first_how_safe_a_table_is(folder):
    said = shoal("audit", "out.csv", *ROLES)
    lines = lines_of(said)
    assert said.code == 0
    assert lines[0].startswith("nobody is found with a chance above 1 in 4: every row looks like")
    assert "(--require k=5)" in lines[0]
    alone = lines_of(shoal("audit", "people.parquet", *ROLES))
    assert alone[0].startswith("NOT safe: ") and "alone" in alone[0]
    every = shoal("audit", "out.csv", *ROLES, "--verbose")
    assert every.out.startswith(said.out) and "highest-prosecutor-risk" in every.out


def test_a_requirement_is_met_or_named(folder):
    met = shoal("audit", "out.csv", *ROLES, "--require", "k=4")
    assert met.code == 0 and met.out.startswith("safe enough: nobody is found with a chance above")
    assert "Required and met: k-anonymity (k = 4)" in met.out
    unmet = shoal("audit", "out.csv", *ROLES, "--require", "k=9", "--require", "l-diversity:l=9")
    assert unmet.code == 4 and in_house_form(unmet)
    assert lines_of(unmet)[0].startswith("NOT safe enough: 2 of 2 requirements not met: ")
    assert "fewer than 9 rows" in unmet.out and "2 promises are not kept" in unmet.err


def test_a_failing_requirement_prints_its_json(folder):
    said = shoal("audit", "out.csv", *ROLES, "--require", "k=9", "--json")
    assert said.code == 4 and in_house_form(said) and "fewer than 9 rows" in said.err
    assert said.json["k"] == 4 and said.json["rows"] == 120
    assert said.json["required"] == ["k-anonymity (k = 9)"] and len(said.json["unmet"]) == 1
    met = shoal("audit", "out.csv", *ROLES, "--require", "k=4", "--json").json
    assert met["unmet"] == [] and met["required"] == ["k-anonymity (k = 4)"]
    plain = shoal("audit", "out.csv", *ROLES, "--json").json
    assert plain == {key: met[key] for key in plain} and "unmet" not in plain


def test_an_attack_says_first_whether_it_got_further_than_promised(folder):
    said = shoal("attack", "out.csv", "--original", "people.parquet")
    lines = lines_of(said)
    assert said.code == 0 and lines[0].startswith("safe enough: no attack gets further than")
    assert "at most 1 in 4 was promised" in lines[0] and lines[0].endswith("on 120 people.")
    bad = shoal("attack", "people.parquet", "--original", "people.parquet", *ROLES, "-k", 4)
    assert bad.code == 4 and lines_of(bad)[0].startswith("NOT safe: ")
    assert "what would stop " in bad.out
    nothing = shoal("attack", "out.csv", "--attack", "intersection")
    assert lines_of(nothing)[0].startswith("nothing was tried")


def test_an_inspection_begins_with_who_stands_alone(folder):
    said = shoal("inspect", "people.parquet")
    first = said.out.splitlines()[0]
    assert said.code == 0 and first.startswith("120 rows, ") and first.endswith(" alone.")
    assert shoal(*said.out.splitlines()[-1].split()[1:]).code == 0
    assert "different" in shoal("inspect", "people.parquet", "--verbose").out
