"""`apply`: a new table by the groups that a ledger knows."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal
from ledger.people import ROLES, table
from shoal.adapters.ledgers import LedgerFile
from shoal.encode.profile import profile
from shoal.encode.rows import encode
from shoal.engines.local.joining import joined
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from shoal.ledger.fitting import ReadBoxes
from shoal.ledger.published import Published
from terminal import shoal as typed
from tries import telling, tries


def rows_of(place: Path) -> list[tuple[str, ...]]:
    with place.open(newline="", encoding="utf-8") as file:
        return [(row["age"], row["town"]) for row in csv.DictReader(file)]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger with one release of 60 people."""
    place = tmp_path / "ward.ledger"
    shoal.anonymize(table(range(60)), **ROLES, ledger=place).write(tmp_path / "1.csv")
    return place


def test_known_people_take_the_box_of_their_group(ledger: Path, tmp_path: Path) -> None:
    changed = table(range(60))
    ills = pa.array(["cold", "flu", "gout"] * 20)
    shoal.apply(ledger, changed.set_column(3, "ill", ills)).write(tmp_path / "2.csv")
    assert Counter(rows_of(tmp_path / "2.csv")) == Counter(rows_of(tmp_path / "1.csv"))


def test_newcomers_take_an_old_box_only_k_at_once(ledger: Path, tmp_path: Path) -> None:
    """Two like somebody who is known wait; three take that person's box."""
    before = Counter(rows_of(tmp_path / "1.csv"))

    def with_new(number: int) -> pa.Table:
        new = pa.concat_tables([table([0])] * number)
        new = new.set_column(0, "id", pa.array([f"new {each}" for each in range(number)]))
        return pa.concat_tables([table(range(60)), new])

    two = shoal.apply(ledger, with_new(2))
    assert two.certificate.private.across.waiting == 2
    assert any("2 people wait to be published: too few of them fit" in n for n in two.notices)
    assert two.table.num_rows == 60
    three = shoal.apply(ledger, with_new(3))
    three.write(tmp_path / "2.csv")
    grown = Counter(rows_of(tmp_path / "2.csv")) - before
    assert list(grown.values()) == [3] and set(grown) <= set(before)
    assert three.certificate.private.across.newcomers_few == 0


def test_newcomers_who_fit_nowhere_wait(ledger: Path) -> None:
    far = table(range(100, 110)).set_column(1, "age", pa.array([500] * 10))
    release = shoal.apply(ledger, pa.concat_tables([table(range(60)), far]))
    assert release.table.num_rows == 60
    with pytest.raises(PrivacyNotMet, match="nobody can be published"):
        shoal.apply(ledger, far)


def test_groups_of_which_too_few_are_there_are_left_out_or_kept(ledger: Path) -> None:
    some = table(range(1, 60))
    assert shoal.apply(ledger, some).table.num_rows < 59
    assert shoal.apply(ledger, some, leavers="keep").table.num_rows == 60
    with pytest.raises(RecipeError, match="kept or withdrawn"):
        shoal.apply(ledger, some, leavers="whatever")


def test_a_ledger_without_a_release_has_no_groups(tmp_path: Path) -> None:
    assert typed("ledger", "init", str(tmp_path / "new.ledger")).code == 0
    with pytest.raises(DataError, match="holds no release yet"):
        shoal.apply(tmp_path / "new.ledger", table(range(60)))
    with pytest.raises(DataError, match="there is no ledger"):
        shoal.apply(tmp_path / "other.ledger", table(range(60)))


def test_a_release_that_was_written_down_without_its_recipe(ledger: Path) -> None:
    """As ledgers were kept before they held recipes."""
    opened = LedgerFile.open(ledger)
    past = opened.past()
    first = past.releases[0]
    again = Published(past.known.take(pa.array(first.who)), first.group, first.cells(), {})
    says = {"k": 3, "recipient": "", "rows hash": "", "people hash": ""}
    opened.release(past, again, says, pending=False)
    with pytest.raises(DataError, match="without its recipe"):
        shoal.apply(ledger, table(range(60)))


def test_at_the_terminal(ledger: Path, tmp_path: Path) -> None:
    import pyarrow.csv as arrow_csv

    source = tmp_path / "2.csv"
    out = tmp_path / "2.released.csv"
    arrow_csv.write_csv(table(range(60)), source)
    done = typed("apply", str(ledger), str(source), "-o", str(out))
    assert done.code == 0, done.err
    assert Counter(rows_of(out)) == Counter(rows_of(tmp_path / "1.csv"))
    again = typed("apply", str(ledger), str(source), "-o", str(out))
    assert again.code == 2 and "exists" in again.err


def literally(points: np.ndarray, person: np.ndarray, boxes: ReadBoxes, k: int, order: list[int]):
    """ReadBoxes from the least on; whoever has all rows inside and no box yet takes it, if k do."""
    taken: dict[int, int] = {}
    for box in order:
        fit = [
            one
            for one in sorted(set(person.tolist()))
            if one not in taken
            and all(
                (boxes.first[box] <= point).all() and (point <= boxes.last[box]).all()
                for point in points[person == one]
            )
        ]
        if len(fit) >= k:
            taken |= dict.fromkeys(fit, box)
    return [taken.get(one, -1) for one in person.tolist()]


def test_random_newcomers_join_as_read_literally() -> None:
    rng = np.random.default_rng(4)
    joins = 0
    for _ in range(tries(200)):
        points = rng.integers(0, 5, (int(rng.integers(1, 20)), 2))
        everyone = np.concatenate([points, [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4]]])
        rows = encode([profile(pa.array(everyone[:, at]), f"{at}") for at in (0, 1)], {})
        rows = rows.some(np.arange(len(points)))
        ends = np.sort(rng.integers(0, 5, (6, 2, 2)), axis=1).astype(np.int32)
        boxes = ReadBoxes(np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1]))
        person = np.unique(rng.integers(0, len(points), len(points)), return_inverse=True)[1]
        widths = (boxes.last - boxes.first).sum(axis=1)
        order = np.argsort(widths, kind="stable").tolist()
        found = joined(rows, person.astype(np.int32), boxes, 2)
        assert found.tolist() == literally(points, person, boxes, 2, order)
        joins += bool((found >= 0).any())
    assert joins > telling(50)
