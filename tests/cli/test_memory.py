"""`--memory` through the terminal: the same words, the same exit codes, and a release that others
can verify.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shoal.declare.memory import size_of
from shoal.engines.disk import memory
from shoal.errors import RecipeError
from terminal import shoal, snapshot, write

ASKED = ("-q", "age,city", "-s", "ill", "-i", "name", "-k", 3, "--effort", "low", "--seed", 1)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(memory, "rows_at_once", lambda memory, recipe: 200)
    rng = np.random.default_rng(3)
    cells = zip(
        rng.integers(18, 90, 400),
        rng.choice(["Oslo", "Rome", ""], 400),
        rng.choice(["flu", "gout"], 400),
        strict=True,
    )
    lines = [f"p{i},{age},{city},{ill}" for i, (age, city, ill) in enumerate(cells)]
    write(tmp_path / "people.csv", "name,age,city,ill\n" + "\n".join(lines) + "\n")
    return tmp_path


def test_release_in_parts_is_verified_like_any_other(folder):
    said = shoal(
        "anonymize",
        "people.csv",
        "-o",
        "out.parquet",
        *ASKED,
        "--memory",
        "2GB",
        "--save-recipe",
        "asked.toml",
        "--verbose",
    )
    assert (
        said.code == 0
        and said.out == ""
        and "divided in 3 shards" in said.err
        and "400 rows in" in said.err
    )
    assert (
        "k = 3" in Path("asked.toml").read_text() and "seed" not in Path("asked.toml").read_text()
    )
    assert Path("out.parquet.private.json").stat().st_mode & 0o077 == 0
    verified = shoal(
        "verify", "out.parquet", "out.parquet.certificate.json", "--original", "people.csv"
    )
    assert verified.code == 0 and "differs" not in verified.out + verified.err


def test_json_has_the_same_entries(folder):
    whole, parts = (
        shoal("anonymize", "people.csv", "-o", f"{name}.csv", *ASKED, *more, "--json").json
        for name, more in (("whole", ()), ("parts", ("--memory", "2GB")))
    )
    assert set(whole) == set(parts) and parts["rows"] == 400 and parts["k"] >= 3
    assert set(parts["losses"]) < set(whole["losses"]) and set(parts["risks"]["after"]) == set(
        whole["risks"]["after"]
    )


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (("--memory", "much"), 2),
        (("--memory", "2GB", "--keep-order"), 2),
        (("--memory", "2GB", "--model", "l-diversity:l=3"), 4),
        (("--memory", "2GB", "--missing", "refuse"), 3),
    ],
)
def test_refusals_leave_nothing_behind(folder, more, code):
    before = snapshot(folder)
    said = shoal("anonymize", "people.csv", "-o", "out.csv", *ASKED, *more)
    assert said.code == code and snapshot(folder) == before


@pytest.mark.parametrize(
    ("source", "output", "more", "words"),
    [
        ("-", "out.csv", (), "--memory reads files"),
        ("sqlite:///a.db#people", "out.csv", (), "--memory reads files"),
        ("people.csv", "-", (), "--memory writes files"),
        ("people.csv", "sqlite:///a.db#out", (), "--memory writes files"),
        ("people.csv", "out.arrow", (), "--memory writes Parquet or CSV"),
        ("people.csv", "out.csv", ("--population", "900"), "can't do --population"),
        ("people.csv", "out.csv", ("--bound",), "can't do --bound"),
        ("people.csv", "out.csv", ("--engine", "local"), "can't be used with --engine local"),
    ],
)
def test_refusals_are_spelled_for_the_terminal(folder, source, output, more, words):
    before = snapshot(folder)
    said = shoal("anonymize", source, "-o", output, *ASKED, "--memory", "2GB", *more)
    assert said.code == 2 and words in said.err and snapshot(folder) == before
    assert "memory=" not in said.err


def test_no_memory_at_all_is_refused(folder, monkeypatch):
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    said = shoal("anonymize", "people.csv", "-o", "out.csv", *ASKED, "--memory", "0")
    assert said.code == 2 and "too little" in said.err


def test_boxes_of_their_own_are_not_made_part_by_part(folder):
    before = snapshot(folder)
    asked = ("-q", "age,city", "-s", "ill", "-k", 3, "--method", "nsvdist:l=2", "--memory", "2GB")
    said = shoal("anonymize", "people.csv", "-o", "out.csv", *asked)
    assert (
        said.code == 2
        and "the disk engine (--memory) can't do --method nsvdist:l=2" in said.err
        and snapshot(folder) == before
    )


def test_sizes_are_read_as_people_write_them():
    texts = ("2GB", "0.5 gb", "800MB", "1TB", "123", "3g")
    assert [size_of(text) for text in texts] == [
        2 * 10**9,
        5 * 10**8,
        8 * 10**8,
        10**12,
        123,
        3 * 10**9,
    ]
    assert size_of(7) == 7
    with pytest.raises(RecipeError, match="no size"):
        size_of("2XB")
