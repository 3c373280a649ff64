"""full-domain: the best of all nodes on random tables, bounds of huge lattices, and refusals."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from naive import full_domain as naive
from shoal.encode.profile import profile
from shoal.encode.rows import PersonRows, Rows, encode
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.groups import Groups, unwatched
from shoal.partition import full_domain
from shoal.partition.full_domain import FullDomain, Optimum
from tables import AtLeast, Column, encoded, paths, table
from tries import tries

TABLES = tries(100)
LIMITS = ("0", "0.25", "0.5", "1")


@dataclass
class Literal:
    """A column as the naive version reads it: cells, and the nodes above each value."""

    cells: list[Any]
    nodes: dict[str, list[tuple[str, ...]]]


@dataclass(frozen=True)
class Judge:
    """A guard made of a verdict on rows, the published ones beside them."""

    verdict: Any
    least: int
    survives_recoding: bool = False
    only_more_helps: bool = False
    survives_merging: bool = False
    only_size: bool = False
    rules: None = field(default=None)

    def safe(self, groups: Groups) -> np.ndarray:
        order, starts = groups.by_group
        published = order.tolist()
        members = [order[a:b].tolist() for a, b in pairwise(starts)]
        return np.array([self.verdict(each, published) for each in members], np.bool_)


@dataclass(frozen=True)
class OfPersons:
    """A guard of persons: enough of them, and a verdict on all of their rows."""

    rows: Judge
    person: np.ndarray
    only_size: bool = False
    rules: None = field(default=None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rows, name)

    def safe(self, groups: Groups) -> np.ndarray:
        of_rows = Groups(groups.labels[self.person], groups.count)
        return (groups.sizes >= self.rows.least) & self.rows.safe(of_rows)


def trees_only(seed: int) -> list[Column]:
    """A random table of categories under trees, small enough to try every node."""
    rng = np.random.default_rng(seed)
    columns = []
    while len(columns) < 1 + seed % 3:
        columns += [column for column in table(rng, 1 + seed % 17) if column.tree is not None]
    return columns[: 1 + seed % 3]


def literal(column: Column) -> Literal:
    every = paths(column.tree)
    return Literal(column.cells, {path[0]: above(path) for path in every})


def above(path: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Nodes from the value to the root as paths; a label repeated above itself is padding."""
    nodes = []
    for level in range(len(path)):
        rest = path[level:]
        while len(rest) > 1 and rest[0] == rest[1]:
            rest = rest[1:]
        nodes.append(rest)
    return nodes


def judges(seed: int, rows: int) -> list[tuple[Judge, Any]]:
    """Guards of each kind, and the same as plain functions."""
    rng = np.random.default_rng(seed)
    ill = rng.integers(0, 3, rows).tolist()
    k = 1 + seed % 4

    def distinct(group, published):
        return len(group) >= k and len({ill[row] for row in group}) >= 2

    def share(group, published):
        most = max(Counter(ill[row] for row in group).values())
        return len(group) >= k and 3 * most <= 2 * len(group)

    def close(group, published):
        here = Fraction(sum(ill[row] == 0 for row in group), len(group))
        there = Fraction(sum(ill[row] == 0 for row in published), len(published))
        return len(group) >= k and abs(here - there) <= Fraction(1, 4)

    def odd(group, published):
        return len(group) >= k and len(group) % 3 != 1

    return [
        (Judge(distinct, k, survives_recoding=True, only_more_helps=True), distinct),
        (Judge(share, k, survives_recoding=True), share),
        (Judge(close, k, survives_recoding=True), close),
        (Judge(odd, k), odd),
    ]


def groups_in(groups: Groups) -> list[list[int]]:
    order, starts = groups.by_group
    return sorted(sorted(order[a:b].tolist()) for a, b in pairwise(starts))


def searched(method: FullDomain, rows: Rows, k: int, guard: Any) -> Optimum | None:
    try:
        return method.search(rows, k, guard, unwatched)
    except PrivacyNotMet:
        return None


