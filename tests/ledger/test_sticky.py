"""Sticky groups: people stay, newcomers join k at a time, cells only become wider."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from guarantees import sticky_traces
from ledger.people import ROLES, table
from shoal.adapters.ledgers import LedgerFile
from shoal.encode.profile import profile
from shoal.encode.rows import encode
from shoal.engines.local.sticky import _chosen
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from soak.outside.repeated import faults


def test_random_traces_expose_nobody() -> None:
    releases, wrong = sticky_traces.run(range(7, 13))
    assert wrong == []
    assert releases > 12


def test_the_recount_of_traces_bites() -> None:
    first = {str(row): ("a",) for row in range(4)}
    assert faults([first, first], 3) == []
    assert faults([first, {**first, "9": ("a",)}], 3)
    assert faults([first, {row: first[row] for row in "012"}], 2)
    assert faults([first, {"0": ("a",), "1": ("a",), "2": ("b",), "3": ("b",)}], 3)


def test_people_stay_and_newcomers_have_groups_of_their_own(tmp_path: Path) -> None:
    asked = {**ROLES, "ledger": tmp_path / "ward.ledger", "across": "sticky"}
    shoal.anonymize(table(range(60)), **asked).write(tmp_path / "1.csv")
    release = shoal.anonymize(table(range(80)), **asked)
    figures = release.certificate.private.across
    assert figures.k >= 3 and figures.newcomers == 20 and figures.newcomers_few == 0
    release.write(tmp_path / "2.csv")
    before = set((tmp_path / "1.csv").read_text().splitlines())
    assert before <= set((tmp_path / "2.csv").read_text().splitlines())


def test_where_people_left_the_maker_says_what_becomes_of_their_group(tmp_path: Path) -> None:
    asked = {**ROLES, "ledger": tmp_path / "ward.ledger", "across": "sticky"}
    shoal.anonymize(table(range(60)), **asked).write(tmp_path / "1.csv")
    with pytest.raises(PrivacyNotMet, match="1 people left 1 groups") as refused:
        shoal.anonymize(table(range(1, 60)), **asked)
    assert 'leavers="keep"' in str(refused.value)
    kept = shoal.anonymize(table(range(1, 60)), **asked, leavers="keep")
    assert kept.table.num_rows == 60
    assert shoal.anonymize(table(range(1, 60)), **asked, leavers="withdraw").table.num_rows < 59


def test_other_quasi_identifiers_can_not_stick(tmp_path: Path) -> None:
    asked = {**ROLES, "ledger": tmp_path / "ward.ledger", "across": "sticky"}
    shoal.anonymize(table(range(60)), **asked).record()
    with pytest.raises(RecipeError, match="same quasi-identifiers"):
        shoal.anonymize(table(range(60)), **{**asked, "quasi": ["age"]})


def test_a_release_may_hold_nothing_but_groups_that_are_kept(tmp_path: Path) -> None:
    asked = {**ROLES, "ledger": tmp_path / "ward.ledger", "across": "sticky"}
    shoal.anonymize(table(range(4)), **asked).write(tmp_path / "1.csv")
    release = shoal.anonymize(table([0, 1, 100]), **asked, leavers="keep")
    assert release.table.num_rows == 4 and release.certificate.private.across.waiting == 1


def test_who_waits_is_chosen_by_what_it_saves() -> None:
    """Three groups of two lose 0, 2 and 10; on average 4. Half of that is the limit."""
    ages = pa.array([1, 1, 20, 22, 30, 40, 99, 0])
    rows = encode([profile(ages, "age")], {}).some(np.arange(6))
    labels = np.array([0, 0, 1, 1, 2, 2], np.int32)
    nobody = np.zeros(6, bool)
    assert _chosen(labels, rows, nobody).tolist() == [0, 0, 1, 1, -1, -1]
    due = np.array([False] * 5 + [True])
    assert _chosen(labels, rows, due).tolist() == labels.tolist()


@pytest.mark.parametrize("read_as", ["text", None])
def test_no_cell_stands_in_the_error_where_kept_rows_have_values_of_another_type(
    tmp_path: Path, read_as: str | None
) -> None:
    """Two of six left, and the others of the table have numbers where it was texts before."""
    people = pa.table(
        {
            "id": list("abcdefghijkl"),
            "age": [30] * 6 + [60] * 6,
            "town": ["Oslo"] * 12,
            "ill": ["plague", *["5"] * 11],
        }
    )
    asked: dict[str, Any] = {**ROLES, "across": "sticky", "ledger": tmp_path / "w.ledger"}
    shoal.anonymize(people, **asked).write(tmp_path / "1.csv")
    now = people.take([0, 1, 2, 3, *range(6, 12)]).set_column(3, "ill", pa.array([5] * 10))
    if read_as:
        again = shoal.anonymize(now, **asked, leavers="keep", read_as={"ill": read_as})
        assert "plague" in again.table["ill"].to_pylist()
        return
    with pytest.raises(DataError, match="another type than when it was published") as refused:
        shoal.anonymize(now, **asked, leavers="keep")
    told = "".join(traceback.format_exception(refused.value))
    assert "plague" not in told and 'read_as={"ill": "text"}' in told


def test_who_waits_is_published_in_time_although_nothing_else_changes(tmp_path: Path) -> None:
    """A release like the last one is no copy of it while somebody waits: waiting is counted."""
    asked = {**ROLES, "ledger": tmp_path / "ward.ledger", "across": "sticky", "wait": 1}
    shoal.anonymize(table(range(60)), **asked).write(tmp_path / "1.csv")
    waiting = shoal.anonymize(table(range(64)), **asked)
    assert waiting.certificate.private.across.waiting == 4
    waiting.write(tmp_path / "2.csv")
    waiting.write(tmp_path / "copy.csv")
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()
    assert len(LedgerFile.open(tmp_path / "ward.ledger").listed()) == 2  # the copy is none
    figures = shoal.anonymize(table(range(64)), **asked).certificate.private.across
    assert (figures.people, figures.waiting) == (64, 0)
