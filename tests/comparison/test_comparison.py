"""Comparisons: every cell is what `anonymize` would give, finished ones are kept, and one that
fails spoils no other.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.comparison.accuracy import split
from shoal.comparison.cells import Bench, Cell, as_table, digest, grid, label, measures, named
from shoal.comparison.comparing import rows_of
from shoal.comparison.finished import Kept
from shoal.comparison.workers import ENDED, Crew, Worker, _free_memory, jobs_for, measured
from shoal.errors import DataError, RecipeError
from shoal.partition.method import Method
from shoal.partition.mondrian import Mondrian
from shoal.recipe import Recipe
from shoal.registry import names, version
from shoal.review import charts
from shoal.review.risks.risk import worst
from terminal import PATIENCE

QUASI = ("age", "town")
TOWNS = ["Zwischenahn", "Quedlinburg", "Xanten", "Ypern"]


def people(rows: int = 60, seed: int = 1) -> pa.Table:
    rng = random.Random(seed)
    towns = [rng.choice(TOWNS) for _ in range(rows)]
    return pa.table(
        {
            "age": [rng.randint(20, 90) for _ in range(rows)],
            "town": towns,
            "ill": [rng.choice("abc") for _ in range(rows)],
        }
    )


def recipe(**more) -> Recipe:
    return Recipe.of(quasi=QUASI, sensitive=["ill"], **more)


def cells(methods=("k-member", "mondrian"), ks=(2, 5), **more) -> list[Cell]:
    return grid(recipe(**more), methods, ks)


def test_one_scheme_for_all_rows_shows_what_it_costs_in_cells():
    """By hand: two rows of each age, and one row of another town, which costs all their town."""
    table = pa.table({"age": [20, 20, 21, 21, 22, 22, 23, 23], "town": ["a"] * 7 + ["b"]})
    every = as_table(
        [
            Bench(table).measure(cell).row
            for cell in grid(
                Recipe.of(quasi=["age", "town"]),
                ["shoal", "banded", "full-domain", "top-down"],
                [2],
            )
        ]
    ).to_pylist()
    rows = {row["method"]: row for row in every}
    assert all(row["refused"] is None and row["query-error"] is not None for row in every)
    # one town differs, so all towns are lost; every age stands
    assert rows["full-domain"]["exact-cells"] == 0.5
    assert rows["full-domain"]["lost-cells"] == 0.5
    # one pair loses its town; six rows stay as they are
    assert rows["shoal"]["exact-cells"] == 0.875
    assert rows["shoal"]["lost-cells"] == 0.125


def test_cells_that_are_averages_have_no_share_of_exact_ones():
    row = Bench(people()).measure(cells(["k-member"], [5], publish="centre")[0]).row
    assert row["exact-cells"] is None and row["lost-cells"] is None


def without_time(rows) -> list[dict]:
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


# what is typed


def test_all_methods_are_all_methods():
    assert named(["all"]) == list(names(Method))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["k-member,mondrian"], ["k-member", "mondrian"]),
        (["k-member", "mondrian"], ["k-member", "mondrian"]),
        (["mondrian:relaxed=true,mdav"], ["mondrian:relaxed=true", "mdav"]),
        (["sequential:restarts=2,cycles=3,mdav"], ["sequential:restarts=2,cycles=3", "mdav"]),
        (["sequential(restarts=2, cycles=3), mdav"], ["sequential(restarts=2, cycles=3)", "mdav"]),
        ([" mdav ,,"], ["mdav"]),
    ],
)
def test_parameters_stay_with_their_method(typed, meant):
    assert named(typed) == meant


@pytest.mark.parametrize("method", ["nsvdist", "nsvdist:l=2"])
def test_boxes_of_rows_are_not_compared_by_groups(method):
    with pytest.raises(
        RecipeError,
        match=rf"'{method}' gives each row a box of its own(.*\n)*  try: shoal\.anonymize",
    ):
        grid(recipe(), ["mondrian", method], [2])


def test_a_label_shows_what_was_asked_for():
    assert [label(text) for text in ("mdav", "mondrian:relaxed=true")] == [
        "mdav",
        "mondrian(relaxed=true)",
    ]


def test_unknown_names_are_refused_together():
    with pytest.raises(RecipeError) as refusal:
        cells(["k-membr", "mondrian:relaxd=true", "mdav"])
    assert "k-member" in str(refusal.value) and "relaxed" in str(refusal.value)


@pytest.mark.parametrize(
    ("methods", "ks"), [([], [2]), (["mdav"], []), (["mdav"], [0]), (["mdav"], ["five"])]
)
def test_an_empty_or_impossible_grid_is_refused(methods, ks):
    with pytest.raises(RecipeError):
        cells(methods, ks)


@pytest.mark.parametrize(
    "asked", [{"quasi": ["shoe"]}, {"quasi": ["age"], "sensitive": ["age"]}, {"quasi": []}]
)
def test_what_no_cell_could_survive_is_refused_at_once(asked, tmp_path):
    with pytest.raises(RecipeError):
        rows_of(
            people(), grid(Recipe.of(**asked), ["mdav"], [2]), kept=Kept(tmp_path / "cells.jsonl")
        )
    assert list(tmp_path.iterdir()) == []


# figures


def test_a_cell_is_what_anonymize_gives():
    row = rows_of(people(), cells(["k-member"], [4], seed=7))[0]
    release = shoal.anonymize(
        people(), quasi=QUASI, sensitive=["ill"], k=4, method="k-member", seed=7
    )
    assert {name: row[name] for name in release.losses} == dict(release.losses)
    assert {name: row[name] for name in release.risks["after"]} == {
        name: worst(figure) for name, figure in release.risks["after"].items()
    }
    sizes = np.bincount(release.groups)
    assert (row["groups"], row["smallest-group"], row["median-group"], row["largest-group"]) == (
        len(sizes),
        sizes.min(),
        np.median(sizes),
        sizes.max(),
    )
    assert row["seconds"] >= 0 and "refused" not in row


def test_one_row_for_each_method_and_k_in_order():
    found = as_table(rows_of(people(), cells(["mondrian", "mdav"], [5, 2])))
    assert list(zip(found["method"].to_pylist(), found["k"].to_pylist(), strict=True)) == [
        ("mondrian", 5),
        ("mondrian", 2),
        ("mdav", 5),
        ("mdav", 2),
    ]
    assert set(measures()) < set(found.column_names)


def test_a_refused_cell_is_a_row_with_the_reason():
    found = as_table(rows_of(people(8), cells(["mdav"], [2, 9]))).to_pylist()
    assert found[0]["refused"] is None and found[0]["total-information-loss"] is not None
    assert (
        "9" in found[1]["refused"]
        and found[1]["groups"] is None
        and found[1]["total-information-loss"] is None
    )


def test_a_loss_that_some_methods_can_not_minimize_refuses_only_these():
    found = rows_of(people(), cells(["k-member", "mdav"], [3], loss="squared-error"))
    assert [("refused" in row) for row in found] == [True, False]


def test_a_fault_costs_one_cell_and_is_not_kept(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("Zwischenahn")

    monkeypatch.setattr(Mondrian, "_divide", broken)
    kept = Kept()
    found = rows_of(people(), cells(), kept=kept)
    assert [row.get("refused") for row in found] == [
        None,
        None,
        *["a fault of ours: ZeroDivisionError"] * 2,
    ]
    assert len(kept.rows) == 2


# side by side


def test_processes_find_what_one_process_finds():
    grid_of = cells(["k-member", "mondrian", "mdav"], [2, 5, 99])
    alone, together = (rows_of(people(), grid_of, jobs=jobs) for jobs in (1, 2))
    assert without_time(alone) == without_time(together)
    assert "refused" in alone[2]


def test_a_process_that_ends_costs_one_cell(monkeypatch):
    def measure(worker, cell, measured=Worker.measure):
        if cell.recipe.k == 4:
            worker._process.kill()
        return measured(worker, cell)

    monkeypatch.setattr(Worker, "measure", measure)
    crew = Crew(people(), cells(["k-member"], [2, 3, 4, 5, 6]))
    crew.start(1)
    found = [crew.next() for _ in range(5)]
    crew.stop()
    ended = [finding.row["refused"] for _, finding in found if not finding.lasting]
    assert ended == [ENDED] and {cell.recipe.k for cell, _ in found} == {2, 3, 4, 5, 6}


def test_who_stops_listening_ends_all_processes():
    findings = measured(people(), cells(["k-member"], list(range(2, 40))), 2)
    next(findings)
    crew = findings.gi_frame.f_locals["crew"]
    findings.close()
    assert crew._workers and all(worker._process.poll() is not None for worker in crew._workers)


def test_a_worker_that_is_gone_says_nothing():
    worker = Worker(people())
    worker.end()
    assert worker.measure(cells()[0]) is None


@pytest.mark.parametrize("jobs", [0, -1])
def test_no_workers_is_refused(jobs):
    with pytest.raises(RecipeError):
        rows_of(people(), cells(), jobs=jobs)


def test_small_work_is_not_worth_a_process():
    assert jobs_for(people(), 4) == 1


def test_memory_limits_the_number_of_workers(monkeypatch):
    long = pa.table({"age": np.arange(100_000)})
    monkeypatch.setattr("shoal.comparison.workers.processors", lambda: 64)
    monkeypatch.setattr("shoal.comparison.workers._free_memory", lambda: 2**30)
    assert 1 < jobs_for(long, 64) < 4
    monkeypatch.setattr("shoal.comparison.workers._free_memory", lambda: 1)
    assert jobs_for(long, 64) == 1
    monkeypatch.setattr("shoal.comparison.workers._free_memory", lambda: 2**50)
    assert (jobs_for(long, 64), jobs_for(long, 3)) == (64, 3)


def test_free_memory_is_what_the_narrowest_limit_leaves(tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal:  99 kB\nMemAvailable:   64 kB\nSwapFree: 0 kB\n")
    (tmp_path / "limit").write_text("4096\n")
    (tmp_path / "none").write_text("max\n")
    assert _free_memory(str(tmp_path / "meminfo"), str(tmp_path / "limit")) == 4096
    assert _free_memory(str(tmp_path / "meminfo"), str(tmp_path / "none")) == 65536
    assert _free_memory(str(tmp_path / "absent"), str(tmp_path / "absent")) > 2**20


# what is kept


def test_finished_cells_are_not_measured_again(tmp_path):
    place = tmp_path / "cells.jsonl"
    first = rows_of(people(), cells(), kept=Kept(place))
    marked = [{**json.loads(line), "groups": -7} for line in place.read_text().splitlines()]
    place.write_text("".join(json.dumps(entry) + "\n" for entry in marked[:3]))
    again = rows_of(people(), cells(), kept=Kept(place))
    assert [row["groups"] for row in again] == [-7, -7, -7, first[3]["groups"]]
    assert len(place.read_text().splitlines()) == 4


def test_refusals_are_kept_too(tmp_path):
    place = tmp_path / "cells.jsonl"
    found = rows_of(people(8), cells(["mdav"], [9]), kept=Kept(place))
    assert list(Kept(place).rows.values()) == found


def test_no_value_of_the_table_is_kept(tmp_path):
    place = tmp_path / "cells.jsonl"
    rows_of(people(), cells(["k-member"], [2, 99]), kept=Kept(place))
    assert not [
        secret
        for secret in (*TOWNS, "town", "age")
        if secret in place.read_text().replace("average", "")
    ]


def test_a_line_that_was_cut_off_is_measured_again(tmp_path):
    place = tmp_path / "cells.jsonl"
    first = rows_of(people(), cells(), kept=Kept(place))
    place.write_text(place.read_text()[:-40])
    kept = Kept(place)
    assert len(kept.rows) == 3
    assert without_time(rows_of(people(), cells(), kept=kept)) == without_time(first)
    assert len(Kept(place).rows) == 4


@pytest.mark.parametrize("content", [b"age,town\n31,Oslo\n", b"{}\n", b"\xff\xfe\x00", b"[1]\n"])
def test_a_foreign_file_is_left_alone(tmp_path, content):
    place = tmp_path / "people.csv"
    place.write_bytes(content)
    with pytest.raises((RecipeError, DataError)):
        Kept(place)
    assert place.read_bytes() == content


def test_a_folder_that_is_not_there_is_refused_before_the_work(tmp_path):
    with pytest.raises(DataError):
        Kept(tmp_path / "absent" / "cells.jsonl")


def test_a_key_changes_with_all_that_changes_figures(tmp_path, monkeypatch):
    tree = tmp_path / "town.csv"
    tree.write_text("".join(f"{town};*\n" for town in TOWNS))

    def key(method="sequential", k=2, **more) -> str:
        return cells([method], [k], hierarchies={"town": str(tree)}, **more)[0].key("table")

    first = key()
    others = [
        key(k=3),
        key(seed=2),
        key(method="sequential:restarts=2"),
        key(method="mdav"),
        key(withhold=0.1),
    ]
    others.append(
        cells(["sequential"], [2], hierarchies={"town": str(tree)})[0].key("another table")
    )
    tree.write_text("".join(f"{town};north;*\n" for town in TOWNS))
    others.append(key())
    monkeypatch.setattr("shoal.registry.version", lambda: f"{version()}.1")
    others.append(key())
    assert len({first, *others}) == len(others) + 1


def test_a_key_stays_when_a_hierarchy_moves_or_a_default_is_spelled_out(tmp_path):
    keys = set()
    for name, method in (("here", "sequential"), ("there", "sequential:restarts=1")):
        (tmp_path / name).write_text("".join(f"{town};*\n" for town in TOWNS))
        keys.add(cells([method], [2], hierarchies={"town": str(tmp_path / name)})[0].key("table"))
    assert len(keys) == 1


def test_a_digest_tells_values_order_missing_ones_and_names():
    table = people(9)
    others = [
        people(9, seed=2),
        table.take([*range(1, 9), 0]),
        table.rename_columns(["age", "city", "ill"]),
        table.set_column(0, "age", pa.array([None, *table["age"].to_pylist()[1:]], pa.int64())),
        table.set_column(0, "age", table["age"].cast(pa.string())),
    ]
    found = [digest(other, other.column_names) for other in [table, *others]]
    assert len(set(found)) == len(found)
    chunked = pa.concat_tables([table.slice(0, 4), table.slice(4)])
    assert digest(chunked, chunked.column_names) == found[0]


# the public door


def test_the_same_kind_of_frame_comes_out(tmp_path):
    asked = {"quasi": QUASI, "methods": "mondrian", "k": 3}
    arrow = shoal.compare(people(), **asked)
    assert isinstance(arrow, pa.Table) and arrow.num_rows == 1
    frame = shoal.compare(people().to_pandas(), **asked)
    assert (
        isinstance(frame, pd.DataFrame) and frame["groups"].tolist() == arrow["groups"].to_pylist()
    )
    assert isinstance(shoal.compare(pl.from_arrow(people()), **asked), pl.DataFrame)
    people().to_pandas().to_csv(tmp_path / "people.csv", index=False)
    assert isinstance(shoal.compare(str(tmp_path / "people.csv"), **asked), pa.Table)


def test_methods_may_be_objects_and_the_seed_is_one_by_default():
    found = shoal.compare(
        people(), quasi=QUASI, methods=[shoal.methods.Mondrian(relaxed=True), "mdav"], k=[2]
    )
    assert found["method"].to_pylist() == ["mondrian(relaxed=true)", "mdav"]
    assert found["seed"].to_pylist() == [1, 1]


def test_progress_ends_at_all(tmp_path):
    shares: list[float] = []
    shoal.compare(people(), quasi=QUASI, methods=["mondrian"], k=[2, 3], progress=shares.append)
    assert shares == [0.0, 0.5, 1.0]


def test_a_script_without_a_guard_runs_once(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(
        "import pyarrow as pa, shoal\nprint('once')\n"
        "found = shoal.compare(pa.table({'age': list(range(9))}), quasi=['age'], "
        "methods=['mondrian'], k=[2, 3], jobs=2)\n"
        "print(found['groups'].to_pylist())\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout == "once\n[4, 2]\n"


# charts


def figures() -> list[dict]:
    return as_table(rows_of(people(), cells(["k-member", "mondrian"], [2, 5, 99]))).to_pylist()


def test_a_chart_names_table_loss_and_methods():
    svg = charts.drawn(
        charts.comparison(figures(), "query-error", "people.csv", "60 rows"), "svg"
    ).decode()
    texts = {
        text for element in ElementTree.fromstring(svg).iter() for text in [element.text or ""]
    }
    assert {"people.csv: query error", "60 rows", "k-member", "mondrian", "2", "5"} <= texts


@pytest.mark.parametrize(("kind", "mark"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_charts_come_in_other_formats(kind, mark):
    assert charts.drawn(
        charts.comparison(figures(), "total-information-loss", "people.csv"), kind
    ).startswith(mark)


def test_series_differ_in_colour_and_shape_beyond_the_palette():
    rows = [{"method": f"m{i}"} for i in range(40)]
    looks = charts._looks(rows, "method")
    pairs = list(
        zip(*(looks[name].to_dict()["scale"]["range"] for name in ("color", "shape")), strict=True)
    )
    assert len(set(pairs)) == 40


def test_nothing_to_draw_is_refused():
    with pytest.raises(RecipeError):
        charts.comparison(
            [{"method": "mdav", "k": 9, "refused": "no"}], "query-error", "people.csv"
        )


def test_absent_packages_have_a_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(RecipeError, match=r"shoal\[report\]"):
        charts.check_drawable("out.svg")


def test_a_bench_warms_up_each_method_once():
    bench = Bench(people())
    for cell in cells(["mondrian", "mdav"], [2, 3]):
        bench.measure(cell)
    assert bench._warm == {"mondrian False", "mdav False"}  # and whether they are refined


def workers_and_pay(rows: int = 240) -> pa.Table:
    """People whose pay follows from their age."""
    rng = np.random.default_rng(3)
    ages = rng.integers(20, 60, rows)
    towns = rng.choice(["Oslo", "Rome"], rows)
    pay = np.where(ages < 40, "low", "high")
    return pa.table({"age": ages, "town": towns, "pay": pay, "who": np.arange(rows) // 2})


def test_a_classifier_learns_from_each_release_where_that_is_asked_for():
    asked = {"quasi": ["age", "town"], "sensitive": ["pay"], "k": 5, "jobs": 1}
    methods = ["mondrian", "full-domain:at_least=[age=4]"]
    compared = shoal.compare(
        workers_and_pay(), methods=methods, **asked, class_column="pay"
    ).to_pylist()
    fine, coarse = compared
    assert fine["accuracy-original"] == coarse["accuracy-original"] > 0.95
    assert fine["accuracy-commonest"] == coarse["accuracy-commonest"] < 0.7
    assert fine["accuracy"] > 0.9 > coarse["accuracy"]
    plain = shoal.compare(workers_and_pay(), methods="mondrian", **asked)
    assert "accuracy" not in plain.column_names


def test_what_a_classifier_can_not_learn_is_refused_before_any_work(monkeypatch):
    asked = {"quasi": ["age"], "methods": "mondrian", "k": 5, "jobs": 1}
    with pytest.raises(RecipeError, match="'pay' is to be predicted, but it is not published"):
        shoal.compare(workers_and_pay(), **asked, class_column="pay")
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(RecipeError, match="scikit-learn") as refused:
        shoal.compare(workers_and_pay(), **asked, class_column="age")
    assert "shoal[mining]" in str(refused.value)


def test_rows_of_a_person_are_learnt_from_or_tested():
    table = workers_and_pay()
    inside, outside = split(table, "who")
    assert inside.num_rows + outside.num_rows == 240 and inside.num_rows == 160
    assert not {*inside["who"].to_pylist()} & {*outside["who"].to_pylist()}
    named = table.set_column(3, "who", pa.nulls(240, pa.string()))
    assert [part.num_rows for part in split(named, "who")] == [160, 80]
