"""What a worker leaves behind of a run: the release with its papers, and both tables side by side
for the maker alone.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.adapters import files
from shoal.studio.work import task
from shoal.studio.work.anonymizing import laid_out
from shoal.studio.work.inspecting import opened
from shoal.studio.work.telling import Tell

TREE = {"north": ["Oslo", "Bergen"], "south": ["Rome", "Bari"]}
RECIPE: dict[str, Any] = {
    "quasi": ["age", "town"],
    "sensitive": ["ill"],
    "k": 4,
    "seed": 918_273_645,
    "hierarchies": {"town": TREE},
}


def people(rows: int = 200) -> pa.Table:
    rng = np.random.default_rng(8)
    towns = [town for towns in TREE.values() for town in towns]
    ill = rng.choice(["flu", "=cold", "gout"], rows)
    return pa.table({"age": rng.integers(0, 90, rows), "town": rng.choice(towns, rows), "ill": ill})


def done(work: str, **asked: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    said = io.StringIO()
    result = task(work)(Tell(said), **asked)
    return json.loads(json.dumps(result, allow_nan=False)), [
        json.loads(line) for line in said.getvalue().splitlines()
    ]


@pytest.fixture
def run(tmp_path: Path) -> dict[str, str]:
    laid_out(people(), tmp_path / "table.arrow")
    (tmp_path / "run").mkdir()
    return {"table": str(tmp_path / "table.arrow"), "folder": str(tmp_path / "run")}


def test_a_run_leaves_the_release_and_both_tables(run):
    result, said = done("anonymize", **run, recipe=RECIPE, name="people.csv")
    home = Path(run["folder"])
    assert sorted(path.name for path in home.iterdir()) == ["after.arrow", "handed", "marks.arrow"]
    after = opened(str(home / "after.arrow"))
    marks = opened(str(home / "marks.arrow"))
    assert after.num_rows == marks.num_rows == 200 and after.column_names == marks.column_names == [
        "age",
        "town",
        "ill",
    ]
    assert after["ill"].to_pylist() == people()["ill"].to_pylist() and not any(
        marks["ill"].to_pylist()
    )
    ages = zip(
        people()["age"].to_pylist(), after["age"].to_pylist(), marks["age"].to_pylist(), strict=True
    )
    assert all((str(before) != now) == marked for before, now, marked in ages)
    assert (
        result["k"] >= 4
        and result["facts"]["rows"]["in"] == 200
        and result["losses"]["height-share"] > 0
    )
    assert {one["name"] for one in said if one["says"] == "stage"} >= {
        "dividing into groups",
        "writing",
    }


def test_withheld_rows_say_so(run):
    asked = {**RECIPE, "withhold": 0.9, "method": "threshold:small=withhold"}
    result, _ = done("anonymize", **run, recipe=asked, name="people.csv")
    after = opened(str(Path(run["folder"]) / "after.arrow"))
    assert after["age"].to_pylist().count("(withheld)") == result["facts"]["rows"]["withheld"] > 0


def test_rows_with_boxes_of_their_own_are_shown_as_they_are_published(run):
    done(
        "anonymize", **run, recipe={**RECIPE, "method": "nsvdist", "models": []}, name="people.csv"
    )
    home = Path(run["folder"])
    assert not (home / "marks.arrow").exists()
    assert (
        opened(str(home / "after.arrow")).to_pydict()
        == files.read(home / "handed/public/released.parquet").to_pydict()
    )


def test_attacks_and_tasks_on_a_release(run):
    done("anonymize", **run, recipe=RECIPE, name="people.csv")
    found, _ = done("attack", **run, hierarchies=RECIPE["hierarchies"])
    assert found["holds"] and {"record-linkage", "homogeneity"} <= {
        one["name"] for one in found["attacks"]
    }
    assert all(one["meaning"] and one["words"] for one in found["attacks"])
    mined, said = done(
        "mine", **run, hierarchies=RECIPE["hierarchies"], tasks=["distributions", "queries"]
    )
    assert set(mined["utility"]) == {"distributions", "queries"} == set(mined["meanings"])
    assert [one["name"] for one in said if one["says"] == "stage"] == ["distributions", "queries"]


def test_every_form_is_packed_with_its_public_papers_alone(run):
    done("anonymize", **run, recipe={**RECIPE, "sensitive": []}, name="people.csv")
    for suffix in (".csv", ".parquet", ".arrow", ".csv"):
        made, _ = done("hand", folder=run["folder"], suffix=suffix)
        release = Path(made["folder"]) / "public" / f"released{suffix}"
        assert shoal.verify(release, f"{release}.certificate.json").holds
        with zipfile.ZipFile(made["archive"]) as archive:
            names = [release.name, f"{release.name}.certificate.json"]
            assert sorted(archive.namelist()) == sorted(
                [*names, "hierarchies/town.csv", "recipe.toml", "report.html"]
            )
            assert not any(b"918273645" in archive.read(name) for name in archive.namelist())


def test_a_release_with_formulas_does_not_become_csv(run):
    result, _ = done("anonymize", **run, recipe=RECIPE, name="people.csv")
    assert result["facts"]["formulas"] == {"ill": people()["ill"].to_pylist().count("=cold")}
    with pytest.raises(shoal.errors.DataError, match="would be run"):
        done("hand", folder=run["folder"], suffix=".csv")
    assert not (Path(run["folder"]) / "handed.csv").exists()
