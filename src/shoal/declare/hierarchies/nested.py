"""`nested`: a hierarchy written down as a dict, for small trees in code or in a recipe.

    {"Europe": {"North": ["Norway", "Sweden"], "Italy": None}, "Asia": ["Japan"]}

A dict holds groups, a list holds values, and a name with `None` (or nothing) below it is a value
itself. Branches may be of different depth: a value that stands higher is repeated below, which
costs nothing. `*` stands above all.

A public certificate says `nested` and does not show the tree: some of its values may be one
person's. Who has the tree can hand it to `verify`.

By hand: under the tree above a group of Norway and Sweden is published as North, one of Norway and
Italy as Europe, one of Norway and Japan as `*`.

When to use it: for a small hierarchy that is written down in a recipe or in Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from shoal.arrays import Counts
from shoal.declare.columns import Kind
from shoal.declare.hierarchies.hierarchy import Fitted
from shoal.declare.hierarchies.matching import laid_over, leaf_keys, uncovered
from shoal.declare.hierarchies.tree import EVERYTHING, Tree
from shoal.declare.hierarchies.written_tree import WrittenTree
from shoal.errors import DataError, RecipeError


@dataclass(frozen=True)
class Nested(WrittenTree):
    """Groups from a dict of dicts and lists; branches may be of different depth."""

    name = "nested"

    tree: Mapping[str, Any] | None = None
    """None in the recipe of a public certificate, which does not show it."""

    def __post_init__(self) -> None:
        if self.tree is not None and not (isinstance(self.tree, Mapping) and self.tree):
            raise _no_tree()

    @property
    def lists_values(self) -> bool:
        """True: the leaves of the tree are values of the column."""
        return True

    @property
    def listed_paths(self) -> list[tuple[str, ...]]:
        """Paths from each value to the root."""
        return self.paths

    @property
    def paths(self) -> list[tuple[str, ...]]:
        """Paths from each value to the root, all of one length."""
        if self.tree is None:
            raise DataError(
                "the tree of a nested hierarchy is not here",
                remedy="ask whoever made the release for it",
            )
        paths = list(_descend(self.tree, (EVERYTHING,)))
        depth = max(map(len, paths))
        return [(path[0],) * (depth - len(path)) + path for path in paths]

    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        """Lay the tree over the values; refuses values that it lacks or holds twice."""
        if self.tree is None:
            raise _no_tree()
        paths = self.paths
        leaves = [path[0] for path in paths]
        _refuse_twice(leaves, values.type)
        missing = uncovered(leaves, values)
        if number := int(missing.sum()):
            facts = {"rows concerned": int(counts[missing].sum())} if counts is not None else {}
            problem = (
                f"{number:,} of {len(values):,} values of column '{column}' are not in its "
                "hierarchy"
            )
            raise DataError(problem, facts, "add them")
        return laid_over(paths, values)

    def whole_tree(self) -> Tree:
        """Return the tree as it was written down; refuses one that holds a value twice."""
        paths = self.paths
        _refuse_twice([path[0] for path in paths], pa.string())
        return Tree.of_paths(paths)


def _no_tree() -> RecipeError:
    return RecipeError(
        "a nested hierarchy is a dict of dicts and lists",
        remedy='write {"group": ["value", ...], ...}',
    )


def _refuse_twice(leaves: Sequence[str], kind: pa.DataType) -> None:
    keys = leaf_keys(leaves, kind)
    times = Counter(keys)
    shown = list(
        dict.fromkeys(leaf for leaf, key in zip(leaves, keys, strict=True) if times[key] > 1)
    )
    if shown:
        facts = {
            "leaves": ", ".join(f"'{leaf}'" for leaf in shown[:5])
            + (" ..." if len(shown) > 5 else "")
        }
        raise DataError(
            "a nested hierarchy holds values twice", facts, "keep each value in one place"
        )


def _descend(below: object, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield paths from leaf to root of all that stands below a node."""
    if isinstance(below, Mapping):
        for name, rest in below.items():
            yield from _descend(rest, (str(name), *above)) if rest else ((str(name), *above),)
    elif isinstance(below, list | tuple):
        for leaf in below:
            if isinstance(leaf, Mapping | list | tuple):
                raise RecipeError(
                    "a list in a nested hierarchy holds values only",
                    remedy="name the group: use a dict there",
                )
            yield (str(leaf), *above)
    else:
        raise RecipeError(
            f"a nested hierarchy can't hold a {type(below).__name__}",
            remedy="use dicts, lists and None",
        )
