"""A table larger than memory: the same release as in shards at one go, nothing left on disk, and a
gate that bites.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as parquet
import pytest

import shoal
from on_disk import write_streamed
from shoal.adapters import files
from shoal.adapters.part_writer import PartWriter
from shoal.engines import ordering
from shoal.engines import profiles as values
from shoal.engines.disk import memory, writing
from shoal.engines.local import LocalEngine
from shoal.errors import DataError, PrivacyNotMet, RecipeError, ShoalError
from shoal.flows.groups import run
from shoal.groups import Groups
from shoal.recipe import Recipe
from shoal.review.certificate import as_json

RNG = np.random.default_rng(8)
# five shards are asked for, as some will be larger than others
ROWS = 3000
AT_ONCE = 1000
SHARDS = 5
PEOPLE = pa.table(
    {
        "age": pa.array(RNG.integers(20, 80, ROWS)),
        "city": pa.array(
            RNG.choice(["Oslo", "Rome", "Bonn", "07", None], ROWS, p=[0.3, 0.3, 0.2, 0.1, 0.1])
        ),
        "born": pa.array(np.datetime64("1960-01-01") + RNG.integers(0, 9000, ROWS)),
        "pay": pa.array(RNG.choice([1.5, -0.0, 0.0, 20.0, None], ROWS)),
        "ill": pa.array(RNG.choice(["flu", "gout", "a, b", None], ROWS)),
        "ward": pa.array(RNG.integers(0, 5, ROWS)),
        "name": pa.array([f"n{i}" for i in range(ROWS)]),
    }
)
ASKED = {
    "quasi": ["age", "city", "born"],
    "sensitive": ["ill", "pay"],
    "keep": ["ward"],
    "k": 4,
    "seed": 3,
    "effort": "low",
}
MODELS = ["l-diversity:l=2", "t-closeness:t=0.6", "beta-likeness:beta=4"]


@pytest.fixture(autouse=True)
def _few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little memory, small parts."""
    monkeypatch.setattr(values, "PENDING", 50)
    monkeypatch.setattr(writing, "AT_ONCE", 130)


def streamed(
    tmp_path: Path, ending: str = "parquet", rows: int = AT_ONCE, **asked: object
) -> tuple[Path, shoal.Release]:
    """The release of the people in a file."""
    source = tmp_path / f"people.{ending}"
    place = tmp_path / f"released.{ending}"
    if ending == "csv":
        csv.write_csv(PEOPLE, source)
    else:
        parquet.write_table(PEOPLE, source, row_group_size=170)
    return place, write_streamed(source, place, Recipe.of(**{**ASKED, **asked}), rows)


def left(tmp_path: Path) -> list[str]:
    """What lies in the folder beside the input."""
    return sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("people"))


@pytest.mark.parametrize("models", [[], MODELS])
def test_release_is_that_of_the_same_shards_at_one_go(tmp_path: Path, models: list[str]) -> None:
    place, outcome = streamed(tmp_path, models=models)
    whole = run(PEOPLE, Recipe.of(**ASKED, models=models), LocalEngine(shards=SHARDS))
    assert files.read(place).equals(whole.table)
    notes = outcome.certificate.private.notes
    assert (
        "divided in 5 shards" in notes and "divided in 5 shards" in whole.certificate.private.notes
    )
    assert as_json(outcome.certificate.public) == as_json(whole.certificate.public)
    assert outcome.losses == pytest.approx({name: whole.losses[name] for name in outcome.losses})
    assert {"total-information-loss", "published-leaf-share"} <= set(outcome.losses)
    sizes = outcome.certificate.private.group_sizes
    assert sum(sizes.values()) == whole.groups.count


def test_csv_goes_through_like_parquet(tmp_path: Path) -> None:
    place, outcome = streamed(tmp_path, "csv")
    texts = files.read(place, typed=False)
    other, there = streamed(tmp_path)
    assert texts.equals(files.read(other, typed=False))
    assert outcome.certificate.public.hash == there.certificate.public.hash


def test_what_fits_is_divided_in_one_piece(tmp_path: Path) -> None:
    place, outcome = streamed(tmp_path, rows=ROWS)
    assert files.read(place).equals(run(PEOPLE, Recipe.of(**ASKED), LocalEngine()).table)
    assert not any("shards" in note for note in outcome.certificate.private.notes)


def test_only_release_and_certificates_stay(tmp_path: Path) -> None:
    streamed(tmp_path)
    assert left(tmp_path) == [
        "released.parquet",
        "released.parquet.certificate.json",
        "released.parquet.private.json",
    ]
    public = json.loads((tmp_path / "released.parquet.certificate.json").read_text())
    assert public["rows"] == ROWS and public["k"] >= 4 and "seed" not in json.dumps(public)


