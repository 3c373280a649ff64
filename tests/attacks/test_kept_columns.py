"""Attackers who know the kept columns of people beside their quasi-identifiers."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import shoal


def test_attacks_before_a_release_know_kept_columns() -> None:
    # Groups of ten: five of each ward, and in each ward of a group one illness.
    ages = np.repeat(np.arange(20, 60), 5)
    wards = np.array(["a", "b"])[np.arange(200) // 5 % 2]
    ills = np.array(["flu", "gout", "cold"])[(np.arange(200) // 5) % 3]
    table = pa.table({"age": ages, "ward": wards, "ill": ills})
    asked = {"quasi": "age", "sensitive": "ill", "k": 10, "method": "mondrian", "seed": 1}
    release = shoal.anonymize(table, **asked, keep="ward")
    findings = shoal.attack(
        release.table, original=table, certificate=release.certificate, attacks="record-linkage"
    ).all
    assert [finding.gates for finding in findings] == [True, False]
    assert findings[0].attack <= 0.1 + 1e-9 and findings[1].attack > findings[0].attack
    assert "kept columns" in findings[1].words
    certain = shoal.attack(
        release.table, original=table, certificate=release.certificate, attacks="homogeneity"
    ).all
    assert certain[1].attack > certain[0].attack and not certain[1].gates


def test_a_kept_column_that_says_nothing_changes_nothing() -> None:
    rng = np.random.default_rng(1)
    table = pa.table({"age": rng.integers(20, 60, 200), "ward": ["a"] * 200})
    release = shoal.anonymize(table, quasi="age", keep="ward", k=5, method="mondrian")
    first, second = shoal.attack(
        release.table, original=table, certificate=release.certificate, attacks="record-linkage"
    ).all
    assert first.attack == second.attack and first.trials == second.trials
