"""Boxes and columns of several releases agree with their literal versions, and with answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal
from ledger.people import ROLES, table
from naive import repeated
from shoal.encode.profile import profile
from shoal.encode.rows import encode
from shoal.errors import PrivacyNotMet
from shoal.ledger import comparing
from shoal.ledger.comparing import Compared
from shoal.ledger.described import Described
from shoal.ledger.fitting import fitting
from shoal.ledger.past import Past, PastRelease
from shoal.ledger.published import ComparedColumns, PeopleOfRows, PeoplePublished, Published
from tries import telling, tries

NAMES = ("age", "wage")


def hashed(texts: pa.Array) -> pa.Array:
    """People as 16 bytes, in plain sight."""
    return pa.array([text.rjust(16).encode() for text in texts.to_pylist()], pa.binary(16))


class Trace:
    """Random releases of at most 8 people, each with columns of its own."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.people = int(rng.integers(2, 9))
        self.values = rng.integers(0, 6, (self.people, 2))
        count = int(rng.integers(1, 5))
        self.labels = rng.integers(0, 3, (count, self.people)).astype(np.int32)
        self.labels[:-1][rng.random((count - 1, self.people)) < 0.2] = -1
        self.quasi = [self._some(rng) for _ in range(count)]
        self.plain = [
            tuple(name for name in NAMES if name not in quasi and rng.random() < 0.5)
            for quasi in self.quasi
        ]
        slack = rng.integers(0, 2, (count, 3, 2, 2))
        self.ends = np.array(
            [[self._box(t, g, slack[t, g]) for g in range(3)] for t in range(count)]
        )

    def _some(self, rng: np.random.Generator) -> tuple[str, ...]:
        return (NAMES, NAMES, ("age",), ("wage",))[int(rng.integers(4))]

    def _box(self, release: int, group: int, slack: np.ndarray) -> np.ndarray:
        inside = self.values[self.labels[release] == group]
        if not len(inside):
            return np.zeros((2, 2), int)
        return np.stack([inside.min(axis=0) - slack[0], inside.max(axis=0) + slack[1]])

    def cells(self, release: int) -> pa.Table:
        return pa.table(
            {
                name: [f"[{low}, {high}]" for low, high in self.ends[release, :, :, at]]
                for at, name in enumerate(NAMES)
                if name in self.quasi[release]
            }
        )

    def compared(self, k: int, rows_each: int = 1) -> Compared:
        releases = tuple(
            PastRelease(
                number=t + 1,
                called="",
                k=k,
                who=np.flatnonzero(self.labels[t] >= 0).astype(np.int32),
                group=self.labels[t][self.labels[t] >= 0],
                cells=lambda t=t: self.cells(t),
                values=dict,
                rows=lambda: pa.table({}),
                quasi=self.quasi[t],
                plain=self.plain[t],
            )
            for t in range(len(self.labels) - 1)
        )
        texts = pa.array([str(person) for person in range(self.people)])
        past = Past(hashed(texts), releases)
        values = np.tile(self.values, (rows_each, 1))
        rows = encode([profile(pa.array(values[:, at]), NAMES[at]) for at in (0, 1)], {})
        columns = ComparedColumns(rows.axes, rows.codes, self.quasi[-1], self.plain[-1])
        whose = PeopleOfRows.of_texts(pa.concat_arrays([texts] * rows_each), hashed)
        cells = self.cells(len(self.labels) - 1)
        labels = np.tile(self.labels[-1], rows_each)
        members = PeoplePublished(whose, labels, cells, columns=columns)
        published = Published.of(members, hashed)
        return Compared(past.with_new(published), k, Described.of_members(members))

    def plainly(self) -> tuple[list, list, dict]:
        releases = [{p: int(g) for p, g in enumerate(groups) if g >= 0} for groups in self.labels]
        boxes = [
            {
                group: {
                    name: set(range(self.ends[t, group, 0, at], self.ends[t, group, 1, at] + 1))
                    for at, name in enumerate(NAMES)
                    if name in self.quasi[t]
                }
                for group in range(3)
            }
            for t in range(len(releases))
        ]
        values = {p: dict(zip(NAMES, of, strict=True)) for p, of in enumerate(self.values.tolist())}
        return releases, boxes, values


