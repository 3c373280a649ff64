"""Features: columns as a data miner sees them, and plain tables of numbers and codes.

A feature stands on the axis over the values of the original. A number, date or time is its point; a
category is the place of its value on the axis, where values of one node are neighbours. NaN is
missing, and so is a category that nobody knew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from shoal.arrays import AnyArray, Floats, Longs
from shoal.declare.columns import points_of, text_of, whole
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.encode.axes import Axis, axis_of
from shoal.encode.profile import profile
from shoal.errors import DataError
from shoal.recode.cells import Value
from shoal.recode.reading import as_it_is, runs


@dataclass(frozen=True)
class Feature:
    """A column on its axis."""

    axis: Axis

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.axis.name

    @property
    def numeric(self) -> bool:
        """True if values are points on a line, even with a hierarchy above them."""
        return self.axis.kind != "category"

    @property
    def counted(self) -> bool:
        """True if points are whole numbers or days."""
        return self.axis.kind == "date" or pa.types.is_integer(self.axis.values.type)

    @cached_property
    def points(self) -> Floats:
        """The number that stands for each code in a plain table; missing comes last."""
        if self.numeric:
            known = points_of(self.axis.values, self.axis.kind)
        else:
            known = np.arange(self.axis.size, dtype=np.float64)
        return np.append(known, np.nan)


@dataclass(frozen=True)
class Plain:
    """A table of numbers and codes `values[feature, row]`, NaN where missing, and row weights."""

    features: tuple[Feature, ...]
    values: Floats
    weights: Floats

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.values.shape[1])

    def column(self, name: str) -> Floats:
        """Return the values of one feature."""
        return np.asarray(
            self.values[[feature.name for feature in self.features].index(name)], np.float64
        )

    def some(self, rows: AnyArray) -> Plain:
        """Select rows."""
        return Plain(self.features, self.values[:, rows], self.weights[rows])

    def places(self, most: int) -> Longs:
        """Draw at most `most` rows in proportion to weights, for learners that take no weights.

        Always the same draw; all rows where they fit.
        """
        equal = bool((self.weights == self.weights[:1]).all())
        if equal and self.rows <= most:
            return np.arange(self.rows)
        share = None if equal else self.weights / self.weights.sum()
        count = min(most, self.rows)
        return np.sort(
            np.random.default_rng(1).choice(self.rows, count, replace=share is not None, p=share)
        )

    def at_most(self, most: int) -> Plain:
        """Draw at most `most` rows, and keep their weights.

        Always the same draw; all rows where they fit.
        """
        if self.rows <= most:
            return self
        return self.some(np.sort(np.random.default_rng(1).choice(self.rows, most, replace=False)))

    def without(self, name: str) -> Plain:
        """Drop one feature."""
        return self.only(
            [place for place, feature in enumerate(self.features) if feature.name != name]
        )

    def only(self, features: Sequence[int]) -> Plain:
        """Select features by their places."""
        return Plain(
            tuple(self.features[place] for place in features),
            self.values[list(features)],
            self.weights,
        )


def features_of(
    original: pa.Table, names: Iterable[str], hierarchies: Mapping[str, Hierarchy | None]
) -> tuple[Feature, ...]:
    """Lay columns of the original on axes; refuses those that it does not have."""
    lacking = [name for name in names if name not in original.column_names]
    if lacking:
        facts = {"lacking": ", ".join(map(repr, lacking))}
        raise DataError(
            "the original lacks columns of the release",
            facts,
            "name the table that the release was made from",
        )
    return tuple(
        Feature(axis_of(profile(whole(original[name]), name), hierarchies.get(name))[0])
        for name in names
    )


def plain(table: pa.Table, features: tuple[Feature, ...]) -> Plain:
    """Convert a table that was not generalized to numbers and codes."""
    values = np.array([_values(table, feature) for feature in features], np.float64).reshape(
        len(features), table.num_rows
    )
    return Plain(features, values, np.ones(table.num_rows))


def _values(table: pa.Table, feature: Feature) -> Floats:
    if feature.name not in table.column_names:
        problem = f"the rows to test on have no column '{feature.name}'"
        raise DataError(problem, remedy="name a file with the columns of the original")
    column = as_it_is(table, feature.name)
    if not feature.numeric:
        codes = {text: code for code, text in enumerate(text_of(feature.axis.values).to_pylist())}
        place = [
            codes.get(cell.text, -1) if isinstance(cell, Value) else -1 for cell in column.cells
        ]
        return feature.points[place][column.cell]
    line = Axis(
        feature.name,
        feature.axis.kind,
        feature.axis.values,
        feature.axis.counts,
        points=feature.points[:-1],
    )
    return runs(line, column.cells).low[column.cell]
