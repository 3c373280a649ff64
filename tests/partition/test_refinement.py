from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

from naive.costs import Costs
from shoal.api import anonymize
from shoal.encode.profile import profile
from shoal.errors import RecipeError
from shoal.groups import Groups
from shoal.kernels.costs import boxes
from shoal.kernels.partition.repair import weigh
from shoal.partition import renewal
from shoal.partition.merge import merge_small
from shoal.partition.method import Method
from shoal.partition.refinement import EFFORTS, refine
from shoal.partition.repair import repair
from shoal.partition.shoal import Shoal
from shoal.recipe import Recipe
from shoal.registry import names
from tables import AtLeast, Column, ManyValues, adult, any_sample, encoded, samples
from tries import telling

METHODS = names(Method)


def random_groups(case) -> Groups:
    """Groups of at least k that nobody has thought about."""
    rng = np.random.default_rng(case.seed)
    groups = Groups.of(rng.integers(0, max(case.rows.count // case.k, 1), size=case.rows.count))
    return merge_small(groups, case.rows, case.k, lambda share: None)


def loss_of(rows, groups) -> int:
    lo, hi = (
        np.ascontiguousarray(ends.T) for ends in boxes(rows.codes, groups.labels, groups.count)
    )
    return int(weigh(rows.costs, lo, hi, groups.sizes).sum())


def refined(groups, case, guard=None, **options) -> Groups:
    return refine(
        groups, case.rows, case.k, guard or AtLeast(case.k), np.random.default_rng(1), **options
    )


@given(any_sample(60))
@settings(max_examples=60, deadline=None)
def test_it_never_loses_more_and_never_breaks_k(case):
    groups = random_groups(case)
    better = refined(groups, case)
    assert better.sizes.min() >= case.k
    assert np.array_equal(np.unique(better.labels), np.arange(better.count))
    assert loss_of(case.rows, better) <= loss_of(case.rows, groups)


def test_the_loss_it_sees_is_that_of_the_plain_reading():
    for case in samples(200):
        better = refined(random_groups(case), case)
        cost = Costs(case.columns).of
        members = [np.flatnonzero(better.labels == g).tolist() for g in range(better.count)]
        assert loss_of(case.rows, better) == sum(len(rows) * cost(rows) for rows in members)


def test_it_finds_something():
    improved = sum(
        loss_of(c.rows, refined(random_groups(c), c)) < loss_of(c.rows, random_groups(c))
        for c in samples(200)
    )
    assert improved > telling(100)


def test_one_thread_gives_what_two_give():
    rows = adult()
    groups = METHODS["mondrian"]().divide(rows, 10, AtLeast(10), np.random.default_rng(0))
    one, two = (
        refine(groups, rows, 10, AtLeast(10), np.random.default_rng(3), threads=threads)
        for threads in (1, 2)
    )
    assert np.array_equal(one.labels, two.labels)
    assert loss_of(rows, one) < 0.9 * loss_of(rows, groups)


@pytest.mark.parametrize("name", METHODS)
def test_it_never_worsens_any_method(name):
    for case in samples(40):
        rows = encoded(case.columns, METHODS[name].losses[0])
        groups = METHODS[name]().divide(rows, case.k, AtLeast(case.k), np.random.default_rng(0))
        better = refine(groups, rows, case.k, AtLeast(case.k), np.random.default_rng(1))
        assert loss_of(rows, better) <= loss_of(rows, groups)
        assert np.array_equal(better.labels < 0, groups.labels < 0)
        assert better.count == 0 or better.sizes.min() >= case.k


def test_what_the_models_call_safe_stays_safe():
    changed = 0
    for case in samples(150):
        sensitive = np.random.default_rng(case.seed).integers(0, 3, size=case.rows.count)
        guard = ManyValues(case.k, sensitive, 2)
        groups = repair(random_groups(case), case.rows, guard)
        better = refined(groups, case, guard)
        assert guard.safe(better).tolist() == [True] * better.count or not guard.safe(groups).all()
        assert loss_of(case.rows, better) <= loss_of(case.rows, groups)
        changed += loss_of(case.rows, better) < loss_of(case.rows, groups)
    assert changed > telling(5)


def test_withheld_rows_stay_withheld():
    for case in samples(100):
        labels = random_groups(case).labels.copy()
        labels[labels == 0] = -1
        groups = Groups.of(labels)
        if groups.count:
            better = refined(groups, case)
            assert np.array_equal(better.labels < 0, labels < 0)
            assert better.sizes.min() >= case.k


def test_by_hand():
    """Two pairs that were mixed up are swapped back; a lonely large group is cut in two."""
    rows = encoded([Column([1.0, 2.0, 9.0, 10.0])])
    mixed = Groups.of(np.array([0, 1, 0, 1]))
    assert refine(mixed, rows, 2, AtLeast(2), np.random.default_rng(0)).labels.tolist() == [
        0,
        0,
        1,
        1,
    ]
    one = Groups.of(np.zeros(4, np.int32))
    assert refine(one, rows, 2, AtLeast(2), np.random.default_rng(0)).labels.tolist() == [
        0,
        0,
        1,
        1,
    ]


ALIKE = [Column([0.0] * 3 + [10.0] * 2 + [11.0] * 20)]


def test_equal_rows_leave_together():
    """One of the two rows at 10 would widen the large group for 20 others and leave its own box as
    it is; both may go.
    """
    groups = Groups.of(np.repeat([0, 1], (5, 20)))
    better = refine(groups, encoded(ALIKE), 3, AtLeast(3), np.random.default_rng(0))
    assert better.labels.tolist() == [0] * 3 + [1] * 22


@pytest.mark.parametrize(("ill", "leave"), [([0, 1, 2], True), ([0, 0, 0], False)])
def test_equal_rows_leave_together_where_the_rules_allow_it(ill, leave):
    """Without those at 10, the others of the first group may be ill alike."""
    column = profile(pa.array([*ill, 3, 3] + [0, 1] * 10), "ill")
    rows = encoded(ALIKE, sensitive=[column])
    groups = Groups.of(np.repeat([0, 1], (5, 20)))
    better = refine(
        groups, rows, 3, ManyValues(3, column.codes, 2, ruled=True), np.random.default_rng(0)
    )
    assert (better.labels[3:5] == 1).all() == leave
    assert (better.labels[:3] == 0).all()


def test_many_rows_change_places_at_once():
    """No single row can leave two mixed groups with profit; a region divided anew sorts them
    out.
    """
    rows = encoded([Column([*"aabbaabb"], ("any", ["a", "b"]))])
    mixed = Groups.of(np.repeat([0, 1], 4))
    stuck, sorted_out = (
        refine(mixed, rows, 4, AtLeast(4), np.random.default_rng(0), effort=effort)
        for effort in ("low", "high")
    )
    assert loss_of(rows, stuck) == loss_of(rows, mixed) > 0
    assert sorted_out.labels.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]


@pytest.mark.parametrize(("ill", "sorts"), [([0, 1] * 4, True), ([0, 0, 1, 1] * 2, False)])
def test_regions_are_divided_anew_under_rules_where_all_groups_stay_safe(ill, sorts):
    """Sorted out, the others of each group are ill alike or not; mixed, they never are."""
    column = profile(pa.array(ill), "ill")
    rows = encoded([Column([*"aabbaabb"], ("any", ["a", "b"]))], sensitive=[column])
    mixed = Groups.of(np.repeat([0, 1], 4))
    guard = ManyValues(4, column.codes, 2, ruled=True)
    after = refine(mixed, rows, 4, guard, np.random.default_rng(0), effort="high")
    assert guard.safe(after).all()
    assert (after.labels.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]) == sorts
    assert (loss_of(rows, after) == 0) == sorts


def test_renewal_never_loses_more_and_threads_do_not_matter():
    better = 0
    for case in samples(12):
        groups = random_groups(case)
        plain, one, two = (
            refined(groups, case, **o)
            for o in ({"effort": "low"}, {"effort": "high", "threads": 1}, {"effort": "high"})
        )
        assert np.array_equal(one.labels, two.labels)
        assert one.sizes.min() >= case.k
        assert loss_of(case.rows, one) <= loss_of(case.rows, groups)
        better += loss_of(case.rows, one) < loss_of(case.rows, plain)
    assert better > 1


def test_regions_with_too_many_boxes_are_divided_otherwise(monkeypatch):
    for case in samples(8):
        groups = random_groups(case)
        monkeypatch.setattr(renewal, "MOST_BOXES", 0)
        other = refined(groups, case, effort="high")
        assert other.sizes.min() >= case.k
        assert loss_of(case.rows, other) <= loss_of(case.rows, groups)
    mixed = Groups.of(np.repeat([0, 1], 4))
    rows = encoded([Column([*"aabbaabb"], ("any", ["a", "b"]))])
    found = refine(mixed, rows, 4, AtLeast(4), np.random.default_rng(0), effort="high")
    assert found.labels.tolist() == [0, 0, 1, 1, 0, 0, 1, 1]


def test_all_rows_different_and_one_group_each():
    rows = encoded([Column([float(x) for x in range(12)])])
    groups = Groups.of(np.arange(12))
    assert refine(groups, rows, 1, AtLeast(1), np.random.default_rng(0)).count == 12


PEOPLE = pa.table(
    {
        "age": [30, 61, 31, 60, 32, 62],
        "city": ["Oslo", "Rome"] * 3,
        "ill": ["flu", "cold", "flu"] * 2,
    }
)


@pytest.mark.parametrize("method", ["mondrian", "k-member", "shoal"])
def test_the_door_refines_what_any_method_found(method):
    plain, better = (
        anonymize(
            PEOPLE,
            quasi=["age", "city"],
            sensitive="ill",
            k=2,
            method=method,
            seed=1,
            refine=refine,
        )
        for refine in (False, True)
    )
    assert better.loss("total-information-loss") <= plain.loss("total-information-loss")


def test_the_effort_of_a_recipe_is_that_of_the_method():
    assert Recipe.of(quasi=["age"]).plan().method == Shoal("default")
    assert Recipe.of(quasi=["age"], effort="low").plan().method == Shoal("low")
    assert Recipe.of(quasi=["age"], method="shoal:effort=high").plan().method == Shoal("high")


def test_squared_error_is_refined_on_numbers_alone():
    with pytest.raises(RecipeError, match="'city' is none"):
        anonymize(PEOPLE, quasi=["age", "city"], k=2, method="mdav", refine=True)


def test_efforts_grow():
    assert EFFORTS["low"].rounds < EFFORTS["default"].rounds <= EFFORTS["high"].rounds
