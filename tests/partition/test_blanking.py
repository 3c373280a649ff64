"""Blanked cells: beside the fewest possible on small tables, by importance, under models."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest

from naive import blanking as naive
from shoal.encode.profile import profile
from shoal.encode.rows import Rows, encode
from shoal.errors import RecipeError
from shoal.groups import Groups, unwatched
from shoal.kernels.costs import UNIT
from shoal.partition.blanking import RecodedTable
from shoal.partition.full_domain import FullDomain
from shoal.partition.levels_weighed import levels_weighed
from tables import AtLeast, Column, ManyValues, encoded
from tries import tries

TABLES = tries(150)


@dataclass(frozen=True)
class Case:
    """A small random table of recoded cells, with k and weights of the columns."""

    table: list[tuple[str, ...]]
    k: int
    weights: list[int]

    @classmethod
    def of(cls, seed: int) -> Case:
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(3, 10))
        columns = int(rng.integers(1, 4))
        values = int(rng.integers(2, 5))
        table = [tuple(map(str, rng.integers(0, values, columns))) for _ in range(rows)]
        k = int(rng.integers(2, min(4, rows) + 1))
        return cls(table, k, (2 ** rng.integers(0, 3, columns)).tolist())

    @property
    def rows(self) -> Rows:
        columns = [pa.array(column) for column in zip(*self.table, strict=True)]
        names = [f"c{number}" for number in range(len(columns))]
        importance = dict(zip(names, self.weights, strict=True))
        return encode(list(map(profile, columns, names)), {}, importance=importance)

    def weighed(self, units: int) -> float:
        return units * max(self.weights) / UNIT


def recoded(rows: Rows) -> RecodedTable:
    """The table with all values as they are."""
    levels = [levels_weighed(axis, rows.count, "height") for axis in rows.axes]
    return RecodedTable.of(rows, levels, (0,) * len(levels))


def blanked(rows: Rows, k: int, guard=None) -> Groups:
    rng = np.random.default_rng(0)
    return recoded(rows).blanked(k, guard or AtLeast(k), rng, unwatched)


def printed(rows: Rows, groups: Groups) -> list[tuple[int, ...]]:
    cells = recoded(rows).cells(groups)
    return [tuple(cells[:, label].tolist()) for label in groups.labels]


def test_beside_the_fewest_cells():
    """Never fewer than the fewest, hardly ever more, and the bound lies below both."""
    together = 0.0
    fewest = 0.0
    for seed in range(TABLES):
        case = Case.of(seed)
        rows = case.rows
        groups = blanked(rows, case.k)
        found = case.weighed(recoded(rows).weight(groups))
        best = naive.least(case.table, case.k, case.weights)
        assert min(Counter(printed(rows, groups)).values()) >= case.k
        assert best - 1e-5 <= found <= 1.5 * best + 1e-5
        assert case.weighed(recoded(rows).least_weight(case.k)) <= best + 1e-5
        together += found
        fewest += best
    assert together <= 1.01 * fewest


def test_known_answers_of_the_naive_version():
    table = [("f", "x"), ("f", "x"), ("m", "y"), ("m", "z")]
    assert naive.least(table, 2, [1, 1]) == 2
    assert naive.least(table, 2, [1, 3]) == 6
    assert naive.least(table, 4, [1, 3]) == 16


def test_the_less_important_column_is_blanked():
    cells = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")]
    for weights, kept in (([3, 1], 0), ([1, 3], 1)):
        rows = Case(cells, 2, weights).rows
        for row, cell in zip(rows.codes.T, printed(rows, blanked(rows, 2)), strict=True):
            assert cell[kept] == row[kept]
            assert cell[1 - kept] == 2


def test_rows_that_are_safe_keep_their_cells():
    table = [("a", "x")] * 4 + [("b", "y")] * 3 + [("c", "x"), ("c", "y"), ("c", "z")]
    rows = Case(table, 3, [1, 1]).rows
    groups = blanked(rows, 3)
    assert printed(rows, groups)[:7] == [(0, 0)] * 4 + [(1, 1)] * 3
    assert printed(rows, groups)[7:] == [(2, 3)] * 3
    assert "no choice blanks fewer" in groups.notes[-1]


def test_one_row_alone_takes_cells_of_others():
    """A blank equals only a blank: somebody else must be blanked too."""
    table = [("a", "x")] * 5 + [("a", "y")]
    rows = Case(table, 2, [1, 1]).rows
    groups = blanked(rows, 2)
    assert Counter(printed(rows, groups)) == {(0, 0): 4, (0, 2): 2}


def test_groups_are_those_of_equal_cells():
    for seed in range(TABLES):
        rows = Case.of(seed).rows
        groups = blanked(rows, Case.of(seed).k)
        assert len(set(printed(rows, groups))) == groups.count
    rows = Case([("a", "x")] * 4 + [("b", "y")] * 2, 2, [1, 1]).rows
    cut = Groups.of(np.array([0, 0, 1, 1, 2, 2]))
    assert recoded(rows).united(cut).labels.tolist() == [0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("ruled", [True, False])
def test_models_hold(ruled):
    for seed in range(TABLES):
        case = Case.of(seed)
        rng = np.random.default_rng(seed)
        ill = rng.integers(0, 2, len(case.table))
        if len(set(ill.tolist())) < 2:
            continue
        guard = ManyValues(case.k, ill, 2, ruled=ruled)
        groups = blanked(case.rows, case.k, guard)
        assert not groups.withheld
        assert guard.safe(groups).all()


def test_levels_are_those_of_the_least_loss_with_any_row_left_out():
    tree = ("*", [("A", ["a", "b"]), ("B", ["c", "d"])])
    cells = ["a"] * 5 + ["b"] * 5 + ["c"] * 5 + ["d"]
    rows = encoded([Column(cells, tree), Column(["x"] * 16, ("*", ["x", "y"]))], "leaf-share")
    rng = np.random.default_rng(0)
    method = FullDomain(suppress="cells")
    groups = method.divide(rows, 3, AtLeast(3), rng)
    assert groups.levels == (0, 0)
    assert sorted(groups.sizes.tolist()) == [3, 3, 5, 5] or groups.count == 4
    assert not groups.withheld
    fixed = FullDomain(suppress="cells", at_least=("c0=1",), at_most=("c0=1",))
    assert fixed.divide(rows, 3, AtLeast(3), rng).levels == (1, 0)


def test_levels_that_are_safe_for_nobody_are_blanked_all_the_same():
    cells = [str(number) for number in range(6)]
    rows = encoded([Column(cells, ("*", cells)), Column(["x"] * 6, ("*", ["x", "y"]))])
    method = FullDomain(suppress="cells", at_most=("c0=0", "c1=0"))
    groups = method.divide(rows, 2, AtLeast(2), np.random.default_rng(0))
    assert groups.levels == (0, 0)
    assert groups.count >= 1
    assert not groups.withheld


def test_a_charge_by_levels_is_refused():
    with pytest.raises(RecipeError, match="blank"):
        FullDomain(suppress="cells", charge="level")
