"""The public certificate follows from the release, the recipe and the hierarchies alone; the
private one stays private.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal as door
from terminal import shoal, write

SEED = 918_273_645


def people(*, middle: int = 31, secret: str = "x", order: int = 0) -> pa.Table:
    """Groups that every method finds: three cities far apart, four people each; one age inside its
    interval may change.
    """
    ages = [20, 22, 27, 29, 50, 52, 57, 59, 70, 72, 77, 79]
    ages[5] = 50 + middle % 7
    table = pa.table(
        {
            "age": ages,
            "city": ["a"] * 4 + ["b"] * 4 + ["c"] * 4,
            "ill": ["flu", "cold", "flu", "gout"] * 3,
            "name": [f"{secret}{i}" for i in range(12)],
        }
    )
    return table.take(pa.array(np.random.default_rng(order).permutation(12)))


def certificate(table: pa.Table, **options: object) -> dict[str, object]:
    asked = {
        "quasi": ["age", "city"],
        "sensitive": ["ill"],
        "identifiers": ["name"],
        "k": 4,
        "method": "k-member",
        **options,
    }
    return door.anonymize(table, **asked).certificate.public.as_dict()


@pytest.mark.parametrize(
    ("change", "other"),
    [
        ("rows in another order", people(order=5)),
        ("names of other people", people(secret="Zyxwvut")),
        ("an age inside its interval", people(middle=33)),
        ("all of these", people(order=9, secret="y", middle=34)),
    ],
)
def test_what_is_not_published_does_not_show(change, other):
    assert certificate(people()) == certificate(other)
    assert json.dumps(certificate(people())) == json.dumps(certificate(other))


def test_what_is_published_does_show():
    assert certificate(people()) != certificate(
        people().set_column(0, "age", pa.array(list(range(12))))
    )
    assert certificate(people())["hash"] != certificate(people(), publish="tight")["hash"]


@pytest.mark.parametrize("seed", [SEED, None])
def test_the_seed_is_private(tmp_path, monkeypatch, seed):
    monkeypatch.chdir(tmp_path)
    table = people()
    asked = {"quasi": ["age", "city"], "sensitive": "ill", "k": 4}
    release = door.anonymize(table, **asked, seed=seed)
    used = release.certificate.private.seed
    assert seed is None or used == seed
    release.write("out.csv", recipe="saved.toml")
    assert (
        str(used)
        not in Path("out.csv.certificate.json").read_text() + Path("saved.toml").read_text()
    )
    assert str(used) in Path("out.csv.private.json").read_text()
    assert "seed" not in Path("saved.toml").read_text()


def test_different_seeds_that_find_the_same_groups_give_one_public_certificate():
    assert certificate(people(), seed=1) == certificate(people(), seed=2)


def test_paths_of_this_machine_stay_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Zyxwvut").mkdir()
    write(tmp_path / "Zyxwvut" / "city.csv", "a;*\nb;*\nc;*\n")
    public = certificate(people(), hierarchies={"city": str(tmp_path / "Zyxwvut" / "city.csv")})
    assert public["recipe"]["hierarchies"] == {"city": "city.csv"}
    assert "Zyxwvut" not in json.dumps(public)


def test_withheld_rows_are_a_limit_in_public():
    table = pa.table({"age": list(range(50)), "ill": ["flu", "cold"] * 23 + [None] * 4})
    release = door.anonymize(
        table,
        quasi="age",
        sensitive="ill",
        k=4,
        models=["l-diversity(l=2)"],
        method="mondrian",
        withhold=0.2,
    )
    withheld = release.certificate.private.withheld
    assert release.certificate.public.withheld_at_most == 0.2
    assert release.certificate.public.rows == 50 - withheld == release.table.num_rows
    assert int((release.groups < 0).sum()) == withheld


def test_a_tight_release_says_what_it_risks():
    assert any(
        "downcoding" in text for text in certificate(people(), publish="tight")["not promised"]
    )
    assert not any("downcoding" in text for text in certificate(people())["not promised"])
    assert any("differential privacy" in text for text in certificate(people())["not promised"])


def test_dropped_and_forced_columns_are_named():
    public = certificate(
        people().append_column("note", pa.array(["n"] * 12)), keep=["note"], force_keep=["note"]
    )
    assert public["columns"]["dropped"] == ["name"]
    assert public["columns"]["kept by force"] == ["note"]


def test_the_certificate_stands_before_the_release(tmp_path, monkeypatch):
    """A release without a certificate never exists: its private part has a name of its own beside
    it.
    """
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "p.csv", "age\n1\n2\n")
    assert shoal("anonymize", "p.csv", "-o", "out.csv", "-q", "age", "-k", 2).code == 0
    placed = {path.name: path.stat().st_ctime_ns for path in tmp_path.iterdir()}
    assert placed["out.csv.certificate.json"] <= placed["out.csv"]
    assert set(json.loads(Path("out.csv.certificate.json").read_text())) & set(
        json.loads(Path("out.csv.private.json").read_text())
    ) <= {"attacks", "losses"}
