"""Random small tables for tests: numbers, trees, flat categories, missing values and many
duplicates.

A sample holds the same table twice: as plain Python columns, which the naive versions read, and as
encoded rows. A tree is nested: a leaf is its name, an inner node a pair of a name and its children.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
from hypothesis import strategies as st

from conftest import data_file
from shoal.arrays import Counts
from shoal.declare.columns import Kind, text_of
from shoal.declare.hierarchies.hierarchy import Fitted, Hierarchy
from shoal.declare.hierarchies.tree import Tree
from shoal.encode.profile import Profile, profile
from shoal.encode.rows import Rows, encode
from shoal.groups import Groups
from shoal.kernels.guards import DISTINCT, Rule, Rules, packed
from tries import tries

Nested = str | tuple[str, list["Nested"]]  # type: ignore[misc]


@dataclass(frozen=True)
class Column:
    """A plain column: numbers, or leaves of a nested tree (None: a number); None is missing."""

    cells: list[Any]
    tree: Nested | None = None


@dataclass(frozen=True)
class Sample:
    """A random table as plain columns and as rows, with a k that fits it."""

    columns: list[Column]
    rows: Rows
    k: int
    seed: int


@dataclass(frozen=True)
class Paths(Hierarchy):
    """A hierarchy given as paths from leaf to root, all of one length."""

    paths: tuple[tuple[str, ...], ...]
    name = "paths"

    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        tree = Tree.of_paths(self.paths)
        place = {leaf: i for i, leaf in enumerate(tree.leaves)}
        return Fitted(
            tree, np.array([place[text] for text in text_of(values).to_pylist()], np.int32)
        )


@dataclass(frozen=True)
class AtLeast:
    """A guard that asks for size alone."""

    least: int
    survives_merging = True
    only_size = True
    rules = None

    def safe(self, groups: Groups) -> np.ndarray:
        return groups.sizes >= self.least


@dataclass(frozen=True)
class ManyValues:
    """A guard that asks for size and for so many different sensitive values; `ruled` tells kernels
    how to test it.
    """

    least: int
    codes: np.ndarray
    values: int
    survives_merging: bool = True
    ruled: bool = False
    only_size = False

    @property
    def rules(self) -> Rules | None:
        column = self.codes.astype(np.int32), int(self.codes.max(initial=0)) + 1
        return packed([(0, Rule(DISTINCT, (self.values, 0, 0)))], [column]) if self.ruled else None

    def safe(self, groups: Groups) -> np.ndarray:
        counts = groups.counts(self.codes, int(self.codes.max(initial=0)) + 1)
        return (groups.sizes >= self.least) & ((counts > 0).sum(axis=1) >= self.values)


def encoded(
    columns: Sequence[Column], loss: str = "height", sensitive: Sequence[Profile] = ()
) -> Rows:
    """Plain columns as rows."""
    names = [f"c{i}" for i in range(len(columns))]
    profiles = [profile(_array(column), name) for name, column in zip(names, columns, strict=True)]
    trees = {
        name: Paths(tuple(paths(c.tree)))
        for name, c in zip(names, columns, strict=True)
        if c.tree is not None
    }
    return encode(profiles, trees, loss=loss, sensitive=sensitive)


def paths(tree: Nested) -> list[tuple[str, ...]]:
    """Root-ward paths of all leaves, a shallow leaf repeated to the depth of the deepest."""
    unequal = list(_paths(tree, ()))
    depth = max(map(len, unequal))
    return [(path[0],) * (depth - len(path)) + path for path in unequal]


def table(rng: np.random.Generator, rows: int, axes: int | None = None) -> list[Column]:
    """A random table of so many rows."""
    kinds = rng.integers(0, 3, size=axes or int(rng.integers(1, 5)))
    return [_column(rng, rows, int(kind)) for kind in kinds]


def sample(seed: int, most_rows: int = 30) -> Sample:
    """A random table with a random k from 1 to its number of rows."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, most_rows + 1))
    k = (
        int(rng.integers(1, rows + 1))
        if rng.random() < 0.3
        else int(rng.integers(1, max(rows // 3, 1) + 1))
    )
    columns = table(rng, rows)
    return Sample(columns, encoded(columns), k, seed)


def samples(count: int) -> tuple[Sample, ...]:
    """The first of `count` samples (see `tries`); each is made once for all tests."""
    return tuple(_made_once(seed) for seed in range(tries(count)))


@cache
def _made_once(seed: int) -> Sample:
    return sample(seed)


def any_sample(most_rows: int = 30) -> st.SearchStrategy[Sample]:
    """Samples for Hypothesis."""
    return st.integers(0, 2**32 - 1).map(lambda seed: sample(seed, most_rows))


def labels_of(groups: Sequence[Sequence[int]]) -> list[int]:
    """Lists of rows as labels, groups numbered by their first row."""
    labels = np.empty(sum(map(len, groups)), np.int64)
    for number, group in enumerate(groups):
        labels[list(group)] = number
    return list(Groups.of(labels).labels.tolist())


@cache
def adult() -> Rows:
    """Adult with its eight usual quasi-identifiers: age on a line, the others with the trees that
    ARX ships.
    """
    names = [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "occupation",
    ]
    people = parquet.read_table(data_file("adult.parquet"), columns=names)
    trees = {}
    for name in names:
        if name != "age":
            lines = data_file(f"hierarchies/adult_arx/{name}.csv").read_text("utf-8").splitlines()
            trees[name] = Paths(tuple(tuple(line.split(";")) for line in lines))
    return encode([profile(people[name].combine_chunks(), name) for name in names], trees)


def _array(column: Column) -> pa.Array:
    if column.tree is None:
        return pa.array(column.cells, pa.float64())
    ordered = all(isinstance(cell, int | None) for cell in column.cells)  # numbers under a tree
    return pa.array(column.cells, pa.int64() if ordered else pa.string())


def _column(rng: np.random.Generator, rows: int, kind: int) -> Column:
    tree = None if kind == 0 else _flat(rng) if kind == 1 else _tree(rng)
    values = _numbers(rng) if tree is None else [path[0] for path in paths(tree)]
    cells = [values[i] for i in rng.integers(0, len(values), size=rows)]
    if rng.random() < 0.3:
        gone = rng.random(rows) < rng.choice([0.1, 0.4, 1.0])
        cells = [None if lost else cell for cell, lost in zip(cells, gone, strict=True)]
    return Column(cells, tree)


def _numbers(rng: np.random.Generator) -> list[float]:
    some = int(rng.integers(1, 12))
    if rng.random() < 0.5:
        return [float(x) for x in rng.integers(-5, 10, size=some)]
    return [float(x) for x in np.round(rng.normal(size=some) * 10 ** rng.integers(0, 4), 3)]


def _flat(rng: np.random.Generator) -> Nested:
    return "*", [f"v{i}" for i in range(int(rng.integers(1, 6)))]


def _tree(rng: np.random.Generator) -> Nested:
    """An unbalanced tree: every inner node has one to three children, some of them leaves."""
    names = iter(range(1000))

    def grow(depth: int) -> Nested:
        if depth == 0 or (depth < 3 and rng.random() < 0.3):
            return f"v{next(names)}"
        return f"n{next(names)}", [grow(depth - 1) for _ in range(int(rng.integers(1, 4)))]

    return grow(3)


def _paths(tree: Nested, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(tree, str):
        yield (tree, *above)
        return
    for child in tree[1]:
        yield from _paths(child, (tree[0], *above))
