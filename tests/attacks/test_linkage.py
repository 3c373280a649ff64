"""Whose row is it? Against a literal reading of cells, and by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from attacks.people import QUASI, TREES, found, material_of, people, published_as, release_of, seen
from naive.fitting import candidates, nearest
from shoal.attacks.attack import Material
from shoal.attacks.distance_linkage import DistanceLinkage
from shoal.attacks.record_linkage import RecordLinkage
from shoal.errors import RecipeError


@pytest.mark.parametrize("publish", ["tight", "snapped"])
@pytest.mark.parametrize("seed", range(12))
def test_candidates_are_those_of_a_reader(seed, publish):
    table = people(seed)
    release = release_of(table, publish=publish)
    sight = material_of(release.published, table).targets
    rows = release.published.to_pylist()
    persons = table.to_pylist()
    assert sight.candidates.tolist() == [len(candidates(rows, person, TREES)) for person in persons]
    assert sight.candidates.min() >= 3  # everyone is found among k at least


def test_bounds_are_read_as_intervals():
    table = people(3)
    cells = [
        material_of(release_of(table, publish=p).published, table).targets.candidates
        for p in ("snapped", "bounds")
    ]
    assert cells[0].tolist() == cells[1].tolist()


def test_linkage_by_hand():
    table = published_as(age=["[20, 29]", "[20, 29]", "[30, 39]", "[30, 39]"], city=["oslo"] * 4)
    original = published_as(age=[20, 29, 30, 35], city=["oslo"] * 4)
    finding = found(RecordLinkage(), Material(seen(table, sensitive=()), original))
    assert (finding.attack, finding.control, finding.trials) == (0.5, 0.25, 4)
    assert finding.advantage == pytest.approx(1 / 3) and finding.refuses
    assert not found(
        RecordLinkage(), Material(seen(table, sensitive=()), original, k=2)
    ).refuses  # 1/2 is what k = 2 concedes


def test_a_register_may_know_less():
    table = published_as(age=["20", "20", "30", "30"], city=["oslo", "oslo", "rome", "rome"])
    register = published_as(age=[20, 30, None])
    finding = found(RecordLinkage(), Material(seen(table, sensitive=()), register=register))
    assert finding.attack == pytest.approx(
        (1 / 2 + 1 / 2 + 1 / 4) / 3
    )  # an empty field fits every row


def test_a_register_without_any_column_is_refused():
    table = published_as(age=["20", "20"], city=["oslo", "oslo"])
    with pytest.raises(RecipeError, match="no quasi-identifier"):
        found(
            RecordLinkage(), Material(seen(table, sensitive=()), register=published_as(name=["x"]))
        )


def test_without_people_it_says_what_it_needs():
    finding = found(
        RecordLinkage(), Material(seen(published_as(age=["20"], city=["oslo"]), sensitive=()))
    )
    assert finding.attack is None and "register=..." in finding.words and not finding.refuses


def test_labels_that_cannot_be_read_fit_all():
    table = published_as(age=["20", "20"], city=["north", "south"])
    sight = Material(
        seen(table, sensitive=()), published_as(age=[20, 20], city=["oslo", "rome"])
    ).targets
    assert sight.candidates.tolist() == [2, 2] and sight.boxes.unread == ("city",)


def test_distance_by_hand():
    # ages from 20 to 40; the register is two years off: 22 still lies in its box, 31 now lies in
    # the other one
    table = published_as(age=["[20, 25]", "[20, 25]", "[30, 40]", "[30, 40]"])
    original = published_as(age=[20, 25, 29, 40])
    register = published_as(age=[22, 27, 31, 42])
    finding = found(DistanceLinkage(), Material(seen(table, ("age",), ()), original, register))
    # 22: its box; 27: nearer to 25 than to 30; 31 and 42: the second box, to which 29, who is in
    # none, stands nearest
    assert finding.attack == pytest.approx(1 / 2)
    finding = found(
        DistanceLinkage(),
        Material(seen(table, ("age",), ()), original, published_as(age=[22, 29, 31, 42])),
    )
    assert finding.attack == pytest.approx(
        3 / 8
    )  # 29 stands nearer to the second box than to that of 25


@pytest.mark.parametrize("seed", range(10))
def test_the_nearest_rows_are_those_of_a_reader(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 65, (2, 40))
    # both columns have one range, so gaps add up as they are
    numbers[:, 0] = 0
    numbers[:, 1] = 64
    original = pa.table({"a": numbers[0], "b": numbers[1]})
    blurred = np.clip(numbers + rng.integers(-20, 21, numbers.shape), 0, 64)
    register = pa.table({"a": blurred[0], "b": blurred[1]})
    published = shoal.anonymize(
        original, quasi=["a", "b"], k=3, publish="tight", seed=seed
    ).published
    rows = published.to_pylist()
    chances = []
    for known, true in zip(register.to_pylist(), original.to_pylist(), strict=True):
        near = nearest(rows, known)
        own = nearest(rows, true)
        chances.append(len(near & own) / len(own) / len(near))
    finding = found(
        DistanceLinkage(), Material(seen(published, ("a", "b"), ()), original, register)
    )
    assert finding.attack == pytest.approx(np.mean(chances), abs=1e-12)


def test_distance_links_centres():
    table = published_as(age=[21.0, 21.0, 35.5, 35.5])
    original = published_as(age=[20, 22, 35, 36])
    finding = found(DistanceLinkage(wrong=0), Material(seen(table, ("age",), ()), original))
    assert finding.attack == 0.5  # of the two rows of the nearest centre, one
    assert found(RecordLinkage(), Material(seen(table, ("age",), ()), original)).attack == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_without_wrong_fields_both_linkages_agree(seed):
    table = people(seed)
    material = material_of(release_of(table).published, table)
    assert found(DistanceLinkage(wrong=0), material).attack == pytest.approx(
        found(RecordLinkage(), material).attack
    )


def test_more_wrong_fields_find_fewer():
    table = people(1, 300)
    material = material_of(release_of(table).published, table)
    rates = [found(DistanceLinkage(wrong=wrong), material).attack for wrong in (0.0, 0.3, 1.0)]
    assert rates[0] > rates[1] > rates[2]


def test_of_many_people_some_are_drawn_always_the_same():
    table = people(2, 500)
    published = release_of(table).published
    some = [material_of(published, table, most=100).targets for _ in range(2)]
    assert some[0].count == 100 and np.array_equal(some[0].picked, some[1].picked)
    finding = found(RecordLinkage(), material_of(published, table, most=100))
    every = found(RecordLinkage(), material_of(published, table))
    assert finding.low < every.advantage < finding.high and every.low == every.high


def test_columns_that_are_not_there_are_named():
    with pytest.raises(RecipeError, match="'city'"):
        seen(pa.table({"age": ["1"]}), QUASI, ())
