"""full-domain on Adult: the answers that ARX's own tests expect, and what our search says.

ARX (github.com/arx-deidentifier/arx) tests its search on this table with these hierarchies. Two
things differ: ARX cuts the mean loss of each column off after ten decimals before it multiplies,
so `cut_off` does the same; and its t-closeness compares with all rows, ours with the published
ones, which changes nothing here.
"""

from __future__ import annotations

import math
from functools import cache

import pyarrow.parquet as parquet
import pytest

from conftest import data_file
from shoal.engines.promises import promises_of
from shoal.errors import PrivacyNotMet
from shoal.flows.declared import declared
from shoal.groups import unwatched
from shoal.partition.full_domain import FullDomain, Optimum
from shoal.recipe import Recipe

NINE = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "income",
)
EIGHT = tuple(name for name in NINE if name != "occupation")


@cache
def people():
    return parquet.read_table(data_file("adult.parquet"), columns=list(NINE))


def optimum(quasi, k, withhold, loss, method="full-domain", models=()) -> Optimum:
    recipe = Recipe.of(
        quasi=quasi,
        sensitive=[name for name in ("occupation",) if name not in quasi],
        k=k,
        withhold=withhold,
        loss=loss,
        method=method,
        models=models,
        hierarchies={name: str(data_file(f"hierarchies/adult_arx/{name}.csv")) for name in quasi},
    )
    plan = recipe.plan()
    rows, _ = declared(people(), plan)
    assert isinstance(plan.method, FullDomain)
    return plan.method.search(rows, k, promises_of(rows, plan), unwatched)


def cut_off(by_column) -> float:
    """The geometric mean as ARX reports it: from means that end after ten decimals."""
    means = [math.floor(mean * 1e10) / 1e10 for mean in by_column]
    return math.prod(1 + mean for mean in means) ** (1 / len(means)) - 1


@pytest.mark.parametrize(
    ("withhold", "levels", "share", "loss"),
    [
        (1.0, (0, 3, 0, 0, 2, 1, 1, 1, 0), 0.084643, 0.22041192847984292),
        (0.04, (0, 3, 0, 1, 1, 1, 1, 2, 0), 0.039056, 0.26611081915757495),
    ],
)
def test_the_loss_with_the_geometric_mean(withhold, levels, share, loss):
    found = optimum(NINE, 5, withhold, "leaf-share", "full-domain:aggregate=geometric")
    assert found.groups.levels == levels
    assert found.groups.withheld / 30162 == pytest.approx(share, abs=5e-7)
    assert cut_off(found.by_column) == pytest.approx(loss, abs=2e-15)
    assert found.loss == pytest.approx(loss, abs=1e-10)


def test_the_loss_with_the_arithmetic_mean():
    found = optimum(NINE, 5, 1.0, "leaf-share")
    assert found.groups.levels == (0, 3, 0, 0, 2, 1, 1, 1, 0)
    assert found.loss == pytest.approx(0.2277, abs=5e-6)


@pytest.mark.parametrize(
    ("k", "withhold", "levels"),
    [
        (5, 0.04, (1, 0, 1, 1, 3, 2, 2, 0, 1)),
        (100, 0.04, (1, 1, 1, 1, 3, 2, 2, 1, 1)),
        (5, 0.0, (1, 2, 1, 1, 3, 2, 2, 1, 1)),
        (100, 0.0, (0, 4, 1, 1, 3, 2, 2, 1, 1)),
    ],
)
def test_non_uniform_entropy_of_the_levels_alone(k, withhold, levels):
    found = optimum(NINE, k, withhold, "non-uniform-entropy", "full-domain:charge=level")
    assert found.groups.levels == levels


@pytest.mark.parametrize(
    ("withhold", "levels"), [(0.04, (1, 0, 1, 1, 2, 2, 2, 1)), (0.0, (1, 1, 1, 1, 3, 2, 2, 1))]
)
def test_entropy_l_diversity(withhold, levels):
    models = ["entropy-l-diversity:l=5"]
    found = optimum(EIGHT, 1, withhold, "non-uniform-entropy", "full-domain:charge=level", models)
    assert found.groups.levels == levels


def test_a_hundred_occupations_are_nowhere():
    models = ["entropy-l-diversity:l=100"]
    with pytest.raises(PrivacyNotMet) as caught:
        optimum(EIGHT, 1, 0.04, "non-uniform-entropy", models=models)
    assert caught.value.facts["rows that they leave out"] == 30162


def test_t_closeness_and_discernibility_without_rows_left_out():
    found = optimum(EIGHT, 5, 0.0, "discernibility", models=["t-closeness:t=0.2,distance=equal"])
    assert found.groups.levels == (1, 4, 1, 1, 3, 2, 2, 1)
    assert found.loss == 456_853_172


def test_t_closeness_and_squared_sizes_with_rows_left_out():
    found = optimum(
        EIGHT,
        5,
        0.04,
        "discernibility",
        "full-domain:charge=level",
        ["t-closeness:t=0.2,distance=equal"],
    )
    assert found.groups.levels == (1, 4, 1, 0, 3, 2, 2, 1)
    assert found.loss == 311_880_088
