"""`shoal mine`: association rules, in tables and in baskets, through the terminal."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as parquet
import pytest

from attacks.people import people
from terminal import shoal


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    parquet.write_table(people(7, 200), "people.parquet")
    options = ("-q", "age,city", "-s", "ill", "-k", 4, "--seed", 1, "--method", "mondrian")
    assert shoal("anonymize", "people.parquet", "-o", "a.csv", *options).code == 0
    return tmp_path


def test_rules_are_counted_and_listed_only_if_asked_for(folder: Path) -> None:
    task = "association:support=0.05,confidence=0.2"
    said = shoal(
        "mine", "a.csv", "--original", "people.parquet", "--tasks", f"{task},distributions"
    )
    assert said.code == 0, said.err
    assert (
        "lost rules" in said.out
        and "rules within bounds" in said.out
        and "utility: distributions" in said.out
    )
    assert "->" not in said.out and "flu" not in said.out + said.err
    listed = shoal(
        "mine", "a.csv", "--original", "people.parquet", "--tasks", f"{task},rules=2", "--json"
    ).json
    assert len(listed["releases"]["a.csv"]["told"]["association"]) == 2
    assert (
        shoal(
            "mine", "a.csv", "--original", "people.parquet", "--tasks", f"{task},rules=2"
        ).out.count("->")
        == 2
    )


def test_thresholds_that_nothing_reaches_are_refused(folder: Path) -> None:
    said = shoal(
        "mine", "a.csv", "--original", "people.parquet", "--tasks", "association:support=1"
    )
    assert said.code == 2 and "no rule of the original has a support of 1" in said.err, said.err
    assert "lower them (association:support=0.001,confidence=0.1)" in said.err and not said.out
    said = shoal(
        "mine", "a.csv", "--original", "people.parquet", "--tasks", "association:support=0"
    )
    assert said.code == 2 and "support" in said.err


def test_baskets_with_a_hierarchy(folder: Path) -> None:
    Path("item.csv").write_text("apple;fruit;*\npear;fruit;*\nroll;bread;*\nbun;bread;*\n", "utf-8")
    sold = [(1, "apple"), (1, "roll"), (2, "pear"), (2, "roll"), (3, "apple"), (3, "bun")]
    for name, nodes in (("sold.csv", {}), ("told.csv", {"apple": "fruit", "pear": "fruit"})):
        lines = "".join(f"{number},{nodes.get(item, item)}\n" for number, item in sold)
        Path(name).write_text(f"transaction,item\n{lines}", "utf-8")
    options = ("--original", "sold.csv", "-q", "item", "--hierarchy", "item=item.csv")
    said = shoal(
        "mine", "told.csv", *options, "--tasks", "transactions:support=0.3,confidence=0.3", "--json"
    )
    assert said.code == 0, said.err
    found = said.json["releases"]["told.csv"]["utility"]["transactions"]
    assert (
        found["rules within bounds"]["value"] == 1.0
        and found["lost rules of nodes"]["value"] == 0.0
    )
    # six rules between three pairs; apple with bun is expected in half a basket of three, which is
    # below 0.3
    assert found["lost rules"]["value"] == pytest.approx(2 / 6) and found["rules"]["unchanged"] == 6
