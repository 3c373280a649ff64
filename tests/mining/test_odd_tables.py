"""Odd tables: rare values, classes that nobody knew, columns that tell nothing, shares that are
none, other certificates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from attacks.people import people
from shoal.api import mining as door
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from shoal.mining import mining, task
from shoal.mining.association import Association
from shoal.mining.bins import Bins
from shoal.mining.class_rules import ClassRules
from shoal.mining.classification import Classification
from shoal.mining.clustering import Clustering
from shoal.mining.concrete import concrete
from shoal.mining.features import features_of, plain
from shoal.mining.queries import doubled
from shoal.mining.regression import Regression
from shoal.mining.task import MiningMaterial
from shoal.mining.transactions import Transactions

MAJORITY = "accuracy of majority"


def binned(values: list, count: int = 5, **known: Any) -> Bins:
    table = pa.table({"x": values})
    return Bins.of(plain(table, features_of(table, ["x"], {})), count, **known)


def material(original: dict, released: dict | None = None, **known: Any) -> MiningMaterial:
    """A table of `x` and a class `y`, and a release of it."""
    table = pa.table(original)
    return MiningMaterial(
        table,
        table if released is None else pa.table(released),
        ("x",),
        ("y",),
        **{"target": "y", **known},
    )


def test_rare_numbers_have_a_bin():
    assert binned([0] * 90 + [1] * 10).edges[0].tolist() == [1.0]
    assert binned([0] * 90 + [1, 2, 3, 4, 5, 6]).edges[0].tolist() == [1.0]
    assert binned([7] * 9).edges[0].tolist() == []
    assert binned([*range(9)], 3, apart="x").edges[0].tolist() == [*range(1, 9)]


@pytest.mark.parametrize(
    "classes", [["a", "b", "z"], [1, 2, 9], [1.0, 2.0, 1.5]], ids=["texts", "numbers", "between"]
)
def test_a_class_that_nobody_knew_is_wrong_and_only_a_missing_one_is_passed_over(classes):
    known, other, unknown = classes
    original = {"x": ["u", "v"] * 20, "y": [known] * 30 + [other] * 10}
    test = pa.table({"x": ["u"] * 4, "y": [known, known, unknown, None]})
    found = Classification(("naive-bayes",)).measure(material(original, test=test))
    assert found[MAJORITY].value == pytest.approx(2 / 3)
    assert ClassRules().measure(material(original, test=test))["accuracy"].value == pytest.approx(
        2 / 3
    )


def test_a_class_of_numbers_is_never_cut():
    original = {"x": [*"abcdefgh"] * 5, "y": [*range(8)] * 5}
    found = ClassRules(bins=2).measure(material(original, test=pa.table(original)))
    assert (
        found["accuracy"].value == 1.0 and found["accuracy of the commonest class"].value == 1 / 8
    )


def test_another_release_than_the_certificate_speaks_of_is_refused():
    table = people(7, 80)
    release = shoal.anonymize(
        table, quasi=["age", "city"], sensitive=["ill"], k=4, method="mondrian", seed=1
    )
    given = {"certificate": release.certificate, "tasks": "distributions"}
    assert shoal.mine(release.published, table, **given).risk["k"] >= 4
    with pytest.raises(PrivacyNotMet, match="certificate"):
        shoal.mine(release.published.slice(1), table, **given)


def test_queries_on_numbers_whose_hierarchy_does_not_follow_their_order():
    assert doubled(
        np.array([1.0, 3.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0, 4.0, np.nan])
    ).tolist() == [0, 4, 2, 6, 9]


@pytest.mark.parametrize("way", ["sampled", "midpoint"])
def test_a_column_that_tells_nothing_keeps_no_coefficient(way):
    rng = np.random.default_rng(2)
    x = rng.normal(size=200)
    original = {"x": x, "y": x + 20 * rng.normal(size=200)}
    found = Regression().measure(
        material(original, {"x": ["*"] * 200, "y": original["y"]}, way=way)
    )
    assert [figure.value for figure in found.values()] == [0.0, 0.0]


ILL = pa.table({"ill": ["flu", "cold"]})


@pytest.mark.parametrize("share", ["many", -0.5, float("nan"), float("inf")])
def test_shares_that_are_none_are_refused(share):
    released = pa.table({"ill=flu": [share, share], "ill=cold": [1.0, 1.0]})
    with pytest.raises(DataError, match="'ill=flu'") as refused:
        concrete(released, features_of(ILL, ["ill"], {}), ())
    assert "many" not in str(refused.value) and "0.5" not in str(refused.value)


def test_shares_of_a_row_add_up_to_one():
    released = pa.table({"ill=flu": [30, 1], "ill=cold": [10, 0]})
    (only,) = concrete(released, features_of(ILL, ["ill"], {}), (), "expanded")
    assert sorted(only.weights.tolist()) == [0.25, 0.75, 1.0]


def test_a_release_without_any_class_is_refused():
    original = {"x": [1.0, 2.0, 3.0, 4.0], "y": [1.0, 3.0, 2.0, 4.0]}
    nothing = {**original, "y": pa.array([None] * 4, pa.float64())}
    with pytest.raises(DataError, match="no row has a class in 'y'"):
        Regression().measure(material(original, nothing))


@pytest.mark.parametrize("name", ["classification", "class-rules", "regression"])
def test_a_single_class_is_refused_if_the_task_is_named_and_told_if_all_run(name):
    table = people(7, 60).set_column(2, "ill", pa.array(["flu"] * 60))
    asked = {"quasi": ["age", "city"], "sensitive": ["ill"], "test": table}
    with pytest.raises(DataError, match="nothing to predict"):
        shoal.mine(table, table, tasks=name, **asked)
    notices = shoal.mine(table, table, **asked).notices
    assert any(told.startswith(f"{name}: ") and "class_column=..." in told for told in notices)


def test_all_tasks_run_on_a_class_of_very_many_numbers():
    table = people(7, 60).set_column(2, "ill", pa.array([*range(60)]))
    found = shoal.mine(table, table, quasi=["age", "city"], sensitive=["ill"], test=table)
    told = [one for one in found.notices if "60 different values" in one]
    assert [one.split(":")[0] for one in told] == [
        "class-rules",
        "classification",
    ] and "regression" in found.utility
    assert all('tasks=["queries", "distributions"]' in one for one in told)


def test_a_task_that_finds_nothing_to_measure_says_so():
    found = mining.mine(material({"x": [1, 2], "y": [1, 2]}), [Clustering()], {})
    assert not found.utility and found.notices[0].startswith("clustering: ")


@pytest.mark.parametrize(
    "make",
    [
        lambda: Clustering(0),
        lambda: ClassRules(bins=1),
        lambda: Association(bins=1),
        lambda: Association(rules=-1),
    ],
)
def test_numbers_that_are_none_are_refused(make):
    with pytest.raises(RecipeError, match="must be at least"):
        make()


def test_notices_hold_what_can_be_done():
    of = material({"x": ["a", "b"] * 5, "y": ["u", "v"] * 5})
    assert "association:support=" in str(Association(support=1, confidence=1).odd(of))
    assert "transactions:transaction=COLUMN" in (Transactions().lacks(of) or "")


def test_folds_draw_no_more_tables_than_they_use(monkeypatch):
    asked = []

    def drawn(*given: Any) -> Any:
        asked.append(given[-1])
        return concrete(*given)

    monkeypatch.setattr(task, "concrete", drawn)
    table = {"x": [*range(40)], "y": ["u", "v"] * 20}
    Classification(("naive-bayes",)).measure(material(table, again=lambda part: part, tables=20))
    assert asked == [2] * 10


def test_classes_and_categories_that_nobody_knew_are_told_with_counts_and_without_values():
    original = {"x": ["a", "b"] * 10, "y": ["u", "v"] * 10}
    test = pa.table({"x": ["a", "secret", "secret", None], "y": ["u", "v", "hidden", "v"]})
    of = material(original, test=test, tables=1)
    found = mining.mine(of, [Classification(("naive-bayes",))], {})
    assert found.notices == (
        "2 of 4 rows to test on have values of 'x' that the original does not hold: these count "
        "as missing",
        "1 of 4 rows to test on have values of 'y' that the original does not hold: their class "
        "is never guessed",
    )
    assert found.utility["classification"][MAJORITY].value == 0.25


@pytest.mark.parametrize(
    "task", [Classification(("naive-bayes",)), ClassRules()], ids=["classification", "class-rules"]
)
@pytest.mark.parametrize("classes", [["u.", "v."], [7, 8]], ids=["words", "numbers"])
def test_rows_to_test_on_none_of_whose_classes_is_known_are_refused(task, classes):
    known = ["u", "v"] if isinstance(classes[0], str) else [1, 2]
    of = material(
        {"x": ["a", "b"] * 10, "y": known * 10}, test=pa.table({"x": ["a", "b"], "y": classes})
    )
    with pytest.raises(DataError, match="that the original knows"):
        task.measure(of)


def test_matrices_are_multiplied_by_one_thread(monkeypatch):
    from threadpoolctl import threadpool_info

    seen = []

    class Looking(Clustering):
        def measure(self, material):
            seen.extend(
                one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"
            )
            return {}

    mining.mine(material({"x": [1, 2], "y": [1, 2]}), [Looking()], {})
    assert seen and set(seen) == {1}


@pytest.mark.parametrize("name", ["association", "class-rules", "clustering", "pmse", "regression"])
def test_tasks_that_take_a_while_look_at_the_watch(name):
    looks: list[tuple[str, float]] = []
    table = people(7, 200)
    released = table.set_column(0, "age", pa.array(["[20, 70]"] * 200))
    asked = {"quasi": ["age", "city"], "sensitive": ["ill"], "test": table, "tables": 4}
    task = f"{name}:support=0.01,confidence=0.05" if name == "association" else name
    shoal.mine(
        released,
        table,
        tasks=task,
        progress=lambda stage: lambda share: looks.append((stage, share)),
        **asked,
    )
    assert (
        (name, 0.0) in looks and (name, 0.75) in looks and all(stage == name for stage, _ in looks)
    )


def test_folds_are_what_a_release_of_them_would_be():
    table = people(7, 400)
    recipe = shoal.Recipe.of(
        quasi=("age", "city"), sensitive=("ill",), k=5, models=("l-diversity:l=2",)
    )
    again = door._again(recipe, lambda name: lambda share: None)
    assert again(table).equals(shoal.anonymize(table, recipe=recipe, seed=1).table)
    with pytest.raises(PrivacyNotMet):
        again(table.slice(0, 4))
