"""People with several rows where rows lie elsewhere: codes, who represents them, and the check."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.encode.profile import profile
from shoal.encode.rows import combined, persons
from shoal.engines.people import (
    NOBODY,
    PersonCoding,
    PublishedPeople,
    persons_of,
    refuse_parted,
    represented_by,
)
from shoal.errors import PrivacyNotMet, RecipeError, ShoalError
from shoal.groups import Groups
from shoal.privacy.persons import represented
from shoal.recipe import Recipe

CODING = PersonCoding("who")
people = st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1, max_size=12)


@given(people)
def test_people_are_numbered_as_in_memory(who: list[str | None]) -> None:
    column = pa.array(who, pa.string())
    in_memory = persons(profile(column, "who"))
    assert persons_of(CODING.code(column)).tolist() == in_memory.tolist()


@pytest.mark.parametrize(
    ("values", "alike"),
    [
        ([0.0, -0.0, float("nan"), 1.0], [0, 0, 1, 2]),
        ([7, 7, None, 8], [0, 0, 1, 2]),
        (["", "", " ", None], [0, 0, 1, 2]),
        ([True, False, True, None], [0, 1, 0, 2]),
    ],
)
def test_values_of_any_type_tell_people_apart(values: list[object], alike: list[int]) -> None:
    assert persons_of(CODING.code(pa.array(values))).tolist() == alike


def test_words_that_mean_missing_are_nobody() -> None:
    recipe = Recipe.of(quasi=["age"], person="who", na=["who=none"])
    coding = PersonCoding.of(recipe)
    assert coding is not None
    codes = coding.code(pa.array(["none", "a", "none"]))
    assert codes[:, 0].tolist() == [NOBODY, NOBODY]
    assert persons_of(codes).tolist() == [0, 1, 2]
    read = Recipe.of(quasi=["age"], person="who", read_as={"who": "number"})
    with pytest.raises(RecipeError, match="compared as it is written"):
        PersonCoding.of(read)


@given(st.data(), st.integers(1, 15))
def test_who_represents_a_person_is_who_does_in_memory(data: st.DataObject, rows: int) -> None:
    some = st.lists(st.integers(0, 3), min_size=rows, max_size=rows)
    codes = np.array([data.draw(some), data.draw(some)], np.int32)
    person = persons(profile(pa.array(data.draw(some)), "who"))
    by = represented_by(person, codes)
    number, first = represented(person, combined(codes, [4, 4]))
    assert (codes[:, by] == codes[:, first[number]]).all()
    assert (person[by] == person).all()
    assert np.count_nonzero(by == np.arange(rows)) == person.max() + 1


def test_planted_faults_are_refused() -> None:
    person = np.array([0, 0, 1, 2, 3], np.int32)
    refuse_parted(person, Groups.of(np.array([0, 0, 0, 1, 1])), 2)
    refuse_parted(person, Groups.of(np.array([-1, -1, 0, 0, 0])), 2)
    with pytest.raises(ShoalError, match="1 people stand in more than one group"):
        refuse_parted(person, Groups.of(np.array([0, 1, 0, 1, 1])), 2)
    with pytest.raises(ShoalError, match="1 people stand in more than one group"):
        refuse_parted(person, Groups.of(np.array([0, -1, 0, 0, 0])), 2)
    with pytest.raises(PrivacyNotMet, match="1 of 2 groups hold fewer than 2 people"):
        refuse_parted(person, Groups.of(np.array([0, 0, 1, 1, 1])), 2)


def test_people_in_two_parts_and_kept_values_of_few_are_refused() -> None:
    person = np.array([0, 0, 1], np.int32)
    one = Groups.of(np.array([0, 0, 0]))
    ward = [("ward", np.array([0, 0, 0], np.int32))]
    parts = [PublishedPeople.of(person, one, ward, 2) for _ in range(2)]
    PublishedPeople.refuse_together(parts, 4, 2)
    with pytest.raises(ShoalError, match="more than one group"):
        PublishedPeople.refuse_together(parts, 3, 2)
    with pytest.raises(PrivacyNotMet, match="fewer than 5 people"):
        PublishedPeople.refuse_together(parts, 4, 5)
