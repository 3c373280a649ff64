"""Canaries: tables whose every cell is marked. No mark is ever seen outside a release, whatever
goes wrong.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import traceback
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as door
from shoal.errors import ShoalError
from terminal import shoal

ROWS = 40
NUMBER = 730_157
DAY = dt.date(1907, 3, 1)
MARKS = ("canary", "Canary", "7301", "1907-0", "1907/", str((DAY - dt.date(1970, 1, 1)).days)[:4])


def marked() -> pa.Table:
    return pa.table(
        {
            "name": [f"Canary {i}" for i in range(ROWS)],
            "age": [NUMBER + i * i % 23 for i in range(ROWS)],
            "weight": [NUMBER + i * i % 19 / 8 for i in range(ROWS)],
            "born": [DAY + dt.timedelta(days=i % 29) for i in range(ROWS)],
            "city": [f"canary{'abcdef'[i * 5 % 6]}" for i in range(ROWS)],
            "code": [f"7301{i % 7}" for i in range(ROWS)],
            "gap": [None if i % 4 else f"canary{i}" for i in range(ROWS)],
            "ill": [f"canary{'wxyz'[i * i % 11 % 4]}" for i in range(ROWS)],
        }
    )


QUASI = "age,weight,born,city,code"
TREE = {"canaryland": ["canarya", "canaryb", "canaryc"]}


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    pq.write_table(marked(), "t.parquet")
    lines = [
        ",".join(marked().column_names),
        *(",".join(str(v) for v in row.values()) for row in marked().to_pylist()),
    ]
    Path("t.csv").write_text("\n".join(lines) + "\n")
    Path("ragged.csv").write_text("\n".join(lines[:5]) + ",canary\n")
    Path("open.csv").write_text("\n".join(lines[:5]) + '\n"canary\n')
    Path("latin.csv").write_bytes(("\n".join(lines) + "\ncanaryü").encode("latin-1"))
    Path("mixed.csv").write_text("age\n730157\n730158\ncanary\n")
    Path("wide.csv").write_text("age\n730157\n730158e400\ninf\n")
    Path("city.csv").write_text("oslo;*\n")
    Path("broken.parquet").write_bytes(Path("t.parquet").read_bytes()[:-40] + b"canary")
    return tmp_path


def silent(text: str) -> None:
    # a mark begins its number: inside a hash or behind a point it stands by chance
    assert not [mark for mark in MARKS if re.search(rf"(?<![0-9a-f.]){re.escape(mark)}", text)], (
        text
    )


def anonymize(
    *options: object, source: str = "t.parquet", quasi: str = QUASI, k: int = 4
) -> tuple[object, ...]:
    return ("anonymize", source, "-o", "out.csv", "-q", quasi, "-k", k, *options)


REFUSALS = {
    "k": (4, anonymize(k=99)),
    "l": (4, anonymize("-s", "ill", "--model", "l-diversity:l=9")),
    "unknown column": (2, anonymize(quasi="canaryy")),
    "kept name": (4, anonymize("--keep", "name")),
    "sensitive name": (4, anonymize("-s", "name")),
    "missing": (3, anonymize("--missing", "refuse", quasi="gap")),
    "no leaf": (3, anonymize("--hierarchy", "city=city.csv")),
    "masks of words": (3, anonymize("--hierarchy", "city=masks:length=3")),
    "masks of floats": (3, anonymize("--hierarchy", "weight=masks:length=3")),
    "intervals of words": (3, anonymize("--hierarchy", "city=intervals:width=5")),
    "narrow edges": (3, anonymize("--hierarchy", "age=intervals:edges=[0;1]")),
    "edges of days": (2, anonymize("--hierarchy", "born=intervals:edges=[0;1]")),
    "narrow width": (2, anonymize("--hierarchy", "weight=intervals:width=1e-300")),
    "dates of words": (3, anonymize("--hierarchy", "city=dates")),
    "dates of numbers": (3, anonymize("--hierarchy", "age=dates")),
    "ragged": (3, anonymize(source="ragged.csv")),
    "open quote": (3, anonymize(source="open.csv")),
    "latin": (3, anonymize(source="latin.csv")),
    "mixed": (3, anonymize(source="mixed.csv", quasi="age")),
    "infinite": (3, anonymize(source="wide.csv", quasi="age", k=1)),
    "broken": (3, anonymize(source="broken.parquet")),
    "audit": (
        4,
        (
            "audit",
            "t.csv",
            "-q",
            QUASI,
            "-s",
            "ill",
            "--require",
            "k=5",
            "--require",
            "l-diversity:l=3",
        ),
    ),
    "verify": (3, ("verify", "t.csv", "t.csv")),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_at_the_terminal(folder, case):
    code, args = REFUSALS[case]
    said = shoal(*args)
    assert said.code == code, said.err
    silent(said.err.replace("'canaryy'", "") + said.out)  # the name that was typed may be repeated


@pytest.mark.parametrize("case", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("publish", ["snapped", "tight", "bounds", "centre"])
def test_a_release_shows_marks_in_its_table_alone(folder, case, publish):
    said = shoal(*anonymize("-s", "ill", "-i", "name", "--publish", publish, "--json", source=case))
    assert said.code == 0
    assert "canary" in Path("out.csv").read_text()
    for text in (
        said.out,
        said.err,
        Path("out.csv.certificate.json").read_text(),
        Path("out.csv.private.json").read_text(),
    ):
        silent(text)
    shown = [
        shoal("verify", "out.csv", "out.csv.certificate.json"),
        shoal("inspect", case),
        shoal("audit", case, "-q", QUASI),
    ]
    for said in shown:
        assert said.code == 0
        silent(said.out + said.err)


def test_labels_of_a_hierarchy_are_configuration_and_values_are_not(folder):
    said = shoal(*anonymize("--hierarchy", "city=flat", "--save-recipe", "saved.toml"))
    assert said.code == 0
    silent(Path("saved.toml").read_text())
    with pytest.raises(ShoalError) as refusal:
        door.anonymize(marked(), quasi="city", hierarchies={"city": TREE})
    assert "3 of 6 values" in str(refusal.value)
    silent(str(refusal.value))


def objects(*values: object) -> pd.DataFrame:
    return pd.DataFrame({"city": pd.Series([*values] * 5, dtype=object)})


FRAMES: dict[str, Callable[[], object]] = {
    "mixed objects": lambda: objects("canary", NUMBER),
    "objects of no type": lambda: objects({"canary": NUMBER}, {NUMBER}),
    "huge objects": lambda: objects(int(f"{NUMBER}" + "0" * 40), 1),
    "dates beside times": lambda: objects(DAY, dt.datetime(1907, 3, 1, 5)),
    "a list": lambda: [["canary", NUMBER]],
    "a dict": lambda: {"canary": [NUMBER]},
    "infinite": lambda: pd.DataFrame({"city": [float(NUMBER), float("inf")]}),
    "names that are numbers": lambda: pd.DataFrame([["canary"]]),
    "no rows": lambda: pd.DataFrame({"city": []}),
    "lists": lambda: pa.table({"city": [["canary"], [str(NUMBER)]]}),
    "too few": lambda: pa.table({"city": ["canary"]}),
    "not there": lambda: "canary.csv",
}


@pytest.mark.parametrize("case", FRAMES)
@pytest.mark.parametrize("call", ["anonymize", "audit", "inspect"])
def test_exceptions(case, call):
    frame = FRAMES[case]()
    try:
        if call == "inspect":
            door.inspect(frame)
        else:
            getattr(door, call)(frame, quasi="city")
    except ShoalError as error:
        text = (
            "".join(traceback.format_exception(error, chain=True)[-1:])
            + str(error)
            + repr(error.args)
            + repr(error.facts)
        )
        silent(text.replace("canary.csv", ""))
        assert error.__cause__ is None and (error.__context__ is None or error.__suppress_context__)
    else:
        assert call != "anonymize" and case in ("infinite", "too few", "huge objects", "lists")


def test_progress():
    told: list[str] = []

    def stage(name: str) -> Callable[[float], None]:
        told.append(name)
        return lambda share: told.append(str(share))

    door.anonymize(marked(), quasi=QUASI.split(","), sensitive="ill", k=4, progress=stage)
    assert "dividing into groups" in told
    silent(" ".join(told))


def test_a_release_does_not_print_its_rows_by_itself():
    release = door.anonymize(marked(), quasi=QUASI.split(","), sensitive="ill", k=4)
    for thing in (
        release.certificate,
        release.recipe,
        release.losses,
        release.risks,
        release.notices,
        release.groups,
    ):
        silent(str(thing))
    silent(
        json.dumps(release.certificate.private.as_dict())
        + json.dumps(release.certificate.public.as_dict())
    )


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_would_be_seen(mark):
    with pytest.raises(AssertionError):
        silent(f"row 7: {mark}")
