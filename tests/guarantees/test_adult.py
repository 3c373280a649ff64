"""Adult, as the papers use it: the loss of k-member, and what a reader finds in the released file
alone.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import data_file
from terminal import shoal

QUASI = "age,workclass,education,marital-status,occupation,race,sex,native-country"
LOSS = {5: 16_276, 10: 28_052}  # total information loss that k-member is known to reach


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def anonymize(k: int, *options: object, out: str = "out.csv"):
    hierarchies = data_file("hierarchies/adult_arx/sex.csv").parent
    return shoal(
        *(
            "anonymize",
            data_file("adult.parquet"),
            "-o",
            out,
            "-q",
            QUASI,
            "-k",
            k,
            "--seed",
            1,
            "--method",
            "k-member",
        ),
        *("--hierarchies", hierarchies, "--hierarchy", "age=none", "--json", *options),
    )


@pytest.mark.parametrize("k", LOSS)
def test_k_member(folder, k):
    said = anonymize(k, "-s", "income")
    assert said.code == 0, said.err
    assert said.json["rows"] == 30_162 and said.json["k"] >= k and said.json["withheld"] == 0
    assert said.json["losses"]["total-information-loss"] == pytest.approx(LOSS[k], rel=0.02)
    audited = shoal(
        "audit", "out.csv", "-q", QUASI, "-s", "income", "--require", f"k={k}", "--json"
    )
    assert audited.code == 0 and audited.json["k"] == said.json["k"]
    verified = shoal(
        *(
            "verify",
            "out.csv",
            "out.csv.certificate.json",
            "--original",
            data_file("adult.parquet"),
            "--json",
        ),
        *(
            "--hierarchies",
            data_file("hierarchies/adult_arx/sex.csv").parent,
            "--hierarchy",
            "age=none",
        ),
    )
    assert verified.code == 0, verified.err
    assert "not checkable" not in {item["status"] for item in verified.json["items"]}


@pytest.mark.parametrize(
    ("column", "why"),
    [("education-num", "gives 'education' away"), ("fnlwgt", "held by fewer than 5")],
)
def test_columns_that_undo_the_release_are_kept_by_force_only(folder, column, why):
    said = anonymize(5, "--keep", column)
    assert said.code == 4 and why in said.err and f"--force-keep {column}" in said.err
    assert list(folder.iterdir()) == []
    said = anonymize(100, "--keep", column, "--force-keep", column, "--method", "mondrian")
    assert said.code == 0, said.err
    public = json.loads(Path("out.csv.certificate.json").read_text())
    assert public["columns"]["kept by force"] == [column]
    assert any("kept by force" in notice for notice in said.json["notices"])
