"""Every field of a public certificate is recounted, fixed by the recipe, or known to be stated.

A generator changes each value of a certificate in turn, leaves each out, and adds fields; `verify`
must refuse the result or find a difference, unless the value is one of those that are only stated.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import ShoalError
from shoal.review.certificate import as_json

PEOPLE = pa.table(
    {
        "age": [20 + 3 * (i % 17) for i in range(60)],
        "city": [("Oslo", "Rome", "Bern")[i % 3] for i in range(60)],
        "ill": [("flu", "gout", "cold", "acne")[i % 4] for i in range(60)],
        "pay": [100.0 + 7 * ((i * 37) % 60) for i in range(60)],
    }
)
ROLES = {"quasi": ["age", "city"], "sensitive": ["ill"], "k": 4, "seed": 1}
Path = tuple[str | int, ...]
STATED = {
    "groups": ("recipe", "shoal"),
    "overlap": ("recipe", "shoal"),
    "distortion": ("shoal", "method", "rounded", "shuffled"),
}
"""Fields that nobody can recount: `verify` lists them as stated."""


def made(kind: str) -> tuple[Any, dict[str, Any]]:
    if kind == "distortion":
        done = shoal.distort(PEOPLE, columns=["pay"], as_published=True)
        return done.table, json.loads(as_json(done.certificate.public))
    method = {"groups": {"models": ["l-diversity:l=2"]}, "overlap": {"method": "nsvdist"}}[kind]
    release = shoal.anonymize(PEOPLE, **ROLES, **method)
    return release.table, json.loads(as_json(release.certificate.public))


def leaves(stated: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    inner: list[tuple[str | int, Any]] = []
    if isinstance(stated, dict):
        inner = list(stated.items())
    elif isinstance(stated, list):
        inner = list(enumerate(stated))
    yield path, stated
    for name, value in inner:
        yield from leaves(value, (*path, name))


def others(value: Any) -> list[Any]:
    """Values that another one might be replaced by."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [value + 1, value / 2 if value else 0.5, -1, 10**12, 10**400]
    if isinstance(value, str):
        return ["This is differentially private.", value[:-1], "", "9.9", "0" * 64, None]
    if isinstance(value, list):
        return [[], [*value, *value[:1]], [*value, "This is differentially private."], None]
    if value is None:
        return [0.25]
    return [{**value, "differentially private": True}, {**value, "epsilon": 0.1}]


