"""What every privacy model keeps, whoever wrote it: the names come from the registry."""

from __future__ import annotations

import inspect
import sys
from dataclasses import MISSING, fields, replace
from functools import cache
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa
import pytest

import shoal as door
from naive import models as naive
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.partition.method import Method
from shoal.privacy.column import Column, Sensitive
from shoal.privacy.model import Model
from shoal.privacy.population import PopulationModel
from shoal.registry import create, example, make, names, spell, summary
from shoal.review.gate import verify

MODELS = names(Model)
JUDGED = [name for name, model in MODELS.items() if not issubclass(model, PopulationModel)]
PROMISES = {
    int: [1, 2, 3, 5],
    float: [0.05, 0.2, 0.5, 0.9, 1.0, 2.0, 4.0],
}  # what is tried for parameters without a default
NESTED = {"*": {"ab": ["10", "20"], "cd": {"c": ["30"], "d": ["40"]}, "50": []}}
TREE = [["10", "20"], [["30"], ["40"]], "50"]  # the same, for the naive one
VALUES = ["10", "20", "30", "40", "50"]


def required(model: type[Model]) -> dict[str, type]:
    hints = get_type_hints(model)
    return {field.name: hints[field.name] for field in fields(model) if field.default is MISSING}


def choices(model: type[Model]) -> list[dict[str, str]]:
    """Every value of parameters that say how to measure, one at a time."""
    hints = get_type_hints(model)
    ways = [
        {f.name: way}
        for f in fields(model)
        if get_origin(hints[f.name]) is Literal
        for way in get_args(hints[f.name])
    ]
    return ways or [{}]


@cache
def made(name: str) -> list[Model]:
    """The model with every choice of its parameters that it takes."""
    found: list[Model] = []
    for way in choices(MODELS[name]):
        for i in range(len(PROMISES[float])):
            for j in range(len(PROMISES[float])):
                chosen = zip(required(MODELS[name]).items(), (i, j, i, j), strict=False)
                given = {p: PROMISES[kind][n % len(PROMISES[kind])] for (p, kind), n in chosen}
                try:
                    found.append(create(Model, name, {**given, **way}))
                except RecipeError:
                    continue
    return list(dict.fromkeys(found))


def counts(rng: np.random.Generator) -> np.ndarray:
    """Random groups by sensitive value; the last value is missing."""
    groups = int(rng.integers(2, 7))
    values = int(rng.integers(1, 6))
    found = rng.integers(0, 6, (groups, values + 1)) * (rng.random((groups, values + 1)) < 0.7)
    found[:, -1] *= rng.random() < 0.5
    return found[found.sum(axis=1) > 0].astype(np.int64)


def column(table: np.ndarray) -> Column:
    """The column of which these are the counts: tens, in a tree."""
    values = pa.array(VALUES[: table.shape[1] - 1], pa.string())
    found = Sensitive.of(
        "ill", np.arange(len(values) + 1, dtype=np.int32), values, Hierarchy.nested(NESTED["*"])
    ).column
    return found.of(table.sum(axis=0))


def lists(table: np.ndarray) -> list[list[str | None]]:
    """The groups as lists of values."""
    cells = [*VALUES[: table.shape[1] - 1], None]
    return [
        [cell for cell, count in zip(cells, row, strict=True) for _ in range(count)]
        for row in table
    ]


def literally(model: Model, groups: list[list[str | None]]) -> list[bool]:
    """Verdicts of the naive version."""
    judge = getattr(naive, model.name.replace("-", "_"))
    everyone = [value for group in groups for value in group]
    given = model.own_parameters | ({"tree": TREE} if "distance" in vars(model) else {})
    if model.name == "lkc":
        return [naive.lkc([((), value) for value in group], **given) for group in groups]
    return [judge(group, everyone, **given) for group in groups]


@pytest.fixture(params=MODELS)
def name(request) -> str:
    return request.param


@pytest.fixture(params=JUDGED)
def judged(request) -> str:
    return request.param


