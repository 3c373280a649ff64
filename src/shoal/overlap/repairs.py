"""Repairs: boxes widened until a promise of `concealment` is kept.

- `1-k`, `k-k`: for each record that fewer than k rows cover, the rows that cost least are widened
  until k do (algorithm 5 of Gionis, Mazza & Tassa 2008). Before it, for `k-k`, rows that cover
  fewer than k records are widened.
- `mutual`: covering is made mutual: where row r covers record i of its neighbourhood, row i is
  widened to cover record r. The two could be exchanged, so all of a neighbourhood match:
  k-concealment.
- `k-concealment`: mutual only as far as needed: of the rows in the neighbourhood of a record with
  too few matches, the one that costs least covers it in turn; then matches are counted again.

Widening never takes a cover away, so a promise that was kept stays so. What is returned are boxes
as published.

The less is widened, the less is hidden. A few rows widened to everything cover everybody, and `1-k`
and `k-k` tend to that; and with k possible matches a record can still stand in its own row nearly
always. So some links are far likelier than 1/k after each of these repairs, least so after
`mutual`: look at `matching.links`, or take `rings`, where all are near it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.arrays import Codes, Ints
from shoal.encode.rows import Rows
from shoal.errors import RecipeError, did_you_mean
from shoal.kernels.costs import of_box
from shoal.kernels.overlap.widening import (
    NodeRuns,
    RowBoxes,
    close_all,
    cover_each,
    fill_rows,
    return_all,
    return_cheapest,
    runs_of,
)
from shoal.overlap.cover import Cover
from shoal.overlap.overlap import Neighbourhoods

Boxes = tuple[Ints, Ints]  # lo and hi, [rows, axes]


def repaired(rows: Rows, near: Neighbourhoods, k: int, promise: str) -> tuple[Codes, Codes]:
    """Widen the boxes of neighbourhoods until a promise is kept: one of `REPAIRS`."""
    if promise not in REPAIRS:
        raise RecipeError(f"unknown repair '{promise}'", remedy=did_you_mean(promise, REPAIRS))
    runs = runs_of(rows.costs)
    # Boxes are widened in place, so these have to be copies, also of a single axis.
    lo = np.array(near.lo.T, np.int32, order="C")
    hi = np.array(near.hi.T, np.int32, order="C")
    close_all(rows.costs, runs, lo, hi)
    lo, hi = REPAIRS[promise](rows, runs, (lo, hi), near.members, k)
    return np.ascontiguousarray(lo.T), np.ascontiguousarray(hi.T)


def total_cost(rows: Rows, lo: Codes, hi: Codes) -> int:
    """Sum the costs of boxes, in integers."""
    return sum(
        of_box(rows.costs, *ends)
        for ends in zip(np.ascontiguousarray(lo.T), np.ascontiguousarray(hi.T), strict=True)
    )


def _one_k(rows: Rows, runs: NodeRuns, boxes: Boxes, members: Ints, k: int) -> Boxes:
    cover = _cover(rows, boxes)
    tuples = np.ascontiguousarray(cover.tuples.T)
    cover_each(rows.costs, runs, tuples, RowBoxes._make(boxes), cover.counted[1].copy(), k)
    return boxes


def _k_k(rows: Rows, runs: NodeRuns, boxes: Boxes, members: Ints, k: int) -> Boxes:
    cover = _cover(rows, boxes)
    fill_rows(
        rows.costs,
        runs,
        np.ascontiguousarray(cover.tuples.T),
        cover.records,
        RowBoxes._make(boxes),
        cover.covered.copy(),
        k,
    )
    return _one_k(rows, runs, boxes, members, k)


def _concealed(rows: Rows, runs: NodeRuns, boxes: Boxes, members: Ints, k: int) -> Boxes:
    while len(asked := _below(rows, boxes, k)):
        codes = np.ascontiguousarray(rows.codes.T)
        return_cheapest(rows.costs, runs, codes, members, RowBoxes._make(boxes), asked)
    return boxes


def _mutual(rows: Rows, runs: NodeRuns, boxes: Boxes, members: Ints, k: int) -> Boxes:
    codes = np.ascontiguousarray(rows.codes.T)
    return_all(rows.costs, runs, codes, members, RowBoxes._make(boxes))
    return boxes


def _below(rows: Rows, boxes: Boxes, k: int) -> Ints:
    """Find the first record of each tuple with fewer than k matches."""
    cover = _cover(rows, boxes)
    below = np.flatnonzero(cover.matches(cover.own()).counts < k)
    _, first = np.unique(cover.tuple_of[below], return_index=True)
    return below[np.sort(first)].astype(np.int32)


def _cover(rows: Rows, boxes: Boxes) -> Cover:
    return Cover.of(rows.codes, boxes[0].T, boxes[1].T)


REPAIRS: dict[str, Callable[[Rows, NodeRuns, Boxes, Ints, int], Boxes]] = {
    "1-k": _one_k,
    "k-k": _k_k,
    "k-concealment": _concealed,
    "mutual": _mutual,
}
