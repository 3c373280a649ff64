"""Random releases with a ledger are clean, and planted faults are found."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random

import pytest

from guarantees.sticky_traces import QUASI
from shoal.ledger import across
from soak import ledgers
from soak.outside.repeated import unbalanced


def test_random_sequences_are_clean(tmp_path: Path) -> None:
    counted: set[str] = set()
    for case in range(14):
        folder = tmp_path / str(case)
        folder.mkdir()
        done = ledgers.released(Random(f"ledger {case}"), folder)
        assert done.faults == [], f"case {case}"
        counted |= set(done.counts)
    assert counted == {
        f"ledgers: {way}" for way in ("apply", "sticky", "guard", "balanced", "refused")
    }


def test_a_guard_that_lets_everything_pass_is_found(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(across, "refuse_exposed", lambda compared: None)
    monkeypatch.setattr(ledgers, "_way", lambda rng, asked: {"across": "guard"})
    faults = []
    for case in range(6):
        folder = tmp_path / str(case)
        folder.mkdir()
        faults += ledgers.released(Random(f"ledger {case}"), folder).faults
    assert any("people share all groups" in fault for fault in faults)
    assert any("people join" in fault for fault in faults)


@pytest.mark.parametrize(
    ("ills", "nobody", "words"),
    [
        (["flu", "flu", "gout", "gout"], 0, ""),
        (["flu", "flu", "flu", "gout"], 0, "more often"),
        (["flu"] * 4, 0, "too few values"),
        (["flu", "flu", "gout", "gout"], 2, "beside counterfeits"),
    ],
)
def test_unbalanced_groups_are_found(
    tmp_path: Path, ills: list[str], nobody: int, words: str
) -> None:
    place = tmp_path / "one.csv"
    with place.open("w", newline="") as file:
        csv.writer(file).writerows([[*QUASI, "ill"], *(["1", "2", "3", ill] for ill in ills)])
    cells = dict(zip(QUASI, "123", strict=True))
    stated = {"counterfeits": [{"cells": cells, "rows": nobody}] if nobody else []}
    (tmp_path / "one.csv.certificate.json").write_text(json.dumps(stated))
    wrong = unbalanced(place, QUASI, "ill", 3, 2)
    assert [words in fault for fault in wrong] == ([True] if words else [])