def test_there_are_models():
    assert set(MODELS) == {
        *(
            "k-anonymity",
            "l-diversity",
            "entropy-l-diversity",
            "recursive-l-diversity",
            "frequency-l-diversity",
            "t-closeness",
        ),
        *(
            "alpha-k",
            "p-sensitive",
            "beta-likeness",
            "delta-disclosure",
            "k-e",
            "m-invariance",
            "k-map",
            "delta-presence",
            "lkc",
        ),
    }
    assert all(getattr(door, model.__name__) is model for model in MODELS.values())


def test_page(name):
    page = " ".join(inspect.getdoc(sys.modules[MODELS[name].__module__]).split())
    assert page.startswith(f"`{name}`") and "|---|" in page
    assert (
        "It stops" in page
        and "not stop" in page
        and ("merged" in page or "merging" in page.lower())
    )
    assert summary(MODELS[name]).endswith(".")
    assert MODELS[name].__module__.rsplit(".", 1)[1] == name.replace("-", "_")


def test_some_parameters_are_taken_and_spelled_back(name):
    assert made(name)
    for model in made(name):
        assert make(Model, spell(model)) == model


@pytest.mark.parametrize("value", ["0", "-1", "x", "nan", "inf", "", "true"])
def test_nonsense_is_refused(name, value):
    for parameter, kind in required(MODELS[name]).items():
        if kind is int or value != "0":  # no distance at all can be asked for, no people can't
            others = {
                other: PROMISES[k][1]
                for other, k in required(MODELS[name]).items()
                if other != parameter
            }
            with pytest.raises(RecipeError):
                create(Model, name, {**others, parameter: value})


def test_verdicts_are_those_of_the_definition(judged):
    rng = np.random.default_rng(1)
    seen = set()
    for model in made(judged):
        for _ in range(12):
            table = counts(rng)
            verdicts = model.safe(table, column(table))
            assert verdicts.dtype == np.bool_ and verdicts.shape == (len(table),)
            assert verdicts.tolist() == literally(model, lists(table)), (model, table.tolist())
            assert not verdicts[
                table.sum(axis=1) < model.least
            ].any()  # no safe group is smaller than it says
            seen |= set(verdicts.tolist())
    assert seen == {True, False}


def test_values_have_no_order_unless_something_says_so(judged):
    rng = np.random.default_rng(4)
    for model in made(judged):
        if judged != "k-e" and vars(model).get("distance", "equal") == "equal":
            table = counts(rng)
            shuffled = table[:, [*rng.permutation(table.shape[1] - 1), table.shape[1] - 1]]
            assert np.array_equal(
                model.safe(shuffled, column(shuffled)), model.safe(table, column(table))
            )


def stricter(model: Model, value: float, share: float) -> Model | None:
    """The model with a parameter that is so much stricter (below 0: milder) than a value; None
    where it takes none.
    """
    up = value * (1 + share) if model.higher_is_stricter else value * (1 - share)
    whole = get_type_hints(type(model))[model.promise] is int
    try:
        return replace(model, **{model.promise: round(value + np.sign(share)) if whole else up})
    except (RecipeError, OverflowError):
        return None


def test_a_measure_is_the_strictest_promise_that_is_kept(judged):
    rng = np.random.default_rng(2)
    tried = 0
    for model in made(judged):
        for _ in range(6):
            table = counts(rng)
            measure = model.worst(model.measures(table, column(table)))
            if not np.isfinite(measure) or measure == 0:
                continue
            tight = stricter(model, measure, 1e-9)
            mild = stricter(model, measure, -1e-9)
            assert tight is None or not tight.safe(table, column(table)).all()
            assert mild is None or mild.safe(table, column(table)).all(), (mild, table.tolist())
            tried += tight is not None or mild is not None
            if get_type_hints(type(model))[model.promise] is int and measure >= 1:
                assert (
                    replace(model, **{model.promise: int(measure)}).safe(table, column(table)).all()
                )
    assert tried > 5 or (tried and model.balances)  # random groups seldom are


