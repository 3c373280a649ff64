"""Integer programmes: the least cost under linear rows, with whole numbers; HiGHS through SciPy.

SciPy comes with the extra `graph`, and is imported nowhere else. Work is limited by branches, never
by seconds, so that a result repeats. The bound is HiGHS's own, in floats, and is rounded down by a
millionth before it counts as proven.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.arrays import AnyArray, Floats

EPSILON = 1e-6


@dataclass
class IntegerProgramme:
    """Variables from 0 to 1, all of them whole, with costs, and rows of bounded sums."""

    costs: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)

    def variable(self, cost: float = 0.0) -> int:
        """Add a variable, and return its number."""
        self.costs.append(cost)
        return len(self.costs) - 1

    def bounded(self, terms: list[tuple[int, float]], low: float, high: float) -> None:
        """Add a row: the sum of variables times values lies between two bounds."""
        for column, value in terms:
            self.rows.append(len(self.low))
            self.columns.append(column)
            self.values.append(value)
        self.low.append(low)
        self.high.append(high)


@dataclass(frozen=True)
class Solved:
    """A programme's end: the values of the best solution that came up, and a proven bound."""

    values: AnyArray
    bound: float

    @property
    def least(self) -> int:
        """The least whole cost that the bound leaves possible."""
        return int(np.ceil(self.bound - EPSILON))


def is_installed() -> bool:
    """Tell whether SciPy is there."""
    return importlib.util.find_spec("scipy") is not None


def solved(programme: IntegerProgramme, branches: int) -> Solved | None:
    """Look for the least cost, in at most so many branches; None where no solution came up."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_matrix

    costs: Floats = np.array(programme.costs, np.float64)
    shape = (len(programme.low), len(costs))
    entries = (programme.values, (programme.rows, programme.columns))
    matrix = coo_matrix(entries, shape=shape).tocsr()
    limits = LinearConstraint(matrix, np.array(programme.low), np.array(programme.high))
    options: dict[str, Any] = {"node_limit": branches, "mip_rel_gap": 0.0}
    told = milp(
        costs,
        constraints=limits,
        integrality=np.ones(len(costs)),
        bounds=Bounds(0, 1),
        options=options,
    )
    if told.x is None or told.mip_dual_bound is None or not np.isfinite(told.mip_dual_bound):
        return None
    return Solved(np.round(told.x), float(told.mip_dual_bound))
