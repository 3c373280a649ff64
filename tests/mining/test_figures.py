"""Known answers of the general tasks: by hand, or beside a second opinion."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal.mining import distributions, pmse, regression
from shoal.mining.bins import Bins
from shoal.mining.classification import difference, folds
from shoal.mining.clustering import Clustering
from shoal.mining.design import Design
from shoal.mining.distributions import Distributions
from shoal.mining.features import features_of, plain
from shoal.mining.fitting import Fit, chances, logistic, ordinary
from shoal.mining.pmse import Pmse
from shoal.mining.queries import CountQueries, doubled
from shoal.mining.regression import Regression, combined, overlaps
from shoal.mining.task import MiningMaterial


def material(original: dict, released: dict, quasi: tuple[str, ...], **known) -> MiningMaterial:
    return MiningMaterial(pa.table(original), pa.table(released), quasi, **known)


def test_total_variation_by_hand():
    found = Distributions().measure(material({"a": list("xxyy")}, {"a": list("xxxy")}, ("a",)))
    assert {name: figure.value for name, figure in found.items()} == {
        "mean of columns": 0.25,
        "worst column": 0.25,
    }


def test_pairs_of_columns_by_hand():
    """Columns alone are alike, together they share nothing."""
    found = Distributions().measure(
        material(
            {"a": list("xxyy"), "b": list("uuvv")},
            {"a": list("xxyy"), "b": list("vvuu")},
            ("a", "b"),
        )
    )
    assert found["mean of columns"].value == 0.0 and found["mean of pairs of columns"].value == 1.0


def test_columns_of_very_many_values(monkeypatch):
    original = {"a": list("xxyy"), "b": list("uvuv")}
    released = {"a": list("xxyy"), "b": list("vvuv")}
    expected = Distributions().measure(material(original, released, ("a", "b")))
    monkeypatch.setattr(distributions, "MOST_CELLS", 1)
    assert Distributions().measure(material(original, released, ("a", "b"))) == expected


def test_long_tables_are_cut_alike(monkeypatch):
    rng = np.random.default_rng(9)
    original = {"x": rng.normal(size=200), "c": rng.choice(["u", "v"], 200)}
    monkeypatch.setattr(pmse, "MOST_ROWS", 50)
    monkeypatch.setattr(regression, "MOST_ROWS", 50)
    same = material(original, original, ("x",), beside=("c",), target="c")
    assert Pmse().measure(same)["pMSE"].value == pytest.approx(0.0, abs=1e-12)
    assert Regression().measure(same)["overlap of intervals"].value == 1.0
    assert same.before.at_most(50).rows == 50 and same.before.at_most(200) is same.before


def test_queries_by_hand():
    """All queries ask for one of two values: half of the rows each, of which the release shows 3/4
    and 1/4.
    """
    found = CountQueries().measure(material({"a": list("xxyy")}, {"a": list("xxxy")}, ("a",)))
    assert found["median error"].value == pytest.approx(0.5) and found[
        "95th percentile"
    ].value == pytest.approx(0.5)


def test_values_between_two_of_the_original_are_counted_between_them():
    assert doubled(
        np.array([10.0, 20.0]), np.array([5.0, 10.0, 15.0, 20.0, 25.0, np.nan])
    ).tolist() == [-1, 0, 1, 2, 3, 5]


def test_pmse_of_tables_that_share_nothing():
    """Fitted chances are 0 and 1 where all is told apart: (1/2)^2."""
    found = Pmse().measure(material({"a": ["x", "y"] * 200}, {"a": ["y"] * 400}, ("a",)))
    chance = 2 / 3  # y: 200 originals, 400 released; x: 200 originals alone
    assert found["pMSE"].value == pytest.approx(
        (600 * (chance - 0.5) ** 2 + 200 * 0.25) / 800, abs=1e-4
    )
    assert found["ratio to resampling"].value == pytest.approx(
        found["pMSE"].value / (1 * 0.125 / 800), rel=1e-6
    )


def test_pmse_ratio_of_a_resampled_original_is_near_one():
    rng = np.random.default_rng(3)
    ratios = []
    for _ in range(30):
        one = {f"x{i}": rng.normal(size=500) for i in range(6)}
        again = rng.integers(0, 500, 500)
        other = {name: values[again] for name, values in one.items()}
        ratios.append(Pmse().measure(material(one, other, tuple(one)))["ratio to resampling"].value)
    assert 0.75 < np.mean(ratios) < 1.25


def test_overlap_by_hand():
    one = np.array([[0.0, 0.0, 0.0], [2.0, 2.0, 2.0]])
    other = np.array([[1.0, 0.0, 5.0], [3.0, 2.0, 6.0]])
    assert overlaps(one, other).tolist() == [0.5, 1.0, 0.0]


def test_imputations_add_what_differs_between_them():
    fits = [Fit(np.array([mean]), np.array([[0.5]])) for mean in (1.0, 3.0)]
    both = combined(fits)
    assert both.coefficients.tolist() == [2.0] and both.covariance.tolist() == [[0.5 + 1.5 * 2.0]]


def test_regressions_agree_with_a_second_opinion():
    linear = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(5)
    matrix = np.column_stack([np.ones(400), rng.normal(size=(400, 3))])
    outcome = matrix @ np.array([0.3, 1.0, -2.0, 0.0]) + rng.normal(size=400)
    own = ordinary(matrix, outcome, np.ones(400))
    assert own.coefficients == pytest.approx(
        np.linalg.lstsq(matrix, outcome, rcond=None)[0], abs=1e-4
    )
    classes = (rng.random(400) < chances(matrix, np.array([0.3, 1.0, -2.0, 0.0]))).astype(float)
    fitted = linear.LogisticRegression(C=1e8, tol=1e-10, max_iter=1000).fit(matrix[:, 1:], classes)
    found = logistic(matrix, classes, np.ones(400))
    assert found.coefficients == pytest.approx(np.append(fitted.intercept_, fitted.coef_), abs=1e-3)
    chance = chances(matrix, found.coefficients)
    information = matrix.T @ ((chance * (1 - chance))[:, None] * matrix)
    assert found.covariance == pytest.approx(np.linalg.inv(information), rel=1e-3, abs=1e-5)


def test_weights_are_copies():
    rng = np.random.default_rng(6)
    matrix = np.column_stack([np.ones(60), rng.normal(size=60)])
    classes = (rng.random(60) < 0.4).astype(float)
    weights = rng.integers(1, 4, 60)
    often = np.repeat(np.arange(60), weights)
    for fit in (ordinary, logistic):
        one = fit(matrix, classes, weights.astype(float))
        other = fit(matrix[often], classes[often], np.ones(len(often)))
        assert one.coefficients == pytest.approx(
            other.coefficients
        ) and one.covariance == pytest.approx(other.covariance)


def test_a_regression_whose_effect_was_turned_round():
    rng = np.random.default_rng(7)
    x = rng.normal(size=300)
    original = {"x": x, "pay": 2 * x + rng.normal(size=300)}
    same = Regression().measure(material(original, original, ("x",), beside=("pay",), target="pay"))
    turned = Regression().measure(
        material(original, {"x": -x, "pay": original["pay"]}, ("x",), beside=("pay",), target="pay")
    )
    assert same["overlap of intervals"].value == 1.0 and turned["overlap of intervals"].value == 0.0
    assert same["coefficients inside"].value == 1.0 and turned["coefficients inside"].value == 0.0


def test_clusters_that_moved_by_a_tenth_of_the_range():
    rng = np.random.default_rng(8)
    x = np.concatenate([rng.normal(0, 0.01, 50), rng.normal(10, 0.01, 50)]).clip(0, 10)
    found = Clustering(clusters=2).measure(material({"x": x}, {"x": x + 1}, ("x",)))
    assert found["distance of centres"].value == pytest.approx(0.1, abs=0.002)
    assert found["rows clustered alike"].value == 1.0 and found["sum of squares"].value > 100
    turned = Clustering(clusters=2).measure(
        material({"x": x}, {"x": x[::-1]}, ("x",))
    )  # clusters come in another order
    assert [figure.value for figure in turned.values()] == pytest.approx([0.0, 1.0, 1.0])


def test_corrected_interval_by_hand():
    """Differences of 0.1 and -0.1 in turn: variance 0.01 * 10/9, half width t sqrt((1/10 + 1/9) *
    0.1/9).
    """
    before = [np.full(10, 0.5)] * 10
    after = [np.full(10, 0.6), np.full(10, 0.4)] * 5
    found = difference(before, after)
    half = 2.2621571627 * ((1 / 10 + 1 / 9) * 0.1 / 9) ** 0.5
    assert found.value == pytest.approx(0.0) and (found.low, found.high) == pytest.approx(
        (-half, half)
    )
    alone = difference([np.array([1.0, 0.0, 1.0, 1.0])], [np.array([1.0, 0.0, 0.0, 1.0])])
    assert alone.value == -0.25 and alone.high - alone.value == pytest.approx(1.959964 * 0.25)


def test_folds_hold_every_row_once_and_every_class_evenly():
    classes = np.array([0.0] * 40 + [1.0] * 10)
    parts = list(folds(classes))
    assert sorted(np.concatenate([outside for _, outside in parts])) == list(range(50))
    assert all(
        classes[outside].sum() == 1 and not set(inside) & set(outside) for inside, outside in parts
    )


def test_design_and_bins():
    table = pa.table({"n": [0, 5, 10, None], "c": ["a", "b", None, "a"]})
    found = plain(table, features_of(table, ("n", "c"), {}))
    matrix = Design.of(found).matrix(found)
    assert matrix.tolist() == [
        [0, 0, 0, 1, 0],
        [0.5, 0, 0, 0, 1],
        [1, 0, 1, 0, 0],
        [0.5, 1, 0, 1, 0],
    ]
    assert Design.of(found, spare=True).matrix(found).shape == (4, 4)
    assert Bins.of(found, 2).codes(found).tolist() == [[0, 1, 1, 2], [0, 1, 2, 0]]