def agree(columns, rows, guard, safe, limit, share, **parameters) -> None:
    plain = [literal(column) for column in columns]
    expected = naive.best(plain, share, safe, Fraction(limit), **parameters)
    found = searched(FullDomain(withhold=float(limit), **parameters), rows, guard.least, guard)
    if expected is None:
        assert found is None
        return
    _, out, levels, kept = expected
    assert found is not None
    assert found.groups.levels == lowest_alike(plain, levels)
    assert found.groups.withheld == out
    assert groups_in(found.groups) == kept


def lowest_alike(columns: list[Literal], levels: tuple[int, ...]) -> tuple[int, ...]:
    """The lowest levels with the same parts: levels that change nothing are left out."""
    lowest = []
    for column, level in zip(columns, levels, strict=True):
        parts = [[naive.node(column, cell, at) for cell in column.cells] for at in range(level + 1)]
        alike = [at for at in range(level + 1) if numbered(parts[at]) == numbered(parts[level])]
        lowest.append(alike[0])
    return tuple(lowest)


def numbered(parts: list[Any]) -> list[int]:
    return [parts.index(part) for part in parts]


SHARES = {
    "leaf-share": naive.leaf_share,
    "loss-metric": naive.loss_metric,
    "non-uniform-entropy": naive.entropy,
    "discernibility": "squares",
}


@pytest.mark.parametrize("loss", SHARES)
def test_the_best_of_all_nodes_by_size(loss):
    for seed in range(TABLES):
        columns = trees_only(seed)
        rows = encoded(columns, loss)
        k = 1 + seed % 5
        for limit in LIMITS:
            for charge in ("full", "level"):
                agree(
                    columns,
                    rows,
                    AtLeast(k),
                    lambda group, _, k=k: len(group) >= k,
                    limit,
                    SHARES[loss],
                    charge=charge,
                )


def test_the_best_of_all_nodes_by_the_geometric_mean():
    for seed in range(TABLES):
        columns = trees_only(seed)
        rows = encoded(columns, "leaf-share")
        k = 1 + seed % 5
        for limit in LIMITS:
            safe = lambda group, _, k=k: len(group) >= k  # noqa: E731
            agree(columns, rows, AtLeast(k), safe, limit, naive.leaf_share, aggregate="geometric")


@pytest.mark.parametrize("kind", range(4), ids=["distinct", "share", "close", "odd"])
def test_the_best_of_all_nodes_under_models(kind):
    for seed in range(TABLES):
        columns = trees_only(seed)
        rows = encoded(columns, "leaf-share")
        guard, safe = judges(seed, rows.count)[kind]
        for limit in LIMITS:
            agree(columns, rows, guard, safe, limit, naive.leaf_share)


