"""Whether a release was made from an original: honest pairs pass, falsified ones do not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pcsv
import pytest

import shoal as door
from shoal.review.fingerprint import fingerprint
from shoal.review.origin import COLUMNS, NUMBER, ROWS, VALUES
from shoal.review.verdict import Verification
from terminal import shoal

CITIES = ["Oslo", "Rome", "Bonn", "Lyon"]


def people(rows: int = 60, seed: int = 1) -> pa.Table:
    draw = np.random.default_rng(seed)
    holes = draw.random(rows) < 0.1
    ages = draw.integers(20, 80, rows)
    return pa.table(
        {
            "name": [f"p{i}" for i in range(rows)],
            "age": pa.array(ages, mask=holes),
            "city": draw.choice(CITIES, rows),
            "born": pa.array(draw.integers(0, 9000, rows), pa.int32()).cast(pa.date32()),
            "salary": pa.array(draw.integers(20, 40, rows) * 100.5, mask=draw.random(rows) < 0.05),
            "ward": draw.choice(["a", "b"], rows),
        }
    )


ASKED = {"quasi": ["age", "city"], "sensitive": ["salary"], "keep": ["ward"], "k": 3, "seed": 1}
KEPT = {"force_keep": ["salary", "ward"]}


def differing(verified: Verification) -> set[str]:
    return {item.what for item in verified.items if item.status == "differs"}


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"publish": "tight"},
        {"publish": "bounds"},
        {"publish": {"age": "centre", "city": "snapped"}},
        {"method": "mondrian", "quasi": ["age", "born"]},
        {"keep": [], "sensitive": []},
        {
            "keep_order": True,
            "hierarchies": {"age": "intervals:width=10", "city": "masks:length=4"},
        },
        {"method": "threshold:small=withhold", "withhold": 0.9},
        {"method": "nsvdist"},
        {"method": "nsvdist:values=groups"},
        {"method": "nsvdist:match=mutual", "publish": "tight"},
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", range(3))
def test_an_honest_release_comes_from_its_original(asked: dict[str, Any], seed: int) -> None:
    table = people(seed=seed)
    given = {**ASKED, **asked}
    release = door.anonymize(table, **given, force_keep=[*given["sensitive"], *given["keep"]])
    verified = door.verify(release.table, release.certificate, original=table)
    assert not differing(verified), verified
    states = {item.what: item.status for item in verified.items}
    assert states[COLUMNS] == states[NUMBER] == "recounted"
    assert states[VALUES] == ("not checkable" if "groups" in str(asked) else "recounted")
    assert states[ROWS] == ("not checkable" if "centre" in str(asked) else "recounted")


def changed(table: pa.Table, name: str, change: Callable[[list[Any]], list[Any]]) -> pa.Table:
    place = table.column_names.index(name)
    values = change(table[name].to_pylist())
    return table.set_column(place, name, pa.array(values, table.schema.field(name).type))


FALSIFIED: dict[str, Callable[[pa.Table], pa.Table]] = {
    "every salary raised": lambda t: changed(t, "salary", lambda v: [x and x + 1000 for x in v]),
    "one salary invented": lambda t: changed(t, "salary", lambda v: [99_999.0, *v[1:]]),
    "one salary copied over all": lambda t: changed(t, "salary", lambda v: [v[5]] * len(v)),
    "kept values exchanged": lambda t: changed(
        t, "ward", lambda v: [{"a": "b", "b": "a"}[x] for x in v]
    ),
    "salaries in reverse": lambda t: changed(t, "salary", lambda v: v[::-1]),
    "cells of another place": lambda t: changed(
        t, "city", lambda v: ["Oslo" if x == "Rome" else x for x in v]
    ),
}


@pytest.mark.parametrize("how", FALSIFIED)
@pytest.mark.parametrize("method", ["mondrian", "nsvdist"])
def test_a_falsified_release_with_its_hash_recomputed_is_found(
    how: str, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = people()
    pcsv.write_csv(table, "people.csv")
    release = door.anonymize("people.csv", **ASKED, **KEPT, method=method, publish="tight")
    release.write("out.csv")
    falsified = FALSIFIED[how](release.published)
    assert not falsified.equals(release.published)
    pcsv.write_csv(falsified, "out.csv")
    stated = json.loads(Path("out.csv.certificate.json").read_text("utf-8"))
    stated["hash"] = fingerprint(falsified)
    Path("out.csv.certificate.json").write_text(json.dumps(stated), "utf-8")
    found = shoal(
        "verify", "out.csv", "out.csv.certificate.json", "--original", "people.csv", "--json"
    )
    wrong = {item["what"] for item in found.json["items"] if item["status"] == "differs"}
    assert found.code == 4
    assert wrong & {VALUES, ROWS}


def test_rows_left_out_beyond_the_limit_are_found() -> None:
    table = people()
    more = pa.concat_tables([table, people(5, seed=7)])
    release = door.anonymize(table, **ASKED, **KEPT)
    verified = door.verify(release.table, release.certificate, original=more)
    assert NUMBER in differing(verified)
    fewer = door.verify(release.table, release.certificate, original=table.slice(1))
    assert differing(fewer) & {NUMBER, VALUES}


def test_a_column_that_the_certificate_does_not_name_is_found() -> None:
    table = people()
    release = door.anonymize(table, **ASKED, **KEPT)
    other = table.append_column("diagnosis", pa.array(["x"] * table.num_rows))
    assert COLUMNS in differing(door.verify(release.table, release.certificate, original=other))
    with pytest.raises(door.errors.DataError, match="no column 'city'"):
        door.verify(release.table, release.certificate, original=table.drop_columns("city"))


def test_columns_without_noise_are_compared_and_noise_is_only_stated() -> None:
    table = people().drop_columns("name")
    noisy = door.distort(table, columns=["salary"], as_published=True, seed=1)
    honest = door.verify(noisy.table, noisy.certificate, original=table)
    assert not differing(honest)
    assert [i.what for i in honest.items if i.status == "stated" and "perturbed" in i.what]
    other = changed(noisy.table, "ward", lambda values: ["a"] * len(values))
    assert any(
        "without noise" in w
        for w in differing(door.verify(other, noisy.certificate, original=table))
    )
