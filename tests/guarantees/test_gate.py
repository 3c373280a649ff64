"""The gate, attacked: faults are planted in methods, recoders, releases and certificates; none gets
out or passes.
"""

from __future__ import annotations

import copy
import csv
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal as door
from shoal.api import release as releases
from shoal.errors import PrivacyNotMet, ShoalError
from shoal.groups import Groups
from shoal.partition.method import Method
from shoal.recode.recoder import Boxes, Recoder, as_text, tight_intervals
from shoal.recode.snapped import Snapped
from shoal.recode.tight import Tight
from shoal.registry import names
from terminal import Said, shoal, snapshot, write

K = 4
ROLES = ("-q", "age,city,day", "-s", "ill")


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [
        (20 + i * 7 % 31, "abcdef"[i % 6], f"2024-0{1 + i % 9}-1{i % 7}", "wxyz"[i * i % 11 % 4])
        for i in range(60)
    ]
    lines = ["age,city,day,ill", *(",".join(map(str, row)) for row in rows)]
    write(tmp_path / "people.csv", "\n".join(lines) + "\n")
    write(tmp_path / "city.csv", "a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\ne;ef;*\nf;ef;*\n")
    return tmp_path


def anonymize(*options: object) -> Said:
    return shoal(
        "anonymize",
        "people.csv",
        "-o",
        "out.csv",
        *ROLES,
        "-k",
        K,
        "--hierarchy",
        "city=city.csv",
        *options,
    )


# --- a release that was changed afterwards
# -------------------------------------------------------------------------------


def cell(row: int, column: int, text: str) -> Callable[[list[list[str]]], None]:
    return lambda rows: rows[row].__setitem__(column, text)


