"""What pages of results divide is what `shoal.anonymize` publishes."""

from __future__ import annotations

import pytest
from experiments.divided import LOSSES, Measuring, divided
from experiments.runs import adult_base

import shoal
from benchmarks import adult
from shoal.recipe import Recipe

TABLE = adult.table().slice(0, 120)


@pytest.mark.parametrize("method", ["shoal", "k-member", "mondrian", "full-domain"])
def test_a_release_is_that_of_anonymize(method):
    asked = adult_base() | {"method": method, "k": 4, "seed": 3, "effort": "low"}
    ours = divided(TABLE, Recipe.of(**asked))
    release = shoal.anonymize(TABLE, **asked)
    assert ours.published().equals(release.table)
    losses = release.certificate.private.losses
    assert all(ours.lost(name) == pytest.approx(losses[name]) for name in LOSSES)
    other = divided(TABLE, Recipe.of(**asked | {"k": 6}))
    assert not other.published().equals(release.table)


def test_a_grouping_is_measured_and_a_refused_one_says_why():
    measuring = Measuring(TABLE, {"ours": adult_base() | {"method": "mondrian"}})
    measured, refused = (measuring(cell) for cell in measuring.cells((4, 121), (1,)))
    assert measured["largest-group"] >= 4
    assert measured["average-group-size"] >= 4
    assert "121" in refused["refused"]


def test_another_table_or_k_or_seed_has_another_key():
    recipes = {"ours": adult_base() | {"method": "mondrian"}}
    cells = [
        cell
        for table in (TABLE, TABLE.slice(1))
        for cell in Measuring(table, recipes).cells((4, 5), (1, 2))
    ]
    assert len({cell.key for cell in cells}) == 8
    assert {cell.method for cell in cells} == {"ours"}