def test_random_traces_agree_with_a_literal_reading_of_boxes_and_columns() -> None:
    rng = np.random.default_rng(3)
    differs = [0, 0]
    for _ in range(tries(1500)):
        trace = Trace(rng)
        compared = trace.compared(3, rows_each=int(rng.integers(1, 3)))
        releases, boxes, values = trace.plainly()
        everyone = np.arange(trace.people)
        fit = fitting(compared.joined, compared.described, everyone)
        assert fit.tolist() == [
            len(repeated.fitting(releases, boxes, values, person)) for person in everyone
        ]
        assert (fit >= compared.company).all()
        columns = {name for names in trace.quasi for name in names}
        union = repeated.company_on_union(releases, columns, trace.plain, values)
        assert compared.joint_company.tolist() == [union[person] for person in everyone]
        differs[0] += bool((fit > compared.company).any())
        differs[1] += bool((compared.joint_company < compared.company).any())
    assert min(differs) > telling(100)  # the traces are such that both measures matter


def figures(release: shoal.Release):
    return release.certificate.private.across


def test_boxes_alone_expose_fewer_people(tmp_path: Path) -> None:
    asked = {**ROLES, "ledger": tmp_path / "ward.ledger", "across": "measure"}
    first = shoal.anonymize(table(range(60)), **asked)
    assert figures(first).by_boxes is None
    first.record()
    second = figures(shoal.anonymize(table(range(90)), **{**asked, "seed": 8}))
    assert second.below > 0 and 0 <= second.by_boxes <= 100
    assert second.joint_k == second.k and second.joint_columns == ["age", "town"]


def test_a_sample_by_boxes_does_not_depend_on_the_key(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(comparing, "TRIED", 7)
    shares = set()
    for key in range(4):
        asked = {**ROLES, "ledger": tmp_path / f"{key}.ledger", "across": "measure"}
        shoal.anonymize(table(range(60)), **asked).record()
        second = figures(shoal.anonymize(table(range(90)), **{**asked, "seed": 8}))
        assert second.below > 7
        shares.add(second.by_boxes)
    assert len(shares) == 1


def test_a_column_shown_before_and_generalized_now_is_judged(tmp_path: Path) -> None:
    """One release shows wages, the next generalizes them: who knows a wage finds the first row."""
    people = table(range(60)).append_column("wage", pa.array(np.arange(60) * 7 % 30 * 10))
    asked = {**ROLES, "ledger": tmp_path / "ward.ledger", "k": 60}
    shoal.anonymize(people, **{**asked, "sensitive": ["ill", "wage"]}).record()
    with pytest.raises(PrivacyNotMet, match="60 people would be in the company of fewer") as no:
        shoal.anonymize(people, **{**asked, "quasi": ["age", "town", "wage"]})
    assert "shows and another generalizes: 60" in str(no.value)
    asked["across"] = "measure"
    again = figures(shoal.anonymize(people, **{**asked, "quasi": ["age", "town", "wage"]}))
    assert (again.k, again.joint_k, again.joint_below) == (60, 2, 60)
    assert again.joint_columns == ["age", "town", "wage"]


def test_columns_that_only_an_earlier_release_had_are_compared_by_boxes(tmp_path: Path) -> None:
    asked = {**ROLES, "ledger": tmp_path / "ward.ledger", "across": "measure"}
    shoal.anonymize(table(range(60)), **{**asked, "quasi": ["town"]}).record()
    second = figures(shoal.anonymize(table(range(60)), **{**asked, "quasi": ["age"]}))
    assert second.joint_columns == ["age", "town"] and second.by_boxes is not None
