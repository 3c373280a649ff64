"""Classes: which rows have one, and classes that can't be predicted."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from shoal.errors import DataError
from shoal.mining.features import Feature, Plain, plain
from shoal.mining.task import Material

MOST_CLASSES = 50
OTHER = "name another column: --class COLUMN"


def feature_of(material: Material) -> Feature:
    """The class column."""
    return next(feature for feature in material.features if feature.name == material.target)


def alone(material: Material) -> DataError | None:
    """Why there is nothing to predict, where all rows are of one class."""
    feature = feature_of(material)
    if feature.axis.size > 1:
        return None
    count = f"{feature.axis.size} different values" if feature.axis.size != 1 else "a single value"
    return DataError(f"the class column '{feature.name}' has {count}: there is nothing to predict", remedy=OTHER)


def odd(material: Material) -> DataError | None:
    """Why a class can't be predicted: one value alone, or too many."""
    feature = feature_of(material)
    if feature.axis.size <= MOST_CLASSES:
        return alone(material)
    problem = f"the class column '{feature.name}' has {feature.axis.size:,} different values, {MOST_CLASSES} are allowed"
    return DataError(problem, remedy=f"{OTHER}, or choose tasks: --tasks queries,distributions")


def classified(table: Plain, material: Material) -> Plain:
    """The rows whose class is known."""
    known = table.some(~np.isnan(table.column(str(material.target))))
    if not known.rows:
        raise DataError(f"no row has a class in '{material.target}'", remedy=OTHER)
    return known


def tested(material: Material) -> Plain:
    """The rows to test on that have a class; one that the original does not know is NaN, and never guessed rightly."""
    assert material.test is not None
    rows = plain(material.test, material.features)
    there = ~np.asarray(pc.is_null(material.test[str(material.target)], nan_is_null=True), np.bool_)
    if not there.any():
        raise DataError(f"no row to test on has a class in '{material.target}'", remedy=OTHER)
    return rows.some(there)
