"""k-map and delta-presence from outside: people are counted in plain Python by the cells of the
release.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as parquet
import pytest

import shoal
from conftest import data_file
from shoal.errors import DataError, RecipeError
from terminal import shoal as terminal
from terminal import snapshot, write

QUASI = ["age", "sex", "race", "marital-status"]
SAMPLE = 1200
METHODS = ("mondrian", "top-down", "full-domain")


@pytest.fixture(scope="module")
def everyone() -> pa.Table:
    return parquet.read_table(data_file("adult_full.parquet")).select([*QUASI, "occupation"])


@pytest.fixture(scope="module")
def sample(everyone: pa.Table) -> pa.Table:
    chosen = np.random.default_rng(5).choice(everyone.num_rows, SAMPLE, replace=False)
    return everyone.take(pa.array(np.sort(chosen)))


def fits(cell: str, column: pa.ChunkedArray) -> np.ndarray:
    """Who fits a printed cell: everyone, an interval, or a value."""
    if cell == "*":
        return np.ones(len(column), bool)
    if cell.startswith("["):
        lo, hi = map(int, cell[1:-1].split(", "))
        return (
            np.asarray(column) >= lo
            if lo == hi
            else (np.asarray(column) >= lo) & (np.asarray(column) <= hi)
        )
    return np.asarray(pc.equal(pc.cast(column, pa.string()), cell))


def counted(release: pa.Table, everyone: pa.Table) -> tuple[list[tuple[int, int]], np.ndarray]:
    """For each different row of cells its rows and the people who fit; and how many of these rows
    each person fits.
    """
    groups: dict[tuple[str, ...], int] = {}
    for cells in zip(*(release[name].to_pylist() for name in QUASI), strict=True):
        groups[cells] = groups.get(cells, 0) + 1
    known = {
        (name, cell): fits(cell, everyone[name])
        for name in QUASI
        for cell in pc.unique(release[name]).to_pylist()
    }
    times = np.zeros(everyone.num_rows, int)
    found = []
    for cells, rows in groups.items():
        inside = np.all([known[pair] for pair in zip(QUASI, cells, strict=True)], axis=0)
        found.append((rows, int(inside.sum())))
        times += inside
    return found, times


@pytest.mark.parametrize("method", METHODS)
def test_every_group_looks_like_k_people(method, sample, everyone):
    asked = {
        "quasi": QUASI,
        "sensitive": "occupation",
        "k": 1,
        "method": method,
        "population": everyone,
    }
    release = shoal.anonymize(sample, **asked, models=["k-map:k=20"])
    pairs, _ = counted(release.table, everyone)
    assert len(pairs) > 10 and min(people for _, people in pairs) >= 20
    assert min(rows for rows, _ in pairs) < 20  # k-anonymity would ask for more
    stated = release.certificate.public.models[1]
    assert stated.measured == min(people for _, people in pairs)
    checked = {
        item.what: item.status
        for item in shoal.verify(release.table, release.certificate, population=everyone).items
    }
    assert checked["k-map"] == "recounted"
    assert (
        shoal.audit(release.table, quasi=QUASI, population=everyone).models["k-map"][""]
        == stated.measured
    )


@pytest.mark.parametrize("method", METHODS)
def test_presence_is_neither_certain_nor_shared(method, sample, everyone):
    asked = {"quasi": QUASI, "k": 1, "method": method, "population": everyone, "publish": "tight"}
    release = shoal.anonymize(sample, **asked, models=["delta-presence:low=0.001,high=0.2"])
    pairs, times = counted(release.table, everyone)
    assert len(pairs) >= 5 and times.max() == 1
    assert all(Fraction("0.001") <= Fraction(*pair) <= Fraction("0.2") for pair in pairs)
    verified = shoal.verify(release.table, release.certificate, population=everyone)
    assert verified.holds
    assert release.certificate.public.models[1].measured == max(
        rows / people for rows, people in pairs
    )


def test_a_release_that_breaks_its_promise_is_found_out(sample, everyone):
    asked = {"quasi": QUASI, "k": 2, "method": "top-down", "population": everyone}
    release = shoal.anonymize(sample, **asked, models=["k-map:k=20"])
    few = everyone.take(
        pa.array(np.sort(np.random.default_rng(1).choice(everyone.num_rows, 20_000, replace=False)))
    )
    fewer = pa.concat_tables(
        [few, sample]
    )  # they hold the sample, but other people are behind each group
    found = {
        item.what: item.status
        for item in shoal.verify(release.table, release.certificate, population=fewer).items
    }
    assert found["k-map"] == "differs"
    alone = shoal.verify(release.table, release.certificate)
    found = {item.what: item for item in alone.items}
    assert alone.holds and "population" in found["k-map"].note


def test_overlapping_groups_are_not_safe(everyone):
    table = pa.table({"age": ["[20, 40]"] * 2 + ["[40, 60]"] * 2})
    people = pa.table({"age": [20, 25, 30, 35, 40, 45, 50, 55]})
    seen = shoal.audit(table, quasi=["age"], population=people).models
    assert seen["k-map"][""] == 4 and seen["delta-presence"][""] == np.inf
    with pytest.raises(shoal.errors.PrivacyNotMet, match="share people"):
        shoal.audit(
            table, quasi=["age"], population=people, require=["delta-presence:low=0,high=1"]
        )
    apart = pa.table({"age": ["[20, 39]"] * 2 + ["[40, 60]"] * 2})
    assert shoal.audit(apart, quasi=["age"], population=people).models["delta-presence"][""] == 0.5


def test_who_is_not_in_the_population_is_said_at_once(sample, everyone):
    asked = {"quasi": QUASI, "k": 1, "method": "top-down", "models": ["k-map:k=3"]}
    with pytest.raises(DataError, match="does not hold the people"):
        shoal.anonymize(sample, **asked, population=everyone.slice(0, 3000))
    with pytest.raises(RecipeError, match=r"population=\.\.\."):
        shoal.anonymize(sample, **asked)
    with pytest.raises(RecipeError, match=r"population=\.\.\."):
        shoal.anonymize(sample, **asked, population=48_842)


HEAD = "age,sex,ill\n"
ROWS = [f"{20 + i % 13},{'fm'[i % 2]},{'abcde'[i * i % 5]}\n" for i in range(160)]
CALL = ("anonymize", "people.csv", "-o", "out.csv", "-q", "age,sex", "-s", "ill", "-k", 1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "people.csv", HEAD + "".join(ROWS[:40]))
    write(tmp_path / "everyone.csv", HEAD + "".join(ROWS))
    write(tmp_path / "strangers.csv", HEAD + "".join(ROWS[50:90]).replace("f", "x"))
    return tmp_path


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (
            ("--model", "k-map:k=5", "--method", "k-member", "--population", "everyone.csv"),
            2,
            "full-domain, mondrian, top-down",
        ),
        (("--model", "k-map:k=5", "--method", "top-down"), 2, "--population FILE"),
        (
            ("--model", "k-map:k=5", "--method", "top-down", "--population", "0.25"),
            2,
            "--population FILE",
        ),
        (
            ("--model", "k-map:k=5", "--method", "top-down", "--population", "strangers.csv"),
            3,
            "does not hold the people",
        ),
        (
            ("--model", "k-map:k=500", "--method", "top-down", "--population", "everyone.csv"),
            4,
            "look like fewer than 500",
        ),
        (
            (
                "--model",
                "k-map:k=5",
                "--method",
                "top-down",
                "--population",
                "everyone.csv",
                "--publish",
                "centre",
            ),
            2,
            "boxes",
        ),
        (
            (
                "--model",
                "k-map:k=5",
                "--method",
                "top-down",
                "--population",
                "everyone.csv",
                "--person",
                "who",
            ),
            2,
            "one row",
        ),
        (
            (
                "--model",
                "delta-presence:low=0,high=0.5",
                "--method",
                "mondrian",
                "--population",
                "everyone.csv",
            ),
            2,
            "--publish age=tight, or --hierarchy age=intervals:width=10",
        ),
        (
            (
                "--model",
                "delta-presence:low=0,high=0.1",
                "--method",
                "top-down",
                "--population",
                "everyone.csv",
                "--publish",
                "tight",
            ),
            4,
            "between 0 and 0.1",
        ),
    ],
)
def test_what_can_not_be_promised_is_refused_and_nothing_written(folder, more, code, words):
    before = snapshot(folder)
    said = terminal(*CALL, *more)
    assert said.code == code and words in said.err
    assert snapshot(folder) == before


@pytest.mark.parametrize("model", ["k-map:k=10", "delta-presence:low=0,high=0.5"])
def test_from_file_to_file(folder, model):
    asked = (
        "--method",
        "top-down",
        "--population",
        "everyone.csv",
        "--hierarchy",
        "age=intervals:width=5",
    )
    assert terminal(*CALL, "--model", model, *asked).code == 0
    again = terminal(
        "verify", "out.csv", "out.csv.certificate.json", "--population", "everyone.csv", "--json"
    )
    assert again.code == 0
    found = {item["what"]: item["status"] for item in again.json["items"]}
    assert found[model.split(":")[0]] == "recounted"


def test_a_population_is_understood_when_a_release_is_verified() -> None:
    rng = np.random.default_rng(4)
    days = [f"{day:02d}.{month:02d}.1980" for day in range(1, 29) for month in range(1, 13)]
    everyone = pa.table({"born": days * 3})
    table = everyone.take(pa.array(rng.permutation(everyone.num_rows)[:200]))
    asked = {"quasi": ["born"], "k": 4, "models": ["k-map:k=6"], "method": "mondrian"}
    release = shoal.anonymize(table, **asked, population=everyone)
    again = shoal.verify(release.table, release.certificate, population=everyone, original=table)
    assert again.holds
    assert not [item for item in again.items if item.status == "differs"]
