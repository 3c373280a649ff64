"""What is learnt of sensitive values: against a literal reading, and by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from attacks.people import TREES, found, material_of, people, published_as, release_of, seen
from naive.fitting import candidates, chance_of
from shoal.attacks.attack import Material
from shoal.attacks.background_knowledge import BackgroundKnowledge
from shoal.attacks.homogeneity import Homogeneity
from shoal.attacks.intersection import Intersection
from shoal.attacks.repeated import Repeated
from shoal.attacks.skewness import Skewness
from shoal.privacy.l_diversity import LDiversity


def four(
    ills: list[str | None], ages: tuple[str, ...] = ("[20, 29]", "[20, 29]", "[30, 39]", "[30, 39]")
) -> Material:
    """Two groups of two; everyone has the illness that is published."""
    table = published_as(age=list(ages), ill=ills)
    return Material(seen(table, ("age",)), published_as(age=[20, 29, 30, 35], ill=ills))


@pytest.mark.parametrize("seed", range(8))
def test_guesses_are_those_of_a_reader(seed):
    table = people(seed)
    published = release_of(table, k=2).published
    rows = published.to_pylist()
    sure = []
    best = []
    blind = []
    whole = [row["ill"] for row in rows]
    for person in table.to_pylist():
        if person["ill"] is not None:
            said = [rows[i]["ill"] for i in candidates(rows, person, TREES)]
            blind.append(chance_of(person["ill"], whole))
            best.append(chance_of(person["ill"], said))
            sure.append(1.0 if set(said) - {None} == {person["ill"]} else blind[-1])
    material = material_of(published, table)
    homogeneity = found(Homogeneity(), material)
    skewness = found(Skewness(), material)
    assert (homogeneity.attack, homogeneity.control) == pytest.approx(
        (np.mean(sure), np.mean(blind))
    )
    assert (skewness.attack, skewness.control) == pytest.approx((np.mean(best), np.mean(blind)))
    assert homogeneity.trials == len(sure)


def test_homogeneity_by_hand():
    # the first group shares the flu; blind guesses: flu, which 2 of 4 have
    finding = found(Homogeneity(), four(["flu", "flu", "cold", "gout"]))
    assert (finding.attack, finding.control, finding.advantage) == (0.5, 0.5, 0.0)
    finding = found(Homogeneity(), four(["flu", "flu", "cold", "cold"]))
    assert (finding.attack, finding.control, finding.advantage) == (1.0, 0.5, 1.0)


def test_one_value_less_is_certain_with_background_knowledge():
    material = four(["flu", "cold", "flu", "gout"])
    assert found(Homogeneity(), material).advantage == 0.0
    finding = found(BackgroundKnowledge(values=1), material)
    # blindly: flu is found by all who have it, and the others once flu is ruled out at even odds:
    # (1 + 1/2 + 1 + 1/2) / 4
    assert (finding.attack, finding.control) == (1.0, 0.75)


@pytest.mark.parametrize(
    ("l", "values", "gates"),
    [(2, 0, True), (2, 1, False), (3, 1, True), (3, 2, False), (1, 0, False)],
)
def test_a_promise_of_variety_makes_it_gate(l, values, gates):
    table = published_as(age=["*"] * 6, ill=["flu", "cold", "gout"] * 2)
    original = published_as(age=[1, 2, 3, 4, 5, 6], ill=["flu", "cold", "gout"] * 2)
    material = Material(seen(table, ("age",)), original, k=2, models=(LDiversity(l),))
    attack = BackgroundKnowledge(values=values) if values else Homogeneity()
    assert found(attack, material).gates == gates


def test_a_broken_promise_is_refused():
    table = published_as(age=["1", "1", "2", "2"], ill=["flu", "flu", "cold", "cold"])
    original = published_as(age=[1, 1, 2, 2], ill=["flu", "flu", "cold", "cold"])
    assert not found(Homogeneity(), Material(seen(table, ("age",)), original)).refuses
    assert found(
        Homogeneity(), Material(seen(table, ("age",)), original, k=2, models=(LDiversity(2),))
    ).refuses


def test_missing_values_are_no_values():
    finding = found(Homogeneity(), four(["flu", None, None, "cold"]))
    assert (
        finding.trials == 2 and finding.attack == 1.0
    )  # of those with a value, both stand alone with it


def test_the_largest_step_is_told_without_the_value():
    words = found(Skewness(), four(["flu", "flu", "cold", "gout"])).words
    assert "from 50 % to 100 % of the rows" in words and "flu" not in words


def test_intersection_by_hand():
    original = published_as(age=[20, 29, 30, 35], ill=["flu", "cold", "gout", "none"])
    by_age = published_as(
        age=["[20, 29]"] * 2 + ["[30, 39]"] * 2, ill=["flu", "cold", "gout", "none"]
    )
    others = published_as(
        age=["[29, 30]", "[29, 30]", "[0, 99]", "[0, 99]"], ill=["cold", "gout", "flu", "none"]
    )
    finding = found(
        Intersection(),
        Material(seen(by_age, ("age",)), original, earlier=(seen(others, ("age",)),)),
    )
    # 20: {flu, cold} and {flu, none}; 29: {flu, cold} and all; 30: {gout, none} and all; 35: {gout,
    # none} and {flu, none}
    assert finding.attack == pytest.approx(
        (1 + 1 / 2 + 1 / 2 + 1) / 4
    ) and finding.control == pytest.approx(1 / 2)
    assert not finding.gates


def test_the_same_release_twice_tells_nothing_more():
    table = people(4)
    published = release_of(table).published
    finding = found(Intersection(), material_of(published, table, earlier=(seen(published),)))
    assert finding.advantage == pytest.approx(0.0)


def test_two_releases_of_the_same_people_tell_more():
    table = people(5, 400)
    first, second = (
        release_of(table, k=4, method=method).published for method in ("mondrian", "k-member")
    )
    earlier = material_of(first).release
    assert found(Intersection(), material_of(second, table, earlier=(earlier,))).advantage > 0.02


def test_values_are_what_they_are_spelled_like():
    original = published_as(age=[20, 29, 30, 35], ill=[1, 1, 2, 2])
    table = pa.table({"age": ["[20, 29]"] * 2 + ["[30, 39]"] * 2, "ill": ["1", "1", "2", "2"]})
    assert found(Homogeneity(), Material(seen(table, ("age",)), original)).advantage == 1.0


def at_ages(*cells: str, ills: tuple[str, ...]) -> pa.Table:
    return published_as(age=list(cells), ill=list(ills))


ILLS = ("flu", "cold", "gout", "none")


def test_three_releases_tell_what_no_two_of_them_do():
    """Three ways to pair four people: two leave two values to some, all three leave one."""
    original = published_as(age=[20, 29, 30, 35], ill=list(ILLS))
    everyone = at_ages("*", "*", "*", "*", ills=ILLS)
    young = at_ages("[20, 29]", "[20, 29]", "[30, 39]", "[30, 39]", ills=ILLS)
    middle = at_ages("[0, 99]", "[29, 30]", "[29, 30]", "[0, 99]", ills=ILLS)
    earlier = (seen(young, ("age",)), seen(middle, ("age",)))
    material = Material(seen(everyone, ("age",)), original, earlier=earlier)
    together = found(Repeated(), material)
    one, other = Intersection().run(material)
    # 20: {flu, cold} and {flu, none}. 29 and 30 fit every row of the second, so their pair of the
    # first is left. 35: {gout, none} and {flu, none}.
    assert together.attack == pytest.approx((1 + 1 / 2 + 1 / 2 + 1) / 4)
    assert together.control == pytest.approx(1 / 2) and together.advantage == pytest.approx(1 / 2)
    assert one.attack == pytest.approx(1 / 2)
    assert other.attack == pytest.approx((1 / 2 + 1 / 4 + 1 / 4 + 1 / 2) / 4)
    assert not together.gates


def test_a_release_that_does_not_hold_a_person_says_nothing():
    original = published_as(age=[20, 29], ill=["flu", "cold"])
    now = at_ages("20", "29", ills=("flu", "cold"))
    others = at_ages("[20, 29]", "[20, 29]", ills=("gout", "none"))
    material = Material(seen(now, ("age",)), original, earlier=(seen(others, ("age",)),) * 3)
    finding = found(Repeated(), material)
    assert (finding.attack, finding.control) == (1.0, 1.0)


@pytest.mark.parametrize("seed", range(4))
def test_repeated_guesses_are_those_of_a_reader(seed):
    table = people(seed)
    releases = [
        release_of(table, k=2 + at, method=method).published
        for at, method in enumerate(("mondrian", "k-member", "mondrian"))
    ]
    rows = [release.to_pylist() for release in releases]
    chances = []
    for person in table.to_pylist():
        if person["ill"] is None:
            continue
        votes = None
        for release in rows:
            said = Counter(release[i]["ill"] for i in candidates(release, person, TREES))
            del said[None]
            # Counters meet by the lesser number.
            votes = said if votes is None else (votes & said or votes)
        chances.append(chance_of(person["ill"], list(votes.elements())))
    earlier = tuple(material_of(release, table).release for release in releases[1:])
    material = replace(material_of(releases[0], table), earlier=earlier)
    assert found(Repeated(), material).attack == pytest.approx(np.mean(chances))


def test_what_rows_say_is_collected_once_for_each_truth():
    sight = four(["flu", "flu", "cold", "cold"]).insiders
    truth = published_as(age=[20, 29, 30, 35], ill=["flu", "flu", "cold", "cold"])
    other = published_as(age=[20, 29, 30, 35], ill=["cold", "flu", "cold", "cold"])
    told = sight.says("ill", truth)
    assert sight.says("ill", truth) is told
    assert (sight.says("ill", other).truth != told.truth).any()
    assert sight.says("ill", truth).truth.tolist() == told.truth.tolist()
