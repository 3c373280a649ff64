"""Classifiers: each learns what can be learnt, from weights and gaps too; odd classes are refused
or guessed.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import shoal
from conftest import data_file
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from shoal.mining import mining, threads
from shoal.mining.classification import Classification
from shoal.mining.features import Plain, features_of, plain
from shoal.mining.learners import LEARNERS, guesses
from shoal.mining.task import MiningMaterial

QUASI = ("age", "city")


def table(seed: int, rows: int = 300) -> pa.Table:
    """Who is from the north and old is ill; one in twenty is otherwise, and some values are
    missing.
    """
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, rows)
    north = rng.random(rows) < 0.5
    ill = ((age > 50) & north) ^ (rng.random(rows) < 0.05)
    return pa.table(
        {
            "age": pa.array(age, pa.int64(), mask=rng.random(rows) < 0.03),
            "city": pa.array(
                np.where(north, "oslo", "rome"), pa.string(), mask=rng.random(rows) < 0.03
            ),
            "ill": np.where(ill, "yes", "no"),
        }
    )


def material(
    released: pa.Table | None = None, original: pa.Table | None = None, **known: Any
) -> MiningMaterial:
    original = table(1) if original is None else original
    given = {"target": "ill", "test": table(2), "tables": 2, **known}
    return MiningMaterial(
        original, original if released is None else released, QUASI, ("ill",), **given
    )


@pytest.fixture(scope="module")
def features():
    return features_of(table(1), (*QUASI, "ill"), {})


def accuracy(name: str, train: Plain, test: Plain) -> float:
    found = guesses(
        name, train.without("ill"), train.column("ill").astype(np.int64), test.without("ill")
    )
    return float((found == test.column("ill")).mean())


@pytest.mark.parametrize("name", LEARNERS)
def test_every_classifier_learns(name, features):
    train = plain(table(1), features)
    test = plain(table(2), features)
    assert accuracy(name, train, test) > (
        0.75 if name in ("naive-bayes", "logistic-regression") else 0.85
    )


@pytest.mark.parametrize("name", LEARNERS)
def test_weights_count(name, features):
    """Rows with the wrong class weigh next to nothing."""
    train = plain(table(1, 150), features)
    test = plain(table(2), features)
    wrong = train.values.copy()
    wrong[2] = 1 - wrong[2]
    both = Plain(
        features, np.concatenate([train.values, wrong], axis=1), np.repeat([1.0, 1e-3], 150)
    )
    assert accuracy(name, both, test) > 0.7
    assert accuracy(name, Plain(features, both.values, both.weights[::-1].copy()), test) < 0.4


@pytest.mark.parametrize("name", LEARNERS)
def test_a_single_class_is_guessed(name, features):
    train = plain(table(1), features)
    train.values[2] = 1
    assert accuracy(name, train, plain(table(2), features)) == np.mean(
        np.array(table(2)["ill"].to_pylist()) == "yes"
    )


def test_on_rows_that_had_no_part():
    found = Classification().measure(material())
    assert found["accuracy of boosting"].value == found["accuracy of boosting"].unchanged > 0.85
    assert found["gain of boosting"].value == found["gain of boosting"].low == 0.0
    hidden = (
        table(1)
        .set_column(0, "age", pa.array(["*"] * 300))
        .set_column(1, "city", pa.array(["*"] * 300))
    )
    lost = Classification(("decision-tree",)).measure(material(hidden))
    assert (
        lost["accuracy of decision-tree"].value < 0.82 < lost["accuracy of decision-tree"].unchanged
    )
    assert lost["gain of decision-tree"].high < 0


def test_in_folds_the_training_rows_alone_are_anonymized():
    seen = []

    def again(part: pa.Table) -> pa.Table:
        seen.append(part.num_rows)
        return shoal.anonymize(
            part, quasi=QUASI, sensitive="ill", k=20, method="mondrian", seed=1
        ).published

    found = Classification(("decision-tree", "naive-bayes")).measure(
        material(test=None, again=again)
    )
    assert seen == [270] * 10
    for name in ("decision-tree", "naive-bayes"):
        gain = found[f"gain of {name}"]
        assert gain.low < gain.value < gain.high and gain.value <= 0.02
        assert found[f"accuracy of {name}"].value - found[
            f"accuracy of {name}"
        ].unchanged == pytest.approx(gain.value)
    assert found["accuracy of majority"].value == pytest.approx(
        found["accuracy of majority"].unchanged, abs=0.02
    )


def test_what_is_known_of_the_original_is_found_out_once():
    known: dict[Any, Any] = {}
    first = Classification(("naive-bayes",)).measure(material(known=known))
    keys = list(known)
    known.update({key: np.zeros(300) for key in keys})
    again = Classification(("naive-bayes",)).measure(material(known=known))
    assert len(keys) == 2 and list(known) == keys
    assert again["accuracy of naive-bayes"].unchanged == 0.0
    assert again["accuracy of naive-bayes"].value == first["accuracy of naive-bayes"].value


def test_a_fold_that_can_not_be_anonymized_is_told():
    def again(part: pa.Table) -> pa.Table:
        raise PrivacyNotMet("l is out of reach")

    found = mining.mine(material(test=None, again=again), [Classification(("naive-bayes",))], {})
    assert (
        not found.utility
        and "can't be anonymized as the release was: l is out of reach" in found.notices[0]
    )


def test_odd_classes_are_refused():
    one = table(1).set_column(2, "ill", pa.array(["no"] * 300))
    with pytest.raises(DataError, match="nothing to predict"):
        Classification().measure(material(original=one))
    many = table(1).set_column(2, "ill", pa.array(list(range(300))))
    with pytest.raises(DataError, match="300 different values"):
        Classification().measure(material(original=many))
    with pytest.raises(DataError, match="can't be divided into 10 folds"):
        Classification().measure(
            material(original=table(1, 12), test=None, again=lambda part: part)
        )
    with pytest.raises(DataError, match="no column 'ill'"):
        Classification().measure(material(test=table(2).drop_columns("ill")))
    with pytest.raises(RecipeError, match="did you mean 'boosting'"):
        Classification(("boostin",))


def test_without_scikit_learn_the_extra_is_named(monkeypatch, features):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(RecipeError, match="shoal\\[mining\\]"):
        accuracy("naive-bayes", plain(table(1), features), plain(table(2), features))


def test_adult_keeps_most_of_its_accuracy():
    names = ["age", "education", "marital-status", "sex", "income"]
    people = parquet.read_table(data_file("adult.parquet"), columns=names).slice(0, 4000)
    release = shoal.anonymize(
        people.slice(0, 3000), quasi=names[:4], sensitive="income", k=10, method="mondrian", seed=1
    )
    tasks = ["classification:classifiers=[naive-bayes;decision-tree]", "distributions", "queries"]
    found = shoal.mine(
        release.published,
        people.slice(0, 3000),
        test=people.slice(3000),
        certificate=release.certificate,
        tasks=tasks,
    )
    accuracy = found.utility["classification"]
    assert accuracy["accuracy of majority"].value < accuracy["accuracy of decision-tree"].value <= 1
    assert abs(accuracy["gain of naive-bayes"].value) < 0.05
    assert found.risk["k"] >= 10 and found.risk["highest-prosecutor-risk"] <= 0.1
    assert found.utility["distributions"]["mean of columns"].value < 0.2


def test_libraries_that_start_threads_are_looked_for_once(monkeypatch):
    looked: list[int] = []

    class Libraries:
        def __init__(self):
            looked.append(1)

        def limit(self, *, limits: int):
            return nullcontext(limits)

    monkeypatch.setattr("threadpoolctl.ThreadpoolController", Libraries)
    threads._libraries.cache_clear()
    for _ in range(3):
        with threads.one_thread() as limit:
            assert limit == 1
    assert looked == [1]
    monkeypatch.setitem(sys.modules, "a_module_that_was_imported_since", sys)
    with threads.one_thread():
        assert looked == [1, 1]
    threads._libraries.cache_clear()


def test_equally_near_rows_are_not_taken_in_the_order_of_the_release():
    # Sorted by class, as a release is: the first neighbours would all be of the rarer one.
    train = pa.table(
        {"city": ["Oslo"] * 200 + ["Rome"] * 200, "ill": (["a"] * 40 + ["b"] * 160) * 2}
    )
    features = features_of(train, ["city", "ill"], {})
    known = plain(train, features)
    classes = known.column("ill").astype(np.int64)
    of = known.without("ill")
    assert set(guesses("nearest-neighbours", of, classes, of).tolist()) == {1}
