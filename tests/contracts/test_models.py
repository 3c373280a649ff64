"""What every privacy model keeps, whoever wrote it: the names come from the registry."""

from __future__ import annotations

import inspect
import sys
from dataclasses import MISSING, fields
from functools import cache
from typing import get_type_hints

import numpy as np
import pyarrow as pa
import pytest

import shoal as door
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.partition.method import Method
from shoal.privacy.model import Model
from shoal.registry import create, make, names, spell, summary

MODELS = names(Model)
PROMISES = {int: [1, 2, 3, 5], float: [0.05, 0.2, 0.5, 0.9, 1.0, 2.0, 4.0]}  # what is tried for parameters without a default


def required(model: type[Model]) -> dict[str, type]:
    hints = get_type_hints(model)
    return {field.name: hints[field.name] for field in fields(model) if field.default is MISSING}


@cache
def made(name: str) -> list[Model]:
    """The model with every choice of its parameters that it takes."""
    found: list[Model] = []
    for i in range(len(PROMISES[float])):
        for j in range(len(PROMISES[float])):
            chosen = zip(required(MODELS[name]).items(), (i, j, i, j), strict=False)
            try:
                found.append(create(Model, name, {p: PROMISES[kind][n % len(PROMISES[kind])] for (p, kind), n in chosen}))
            except RecipeError:
                continue
    return list(dict.fromkeys(found))


def counts(rng: np.random.Generator) -> np.ndarray:
    """Random groups by sensitive value; the last value is missing."""
    groups, values = int(rng.integers(2, 7)), int(rng.integers(1, 6))
    found = rng.integers(0, 6, (groups, values + 1)) * (rng.random((groups, values + 1)) < 0.7)
    found[:, -1] *= rng.random() < 0.5
    return found[found.sum(axis=1) > 0].astype(np.int64)


@pytest.fixture(params=MODELS)
def name(request) -> str:
    return request.param


def test_there_are_models():
    assert set(MODELS) >= {"k-anonymity", "l-diversity"}


def test_page(name):
    page = inspect.getdoc(sys.modules[MODELS[name].__module__])
    assert page.startswith(f"`{name}`")
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
            others = {other: PROMISES[k][1] for other, k in required(MODELS[name]).items() if other != parameter}
            with pytest.raises(RecipeError):
                create(Model, name, {**others, parameter: value})


def test_verdicts_and_measures(name):
    rng = np.random.default_rng(1)
    for model in made(name):
        for _ in range(15):
            table = counts(rng)
            verdicts = model.safe(table)
            assert verdicts.dtype == np.bool_ and verdicts.shape == (len(table),)
            assert not verdicts[table.sum(axis=1) < model.least].any()  # no safe group is smaller than it says
            assert isinstance(model.measure(table), int | float)
            shuffled = table[:, [*rng.permutation(table.shape[1] - 1), table.shape[1] - 1]]
            if not model.needs_sensitive or "distance" not in vars(model):
                assert np.array_equal(model.safe(shuffled), verdicts)  # values have no order, unless a distance says so


def test_a_measure_is_the_strictest_promise_that_is_kept(name):
    if len(required(MODELS[name])) != 1:
        pytest.skip("several parameters: there is no strictest one")
    rng = np.random.default_rng(2)
    agrees = {True: True, False: True}  # whether the higher parameter is the stricter one
    for _ in range(60):
        table = counts(rng)
        measure = made(name)[0].measure(table)
        for model in made(name):
            (parameter,) = (getattr(model, p) for p in required(MODELS[name]))
            if parameter != pytest.approx(measure, rel=1e-9):
                agrees[True] &= bool(model.safe(table).all()) == (parameter < measure)
                agrees[False] &= bool(model.safe(table).all()) == (parameter > measure)
            elif isinstance(parameter, int):
                assert model.safe(table).all()
    assert agrees[True] != agrees[False]


def test_unions_of_safe_groups_are_safe_where_that_is_said(name):
    rng = np.random.default_rng(3)
    tried = 0
    for model in made(name):
        for _ in range(60 if model.survives_merging else 0):
            table = counts(rng)
            good = np.flatnonzero(model.safe(table))
            if len(good) >= 2:
                one, other = rng.choice(good, 2, replace=False)
                rest = np.delete(table, [one, other], axis=0)
                assert model.safe(np.vstack([rest, table[one] + table[other]]))[-1], (model, table.tolist())
                tried += 1
    assert tried > 20 or not MODELS[name].survives_merging


def test_missing_counts_towards_size_and_never_towards_diversity(name):
    nobody = np.array([[0, 0, 0, 9], [3, 3, 3, 0]])
    for model in made(name):
        if not model.needs_sensitive:
            assert np.array_equal(model.safe(nobody), model.safe(nobody[:, ::-1]))
        elif "diversity" in name and model.least >= 2:
            assert model.safe(nobody).tolist()[0] is False
    if name == "l-diversity":
        assert MODELS[name].measured(np.array([[2, 1, 5]])) == MODELS[name].measured(np.array([[2, 1, 0]])) == 2
    if name == "k-anonymity":
        assert MODELS[name].measured(np.array([[2], [7]])) == 2


def test_failures_are_told_in_words_and_numbers(name):
    for model in made(name):
        told = model.failing(1_234, 56_789, "ill" if model.needs_sensitive else None)
        assert "1,234" in told and "56,789" in told
        assert ("'ill'" in told) == model.needs_sensitive


def people(seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(12, 40))
    ill = rng.choice(["flu", "cold", "gout", "asthma"], rows, p=[0.4, 0.3, 0.2, 0.1])
    gone = rng.random(rows) < 0.1
    return pa.table(
        {
            "age": pa.array(rng.integers(20, 60, rows), mask=rng.random(rows) < 0.05),
            "city": rng.choice(["a", "b", "c"], rows),
            "size": np.round(rng.normal(170, 10, rows), 1),
            "ill": pa.array(ill, mask=gone),
        }
    )


@pytest.mark.parametrize("method", names(Method))
def test_every_method_keeps_the_promise_or_refuses(name, method):
    kept = 0
    for seed in range(3):
        k, table = 2 + seed, people(seed)
        models = made(name)
        model = models[min(1 + seed, len(models) - 1)]
        asked = {"quasi": ["age", "city", "size"], "sensitive": ["ill"], "models": [model], "withhold": 0.2, "seed": seed}
        try:
            release = door.anonymize(table, **asked, k=k, method=method)
        except (PrivacyNotMet, RecipeError) as refusal:
            assert "Traceback" not in str(refusal)
            continue
        promised = [f"k={k}", model]
        found = door.audit(release.table, quasi=asked["quasi"], sensitive="ill", require=promised)
        assert found.k >= k and found.rows == table.num_rows - int((release.groups < 0).sum())
        kept += 1
    assert kept or name not in ("k-anonymity", "l-diversity")
