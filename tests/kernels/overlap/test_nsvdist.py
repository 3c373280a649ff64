from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.encode.costs import BOX_LOSSES, costs_of
from shoal.kernels.costs import of_box
from shoal.kernels.overlap.gathering import KNOWN, begin, cost_with, join
from shoal.kernels.overlap.neighbours import BLOCK, grown
from shoal.kernels.overlap.nsvdist import empty_queue, ends_of, enter, leave, sink
from shoal.overlap.weighing import LOSSES, weighed
from tables import any_sample

KEYS = st.tuples(st.integers(0, 3) | st.integers(0, 2**62), st.integers(0, 2**31 - 1))


def queue_of(keys):
    queue = empty_queue(len(keys) + 1)
    for waiting, key in enumerate(keys):
        assert enter(queue, waiting, *key, waiting, 2 * waiting) == waiting + 1
    return queue


@given(st.lists(KEYS, min_size=1, max_size=40), KEYS)
def test_the_cheapest_leaves_first_then_the_lowest(keys, changed):
    queue = queue_of(keys)
    waiting = len(keys)
    left = []
    keys[queue.items[0]] = changed
    sink(queue, waiting, *changed)
    while waiting:
        assert (keys[queue.items[0]], 2 * queue.items[0]) == (
            (queue.costs[0], queue.rows[0]),
            queue.seen[0],
        )
        left.append((int(queue.costs[0]), int(queue.rows[0])))
        waiting = leave(queue, waiting)
    assert left == sorted(keys)


def gathered(costs, codes):
    """A neighbourhood of some tuples `codes[tuple, axis]`."""
    near = np.empty((KNOWN, codes.shape[1]), np.int64)
    held = np.empty((codes.shape[1], len(codes) + 1), np.int32)
    begin(costs, near, held, codes[0])
    for point in codes[1:]:
        join(costs, near, held, point)
    return near, held


def under(sample, loss):
    """A sample as a loss weighs it: the costs, and tuples `codes[tuple, axis]`; None where it has
    no numbers to square.
    """
    rows = sample.rows
    if loss == "squared-error":
        lines = [a for a, axis in enumerate(rows.axes) if axis.tree is None]
        rows = (
            replace(rows, axes=tuple(rows.axes[a] for a in lines), codes=rows.codes[lines])
            if lines
            else None
        )
    if rows is None:
        return None
    rows = replace(rows, costs=costs_of(rows.axes, loss, {"c0": 0.3}), loss=loss)
    return rows, *weighed(rows, rows.codes, rows.count)


@given(any_sample(40), st.sampled_from(LOSSES), st.integers(0, 2**32 - 1))
def test_nothing_costs_less_than_the_box_it_stands_in_and_nothing_gets_cheaper(sample, loss, seed):
    rng = np.random.default_rng(seed)
    known = under(sample, loss)
    if known is None:
        return
    rows, costs, codes = known
    forest = grown(rows.costs, rows.codes, BLOCK)
    lo, hi = ends_of(forest, codes[forest.order])
    some = rng.integers(rows.count, size=int(rng.integers(1, 6)))
    near = gathered(costs, codes[some])
    later = gathered(costs, codes[np.append(some, rng.integers(rows.count))])
    for box in range(len(forest.start)):
        least = cost_with(costs, *near, lo[box], hi[box])
        assert cost_with(costs, *later, lo[box], hi[box]) >= least
        for row in forest.order[forest.start[box] : forest.end[box]]:
            cost = cost_with(costs, *near, codes[row], codes[row])
            assert cost_with(costs, *later, codes[row], codes[row]) >= cost >= least
            if loss in BOX_LOSSES:
                there = rows.codes[:, [*some, row]]
                assert cost == of_box(costs, there.min(axis=1), there.max(axis=1))


@given(any_sample(60), st.integers(0, 2**32 - 1))
def test_the_ends_of_each_box(sample, seed):
    forest = grown(sample.rows.costs, sample.rows.codes, BLOCK)
    points = (
        np.random.default_rng(seed).integers(0, 1000, size=(sample.rows.count, 2)).astype(np.int32)
    )
    inside = [points[start:end] for start, end in zip(forest.start, forest.end, strict=True)]
    lo, hi = ends_of(forest, points)
    assert lo.tolist() == [part.min(axis=0).tolist() for part in inside]
    assert hi.tolist() == [part.max(axis=0).tolist() for part in inside]
