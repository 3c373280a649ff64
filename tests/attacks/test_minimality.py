"""What a merge tells: a case that can be counted by hand, and methods whose merges tell nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from attacks.people import found, material_of, people, published_as, release_of, seen
from shoal.attacks.attack import Material
from shoal.attacks.minimality import Minimality
from shoal.groups import Groups
from shoal.partition.method import Method
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.l_diversity import LDiversity


@dataclass(frozen=True)
class ByValue(Method):
    """Rows of equal age are a group."""

    name = "by-value"

    def _divide(self, rows, k, guard, rng, watch):
        return Groups.of(rows.codes[0])


@dataclass(frozen=True)
class AtMostHalf(LDiversity):
    """No more than half of a group has the first value."""

    name = "at-most-half"

    def safe(self, counts, column=None):
        return 2 * counts[:, 0] <= counts.sum(axis=1)


def merged(ills: list[str]) -> Material:
    """Two people of 20 and the others of 30, published as one group."""
    table = published_as(age=["*"] * len(ills), ill=ills)
    original = published_as(age=[20, 20] + [30] * (len(ills) - 2), ill=ills)
    return Material(
        seen(table, ("age",)),
        original,
        k=2,
        method=ByValue(),
        models=(KAnonymity(2), AtMostHalf(1)),
    )


def test_a_merge_that_has_one_explanation():
    # two of twelve have "a"; a part with more than half of "a" can only be the small one, with both
    # of them
    finding = found(Minimality(draws=400), merged(["a", "a"] + ["b"] * 10))
    assert finding.trials == 12 and finding.control == pytest.approx(10 / 12)
    assert finding.attack == 1.0 and finding.advantage == 1.0 and not finding.gates


def test_the_seed_of_the_draws_is_fixed():
    runs = [found(Minimality(draws=50), merged(["a", "a"] + ["b"] * 10)) for _ in range(2)]
    assert runs[0] == runs[1]


def test_groups_that_were_not_merged_tell_nothing():
    ills = ["a", "b"] + ["b"] * 10
    table = published_as(age=["20"] * 2 + ["30"] * 10, ill=ills)
    original = published_as(age=[20] * 2 + [30] * 10, ill=ills)
    models = (KAnonymity(2), AtMostHalf(1))
    finding = found(
        Minimality(),
        Material(seen(table, ("age",)), original, k=2, method=ByValue(), models=models),
    )
    assert finding.attack is None and "no published group is a union" in finding.words


def test_without_a_model_of_values_nothing_is_merged_for_them():
    table = people(1)
    finding = found(Minimality(), material_of(release_of(table).published, table))
    assert finding.attack is None and "no model looks at sensitive values" in finding.words


@pytest.mark.parametrize("method", ["k-member", "mondrian"])
def test_our_own_repair_is_recognised_and_gives_little_away(method):
    table = people(3, 600)
    asked = {"k": 3, "models": ["l-diversity(l=3)"], "method": method}
    finding = found(
        Minimality(seed=1), material_of(release_of(table, **asked).published, table, **asked)
    )
    assert finding.trials > 20  # merged groups are found ...
    assert finding.advantage < 0.05  # ... but knowing the method helps hardly


def test_dealing_keeps_the_values_of_each_group():
    from shoal.attacks.minimality import _Dealt, _Merged  # the part that must not lose a value
    from shoal.attacks.reading import PublishedBoxes
    from shoal.privacy.column import Column

    published = Groups(np.array([0, 0, 1, 1, 1, 1], np.int32), 2)
    parts = Groups.of(np.array([0, 1, 2, 2, 3, 3]))
    nothing = np.zeros((2, 1), np.int32)
    together = _Merged(
        parts, np.array([0, 0, 1, 1]), PublishedBoxes(published, nothing, nothing, nothing)
    )
    dealt = _Dealt(
        together,
        np.array([5, 6, 1, 2, 3, 4], np.int32),
        np.zeros(6, np.int32),
        Column("x", range(9), np.zeros(10)),
    )
    for seed in range(20):
        codes = dealt.dealt(np.random.default_rng(seed))
        assert sorted(codes[:2]) == [5, 6] and sorted(codes[2:]) == [1, 2, 3, 4]
