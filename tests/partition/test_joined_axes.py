"""A walk over joined axes gives the groups of the walk over the axes themselves."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.encode.levels import Levels
from shoal.groups import unwatched
from shoal.kernels.guards import NO_RULES
from shoal.kernels.partition.peel import Walk
from shoal.partition import joined_axes
from shoal.partition.beginnings import walk
from shoal.partition.joined_axes import joined
from shoal.partition.vectors import Vectors, keys_of


def drawn_levels(rng: np.random.Generator) -> list[Levels]:
    """Draw axes of which each level puts two parts of the one before together."""
    axes = []
    for _ in range(int(rng.integers(1, 6))):
        codes = np.arange(int(rng.integers(2, 9)), dtype=np.int32)
        parts = np.array([codes >> level for level in range(int(rng.integers(1, 5)))], np.int32)
        axes.append(Levels(parts, np.arange(len(parts), dtype=np.int64) * int(rng.integers(1, 9))))
    return axes


def drawn_walk(rng: np.random.Generator, levels: list[Levels]) -> Walk:
    """Draw tuples on these axes, and the walk over all vectors."""
    tuples = int(rng.integers(1, 60))
    codes = np.array([rng.integers(of.parts.shape[1], size=tuples) for of in levels], np.int32)
    counts = rng.integers(1, 4, size=tuples).astype(np.int64)
    return Walk(codes, counts, keys_of(levels), Vectors.of(levels).levels, 4, NO_RULES)


@pytest.mark.parametrize("most", [1, 20, 2_048])
def test_joining_axes_changes_no_group(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever axes are joined, keys and groups stay the same."""
    monkeypatch.setattr(joined_axes, "WORTH", 0)
    monkeypatch.setattr(joined_axes, "MOST_CODES", most)
    rng = np.random.default_rng(most)
    fewer = 0
    for _ in range(100):
        levels = drawn_levels(rng)
        plain = drawn_walk(rng, levels)
        wide = joined(plain, levels)
        fewer += len(wide.codes) < len(plain.codes)
        for number in range(0, len(plain.vectors), 7):
            assert keyed(wide, number).tolist() == keyed(plain, number).tolist()
        labels = [walk(some, unwatched, complete=True).tolist() for some in (plain, wide)]
        assert labels[0] == labels[1]
    assert bool(fewer) == (most > 1)


def keyed(some: Walk, number: int) -> np.ndarray:
    """Sum the key of each tuple under a vector."""
    vector = some.vectors[number]
    numbers = [
        some.keys.key[some.keys.at[axis, level] + some.codes[axis]]
        for axis, level in enumerate(vector)
    ]
    return np.sum(numbers, axis=0)


def test_a_short_walk_is_left_as_it_is() -> None:
    """Joining would take longer than it saves."""
    rng = np.random.default_rng(1)
    levels = drawn_levels(rng)
    plain = drawn_walk(rng, levels)
    assert joined(plain, levels) is plain
