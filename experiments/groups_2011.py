"""Groups of El-Rashidy et al. 2011 under each reading of the centre of a category.

The paper leaves open what the centre of a category is. Three readings are run, and in each of them
every method that has centres uses the same one and every error is measured around it:

    medoid        the value with the least sum of distances to the others of its group
    frequencies   all values of the group; the distance is the mean distance to them
    ancestor      the lowest node above all values of the group

A number's centre is its mean in all of them. A cell is one reading, method, k and seed; errors are
summed over the eight quasi-identifiers, and over all 15 columns of Adult.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow.parquet as pq

from benchmarks import adult
from experiments.runs import key_of
from shoal import registry
from shoal.arrays import Floats
from shoal.comparison.cells import Row
from shoal.declare.columns import whole
from shoal.encode.axes import Axis
from shoal.encode.profile import profile
from shoal.encode.rows import Rows, encode
from shoal.groups import Groups
from shoal.partition.beginnings import AtLeast
from shoal.partition.method import Method
from shoal.recipe import hierarchy_of
from shoal.review.losses.centres import distance_sums, errors_of
from shoal.review.losses.discernibility import Discernibility
from shoal.review.losses.held import HeldCodes
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss

READINGS = ("medoid", "frequencies", "ancestor")
ALL = "all 15"


@dataclass(frozen=True)
class Cell:
    """One grouping under one reading; `columns` are those that are clustered."""

    reading: str
    method: str
    called: str
    k: int
    seed: int
    rows: int
    columns: str = "quasi"

    @property
    def key(self) -> str:
        """A name for the result."""
        return key_of(self)


def measure(cell: Cell) -> Row:
    """Divide Adult by a method, and sum its errors around the centres of a reading."""
    clustered = encoded(cell.columns, cell.rows)
    rng = np.random.default_rng(cell.seed)
    method = registry.make(Method, cell.called)
    begun = time.process_time()
    groups = method.divide(clustered, cell.k, AtLeast(cell.k), rng)
    seconds = time.process_time() - begun
    quasi = Evidence(encoded("quasi", cell.rows), groups, cell.k)
    return {
        "seconds": seconds,
        "squared-error": squared_error(quasi.rows, groups, cell.reading),
        "squared-error of all columns": squared_error(
            encoded(ALL, cell.rows), groups, cell.reading
        ),
        "total-information-loss": TotalInformationLoss().measure(quasi),
        "discernibility": Discernibility().measure(quasi),
    }


@cache
def encoded(columns: str, rows: int) -> Rows:
    """Encode the first rows of Adult: the quasi-identifiers, or all 15 columns.

    Columns beyond the quasi-identifiers have no hierarchy: numbers, and income all or nothing.
    """
    table = pq.read_table(adult.FILE).slice(0, rows)
    names = adult.QUASI if columns == "quasi" else table.column_names
    trees = {name: hierarchy_of(tree or "none") for name, tree in adult.hierarchies().items()}
    profiles = [profile(whole(table[name]), name) for name in names]
    return encode(profiles, {name: tree for name, tree in trees.items() if name in names})


def squared_error(rows: Rows, groups: Groups, reading: str) -> float:
    """Sum the squared distances of all rows to the centres of their groups, as shares of axes."""
    evidence = Evidence(rows, groups)
    return float(
        sum(
            np.sum(_errors(axis, held, groups, reading) * held.times)
            for axis, held in zip(rows.axes, evidence.held, strict=True)
        )
    )


def _errors(axis: Axis, held: HeldCodes, groups: Groups, reading: str) -> Floats:
    if axis.points is not None or reading == "medoid":
        return errors_of(axis, held, groups.count)
    assert axis.tree is not None
    if reading == "ancestor":
        first = np.full(groups.count, axis.size, np.int64)
        last = np.zeros(groups.count, np.int64)
        np.minimum.at(first, held.group, held.code)
        np.maximum.at(last, held.group, held.code)
        return axis.heights(first, last)[held.group] ** 2
    sums = distance_sums(axis, *held)[0]
    most = max(int(axis.tree.height[axis.tree.root]), 1)
    return (sums / groups.sizes[held.group] / most) ** 2