def changed(stated: dict[str, Any]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every certificate that differs from another one in one place."""
    for path, value in leaves(stated):
        for other in others(value):
            if other != value:
                yield path, replaced(stated, path, other)
        # A list without entries may as well not be there.
        if path and isinstance(path[-1], str) and value != [] and path != ("format",):
            yield path, without(stated, path)


def replaced(stated: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    if not path:
        return dict(value)
    twin = copy.deepcopy(stated)
    inner: Any = twin
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return twin


def without(stated: dict[str, Any], path: Path) -> dict[str, Any]:
    twin = copy.deepcopy(stated)
    inner: Any = twin
    for name in path[:-1]:
        inner = inner[name]
    del inner[path[-1]]
    return twin


def accepted(table: Any, forged: dict[str, Any], path: Path = ()) -> bool:
    """Whether a certificate passes, other than by saying that the changed part is unchecked."""
    try:
        verified = shoal.verify(table, forged, original=PEOPLE)
        unchecked = {item.what for item in verified.items if item.status == "not checkable"}
        return verified.holds and not unchecked & {*path}
    except ShoalError as refusal:
        assert refusal.exit_code in (3, 4), refusal
        return False


@pytest.mark.parametrize("kind", STATED)
def test_a_changed_certificate_is_refused_or_differs(kind: str) -> None:
    table, stated = made(kind)
    assert accepted(table, stated)
    tried = list(changed(stated))
    passed = [path for path, forged in tried if accepted(table, forged, path)]
    unnoticed = [path for path in passed if path[:1] not in [(name,) for name in STATED[kind]]]
    assert unnoticed == []
    assert len(tried) > 60


@pytest.mark.parametrize("kind", STATED)
def test_stated_fields_are_listed_as_stated(kind: str) -> None:
    table, stated = made(kind)
    verified = shoal.verify(table, stated, original=PEOPLE)
    listed = {item.what for item in verified.items if item.status in ("stated", "not checkable")}
    for name in STATED[kind]:
        if name not in ("not promised", "shoal"):
            assert name in listed, name
    assert "version of Shoal" in listed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"k": 2}, "smaller than the recipe's k"),
        ({"groups": 61}, "more groups"),
        ({"shoal": "0.1 (certified by the state)"}, "a version that is none"),
        ({"withheld": 10}, "unknown field"),
        ({"withheld at most": 0.5}, "not that of the recipe"),
        ({"people behind the rows from": "weights"}, "people from weights"),
    ],
)
def test_impossible_values_are_named(change: dict[str, Any], said: str) -> None:
    table, stated = made("groups")
    with pytest.raises(ShoalError, match=said):
        shoal.verify(table, {**stated, **change})


@pytest.mark.parametrize("kind", ["groups", "overlap"])
def test_attacks_can_not_be_dropped_one_by_one(kind: str) -> None:
    table, stated = made(kind)
    for place in range(len(stated["attacks"])):
        rest = [each for i, each in enumerate(stated["attacks"]) if i != place]
        assert not shoal.verify(table, {**stated, "attacks": rest}).holds
    more = [*stated["attacks"], "differential-privacy"]
    assert not shoal.verify(table, {**stated, "attacks": more}).holds


def test_an_end_that_was_taken_out_of_a_release_is_no_fault() -> None:
    release = shoal.anonymize(PEOPLE, **ROLES, publish={"age": "bounds"})
    ends = release.table["age_hi"].to_pylist()
    place = release.table.column_names.index("age_hi")
    kind = release.table["age_hi"].type
    changed = release.table.set_column(place, "age_hi", pa.array([None, *ends[1:]], kind))
    assert not shoal.verify(changed, release.certificate).holds


@pytest.mark.parametrize("match", ["ring", "k-k", "1-k"])
def test_the_promise_of_boxes_is_that_of_the_recipe(match: str) -> None:
    release = shoal.anonymize(PEOPLE, **ROLES, method=f"nsvdist:match={match}")
    stated = json.loads(as_json(release.certificate.public))
    for promise in ("k-concealment", "k-k", "k-1", "1-k"):
        verified = shoal.verify(release.table, {**stated, "promise": promise}, original=PEOPLE)
        assert verified.holds == (promise == stated["promise"]), promise


@pytest.mark.parametrize("kind", STATED)
def test_two_changes_at_once_hide_nothing(kind: str) -> None:
    table, stated = made(kind)
    free = dict.fromkeys(STATED[kind], True)
    changes = [
        (path, other)
        for path, value in leaves(stated)
        for other in others(value)
        if path and other != value
    ]
    chance = random.Random(11)
    unnoticed = []
    for _ in range(400):
        (first, one), (second, other) = chance.sample(changes, 2)
        if first[: len(second)] == second or second[: len(first)] == first:
            continue
        forged = replaced(replaced(stated, first, one), second, other)
        both_free = free.get(str(first[0])) and free.get(str(second[0]))
        if not both_free and accepted(table, forged, (*first, *second)):
            unnoticed.append((first, one, second, other))
    assert unnoticed == []


@pytest.mark.parametrize("kind", ["groups", "overlap"])
def test_another_version_does_not_make_attacks_pass(kind: str) -> None:
    table, stated = made(kind)
    other = {**stated, "shoal": "9.9"}
    for attacks in (["differential-privacy"], stated["attacks"][:1], stated["attacks"]):
        verified = shoal.verify(table, {**other, "attacks": attacks}, original=PEOPLE)
        assert {item.status for item in verified.items if item.what == "attacks"} == {
            "not checkable"
        }
    with pytest.raises(ShoalError, match="can't be true"):
        shoal.verify(table, {**other, "attacks": ["This is differentially private."]})
    with pytest.raises(ShoalError, match="required field `shoal`"):
        shoal.verify(table, without(stated, ("shoal",)))


@pytest.mark.parametrize("kind", ["groups", "overlap"])
def test_an_original_without_columns_of_the_release_can_not_be_used(kind: str) -> None:
    table, stated = made(kind)
    with pytest.raises(ShoalError, match="the original has no column 'city'") as refusal:
        shoal.verify(table, stated, original=PEOPLE.drop_columns(["city"]))
    assert refusal.value.exit_code == 3
