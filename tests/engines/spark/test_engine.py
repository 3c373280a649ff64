"""Spark: the release of the same shards in one process, row for row; on Sail, and in a JVM where
there is one.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import shoal
import terminal
from certificates import PRIVATE, problems
from clusters import ADDRESSES, PEOPLE, ROWS, SERVERS, frame_of
from shoal.encode.profile import profile
from shoal.engines.local import LocalEngine
from shoal.engines.spark import SparkEngine, batches, cutting, jobs, recounting, workers, writing
from shoal.engines.spark.source import SparkSource
from shoal.errors import DataError, PrivacyNotMet, RecipeError, ShoalError
from shoal.flows.declared import declared
from shoal.flows.groups import run
from shoal.flows.port import Outcome
from shoal.recipe import Recipe
from shoal.review.certificate import UNMARKED, as_json

NAMES = ["age", "ci.ty`", "born", "ill", "pay", "group"]
ASKED: dict[str, Any] = {
    "quasi": NAMES[:3],
    "sensitive": NAMES[3:5],
    "keep": NAMES[5:],
    "k": 4,
    "seed": 3,
    "effort": "low",
    "models": ["l-diversity:l=2", "t-closeness:t=0.6", "beta-likeness:beta=4"],
}


RELEASES = dict[str, shoal.Release]()


@pytest.fixture
def release(session: Any, monkeypatch: pytest.MonkeyPatch) -> shoal.Release:
    """A release in five shards, made once on each."""
    monkeypatch.setattr(cutting, "SHARD", ROWS // 5)
    if session.session_id not in RELEASES:
        RELEASES[session.session_id] = shoal.anonymize(frame_of(session), **ASKED)
    return RELEASES[session.session_id]


def keys_of(table: pa.Table, recipe: Recipe) -> list[tuple[int, ...]]:
    """All codes of each row."""
    rows, _ = declared(table, recipe.plan())
    kept = [profile(table[name].combine_chunks(), name).codes for name in recipe.keep]
    return list(
        zip(
            *rows.codes.tolist(),
            *(column.codes.tolist() for column in rows.sensitive),
            *kept,
            strict=True,
        )
    )


def in_one_process(table: pa.Table, recipe: Recipe, shards: int) -> tuple[Outcome, Counter[Any]]:
    """The specification, on rows in the order of their codes; and how often each label is given to
    each kind of row.
    """
    keys = keys_of(table, recipe)
    order = sorted(range(len(keys)), key=keys.__getitem__)
    whole = run(table.take(pa.array(order)), recipe, LocalEngine(shards=shards))
    assert whole.groups
    return whole, Counter(
        zip([keys[row] for row in order], whole.groups.labels.tolist(), strict=True)
    )


def same_rows(found: Any, table: pa.Table) -> bool:
    """Whether a DataFrame holds the rows of a table, in whatever order."""
    return Counter(map(str, found.toArrow().to_pylist())) == Counter(map(str, table.to_pylist()))


def test_release_and_labels_are_those_of_the_same_shards_in_one_process(release: Any) -> None:
    recipe = Recipe.of(**ASKED)
    found = release
    whole, labels = in_one_process(PEOPLE, recipe, 5)
    assert same_rows(found.table, whole.table)
    labelled = found.groups.toArrow()
    assert labelled.column_names == [*PEOPLE.column_names, "group_"]
    assert sorted(labelled["name"].to_pylist()) == sorted(PEOPLE["name"].to_pylist())
    keys = dict(zip(PEOPLE["name"].to_pylist(), keys_of(PEOPLE, recipe), strict=True))
    assert len(set(keys.values())) > 0.95 * ROWS  # nearly every row can be told from the others
    assert (
        Counter(
            (keys[row["name"]], row["group_"])
            for row in labelled.select(["name", "group_"]).to_pylist()
        )
        == labels
    )
    assert as_json(found.certificate.public) == as_json(whole.certificate.public)
    assert (
        dict(found.risks["before"])
        == whole.risks["before"]
        == found.certificate.private.risks_before
    )
    assert whole.risks["before"]["special-uniqueness"]
    assert dict(found.losses) == pytest.approx({name: whole.losses[name] for name in found.losses})
    assert found.certificate.private.group_sizes == whole.certificate.private.group_sizes
    assert "divided in 5 shards" in found.certificate.private.notes


def test_written_folder_is_recounted_by_sql_and_verified(
    session: Any, release: Any, tmp_path: Path
) -> None:
    place = tmp_path / "released"
    release.write(place)
    session.read.parquet(str(place)).createOrReplaceTempView("released")
    query = (
        "select min(many) as k, sum(many) as whole, min(ills) as l from (select count(*) as "
        "many, count(distinct ill) as ills"
    )
    (counted,) = (
        session.sql(f"{query} from released group by age, `ci.ty```, born)").toArrow().to_pylist()
    )
    assert counted["k"] >= 4 and counted["whole"] == ROWS and counted["l"] >= 2
    written = parquet.read_table(place)
    assert (
        written.column_names == NAMES
        and written["age"].null_count == 0
        and written["ci.ty`"].null_count
    )
    stated = json.loads(Path(f"{place}.certificate.json").read_text("utf-8"))
    private = json.loads(Path(f"{place}.private.json").read_text("utf-8"))
    assert problems(stated) == problems(private, PRIVATE) == []
    verified = shoal.verify(place, stated)
    items = {item.what: item.status for item in verified.items}
    assert (
        verified.holds and items["hash of the rows"] == items["k"] == items["groups"] == "recounted"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "released",
        "released.certificate.json",
        "released.private.json",
    ]
    with pytest.raises(RecipeError, match="exists"):
        release.write(place)


@pytest.mark.jvm
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="workers are found in /proc")
def test_worker_killed_amid_a_job_publishes_all_or_nothing(
    jvm: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run_job = jobs.running
    killed = list[int]()
    asked = list[bool]()

    def running(job: Any) -> Any:
        with ThreadPoolExecutor(1) as pool:
            doing = pool.submit(run_job, job)
            while (
                asked and not doing.done() and len(killed) < 8
            ):  # some are idle when they are killed
                killed.extend(kill_workers(SERVERS[jvm.session_id]))
                time.sleep(0.02)
            return doing.result()

    monkeypatch.setattr(jobs, "running", running)
    monkeypatch.setattr(
        jobs, "told", lambda *frames, told=jobs.told: (asked.append(True), told(*frames))[1]
    )
    try:
        found = shoal.anonymize(frame_of(jvm), **ASKED)
    except DataError as failed:
        assert "a job on Spark failed" in str(failed)
    else:
        assert same_rows(found.table, in_one_process(PEOPLE, Recipe.of(**ASKED), 1)[0].table)
    assert killed
    killed.clear()
    ready = RELEASES[jvm.session_id]
    try:
        ready.write(tmp_path / "released")
    except DataError as failed:
        assert "a job on Spark failed" in str(failed) and not list(tmp_path.iterdir())
    else:
        assert shoal.verify(tmp_path / "released", ready.certificate).holds
    assert killed
    assert jvm.range(3).count() == 3  # the server still works


def kill_workers(pid: int) -> list[int]:
    """Python workers below a server that were killed: those that a daemon of Spark has forked."""
    below = [pid]
    killed = list[int]()
    for parent in below:
        with suppress(OSError):
            tasks = [task / "children" for task in Path(f"/proc/{parent}/task").iterdir()]
            children = [int(child) for task in tasks for child in task.read_text().split()]
            below += children
            if "pyspark.daemon" in Path(f"/proc/{parent}/cmdline").read_text():
                for child in children:
                    os.kill(child, signal.SIGKILL)
                    killed.append(child)
    return killed


def test_rows_are_sorted_by_what_is_published(sail: Any) -> None:
    rows = run(frame_of(sail), Recipe.of(**ASKED), SparkEngine(shards=3)).table.table.toArrow()
    ordered = rows.sort_by([(name, "ascending") for name in rows.column_names])
    assert Counter(map(str, rows.to_pylist())) == Counter(map(str, ordered.to_pylist()))
    cells = list(zip(*(rows[name].to_pylist() for name in NAMES[:3]), strict=True))
    assert cells == sorted(cells, key=lambda row: [(cell is not None, cell or "") for cell in row])


def test_shard_that_cannot_keep_a_model_joins_its_neighbour(sail: Any) -> None:
    young = pa.array(
        np.where(PEOPLE["age"].to_numpy() < 40, "flu", np.array(PEOPLE["ill"].to_pylist(), object))
    )
    people = PEOPLE.set_column(4, "ill", young)
    recipe = Recipe.of(
        quasi=["age"], sensitive=["ill"], k=4, seed=3, effort="low", models=["l-diversity:l=2"]
    )
    found = run(frame_of(sail, people), recipe, SparkEngine(shards=6))
    whole, _ = in_one_process(people, recipe, 6)
    notes = found.certificate.private.notes
    assert (
        same_rows(found.table.table, whole.table)
        and notes[0] == whole.certificate.private.notes[0] != "divided in 6 shards"
    )


def test_rows_that_a_method_leaves_out_are_withheld(sail: Any) -> None:
    asked = {**ASKED, "models": [], "method": "threshold:small=withhold", "withhold": 0.9}
    found = run(frame_of(sail), Recipe.of(**asked), SparkEngine(shards=3))
    whole, labels = in_one_process(PEOPLE, Recipe.of(**asked), 3)
    assert same_rows(found.table.table, whole.table)
    assert (
        found.certificate.private.withheld
        == sum(n for (_, label), n in labels.items() if label < 0)
        > 0
    )


def test_people_with_several_rows_stand_in_one_group_each(session: Any) -> None:
    rows = np.arange(ROWS)
    people = PEOPLE.append_column("patient_id", pa.array([f"p'{i % (ROWS // 3)}" for i in rows]))
    people = people.append_column("row", pa.array([f"r{i}" for i in rows]))
    asked = {**ASKED, "models": [], "keep": []}
    with pytest.raises(PrivacyNotMet, match="rows are about"):
        run(frame_of(session, people), Recipe.of(**asked), SparkEngine(shards=3))
    recipe = Recipe.of(**asked, person="patient_id")
    found = run(frame_of(session, people), recipe, SparkEngine(shards=3))
    labels = found.groups.toArrow()
    assert labels.num_rows == ROWS == len(set(labels["row"].to_pylist()))
    group = labels.column_names[-1]
    pairs = set(zip(labels["patient_id"].to_pylist(), labels[group].to_pylist(), strict=True))
    assert len(pairs) == len({who for who, _ in pairs})
    held = Counter(label for _, label in pairs)
    assert min(held.values()) >= 4 and len(held) > 3
    assert isinstance(found.certificate.public.persons, str)


COUNTS_OF_PEOPLE = ("number", "held", "people", "repeated", "most", "whole", "least", "largest")
COUNTS_OF_PEOPLE += ("codes", "dates")


def test_jobs_are_few_and_no_row_reaches_the_driver(
    sail: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = list[pa.Table]()
    collect = jobs.collected
    monkeypatch.setattr(jobs, "collected", lambda frame: (done.append(collect(frame)), done[-1])[1])
    recipe = Recipe.of(**{**ASKED, "models": [], "k": 2})
    found = run(frame_of(sail), recipe, SparkEngine(shards=32))
    assert 7 < len(done) <= 21 - 2  # two more look at types
    whole, _ = in_one_process(PEOPLE, recipe, 32)
    assert (
        found.certificate.private.notes[0]
        == whole.certificate.private.notes[0]
        == "divided in 32 shards"
    )
    assert same_rows(found.table.table, whole.table)
    assert {name for job in done for name in job.column_names} == {
        "column",
        "text",
        "times",
        "cell",
        "told",
        *COUNTS_OF_PEOPLE,
    }


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"k": 3000}, PrivacyNotMet, "3,000"),
        ({"models": ["l-diversity:l=9"]}, PrivacyNotMet, "9"),
        ({"keep": ["name"]}, PrivacyNotMet, "of 'name' are held by fewer than"),
        ({"quasi": ["age", "nobody"]}, RecipeError, "nobody"),
        ({"keep_order": True, "person": "name"}, RecipeError, "keep_order"),
        ({"publish": "centre"}, RecipeError, "centre"),
        ({"time_limit": 3.0}, RecipeError, "time_limit"),
        ({"models": ["lkc:l=2,c=0.9"]}, RecipeError, "lkc"),
        ({"missing": "refuse"}, DataError, "missing"),
        ({"population": 10_000}, RecipeError, "population"),
        ({"method": "nsvdist", "models": [], "effort": None}, RecipeError, "nsvdist"),
    ],
)
def test_refusals(sail: Any, asked: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        shoal.anonymize(frame_of(sail), **{**ASKED, **asked})


def test_column_that_gives_another_away_is_refused(sail: Any) -> None:
    twin = PEOPLE.append_column("twin", PEOPLE["age"])
    with pytest.raises(PrivacyNotMet, match="'twin' gives 'age' away"):
        shoal.anonymize(frame_of(sail, twin), **{**ASKED, "keep": ["twin"]})


def test_infinite_numbers_and_no_rows_are_refused(sail: Any) -> None:
    endless = PEOPLE.set_column(3, "pay", pa.array([float("inf")] * ROWS))
    with pytest.raises(DataError, match="'pay' holds infinite"):
        shoal.anonymize(frame_of(sail, endless), **ASKED)
    with pytest.raises(DataError, match="no rows"):
        shoal.anonymize(sail.createDataFrame(PEOPLE).where("age > 100"), **ASKED)


def test_gate_bites_and_tells_no_cell(sail: Any) -> None:
    plan = Recipe.of(quasi=["age"], sensitive=["ill"], k=3, models=["l-diversity:l=2"]).plan()
    safe = pa.table({"age": ["[20, 40]"] * 3 + ["*"] * 3, "ill": ["flu", "gout", None] * 2})
    assert recounting.recounted(sail.createDataFrame(safe), plan).groups.sizes.tolist() == [3, 3]
    for row, why in ((["[20, 40]", "flu"], "rows"), (["*", "gout"], "different values")):
        unsafe = (
            safe.to_pylist()[:-1]
            if why == "rows"
            else [{**each, "ill": row[1]} for each in safe.to_pylist()]
        )
        with pytest.raises(PrivacyNotMet, match=why) as refused:
            recounting.recounted(sail.createDataFrame(pa.Table.from_pylist(unsafe)), plan)
        assert "gout" not in str(refused.value) and "[20" not in str(refused.value)
    with pytest.raises(DataError) as failed:
        jobs.collected(
            sail.createDataFrame(safe).selectExpr("cast(ill as int) / 0", "raise_error(ill)")
        )
    assert (
        "gout" not in str(failed.value)
        and "flu" not in str(failed.value)
        and failed.value.__cause__ is None
    )


def test_terminal_takes_folders(sail: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    parquet.write_table(PEOPLE, "people/one.parquet")
    asked = ("-q", "age,born", "-s", "ill", "-k", 5, "--effort", "low", "--engine", "spark")
    remote = ("--remote", ADDRESSES[sail.session_id])
    done = terminal.shoal("anonymize", "people", "-o", "released", *asked, *remote, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["rows"] == ROWS == parquet.read_table("released").num_rows
    shown = terminal.shoal("anonymize", "people", "-o", "again", *asked, *remote)
    assert (
        shown.code == 0
        and "2,000 people released" in shown.err
        and Path("again.certificate.json").exists()
    )
    for wrong, code in (((), 2), ((*remote, "--memory", "2GB"), 2), ((*remote, "-o", "people"), 2)):
        assert terminal.shoal("anonymize", "people", "-o", "third", *asked, *wrong).code == code
    assert terminal.shoal("anonymize", "nothing", "-o", "third", *asked, *remote).code == 3
    away = terminal.shoal(
        "anonymize", "people", "-o", "third", *asked, "--remote", "sc://127.0.0.1:1"
    )
    assert away.code == 3 and "no server" in away.err
    assert not Path("third").exists() and len(list(Path("people").iterdir())) == 1


def test_failed_write_leaves_nothing(
    sail: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = shoal.anonymize(frame_of(sail), **ASKED)

    def refuse(*given: object) -> None:
        raise PrivacyNotMet("recounted, and not safe")

    monkeypatch.setattr(writing, "recounted", refuse)
    with pytest.raises(PrivacyNotMet, match="not safe"):
        release.write(tmp_path / "released")
    assert not list(tmp_path.iterdir())


def test_exchanged_rows_are_found_by_their_hash(sail: Any, tmp_path: Path) -> None:
    found = shoal.anonymize(frame_of(sail), **ASKED)
    other = found.table.selectExpr(*jobs.quoted(NAMES[:5]), "4 - `group` as `group`")
    stated = found.certificate.public
    with (
        pytest.raises(ShoalError, match="does not hold the release"),
        writing.folder(other, found.recipe.plan(), stated, tmp_path / "released"),
    ):
        pass
    assert not list(tmp_path.iterdir())


def test_rows_too_many_for_one_task_have_no_hash(
    sail: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recounting, "MOST_MARKED", ROWS - 1)
    release = shoal.anonymize(frame_of(sail), **ASKED)
    assert (
        release.certificate.public.hash is None
        and UNMARKED in release.certificate.public.not_promised
    )
    release.write(tmp_path / "released")
    verified = shoal.verify(tmp_path / "released", release.certificate)
    assert verified.holds and ("hash of the rows", "not checkable") in [
        (item.what, item.status) for item in verified.items
    ]


def test_a_shard_divided_twice_gives_the_same_whatever_the_order(sail: Any) -> None:
    source = SparkSource.of(sail.createDataFrame(PEOPLE), plan := Recipe.of(**ASKED).plan())
    coded = source.coded().toArrow()
    shards, division = cutting.cut(source.table, source.coded(), plan, 3, 4)
    (batch,) = coded.combine_chunks().to_batches()
    part = pa.Table.from_batches(workers.sharding(shards, source.table)([batch]))
    part = part.filter(pa.compute.equal(part["shard"], 1))
    mixed = part.take(pa.array(np.random.default_rng(5).permutation(part.num_rows)))
    once, again = (workers.dividing(division)(rows).drop(["told"]) for rows in (part, mixed))
    assert once.equals(again) and once.num_rows == part.num_rows + 1
    lows = once["lo0"].to_pylist()[:-1]
    assert (
        sum(a > b for a, b in pairwise(lows)) > len(lows) / 20
    )  # groups come in no order that their boxes have


@pytest.mark.parametrize(
    "values",
    [
        pa.array([3, None, -(2**60)]),
        pa.array([0.1, 1e-300, 2.0]),
        pa.array([True, False]),
        pa.array(["", "a", None]),
        pa.array([1, None], pa.date32()),
        pa.array([1, 10**15 + 1], pa.timestamp("us", "UTC")),
        pa.array(["1.10", "-0.01"]).cast(pa.decimal128(9, 2)),
        pa.array([5], pa.time64("us")),
    ],
)
def test_values_come_back_from_texts(values: pa.Array) -> None:
    (batch,) = pa.table({"v": values}).to_batches()
    (counted,) = workers.counting({"v": values.type})([batch])
    assert batches.from_texts(counted["text"], values.type).equals(values) and set(
        counted["times"].to_pylist()
    ) == {1}