def test_unions_of_safe_groups_are_safe_where_that_is_said(judged):
    rng = np.random.default_rng(3)
    tried = 0
    for model in made(judged):
        for _ in range(60 if model.survives_merging else 0):
            table = counts(rng)
            good = np.flatnonzero(model.safe(table, column(table)))
            if len(good) >= 2:
                one, other = rng.choice(good, 2, replace=False)
                rest = np.delete(table, [one, other], axis=0)
                union = np.vstack([rest, table[one] + table[other]])
                assert model.safe(union, column(table))[-1], (model, table.tolist())
                tried += 1
    assert tried > 20 or judged in ("lkc", "m-invariance")  # which survive no merging


def test_what_does_not_survive_merging_says_so():
    skip, violation = (
        make(Model, f"delta-disclosure:delta=0.6,absent={absent}")
        for absent in ("skip", "violation")
    )
    assert violation.survives_merging and not skip.survives_merging
    table = np.array([[4, 2, 0], [9, 0, 0], [8, 7, 0]])
    assert skip.safe(table, column(table)).all()
    assert not skip.safe(np.array([[13, 2, 0]]), column(table))[0]  # the first two together


def test_missing_counts_towards_size_and_never_towards_diversity(judged):
    nobody = np.array([[0, 0, 0, 9], [3, 3, 3, 0]])
    for model in made(judged):
        if "diversity" in judged and model.least >= 2:
            assert model.safe(nobody, column(nobody)).tolist()[0] is False
        if "diversity" in judged:
            some = np.array([[4, 2, 9]])
            none = np.array([[4, 2, 0]])
            assert np.array_equal(model.safe(some, column(some)), model.safe(none, column(none)))


def test_failures_are_told_in_words_and_numbers(name):
    for model in made(name):
        told = model.failing("1,234 of 56,789 groups", "ill" if model.needs_sensitive else None)
        assert "1,234" in told and "56,789" in told
        assert ("'ill'" in told) == model.needs_sensitive


# --- from outside


def people(seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(12, 40))
    ill = rng.choice(VALUES[:4], rows, p=[0.4, 0.3, 0.2, 0.1])
    gone = rng.random(rows) < 0.1
    return pa.table(
        {
            "age": pa.array(rng.integers(20, 60, rows), mask=rng.random(rows) < 0.05),
            "city": rng.choice(["a", "b", "c"], rows),
            "size": np.round(rng.normal(170, 10, rows), 1),
            "ill": pa.array(ill, mask=gone),
        }
    )


QUASI = ["age", "city", "size"]


def groups_of(table: pa.Table) -> list[list[str | None]]:
    """The groups of a release, by its cells alone."""
    found: dict[tuple[object, ...], list[str | None]] = {}
    for row in table.to_pylist():
        found.setdefault(tuple(row[name] for name in QUASI), []).append(row["ill"])
    return list(found.values())


def asked_of(name: str) -> list[Model]:
    """Promises that small tables can keep, and some that they can't."""
    found = {
        "k-anonymity": ["k=3"],
        "l-diversity": ["l=2", "l=3"],
        "p-sensitive": ["p=2"],
        "entropy-l-diversity": ["l=1.5", "l=2"],
        "recursive-l-diversity": ["c=2,l=2", "c=3,l=3"],
        "frequency-l-diversity": ["l=1.5", "l=2"],
        "alpha-k": ["alpha=0.6", "alpha=0.3,values=[10]"],
        "t-closeness": ["t=0.4", "t=0.2,distance=ordered", "t=0.3,distance=hierarchical"],
        "beta-likeness": ["beta=1.5", "beta=2,form=enhanced"],
        "delta-disclosure": ["delta=2", "delta=1,absent=skip"],
        "k-e": ["e=10,k=2", "e=20"],
        "m-invariance": ["m=2"],
        "lkc": ["l=2,c=0.7", "l=1,c=0.6,k=4"],
    }[name]
    return [make(Model, f"{name}:{text}") for text in found]


