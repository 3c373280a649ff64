"""Count queries read literally: one row, one group and one query at a time."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels import queries as module
from shoal.kernels.queries import Queries, Spread, counted, estimated, scanned


def asked(rng: np.random.Generator, axes: int) -> Queries:
    lo, hi = np.sort(rng.integers(0, 6, (2, 40, 2)), axis=0).astype(np.int32)
    return Queries(rng.integers(0, axes, (40, 2)).astype(np.int32), lo, hi, lo + 0.0, hi + 0.5)


@pytest.mark.parametrize("seed", range(20))
def test_counts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = module.BLOCK + 17 if seed == 0 else 30  # more than one block
    queries = asked(rng, 3)
    codes = rng.integers(0, 6, (3, rows)).astype(np.int32)
    counts = rng.integers(1, 4, rows)
    for q, found in enumerate(counted(queries, codes, counts)):
        inside = np.ones(rows, np.bool_)
        for axis, lo, hi in zip(queries.axis[q], queries.lo[q], queries.hi[q], strict=True):
            inside &= (codes[axis] >= lo) & (codes[axis] <= hi)
        assert found == counts[inside].sum()


@pytest.mark.parametrize("parts", [1, 2, 3])
@pytest.mark.parametrize("table", [0, 1000], ids=["looked at", "read off"])
def test_tables_of_sums_say_what_the_rows_say(
    parts: int, table: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TABLE", table)
    rng = np.random.default_rng(parts)
    axis = rng.permuted(np.tile(np.arange(4, dtype=np.int32), (200, 1)), axis=1)[:, :parts]
    lo, hi = np.sort(rng.integers(0, 12, (2, 200, parts)), axis=0).astype(
        np.int32
    )  # some lie beyond all codes
    codes = rng.integers(0, [[1], [3], [7], [9]], (4, 300)).astype(np.int32)
    counts = rng.integers(1, 9, 300)
    queries = Queries(axis, lo, hi, lo + 0.0, hi + 1.0)
    found = counted(queries, codes, counts)
    assert found.tolist() == scanned(queries, codes, counts).tolist()
    assert found.any() and not found.all()


@pytest.mark.parametrize("seed", range(20))
def test_estimates(seed: int) -> None:
    rng = np.random.default_rng(seed)
    queries = asked(rng, 2)
    at = np.array([0, 4, 9])
    groups = 12
    begin, end = np.sort(rng.integers(0, 6, (2, 9)), axis=0).astype(np.float64)
    box = np.array([rng.integers(0, 4, groups), rng.integers(0, 5, groups)], np.int32)
    spread = Spread(begin, end, rng.choice([0.5, 1.0], 9), at, box, rng.integers(1, 9, groups))
    for q, found in enumerate(estimated(queries, spread)):
        expected = 0.0
        for group in range(groups):
            rows = float(spread.sizes[group])
            for axis, low, high in zip(
                queries.axis[q], queries.begin[q], queries.end[q], strict=True
            ):
                here = at[axis] + box[axis, group]
                width = end[here] - begin[here]
                common = min(end[here], high) - max(begin[here], low)
                rows *= spread.share[here] * (
                    0.0 if common < 0 else common / width if width else 1.0
                )
            expected += rows
        assert found == pytest.approx(expected, rel=1e-12)
