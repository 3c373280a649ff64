"""Learners: classifiers by name, from scikit-learn, each fed as it likes.

| name | fed with | what is particular |
|---|---|---|
| decision-tree | numbers, places of categories | pruned by cross-validation, 6,000 rows at most |
| naive-bayes | categories, numbers in 20 bins | `CategoricalNB` |
| logistic-regression | the design matrix | |
| random-forest | as decision-tree | 40 trees, 3 rows in a leaf at least |
| nearest-neighbours | the design matrix | 15 of them, among at most 20,000 rows |
| boosting | as decision-tree, categories as such | 50 rounds of `HistGradientBoostingClassifier` |

All start from one seed, and use one thread. At most 100,000 rows are learnt from.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from shoal.arrays import Longs
from shoal.errors import RecipeError
from shoal.mining.bins import Bins
from shoal.mining.design import Design
from shoal.mining.features import Plain
from shoal.mining.pruning import predicted
from shoal.mining.threads import one_thread

Guess = Callable[[Plain], Longs]
"""A class for each row."""
MOST_ROWS = 100_000
NEAR_ROWS = 20_000
# In rows, because what chance makes of a split shrinks as rows grow.
PRUNINGS = (0.0, 1.0, 2.0, 4.0, 8.0)
INNER_FOLDS = 3
INNER_ROWS = 6_000
NATIVE = 255  # categories that boosting takes as such


def guesses(name: str, table: Plain, classes: Longs, rows: Plain) -> Longs:
    """Predict the class of rows by a classifier that is trained on a table.

    Where the table has a single class, this class is the guess.
    """
    if (classes == classes[0]).all():
        return np.full(rows.rows, classes[0])
    # Columns without values teach nothing.
    there = np.flatnonzero(~np.isnan(table.values).all(axis=1)).tolist()
    if not there:
        return np.full(rows.rows, np.bincount(classes, table.weights).argmax())
    table = table.only(there)
    rows = rows.only(there)
    refuse_without_learners()
    with one_thread(), warnings.catch_warnings():
        # A fit that has not quite converged is good enough.
        warnings.simplefilter("ignore")
        return np.asarray(LEARNERS[name](table, classes)(rows), np.int64)


def _decision_tree(table: Plain, classes: Longs) -> Guess:
    from sklearn.tree import DecisionTreeClassifier as Tree

    values = table.values.T
    turn = np.random.default_rng(1).permutation(table.rows)[:INNER_ROWS]
    right = np.zeros(len(PRUNINGS))
    for inner in range(INNER_FOLDS):
        inside = turn[np.arange(len(turn)) % INNER_FOLDS != inner]
        outside = turn[inner::INNER_FOLDS]
        # One tree for all prunings: growing takes most of the time, and cutting next to none.
        tree = Tree(random_state=1).fit(values[inside], classes[inside], table.weights[inside])
        leaf = tree.apply(values[outside])
        for place, pruning in enumerate(PRUNINGS):
            hits = predicted(tree, pruning / len(inside))[leaf] == classes[outside]
            right[place] += table.weights[outside] @ hits
    # Of equally good prunings the strongest, which leaves the smallest tree.
    best = PRUNINGS[len(PRUNINGS) - 1 - int(np.argmax(right[::-1]))]
    fitted = Tree(random_state=1, ccp_alpha=best / table.rows).fit(values, classes, table.weights)
    return lambda rows: fitted.predict(rows.values.T)


def _naive_bayes(table: Plain, classes: Longs) -> Guess:
    from sklearn.naive_bayes import CategoricalNB

    bins = Bins.of(table, 20)
    fitted = CategoricalNB(min_categories=list(bins.sizes))
    fitted.fit(bins.codes(table).T, classes, table.weights)
    return lambda rows: fitted.predict(bins.codes(rows).T)


def _logistic_regression(table: Plain, classes: Longs) -> Guess:
    from sklearn.linear_model import LogisticRegression

    design = Design.of(table)
    solver = "newton-cholesky" if len(np.unique(classes)) == 2 else "lbfgs"
    fitted = LogisticRegression(max_iter=200, solver=solver)
    fitted.fit(design.matrix(table), classes, table.weights)
    return lambda rows: fitted.predict(design.matrix(rows))


def _random_forest(table: Plain, classes: Longs) -> Guess:
    from sklearn.ensemble import RandomForestClassifier

    fitted = RandomForestClassifier(40, min_samples_leaf=3, random_state=1, n_jobs=1)
    fitted.fit(table.values.T, classes, table.weights)
    return lambda rows: fitted.predict(rows.values.T)


def _nearest_neighbours(table: Plain, classes: Longs) -> Guess:
    from sklearn.neighbors import KNeighborsClassifier

    # Of equally near rows the first are taken, and a release is sorted, by its classes too.
    near = np.random.default_rng(1).permutation(table.places(NEAR_ROWS))
    table = table.some(near)
    classes = classes[near]
    design = Design.of(table)
    fitted = KNeighborsClassifier(min(15, table.rows), algorithm="brute", n_jobs=1)
    fitted.fit(design.matrix(table), classes)
    return lambda rows: fitted.predict(design.matrix(rows))


def _boosting(table: Plain, classes: Longs) -> Guess:
    from sklearn.ensemble import HistGradientBoostingClassifier

    native = [not feature.numeric and feature.axis.size <= NATIVE for feature in table.features]
    fitted = HistGradientBoostingClassifier(
        max_iter=50, early_stopping=False, random_state=1, categorical_features=native
    )
    fitted.fit(table.values.T, classes, table.weights)
    return lambda rows: fitted.predict(rows.values.T)


def refuse_without_learners() -> None:
    """Refuse to go on without scikit-learn, which is imported only now."""
    try:
        import sklearn  # noqa: F401
    except ImportError:
        problem = "classification needs a package that is not installed: scikit-learn"
        raise RecipeError(problem, remedy="pip install 'shoal[mining]'") from None


LEARNERS: dict[str, Callable[[Plain, Longs], Guess]] = {
    "decision-tree": _decision_tree,
    "naive-bayes": _naive_bayes,
    "logistic-regression": _logistic_regression,
    "random-forest": _random_forest,
    "nearest-neighbours": _nearest_neighbours,
    "boosting": _boosting,
}
