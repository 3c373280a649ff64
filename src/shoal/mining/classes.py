"""Classes: which rows have one, and classes that can't be predicted."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags
from shoal.errors import DataError
from shoal.mining.features import Feature, Plain, plain
from shoal.mining.task import MiningMaterial
from shoal.wording import COLUMN, Remedy, Set

MOST_CLASSES = 50
OTHER = Remedy(Set("class_column", COLUMN, "name another column"))


def feature_of(material: MiningMaterial) -> Feature:
    """Return the class column."""
    return next(feature for feature in material.features if feature.name == material.target)


def alone(material: MiningMaterial) -> DataError | None:
    """Return an error if all rows are of one class, else None."""
    feature = feature_of(material)
    if feature.axis.size > 1:
        return None
    count = f"{feature.axis.size} different values" if feature.axis.size != 1 else "a single value"
    return DataError(
        f"the class column '{feature.name}' has {count}: there is nothing to predict", remedy=OTHER
    )


def odd(material: MiningMaterial) -> DataError | None:
    """Return an error if the class has one value, or too many, else None."""
    feature = feature_of(material)
    if feature.axis.size <= MOST_CLASSES:
        return alone(material)
    problem = (
        f"the class column '{feature.name}' has {feature.axis.size:,} different values, "
        f"{MOST_CLASSES} are allowed"
    )
    without_classes = Set("tasks", ["queries", "distributions"], "choose tasks")
    return DataError(problem, remedy=Remedy(OTHER, without_classes))


def classified(table: Plain, material: MiningMaterial) -> Plain:
    """Select the rows whose class is known."""
    known = table.some(~np.isnan(table.column(str(material.target))))
    if not known.rows:
        raise DataError(f"no row has a class in '{material.target}'", remedy=OTHER)
    return known


def tested(material: MiningMaterial) -> Plain:
    """Select the rows to test on that have a class.

    A class that the original does not know is kept, and never guessed rightly.
    """
    assert material.test is not None
    rows = plain(material.test, material.features)
    there = _there(material.test, str(material.target))
    if not there.any():
        raise DataError(f"no row to test on has a class in '{material.target}'", remedy=OTHER)
    if not (there & ~_strange(rows, feature_of(material))).any():
        problem = f"no row to test on has a class in '{material.target}' that the original knows"
        raise DataError(problem, remedy="spell classes as in the original")
    return rows.some(there)


def strangers(material: MiningMaterial) -> list[str]:
    """Describe rows to test on whose classes or categories the original does not hold."""
    test = material.test
    told = []
    if test is None:
        return []
    for feature in material.features:
        is_target = feature.name == material.target
        if feature.name not in test.column_names or (feature.numeric and not is_target):
            continue
        strange = _strange(plain(test, (feature,)), feature) & _there(test, feature.name)
        if strange.any():
            become = "their class is never guessed" if is_target else "these count as missing"
            rows = f"{np.count_nonzero(strange):,} of {test.num_rows:,} rows to test on"
            told.append(
                f"{rows} have values of '{feature.name}' that the original does not hold: {become}"
            )
    return told


def _there(table: pa.Table, name: str) -> Flags:
    return ~np.asarray(pc.is_null(table[name], nan_is_null=True), np.bool_)


def _strange(rows: Plain, feature: Feature) -> Flags:
    """Mark rows whose value the original does not hold, or that have none."""
    return ~np.isin(rows.column(feature.name), feature.points[:-1])