EDITS: dict[str, Callable[[list[list[str]]], Any]] = {
    "one number": cell(5, 0, "131"),
    "one label": cell(5, 1, "cd (group)"),
    "one day": cell(7, 2, "1999-01-11"),
    "one cell emptied": cell(9, 0, ""),
    "one diagnosis": cell(9, 3, "other"),
    "a row gone": lambda rows: rows.pop(4),
    "a row doubled": lambda rows: rows.append(rows[4]),
    "a row moved to another group": lambda rows: rows[3].__setitem__(slice(0, 3), rows[40][:3]),
    "two groups merged": lambda rows: [row.__setitem__(0, "*") for row in rows[1:10]],
    "diagnoses swapped": lambda rows: [
        rows[i].__setitem__(3, d) for i, d in ((1, rows[59][3]), (59, rows[1][3]))
    ],
    "a column renamed": cell(0, 3, "illness"),
    "a quasi-identifier gone": lambda rows: [row.pop(1) for row in rows],
    "a column more": lambda rows: [row.append(str(i)) for i, row in enumerate(rows)],
    "columns in another order": lambda rows: [row.reverse() for row in rows],
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_changed_release_does_not_match_its_certificate(folder, edit):
    assert anonymize("--seed", 1).code == 0
    with open("out.csv", newline="") as file:
        rows = list(csv.reader(file))
    EDITS[edit](rows)
    with open("out.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    said = shoal("verify", "out.csv", "out.csv.certificate.json", "--hierarchy", "city=city.csv")
    assert said.code == 4, said.out
    assert "differ" in said.err or "lacks" in said.err
    assert edit != "a row gone" or {"rows", "hash of the rows"} <= set(
        said.err.split("differ: ")[1].split("\n")[0].split(", ")
    )


def test_the_same_rows_in_another_order_match(folder):
    assert anonymize().code == 0
    header, *rows = Path("out.csv").read_text().splitlines()
    write(folder / "out.csv", "\n".join([header, *reversed(rows)]) + "\n")
    said = shoal(
        "verify",
        "out.csv",
        "out.csv.certificate.json",
        "--hierarchy",
        "city=city.csv",
        "--original",
        "people.csv",
    )
    assert said.code == 0, said.err
    assert "not checkable" not in said.out
    told = shoal("verify", "out.csv", "out.csv.certificate.json", "--verbose").out
    assert "not checkable without" in told


def test_an_audit_finds_the_group_that_lost_a_row(folder):
    assert anonymize().code == 0
    assert shoal("audit", "out.csv", *ROLES, "--require", f"k={K}").code == 0
    header, *rows = Path("out.csv").read_text().splitlines()
    sizes: dict[str, int] = {}
    for row in rows:
        sizes[row.rsplit(",", 1)[0]] = sizes.get(row.rsplit(",", 1)[0], 0) + 1
    least = min(sizes, key=lambda group: sizes[group])
    rows.remove(next(row for row in rows if row.startswith(least)))
    write(folder / "out.csv", "\n".join([header, *rows]) + "\n")
    said = shoal("audit", "out.csv", *ROLES, "--require", f"k={sizes[least]}")
    assert (
        said.code == 4
        and f"1 of {len(sizes)} groups hold fewer than {sizes[least]} rows" in said.err
    )


# --- a certificate that was changed
# ---------------------------------------------------------------------------------------

STRANGE: list[Any] = [None, -1, 0, 10**9, 0.5, "", "x", [], [1], ["x"], {}, {"x": 1}, True]
LOOSE = {
    "shoal": ["", "x"],
    "not promised": STRANGE,
    "withheld at most": [0],  # 0.0 is the same number
    "losses": [{}, {"x": 1}],
    "risks": [{}, {"x": 1}],
}
# what can be said without being found out: what is only stated, what needs the original, and less
# than all


def test_a_changed_certificate_is_refused_and_never_a_fault(folder):
    assert anonymize("--model", "l-diversity:l=2").code == 0
    good = json.loads(Path("out.csv.certificate.json").read_text())
    for key in good:
        for value in [*STRANGE, "gone"]:
            if value == good[key] and isinstance(value, type(good[key])):
                continue
            bad = {
                name: (value if name == key else old)
                for name, old in good.items()
                if (name, value) != (key, "gone")
            }
            code = verified(bad)
            assert code in (3, 4) or (
                code == 0 and (value in LOOSE.get(key, []) or value == "gone")
            ), (key, value, code)


@pytest.mark.parametrize("inside", ["models", "losses", "risks", "columns", "recipe"])
def test_changes_deeper_in_a_certificate(folder, inside):
    assert anonymize("--model", "l-diversity:l=2").code == 0
    good = json.loads(Path("out.csv.certificate.json").read_text())
    for key in good[inside] if isinstance(good[inside], dict) else range(len(good[inside])):
        for value in [*STRANGE, "gone"]:
            bad = copy.deepcopy(good)
            bad[inside][key] = value
            if value == "gone":
                del bad[inside][key]
            assert verified(bad) in (0, 3, 4), (key, value)


def verified(certificate: Any) -> int:
    Path("bad.json").write_text(json.dumps(certificate))
    return shoal("verify", "out.csv", "bad.json", "--hierarchy", "city=city.csv").code


LIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a higher k": lambda c: c.update(k=50),
    "a higher k everywhere": lambda c: (
        c.update(k=50),
        c["recipe"].update(k=50),
        c["models"][0].update(k=50, measured=50),
    ),
    "a higher k in the recipe": lambda c: c["recipe"].update(k=50),
    "a higher l": lambda c: (
        c["models"][1].update(l=9),
        c["recipe"].update(models=["l-diversity(l=9)"]),
    ),
    "a model that was never asked": lambda c: c["models"].append({**c["models"][1], "l": 4}),
    "a model less": lambda c: c["models"].pop(),
    "fewer quasi-identifiers": lambda c: (
        c["columns"].update(quasi=["age"]),
        c["recipe"].update(quasi=["age"]),
    ),
    "other roles": lambda c: c["columns"].update(sensitive=[], kept=["ill"]),
    "a lower loss": lambda c: c["losses"].update({"published-height-share": 0.01}),
    "a lower risk": lambda c: c["risks"].update({"highest-prosecutor-risk": 0.01}),
    "another hash": lambda c: c.update(hash="0" * 64),
    "fewer rows": lambda c: c.update(rows=59),
}


@pytest.mark.parametrize("lie", LIES)
def test_lies_are_found(folder, lie):
    assert anonymize("--model", "l-diversity:l=2").code == 0
    told = json.loads(Path("out.csv.certificate.json").read_text())
    assert verified(told) == 0
    LIES[lie](told)
    assert verified(told) == 4


# --- methods that do not do what they should
# ------------------------------------------------------------------------------

DIVISIONS: dict[str, Callable[[int], Groups]] = {
    "everyone alone": lambda n: Groups.of(np.arange(n)),
    "pairs": lambda n: Groups.of(np.arange(n) // 2),
    "one group below k": lambda n: Groups.of(np.where(np.arange(n) < K - 1, 0, 1)),
    "all withheld": lambda n: Groups.of(np.full(n, -1)),
    "some withheld": lambda n: Groups.of(np.where(np.arange(n) < 3, -1, 0)),
    "too few labels": lambda n: Groups.of(np.zeros(n - 1)),
    "too many labels": lambda n: Groups.of(np.zeros(n + 1)),
    "a group that nobody is in": lambda n: Groups(np.zeros(n, np.int32), 2),
    "more labels than groups": lambda n: Groups((np.arange(n) // K).astype(np.int32), 1),
    "labels below -1": lambda n: Groups(np.where(np.arange(n) < 3, -7, 0).astype(np.int32), 1),
}


@pytest.mark.parametrize("division", DIVISIONS)
@pytest.mark.parametrize("where", ["_divide", "divide"])
def test_no_method_gets_bad_groups_out(folder, monkeypatch, division, where):
    def divide(self, rows, *others):
        return DIVISIONS[division](rows.count)

    body = {
        "name": "planted",
        "_divide": divide,
        **({"divide": divide} if where == "divide" else {}),
    }
    monkeypatch.setitem(names(Method), "planted", type("Planted", (Method,), body))
    before = snapshot(folder)
    said = anonymize("--method", "planted")
    if (
        said.code == 0
    ):  # what is too small may be mended by merging, and what is misnumbered by numbering
        assert division not in (
            "all withheld",
            "some withheld",
            "too few labels",
            "too many labels",
        )
        assert shoal("audit", "out.csv", *ROLES, "--require", f"k={K}").code == 0
        assert shoal("audit", "out.csv", *ROLES, "--json").json["rows"] == 60
    else:
        assert said.code in (1, 4) and snapshot(folder) == before


# --- recoders that do not print what they should
# --------------------------------------------------------------------------


def finer(boxes: Boxes) -> dict[str, pa.Array]:
    """Every box one code shorter: the last value is no longer inside."""
    return Tight().publish(
        dataclasses.replace(boxes, hi=np.maximum(boxes.hi - 1, boxes.lo).astype(np.int32))
    )


def swapped(boxes: Boxes) -> dict[str, pa.Array]:
    cells = Snapped().publish(boxes)[boxes.axis.name]
    return {boxes.axis.name: cells.take(pa.array(np.roll(np.arange(len(cells)), 1)))}


def first_value(boxes: Boxes) -> dict[str, pa.Array]:
    return {boxes.axis.name: as_text(dataclasses.replace(boxes, hi=boxes.lo), tight_intervals)}


PUBLISHED: dict[str, Callable[[Boxes], dict[str, pa.Array]]] = {
    "finer boxes": finer,
    "boxes of others": swapped,
    "the first value": first_value,
    "nothing at all": lambda boxes: {},
    "null": lambda boxes: {boxes.axis.name: pa.nulls(boxes.groups.count, pa.string())},
    "a made-up label": lambda boxes: {boxes.axis.name: pa.array(["zz"] * boxes.groups.count)},
    "another name": lambda boxes: {"else": Snapped().publish(boxes)[boxes.axis.name]},
    "a column beside it": lambda boxes: {
        **Snapped().publish(boxes),
        "raw": pa.array(np.arange(boxes.groups.count)),
    },
    "a cell for each row": lambda boxes: {boxes.axis.name: pa.array([str(c) for c in boxes.codes])},
    "one of two bounds": lambda boxes: {
        f"{boxes.axis.name}_lo": pa.array(np.arange(boxes.groups.count))
    },
    "the ends the wrong way round": lambda boxes: {
        boxes.axis.name: pa.array(
            ["[99, 1]", *Snapped().publish(boxes)[boxes.axis.name].to_pylist()[1:]]
        )
    },
}


@pytest.mark.parametrize("column", ["age", "city", "day"])
@pytest.mark.parametrize("fault", PUBLISHED)
def test_no_recoder_gets_wrong_cells_out(folder, monkeypatch, fault, column):
    body = {"name": "planted", "publish": lambda self, boxes: PUBLISHED[fault](boxes)}
    monkeypatch.setitem(names(Recoder), "planted", type("Planted", (Recoder,), body))
    before = snapshot(folder)
    said = anonymize("--publish", f"{column}=planted", "--seed", 3)
    assert said.code == 1 and "published: nothing" in said.err, said.err
    assert snapshot(folder) == before


def test_a_recoder_that_says_nothing_is_true(folder, monkeypatch):
    body = {
        "name": "planted",
        "publish": lambda self, boxes: {boxes.axis.name: pa.array(["*"] * boxes.groups.count)},
    }
    monkeypatch.setitem(names(Recoder), "planted", type("Planted", (Recoder,), body))
    assert anonymize("--publish", "planted").code == 0


def test_a_recoder_without_boxes_still_has_to_leave_k_alike(folder, monkeypatch):
    """A centre names no box, so nothing is read back; rows that look alike are counted all the
    same.
    """

    def publish(self, boxes):
        return {
            f"{boxes.axis.name}": pa.array(np.arange(boxes.groups.count)),
            "id": pa.array(np.arange(boxes.groups.count)),
        }

    body = {"name": "planted", "publish": publish, "covers": False}
    monkeypatch.setitem(names(Recoder), "planted", type("Planted", (Recoder,), body))
    assert anonymize("--publish", "age=planted").code == 1


# --- files that do not hold the release
# ------------------------------------------------------------------------------------


def test_a_file_is_recounted_before_it_takes_its_place(folder):
    release = door.anonymize("people.csv", quasi=["age", "city"], sensitive="ill", k=K)
    before = snapshot(folder)
    raw = pa.table({"age": list(range(60)), "city": ["a"] * 60, "ill": ["w"] * 60})
    with pytest.raises(PrivacyNotMet):
        holding(release, raw).write("out.csv")
    fewer = release.published.slice(0, 60).set_column(2, "ill", pa.array(["w"] * 60))
    with pytest.raises(ShoalError, match="does not hold the release"):
        holding(release, fewer).write("out.parquet")
    assert snapshot(folder) == before


def test_rows_that_are_in_the_file_as_they_were_recounted_are_hashed_once(folder, monkeypatch):
    release = door.anonymize("people.csv", quasi=["age", "city"], sensitive="ill", k=K)
    hashed = list[int]()
    honest = releases.fingerprint
    monkeypatch.setattr(
        releases, "fingerprint", lambda table: hashed.append(table.num_rows) or honest(table)
    )
    release.write("same.parquet")
    assert not hashed
    turned = release.published.take(pa.array(range(release.published.num_rows - 1, -1, -1)))
    holding(release, turned).write("turned.parquet")
    assert hashed == [turned.num_rows]
    assert door.verify("turned.parquet", "turned.parquet.certificate.json").holds


def holding(release: door.Release, table: pa.Table) -> door.Release:
    """A release that would write another table."""
    outcome = dataclasses.replace(release.outcome, table=table)
    return dataclasses.replace(release, outcome=outcome)
