"""`shoal compare` from outside: what it prints, writes, keeps and refuses."""

from __future__ import annotations

import csv
import io
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

from terminal import COMMAND, PATIENCE, in_house_form, shoal, snapshot

SMALL = ("-q", "age,town", "-s", "ill", "--methods", "k-member,mondrian:relaxed=true", "--k", "2,5")


def write_people(path: Path, rows: int = 40) -> Path:
    rng = np.random.default_rng(4)
    towns = rng.choice(["Zwischenahn", "Quedlinburg", "Xanten"], rows)
    table = pa.table(
        {"age": rng.integers(20, 90, rows), "town": towns, "ill": rng.choice(list("abc"), rows)}
    )
    arrow_csv.write_csv(table, path)
    return path


@pytest.fixture
def people(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_people(tmp_path / "people.csv")


def test_a_line_for_each_method_and_k(people):
    said = shoal("compare", people, *SMALL)
    assert said.code == 0
    best, _, head, *lines = said.out.splitlines()
    assert best.startswith("least is lost by ")
    assert "exact-cells" in head and "lost-cells" in head and "query-error" in head
    assert [line.split()[:2] for line in lines] == [
        ["k-member", "2"],
        ["k-member", "5"],
        ["mondrian(relaxed=true)", "2"],
        ["mondrian(relaxed=true)", "5"],
    ]


def test_a_method_plain_and_refined_beside_each_other(people):
    methods = "mondrian:relaxed=true,mondrian:relaxed=true+refine,mdav+refine"
    cells = shoal(
        "compare", people, "-q", "age,town", "--methods", methods, "--k", "5", "--json"
    ).json["cells"]
    assert [cell["method"] for cell in cells] == [
        "mondrian(relaxed=true)",
        "mondrian(relaxed=true)+refine",
        "mdav+refine",
    ]
    plain, refined, squares = cells
    assert refined["total-information-loss"] < plain["total-information-loss"]
    assert squares["refused"] == "squared error is minimized on numbers alone, and 'town' is none"
    said = shoal("compare", people, "-q", "age,town", "--methods", "mondriam+refine", "--k", "5")
    assert said.code == 2 and "mondrian" in said.err


def test_cells_are_kept_beside_and_read_again(people, tmp_path):
    first = shoal("compare", people, *SMALL, "--json").json
    kept = (tmp_path / "people.compare.jsonl").read_text()
    assert len(kept.splitlines()) == 4
    again = shoal("compare", people, *SMALL, "--json").json
    assert again == first  # CPU seconds among it: nothing was measured
    assert (tmp_path / "people.compare.jsonl").read_text() == kept
    assert first["rows"] == 40 and {cell["k"] for cell in first["cells"]} == {2, 5}


def test_a_table_and_a_chart_are_written_together(people, tmp_path):
    said = shoal(
        "compare",
        people,
        *SMALL,
        "-o",
        "figures.csv",
        "--plot",
        "figures.svg",
        "--plot-loss",
        "query-error",
    )
    assert said.code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "figures.csv").read_text())))
    assert len(rows) == 4 and float(rows[0]["total-information-loss"]) > 0
    drawn = (tmp_path / "figures.svg").read_text()
    assert "people.csv: query error" in drawn and "mondrian(relaxed=true)" in drawn


def test_the_table_may_go_to_standard_output(people):
    said = shoal("compare", people, *SMALL, "-o", "-")
    assert len(list(csv.DictReader(io.StringIO(said.out)))) == 4
    assert "k-member" in said.err


def test_refused_cells_do_not_stop_the_others(people):
    said = shoal("compare", people, "-q", "age,town", "--methods", "mdav", "--k", "2,41")
    assert said.code == 0
    assert "refused: mdav at k = 41: 40 rows" in said.out


def test_hierarchies_and_a_recipe_are_read(people, tmp_path):
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "town.csv").write_text(
        "Zwischenahn;north;*\nQuedlinburg;east;*\nXanten;east;*\n"
    )
    (tmp_path / "recipe.toml").write_text(
        '[roles]\nquasi = ["age", "town"]\n[grouping]\nseed = 9\n'
    )
    asked = ("--recipe", "recipe.toml", "--methods", "k-member", "--k", "20", "--json")
    flat = shoal("compare", people, *asked).json["cells"][0]
    tree = shoal("compare", people, *asked, "--hierarchies", "trees").json["cells"][0]
    assert flat["seed"] == tree["seed"] == 9
    assert (
        tree["lower-bound"] < flat["lower-bound"]
    )  # some towns are nearer than others now, and none is further


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--methods", "k-membr"), 2),
        (("--k", "2,five"), 2),
        (("--k", "0"), 2),
        (("--jobs", "0"), 2),
        (("--plot", "out.gif"), 2),
        (("--plot", "out.svg", "--plot-loss", "query-eror"), 2),
        (("-q", "shoe"), 2),
        (("--cells", "people.csv"), 2),
        (("--cells", "absent/cells.jsonl"), 3),
        (("-o", "absent/out.csv"), 3),
        (("-o", "people.csv"), 2),
        (("-o", "-", "--json"), 2),
        (("--hierarchies", "absent"), 3),
    ],
)
def test_wrong_calls_have_their_exit_code_and_leave_nothing_behind(people, tmp_path, args, code):
    before = snapshot(tmp_path)
    said = shoal("compare", people, *SMALL, *args)
    assert (said.code, in_house_form(said)) == (code, True), said.err
    assert snapshot(tmp_path) == before


def test_no_quasi_identifier_is_refused(people):
    assert shoal("compare", people, "--methods", "mdav", "--k", "2").code == 2


def test_a_file_that_is_not_there(tmp_path):
    assert shoal("compare", tmp_path / "nobody.csv", *SMALL).code == 3


def test_after_an_interruption_it_goes_on(tmp_path, monkeypatch):
    people = write_people(tmp_path / "people.csv", 2000)
    kept = tmp_path / "people.compare.jsonl"

    def asked(last: int, jobs: int) -> list[str]:
        ks = ",".join(map(str, range(2, last + 1)))
        words = ["compare", str(people), "-q", "age,town", "--methods", "k-member", "--k", ks]
        return [*words, "--jobs", str(jobs)]

    # far more cells than can be finished before the signal comes, on any machine
    running = subprocess.Popen(
        [*COMMAND, *asked(last=900, jobs=2)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (kept.exists() and kept.read_text().endswith("\n")) and running.poll() is None:
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out) == (130, "") and "people.compare.jsonl" in err
    finished = kept.read_text()
    done = len(finished.splitlines())
    assert 1 <= done < 899
    last = done + 5  # two cells at once: of the next ones, one at most is among the finished
    monkeypatch.chdir(tmp_path)
    again = shoal(*asked(last, jobs=1), "--json")
    assert again.code == 0 and len(again.json["cells"]) == last - 1
    assert kept.read_text().startswith(finished)
    assert len(kept.read_text().splitlines()) == last - 1