@pytest.mark.parametrize("trouble", [KeyboardInterrupt, ValueError, OSError])
def test_nothing_stays_where_something_goes_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: type[BaseException]
) -> None:
    seen = []

    def fail(*_: object) -> None:
        spilled = next(tmp_path.glob(".*.spill"))
        seen.append(spilled.stat().st_mode & 0o777)
        raise trouble

    monkeypatch.setattr(ordering, "combined", fail)
    with pytest.raises(trouble):
        streamed(tmp_path)
    assert left(tmp_path) == [] and seen == [0o700]


def test_gate_refuses_what_was_written_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = PartWriter.__call__

    def careless(growing: PartWriter, part: pa.Table) -> None:
        honest(
            growing, part.set_column(0, "age", pa.array(["[0, 1]", *part["age"].to_pylist()[1:]]))
        )

    monkeypatch.setattr(PartWriter, "__call__", careless)
    with pytest.raises(PrivacyNotMet, match="fewer than 4 rows"):
        streamed(tmp_path)
    assert left(tmp_path) == []


def test_gate_judges_models_by_the_counts_of_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.engines.disk.dividing.divided_shard", _as_if_nothing_was_promised)
    with pytest.raises(PrivacyNotMet, match="t-closeness"):
        streamed(tmp_path, models=["t-closeness:t=0.2"])


def _as_if_nothing_was_promised(rows, plan, elsewhere, seed, watch):
    return Groups.of(np.minimum(np.arange(rows.count) // 4, rows.count // 4 - 1))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"keep_order": True}, "keep_order"),
        ({"publish": "bounds", "quasi": ["age"], "keep": ["ward"]}, 'publish="bounds"'),
        ({"weight": "ward", "keep": []}, "weight"),
        ({"k": 1}, "k=1"),
        ({"quasi": ["agee"]}, "agee"),
    ],
)
def test_what_can_not_be_done_in_parts_is_refused_first(
    tmp_path: Path, asked: dict[str, object], said: str
) -> None:
    with pytest.raises(RecipeError, match=said):
        streamed(tmp_path, **asked)
    assert left(tmp_path) == []


def test_promises_that_no_rows_can_keep_are_refused_with_what_could_be(tmp_path: Path) -> None:
    with pytest.raises(PrivacyNotMet, match="all rows together") as refusal:
        streamed(tmp_path, models=["l-diversity:l=9"])
    assert refusal.value.facts["reachable"] == "l-diversity:l=3"


def test_column_that_gives_another_away_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PrivacyNotMet, match="of 'name' are held by fewer than"):
        streamed(tmp_path, keep=["name"])
    monkeypatch.setattr("shoal.review.prechecks.entropy.SAMPLE", 400)
    twice = PEOPLE.append_column("twice", pa.array(2 * np.asarray(PEOPLE["age"])))
    parquet.write_table(twice, tmp_path / "people2.parquet")
    with pytest.raises(PrivacyNotMet, match="'twice' gives 'age' away"):
        write_streamed(
            tmp_path / "people2.parquet",
            tmp_path / "out.csv",
            Recipe.of(**{**ASKED, "keep": ["twice"]}),
            AT_ONCE,
        )


def test_too_many_values_for_the_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "BYTES", 160_000)
    with pytest.raises(DataError, match="'born' has too many different values"):
        streamed(tmp_path)


def test_shard_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    lonely = PEOPLE.set_column(4, "ill", pa.array(np.where(np.arange(ROWS) < 20, "rare", "flu")))
    parquet.write_table(
        lonely.filter(pa.array(np.asarray(PEOPLE["age"]) > 0)), tmp_path / "people3.parquet"
    )
    asked = {**ASKED, "sensitive": ["ill"], "models": ["t-closeness:t=0.001"]}
    with pytest.raises(DataError, match="can't be cut into shards"):
        write_streamed(
            tmp_path / "people3.parquet", tmp_path / "out.csv", Recipe.of(**asked), AT_ONCE
        )


def test_little_memory_is_refused() -> None:
    with pytest.raises(RecipeError, match="too little"):
        memory.rows_at_once(10**8, Recipe.of(**ASKED))
    assert memory.rows_at_once(2 * 10**9, Recipe.of(**ASKED)) > 10**6


def test_strangers_are_refused(tmp_path: Path) -> None:
    recipe = Recipe.of(**ASKED)
    for source, place, kind in [("-", "out.csv", RecipeError), ("none.csv", "out.csv", DataError)]:
        with pytest.raises(kind):
            write_streamed(source, tmp_path / place, recipe, AT_ONCE)
    with (
        pa.OSFile(str(tmp_path / "people.arrow"), "wb") as sink,
        pa.ipc.new_file(sink, PEOPLE.schema) as writer,
    ):
        writer.write_table(PEOPLE)
    with pytest.raises(ShoalError, match="part by part"):
        write_streamed(tmp_path / "people.arrow", tmp_path / "out.csv", recipe, AT_ONCE)