def of_persons(rows: Rows, seed: int) -> tuple[Rows, np.ndarray]:
    """Rows that represent persons, any one of each, and the person of every row."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, max(rows.count * 2 // 3, 1), rows.count)
    _, first, person = np.unique(drawn, return_index=True, return_inverse=True)
    members = PersonRows(rows.codes, person.astype(np.int32))
    return replace(rows.some(first), members=members), person


@pytest.mark.parametrize("loss", SHARES)
@pytest.mark.parametrize("aggregate", ["sum", "geometric"])
def test_the_best_of_all_nodes_for_persons_with_several_rows(loss, aggregate):
    if aggregate == "geometric" and loss in ("discernibility", "non-uniform-entropy"):
        return
    apart = 0
    for seed in range(TABLES):
        columns = trees_only(seed)
        rows, person = of_persons(encoded(columns, loss), seed)
        k = 1 + seed % 3
        safe = lambda group, _, k=k, of=person: len({of[row] for row in group}) >= k  # noqa: E731
        plain = [literal(column) for column in columns]
        for limit in LIMITS:
            expected = naive.best(
                plain, SHARES[loss], safe, Fraction(limit), aggregate, person=person
            )
            method = FullDomain(withhold=float(limit), aggregate=aggregate)
            found = searched(method, rows, k, AtLeast(k))
            assert (found is None) == (expected is None), (seed, limit)
            if found is None or expected is None:
                continue
            _, out, levels, kept = expected
            labels = Groups.of(found.groups.labels[person])
            assert found.groups.levels == lowest_alike(plain, levels), (seed, limit)
            assert labels.withheld == out and groups_in(labels) == kept
            apart += out > 0
    assert apart > TABLES / 4


@pytest.mark.parametrize("kind", range(4), ids=["distinct", "share", "close", "odd"])
def test_the_best_of_all_nodes_for_persons_under_models(kind):
    for seed in range(TABLES):
        columns = trees_only(seed)
        rows, person = of_persons(encoded(columns, "leaf-share"), seed)
        guard, judged = judges(seed, len(person))[kind]
        least = guard.least

        def safe(group, published, of=person, judged=judged, least=least):
            return len({of[row] for row in group}) >= least and judged(group, published)

        plain = [literal(column) for column in columns]
        for limit in LIMITS:
            expected = naive.best(plain, naive.leaf_share, safe, Fraction(limit), person=person)
            of_persons_guard = OfPersons(guard, person)
            method = FullDomain(withhold=float(limit))
            found = searched(method, rows, least, of_persons_guard)
            assert (found is None) == (expected is None), (seed, limit)
            if found is not None and expected is not None:
                assert found.groups.levels == lowest_alike(plain, expected[2]), (seed, limit)
                assert groups_in(Groups.of(found.groups.labels[person])) == expected[3]


def agree_on_several(columns, rows, guard, safe, limit, share, wanted, **parameters) -> None:
    """Compare the best nodes, in their order, with every node that is safe."""
    plain = [literal(column) for column in columns]
    losses: dict[tuple[int, ...], tuple[Any, int]] = {}
    for loss, out, levels, _ in sorted(
        naive.solutions(plain, share, safe, Fraction(limit), **parameters)
    ):
        losses.setdefault(lowest_alike(plain, levels), (loss, out))
    expected = sorted((loss, out, levels) for levels, (loss, out) in losses.items())[:wanted]
    method = FullDomain(withhold=float(limit), **parameters)
    if not expected:
        with pytest.raises(PrivacyNotMet):
            next(method.solutions(rows, guard.least, guard, unwatched, wanted=wanted))
        return
    found = list(method.solutions(rows, guard.least, guard, unwatched, wanted=wanted))
    assert [(each.groups.withheld, each.groups.levels) for each in found] == [
        (out, levels) for _, out, levels in expected
    ]
    assert all(guard.safe(each.groups).all() for each in found)


@pytest.mark.parametrize("loss", ["leaf-share", "discernibility"])
def test_several_of_the_best_nodes_by_size(loss):
    for seed in range(TABLES):
        columns = trees_only(seed)
        rows = encoded(columns, loss)
        k = 1 + seed % 5
        safe = lambda group, _, k=k: len(group) >= k  # noqa: E731
        for limit in LIMITS:
            agree_on_several(
                columns, rows, AtLeast(k), safe, limit, SHARES[loss], (2, 5, 100)[seed % 3]
            )


@pytest.mark.parametrize("kind", range(4), ids=["distinct", "share", "close", "odd"])
def test_several_of_the_best_nodes_under_models(kind):
    for seed in range(TABLES):
        columns = trees_only(seed)
        rows = encoded(columns, "leaf-share")
        guard, safe = judges(seed, rows.count)[kind]
        for limit in LIMITS:
            agree_on_several(
                columns, rows, guard, safe, limit, naive.leaf_share, (2, 5, 100)[seed % 3]
            )


def test_few_nodes_are_looked_at():
    columns = [Column([str(x) for x in range(64)], binary(64)) for _ in range(4)]
    found = FullDomain().search(encoded(columns, "leaf-share"), 4, AtLeast(4), unwatched)
    assert found.nodes == 7**4
    assert found.looked_at < 200


def binary(leaves: int):
    """A tree that halves its leaves level by level."""
    nodes: list[Any] = [str(x) for x in range(leaves)]
    level = 0
    while len(nodes) > 1:
        pairs = zip(nodes[::2], nodes[1::2], strict=True)
        nodes = [(f"n{level}-{at}", [one, two]) for at, (one, two) in enumerate(pairs)]
        level += 1
    return nodes[0]


def test_a_lattice_that_is_too_large_is_searched_in_part_and_the_bound_holds(monkeypatch):
    exact = []
    bounded = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        columns = [Column([str(x) for x in rng.integers(0, 16, 40)], binary(16)) for _ in range(3)]
        rows = encoded(columns, "leaf-share")
        method = FullDomain(withhold=(0.0, 0.1, 1.0)[seed % 3])
        exact.append(method.search(rows, 3, AtLeast(3), unwatched))
        with monkeypatch.context() as patch:
            patch.setattr(full_domain, "MOST_NODES", 100)
            patch.setattr(full_domain, "FEWER_NODES", 60)
            bounded.append(method.search(rows, 3, AtLeast(3), unwatched))
    for whole, part in zip(exact, bounded, strict=True):
        assert whole.least is None and part.least is not None
        assert part.least <= whole.loss + 1e-6 <= part.loss + 2e-6
    assert any(part.loss > whole.loss for whole, part in zip(exact, bounded, strict=True))
    assert any(part.least > 0 for part in bounded)


def test_levels_stay_between_least_and_most():
    columns = [Column([str(x % 8) for x in range(32)], binary(8)) for _ in range(2)]
    rows = encoded(columns, "leaf-share")
    free = FullDomain().search(rows, 4, AtLeast(4), unwatched).groups.levels
    least = FullDomain(at_least=("c0=2",)).search(rows, 4, AtLeast(4), unwatched).groups.levels
    assert free == (0, 0)
    assert least == (2, 0)
    assert (
        FullDomain(at_most=("c0=1",), withhold=1.0)
        .search(rows, 5, AtLeast(5), unwatched)
        .groups.levels[0]
        <= 1
    )  # type: ignore[index]


@pytest.mark.parametrize("limit", ["c0", "c0=x", "=2", "c0=-1"])
def test_odd_limits_of_levels_are_refused(limit):
    with pytest.raises(RecipeError, match="no level of a column"):
        FullDomain(at_least=(limit,))


def test_limits_of_unknown_columns_and_without_a_level_between_are_refused():
    rows = encoded([Column(["a", "b"], ("*", ["a", "b"]))], "leaf-share")
    for limits in ({"at_least": ("d=1",)}, {"at_least": ("c0=5",)}):
        with pytest.raises(RecipeError, match=r"'d'|no level between"):
            FullDomain(**limits).search(rows, 1, AtLeast(1), unwatched)
    with pytest.raises(RecipeError, match="no level between"):
        FullDomain(at_least=("c0=1",), at_most=("c0=0",)).search(rows, 1, AtLeast(1), unwatched)


def test_where_no_node_is_safe_the_nearest_is_named_with_what_it_takes():
    columns = [Column(["a"] * 6 + ["b"] * 2 + ["c"], ("*", [("n", ["a", "b"]), "c"]))]
    rows = encoded(columns, "leaf-share")
    with pytest.raises(PrivacyNotMet, match="no choice of one level") as caught:
        FullDomain(at_most=("c0=1",)).search(rows, 3, AtLeast(3), unwatched)
    assert caught.value.facts["rows that they leave out"] == 1
    assert caught.value.facts["nearest levels"] == "c0 1"
    assert "withhold=0.112" in str(caught.value)


def test_numbers_without_a_hierarchy_stand_on_a_ladder():
    ages = [float(age) for age in (21, 22, 23, 24, 31, 32, 33, 34, 61, 62, 63, 64)]
    rows = encoded([Column(ages)], "leaf-share")
    groups = FullDomain().search(rows, 4, AtLeast(4), unwatched).groups
    assert groups_in(groups) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_a_geometric_mean_of_sums_is_refused():
    rows = encoded([Column(["a", "b"], ("*", ["a", "b"]))], "discernibility")
    with pytest.raises(RecipeError, match="no geometric mean"):
        FullDomain(aggregate="geometric").search(rows, 1, AtLeast(1), unwatched)


def test_importance_decides_which_column_stays_exact():
    people = {"a": ["x", "x", "y", "y"], "b": ["u", "v", "u", "v"]}
    profiles = [profile(pa.array(cells), name) for name, cells in people.items()]
    taken = {}
    for name in people:
        rows = encode(profiles, {}, loss="leaf-share", importance={name: 3.0})
        taken[name] = FullDomain().search(rows, 2, AtLeast(2), unwatched).groups.levels
    assert taken == {"a": (0, 1), "b": (1, 0)}
