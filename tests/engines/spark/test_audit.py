"""Audits on Spark: those of the same table in one process, item by item; and nothing comes to the
driver but counts.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import shoal
import terminal
from clusters import ADDRESSES, PEOPLE, ROWS, frame_of
from shoal.engines.spark import exposure, jobs
from shoal.errors import DataError, PrivacyNotMet, RecipeError

MIXED = {"quasi": ["age", "ci.ty`", "born"], "sensitive": ["ill", "pay"]}


def any_table(seed: int) -> pa.Table:
    """Numbers, texts and dates with few values or many, some of them missing in two ways, some rows
    alone.
    """
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 400))
    share = rng.choice([0.0, 0.1, 0.9])

    def some(values: list[Any], kind: pa.DataType) -> pa.Array:
        return pa.array(
            [
                None if rng.random() < share else values[i]
                for i in rng.integers(0, len(values), rows)
            ],
            kind,
        )

    return pa.table(
        {
            "q0": some([1.5, -0.0, 0.0, float("nan"), 7.0], pa.float64()),
            "q1": some(list(range(int(rng.integers(1, 90)))), pa.int32()),
            "q2": some(["", "a", "b", "a, b", "null"], pa.string()),
            "q3": some([0, 1, 9000], pa.date32()),
            "s0": some(["flu", "gout", "10", "9"][: int(rng.integers(1, 5))], pa.string()),
            "s1": some([10.0, 9.0, -1.0, float("nan")], pa.float64()),
        }
    )


@pytest.mark.parametrize("seed", range(8))
def test_audit_is_that_of_the_table_in_one_process(sail: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = any_table(seed)
    quasi = [f"q{i}" for i in rng.permutation(4)[: rng.integers(1, 5)]]
    asked = {"quasi": quasi, "sensitive": [f"s{i}" for i in range(rng.integers(0, 3))]}
    asked["population"] = [None, 5000, 0.05][seed % 3]
    here = shoal.audit(table, **asked)
    there = shoal.audit(frame_of(sail, table), **asked)
    assert close(asdict(there), asdict(here))
    assert list(there.models) == list(here.models)


def close(found: Any, expected: Any) -> bool:
    """Equal, floats to the last few bits: they are summed in some order."""
    if isinstance(expected, dict):
        return list(found) == list(expected) and all(
            close(found[name], expected[name]) for name in expected
        )
    return found == pytest.approx(expected, rel=1e-14, nan_ok=True)


def test_original_table_is_audited_on_both_servers_alike(session: Any) -> None:
    here = shoal.audit(PEOPLE, **MIXED, require=["k=1"])
    assert shoal.audit(frame_of(session), **MIXED, require=["k=1"]) == here
    assert here.k == 1 and here.special[2]


def test_rows_that_look_alike_meet_in_several_tasks(
    sail: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "JUDGED_ROWS", 300)
    assert shoal.audit(frame_of(sail), **MIXED) == shoal.audit(PEOPLE, **MIXED)


def test_only_counts_and_figures_reach_the_driver(
    sail: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = list[pa.Table]()
    collect = jobs.collected
    monkeypatch.setattr(jobs, "collected", lambda frame: (done.append(collect(frame)), done[-1])[1])
    shoal.audit(frame_of(sail), **MIXED)
    assert [job.column_names for job in done] == [["column", "text", "times"], ["told"]]
    assert sum(len(told) for told in done[1]["told"].to_pylist()) < 40_000


def test_too_many_combinations_are_not_looked_through(
    sail: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exposure, "MOST_ALONE", 100)
    found = shoal.audit(frame_of(sail), **MIXED)
    assert found.risks["special-uniqueness"] is None and found.special == {}
    assert (
        found.risks["sample-uniqueness"] == shoal.audit(PEOPLE, **MIXED).risks["sample-uniqueness"]
    )


@pytest.mark.parametrize(
    "require", [["k=2"], ["k=2", "l-diversity:l=2", "t-closeness:t=0.1"], ["l-diversity:l=4"]]
)
def test_requirements_are_refused_in_the_same_words(sail: Any, require: list[str]) -> None:
    def refused(people: Any) -> str:
        with pytest.raises(PrivacyNotMet) as error:
            shoal.audit(people, quasi=["age", "pay"], sensitive=["ill"], require=require)
        return str(error.value)

    assert refused(frame_of(sail)) == refused(PEOPLE)
    held = {
        "quasi": ["ci.ty`"],
        "sensitive": ["ill"],
        "require": ["k=100", "l-diversity:l=3", "t-closeness:t=0.2"],
    }
    found = shoal.audit(frame_of(sail), **held)
    assert found == shoal.audit(PEOPLE, **held) and 0.2 < found.models["lkc"]["ill"] < 0.6


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"population": PEOPLE}, RecipeError, "population as a table"),
        ({"missing": "wildcard"}, RecipeError, "wildcard"),
        ({"require": ["lkc:l=1,c=0.9"]}, RecipeError, "lkc"),
        ({"require": ["k-map:k=3"]}, RecipeError, "k-map"),
        ({"require": ["t-closeness:t=0.1,distance=hierarchical"]}, RecipeError, "hierarchy"),
        ({"sensitive": [], "require": ["l-diversity:l=2"]}, RecipeError, "sensitive"),
        ({"quasi": ["agee"]}, RecipeError, "'age'"),
        ({"quasi": []}, RecipeError, "quasi"),
        ({"sensitive": ["age"]}, RecipeError, "quasi and sensitive"),
        ({"population": 10}, DataError, "smaller than the table"),
        ({"table": "people"}, RecipeError, "database"),
    ],
)
def test_refusals(sail: Any, asked: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        shoal.audit(frame_of(sail), **{**MIXED, **asked})


def test_bounds_and_no_rows_are_refused(sail: Any) -> None:
    bounds = sail.createDataFrame(pa.table({"age_lo": [1, 1], "age_hi": [2, 2]}))
    with pytest.raises(RecipeError, match="age_lo,age_hi"):
        shoal.audit(bounds, quasi=["age"])
    assert shoal.audit(bounds, quasi=["age_lo", "age_hi"]).k == 2
    with pytest.raises(DataError, match="no rows"):
        shoal.audit(sail.createDataFrame(PEOPLE).where("age > 100"), quasi=["age"])


def test_terminal_audits_folders(
    sail: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    parquet.write_table(PEOPLE.slice(0, 900), "people/one.parquet")
    parquet.write_table(PEOPLE.slice(900), "people/two.parquet")
    asked = ("audit", "people", "-q", "age,born", "-s", "ill", "--json")
    remote = ("--engine", "spark", "--remote", ADDRESSES[sail.session_id])
    there = terminal.shoal(*asked, *remote)
    here = terminal.shoal(*asked)
    assert there.code == here.code == 0 and json.loads(there.out) == json.loads(here.out)
    assert json.loads(there.out)["rows"] == ROWS
    assert terminal.shoal(*asked, *remote, "--require", "k=2").code == 4
    for wrong in (
        ("--engine", "spark"),
        ("--remote", "sc://x"),
        (*remote, "--table", "t"),
        (*remote, "--delimiter", ";"),
    ):
        assert terminal.shoal(*asked, *wrong).code == 2