@pytest.mark.parametrize("method", names(Method))
def test_every_method_keeps_the_promise_or_refuses(judged, method):
    kept = 0
    for seed, model in enumerate(asked_of(judged)):
        k = 2 + seed
        table = people(seed)
        asked = {
            "quasi": QUASI,
            "sensitive": ["ill"],
            "models": [model],
            "withhold": 0.2,
            "seed": seed,
        }
        try:
            release = door.anonymize(
                table, **asked, k=k, method=method, hierarchies={"ill": NESTED["*"]}
            )
        except (PrivacyNotMet, RecipeError) as refusal:
            assert "Traceback" not in str(refusal)
            assert model.judges == "group" or "top-down" in str(refusal)
            continue
        groups = groups_of(release.table)
        promised = model.under(k)
        assert min(map(len, groups)) >= k
        nobodys = sum(each.rows for each in release.certificate.public.counterfeits or ())
        published = table.num_rows - int((release.groups < 0).sum())
        assert sum(map(len, groups)) == published + nobodys
        if judged == "lkc":
            rows = [
                (tuple(row[name] for name in QUASI), row["ill"])
                for row in release.table.to_pylist()
            ]
            assert naive.lkc(rows, **promised.own_parameters)
        else:
            assert all(literally(promised, groups)), (model, groups)
        kept += 1
    assert (
        kept
        or (judged == "lkc" and "release" not in names(Method)[method].serves)
        or judged == "delta-disclosure"
        or (model.balances and method != "shoal")
    )


PLANTED = {
    "k-anonymity": (["10", "20"], "k=3"),
    "l-diversity": (["10"] * 6, "l=2"),
    "p-sensitive": (["10"] * 6, "p=2"),
    "entropy-l-diversity": (["10"] * 5 + ["20"], "l=1.9"),
    "recursive-l-diversity": (["10"] * 4 + ["20"] * 2, "c=2,l=2"),
    "frequency-l-diversity": (["10"] * 4 + ["20"] * 2, "l=2"),
    "alpha-k": (["10"] * 4 + ["20"] * 2, "alpha=0.6,values=[10]"),
    "t-closeness": (["10"] * 3, "t=0.2,distance=ordered"),
    "beta-likeness": (["10"] * 2 + ["20"] * 4, "beta=0.4"),
    "delta-disclosure": (["10"] * 6, "delta=3"),
    "k-e": (["10", "20"] * 3, "e=20,k=2"),
    "m-invariance": (["10"] * 2 + ["20"] * 3, "m=2"),
    "lkc": (["10"] * 5 + ["20"], "l=1,c=0.7"),
}


def test_a_planted_violation_is_caught(judged):
    """One bad group beside two good ones: the gate and an audit see it; without it, both are
    silent.
    """
    values, text = PLANTED[judged]
    good = ["10", "20", "30", "40"] * 6
    model = make(Model, f"{judged}:{text}")
    release = pa.table(
        {"q": ["x"] * 24 + ["y"] * 24 + ["z"] * len(values), "ill": [*good, *good, *values]}
    )
    door.audit(release.slice(0, 48), quasi=["q"], sensitive=["ill"], require=[model])
    with pytest.raises(PrivacyNotMet, match="1 of 3 groups"):
        door.audit(release, quasi=["q"], sensitive=["ill"], require=[model])
    verify(release.slice(0, 48), ["q"], ["ill"], [model])
    with pytest.raises(PrivacyNotMet, match="1 of 3 groups"):
        verify(release, ["q"], ["ill"], [model])


@pytest.mark.parametrize("name", MODELS)
def test_a_page_can_offer_it(name):
    """It brings an example, and ranges for its parameters whose ends and beginning are promises it
    can make.
    """
    model = MODELS[name]
    head, *rows = example(model)
    assert rows
    assert all(len(row) == len(head) for row in rows)
    wanted = required(model)
    assert set(model.usual) <= set(wanted)
    begin = {key: model.usual.get(key, (1, 1, 1)) for key in wanted}
    for key, (start, least, most) in begin.items():
        assert least <= start <= most
        for value in (start, least, most):
            made = create(Model, name, {k: v[0] for k, v in begin.items()} | {key: value})
            assert getattr(made, key) == value
