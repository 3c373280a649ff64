"""Association rules: those of a whole data set that a release keeps, and several sensitive columns.

A cell is one data set, method and k. Rules of the original have a support of at least 0.1 and a
confidence of at least 0.6, at most three items and one consequence; those of a release are found by
the same thresholds from the chance of each cell to be each item (`shoal mine`, task `association`).
"""

from __future__ import annotations

from dataclasses import dataclass

from experiments.releases_2014 import neighbourhoods, published
from experiments.runs import adult_base, key_of
from experiments.tables_2014 import ADULT, classified
from shoal.comparison.cells import Row
from shoal.errors import ShoalError
from shoal.mining.association import Association
from shoal.mining.task import MiningMaterial
from shoal.recipe import hierarchy_of

TASK = Association(support=0.1, longest=3, bins=4)
FIGURES = ("lost rules", "ghost rules", "support error", "confidence error")


@dataclass(frozen=True)
class Cell:
    """One release of a whole data set."""

    data: str
    rows: int
    method: str
    k: int

    @property
    def key(self) -> str:
        """A name for the result."""
        return key_of(self)


def measure(cell: Cell) -> Row:
    """Mine the rules of a data set and of its release."""
    data = classified(cell.data, cell.rows)
    try:
        released = published(data, data.table, cell.method, cell.k, 1, 1)
        trees = {name: hierarchy_of(tree) for name, tree in data.hierarchies.items()}
        material = MiningMaterial(
            data.table, released.table, data.quasi, (data.target,), trees, data.target, tables=1
        )
        figures = TASK.measure(material)
    except ShoalError as error:
        return {"refused": error.problem}
    return {name: figures[name].value for name in FIGURES}


@dataclass(frozen=True)
class Several:
    """Neighbourhoods that keep l in several sensitive columns of a sample of Adult at once."""

    sensitive: tuple[str, ...]
    k: int
    l: int
    rows: int

    @property
    def key(self) -> str:
        """A name for the result."""
        return key_of(self)


def measure_several(cell: Several) -> Row:
    """Measure what it costs to keep l in all sensitive columns."""
    base = adult_base()
    table = classified(ADULT, cell.rows).table
    quasi = [name for name in base["quasi"] if name not in ("occupation", "workclass", "race")]
    trees = {name: tree for name, tree in base["hierarchies"].items() if name in quasi}
    asked = {
        "quasi": quasi,
        "sensitive": list(cell.sensitive),
        "hierarchies": trees,
        "k": cell.k,
        "seed": 1,
    }
    try:
        return {"height-share": neighbourhoods(table, asked, cell.l).height_share}
    except ShoalError as error:
        return {"refused": error.problem}
