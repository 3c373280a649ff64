from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.encode.costs import BOX_LOSSES, costs_of
from shoal.kernels.costs import between, of_box
from shoal.kernels.neighbours import grown
from shoal.kernels.nsvdist import Queue, cost_with, enter, leave, lowest_rows, sink
from tables import any_sample


def queue_of(keys):
    queue = Queue(np.empty(len(keys) + 1, np.int64), np.empty(len(keys) + 1, np.int32), np.empty(len(keys) + 1, np.int32))
    for waiting, key in enumerate(keys):
        assert enter(queue, waiting, key, waiting, 2 * waiting) == waiting + 1
    return queue


@given(st.lists(st.integers(0, 2**62), min_size=1, max_size=40), st.integers(0, 2**62))
def test_the_cheapest_leaves_first(keys, changed):
    queue, waiting, left = queue_of(keys), len(keys), []
    keys[queue.items[0]] = changed
    sink(queue, waiting, changed)
    while waiting:
        assert (keys[queue.items[0]], 2 * queue.items[0]) == (queue.keys[0], queue.seen[0])
        left.append(int(queue.keys[0]))
        waiting = leave(queue, waiting)
    assert left == sorted(keys)


@given(any_sample(40), st.sampled_from(BOX_LOSSES), st.integers(0, 2**32 - 1))
def test_nothing_costs_less_than_the_box_it_stands_in(sample, loss, seed):
    rng, rows, costs = np.random.default_rng(seed), sample.rows, costs_of(sample.rows.axes, loss, {})
    forest = grown(costs, rows.codes)
    near = rows.codes[:, rng.integers(rows.count, size=2)]
    lo, hi = near.min(axis=1), near.max(axis=1)
    here = np.array([between(costs, axis, lo[axis], hi[axis]) for axis in range(len(lo))], np.int64)
    for box in range(len(forest.start)):
        least = cost_with(costs, lo, hi, here, forest.lo[box], forest.hi[box])
        assert least >= here.sum()
        for row in forest.order[forest.start[box] : forest.end[box]]:
            point = rows.codes[:, row].copy()
            cost = cost_with(costs, lo, hi, here, point, point)
            assert cost == of_box(costs, np.minimum(lo, point), np.maximum(hi, point)) >= least


@given(any_sample(60), st.integers(0, 2**32 - 1))
def test_the_lowest_row_of_each_box(sample, seed):
    forest = grown(sample.rows.costs, sample.rows.codes)
    first = np.random.default_rng(seed).permutation(sample.rows.count).astype(np.int32)
    lowest = [first[start:end].min() for start, end in zip(forest.start, forest.end, strict=True)]
    assert lowest_rows(forest, first).tolist() == lowest
