"""A table with several rows about one person is refused at every door until someone says so."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.studio.words import in_words
from terminal import shoal as terminal
from terminal import snapshot, write

PEOPLE = 40
ASKED = {"quasi": ["age", "city"], "sensitive": ["ill"], "k": 3, "seed": 1, "effort": "low"}
FLAGS = ("-q", "age,city", "-s", "ill", "-k", 3, "--effort", "low")


def visits() -> pa.Table:
    of = [number * 7 % PEOPLE for number in range(3 * PEOPLE)]
    return pa.table(
        {
            "patient_id": [f"P{one:03}" for one in of],
            "age": [20 + one for one in of],
            "city": ["ab"[one % 2] for one in of],
            "ill": ["xyz"[number % 3] for number in range(3 * PEOPLE)],
        }
    )


def as_csv(table: pa.Table) -> str:
    rows = [table.column_names, *(list(map(str, row.values())) for row in table.to_pylist())]
    return "".join(",".join(row) + "\n" for row in rows)


@pytest.mark.parametrize("role", ["identifiers", None, "quasi", "keep"])
def test_in_whatever_role_the_column_is(role: str | None) -> None:
    asked = dict(ASKED)
    if role is not None:
        asked[role] = [*asked.get(role, []), "patient_id"]  # type: ignore[misc]
    with pytest.raises(PrivacyNotMet, match="120 rows are about 40 people"):
        shoal.anonymize(visits(), **asked)


@pytest.mark.parametrize(
    ("method", "memory"), [("shoal", None), ("nsvdist", None), ("shoal", "2GB")]
)
def test_in_every_flow_and_engine(method: str, memory: str | None) -> None:
    asked = {**ASKED, "method": method, "memory": memory}
    if method == "nsvdist":
        asked.pop("effort")
    with pytest.raises(PrivacyNotMet, match="groups of 3 rows may hold 1 person"):
        shoal.anonymize(visits(), **asked)
    release = shoal.anonymize(visits(), **asked, rows_are_persons=True)
    assert release.certificate.public.recipe["rows_are_persons"] is True


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames(kind: type) -> None:
    frame = kind(visits().to_pydict())
    with pytest.raises(PrivacyNotMet) as refusal:
        shoal.anonymize(frame, **ASKED)
    assert 'try: person="patient_id", or rows_are_persons=True' in str(refusal.value)
    assert shoal.anonymize(frame, **ASKED, person="patient_id").certificate.public.persons


def test_ids_that_are_categories() -> None:
    frame = visits().to_pandas().astype({"patient_id": "category"})
    with pytest.raises(PrivacyNotMet, match="120 rows are about 40 people"):
        shoal.anonymize(frame, **ASKED)


def test_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.csv", as_csv(visits()))
    before = snapshot(tmp_path)
    said = terminal("anonymize", "in.csv", "-o", "out.csv", *FLAGS)
    assert said.code == 4
    assert "count people, not rows (--person patient_id)" in said.err
    assert "say that each row is a person of their own (--rows-are-persons)" in said.err
    assert terminal("compare", "in.csv", "-q", "age,city", "--methods", "mondrian").code == 4
    assert snapshot(tmp_path) == before
    said = terminal("anonymize", "in.csv", "-o", "out.csv", *FLAGS, "--rows-are-persons")
    assert said.code == 0, said.err
    public = json.loads((tmp_path / "out.csv.certificate.json").read_text())
    assert public["recipe"]["rows_are_persons"] is True
    assert any("no two rows" in sentence for sentence in public["not promised"])
    assert terminal("verify", "out.csv", "out.csv.certificate.json").code == 0
    for more in ("--person", "patient_id"), ("--rows-are-persons",):
        flags = ("-q", "age,city", "--methods", "mondrian", "-k", 3, *more)
        assert terminal("compare", "in.csv", *flags).code == 0


def test_studio_says_where_to_go() -> None:
    with pytest.raises(PrivacyNotMet) as refusal:
        shoal.anonymize(visits(), **ASKED)
    words = in_words(refusal.value)
    assert "choose the column that says whose row it is (Roles, More)" in words
    assert "each row is a person of their own (Protection, More)" in words


def test_both_can_not_be_said() -> None:
    with pytest.raises(RecipeError, match="person can't be used with rows_are_persons"):
        shoal.anonymize(visits(), **ASKED, person="patient_id", rows_are_persons=True)


def test_a_household_is_a_warning() -> None:
    table = visits().rename_columns(["household_id", "age", "city", "ill"])
    with pytest.warns(shoal.ShoalWarning, match="'household_id' repeats in 120 of 120 rows"):
        release = shoal.anonymize(table, **ASKED)
    assert [note.kind for note in release.notices].count("repeated") == 1


def test_words_for_missing_are_nobody() -> None:
    table = visits().slice(0, PEOPLE)
    ids = [*table["patient_id"].to_pylist()[:30], *["nobody"] * 10]
    table = table.set_column(0, "patient_id", pa.array(ids))
    with pytest.raises(PrivacyNotMet, match="40 rows are about 31 people"):
        shoal.anonymize(table, **ASKED)
    assert shoal.anonymize(table, **ASKED, na=["nobody"]).table.num_rows == PEOPLE
    table = table.set_column(0, "patient_id", pa.array([*ids[:30], *["Unknown"] * 10]))
    assert shoal.anonymize(table, **ASKED).table.num_rows == PEOPLE


def test_inspection_suggests_the_person_and_its_command_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.csv", as_csv(visits()))
    inspection = shoal.inspect("in.csv")
    (person,) = (column for column in inspection.columns if column.role == "person")
    assert person.name == "patient_id"
    assert person.understood == "identifier, 40 people in 120 rows"
    assert inspection.people == PEOPLE
    command = shlex.split(inspection.command("in.csv"))
    assert command[command.index("--person") + 1] == "patient_id"
    assert terminal(*command[1:], "--effort", "low").code == 0
    called = inspection.call("in.csv")
    assert 'person="patient_id"' in called
    assert eval(called, {"shoal": shoal}).certificate.public.persons
    assert "120 rows about 40 people, 4 columns" in terminal("inspect", "in.csv").out


def test_inspection_asks_where_names_and_birth_dates_repeat(tmp_path: Path) -> None:
    of = [number * 7 % PEOPLE for number in range(3 * PEOPLE)]
    table = visits().drop_columns(["patient_id"])
    table = table.append_column("name", pa.array([f"Ann {'x' * one}" for one in of]))
    table = table.append_column("birth_date", pa.array([f"19{40 + one}-02-01" for one in of]))
    write(tmp_path / "in.csv", as_csv(table))
    inspection = shoal.inspect(tmp_path / "in.csv")
    assert inspection.repeated == ("name", "birth_date") and not inspection.names("person")
    said = terminal("inspect", tmp_path / "in.csv").out
    assert "several rows about one person?" in said and "--rows-are-persons" in said
    with pytest.raises(
        PrivacyNotMet, match="'name' and 'birth_date' together repeat in 120 of 120"
    ):
        shoal.anonymize(table, **ASKED, identifiers=["name", "birth_date"])


@pytest.mark.parametrize("levels", ["patient_id", ["ward", "patient_id"]])
def test_in_the_index_of_a_frame(levels: str | list[str]) -> None:
    """An index was left behind in silence, and groups of 3 rows held 1 person."""
    frame = visits().to_pandas().assign(ward="a").set_index(levels)
    with pytest.raises(PrivacyNotMet, match="120 rows are about 40 people"):
        shoal.anonymize(frame, **ASKED)
    release = shoal.anonymize(frame, **ASKED, person="patient_id")
    assert list(release.table.columns) == ["age", "city", "ill"]
