"""Rings: a tour of near tuples, cut where that makes windows of k rows cheap."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.costs import Costs, fill_increments, of_box, of_union
from shoal.kernels.jit import compiled

FAR = 2**62
FARTHEST = 8  # times round the ring, in steps: longer walks are undone


@compiled
def tour(costs: Costs, codes: Ints, counts: Longs, k: int) -> Longs:
    """Order all tuples so that windows of k rows along the order cost little.

    Each tuple `codes[tuple, axis]` is the one with which the box around the k - 1 rows before it
    costs least. Ties go to the tuple nearest to the one before, then to the lowest; the first tuple
    begins.
    """
    order = np.zeros(len(codes), np.int64)
    left = np.arange(len(codes))
    lo = np.zeros(codes.shape[1], np.int32)
    hi = np.zeros(codes.shape[1], np.int32)
    at = np.zeros(len(costs.size) + 1, np.int64)
    at[1:] = np.cumsum(costs.size + 1)
    steps = np.zeros(at[-1], np.int32)
    single = np.zeros(at[-1], np.int32)
    place = 0
    for step in range(len(codes)):
        order[step] = left[place]
        remaining = len(codes) - step - 1
        left[place] = left[remaining]
        held = 0
        back = step
        lo[:] = codes[order[step]]
        hi[:] = codes[order[step]]
        _fill(costs, at, lo, hi, single)
        while back >= 0 and held < k - 1:
            widen(lo, hi, codes[order[back]], codes[order[back]])
            held = held + counts[order[back]]
            back = back - 1
        _fill(costs, at, lo, hi, steps)
        place = _nearest(codes, left[:remaining], at, steps, single)
    return order


@compiled
def _fill(costs: Costs, at: Longs, lo: Ints, hi: Ints, out: Ints) -> None:
    """Compute what it costs on each axis to widen a box until it covers each code."""
    for axis in range(len(lo)):
        part = out[at[axis] : at[axis + 1]]
        fill_increments(costs, axis, lo[axis], hi[axis], part)
        part -= part[lo[axis]]


@compiled
def _nearest(codes: Ints, left: Longs, at: Longs, steps: Ints, single: Ints) -> int:
    best = 0
    least = FAR
    nearest = FAR
    for place in range(len(left)):
        cost = distance = 0
        for axis in range(codes.shape[1]):
            cost += steps[at[axis] + codes[left[place], axis]]
            if cost > least:
                break
        if cost > least:
            continue
        for axis in range(codes.shape[1]):
            distance += single[at[axis] + codes[left[place], axis]]
        lower = distance < nearest or (distance == nearest and left[place] < left[best])
        if cost < least or lower:
            best = place
            least = cost
            nearest = distance
    return best


@compiled
def widen(lo: Ints, hi: Ints, low: Ints, high: Ints) -> None:
    """Widen one box until it covers another."""
    for axis in range(len(lo)):
        lo[axis] = min(lo[axis], low[axis])
        hi[axis] = max(hi[axis], high[axis])


@compiled
def cut(costs: Costs, codes: Ints, k: int, longest: int) -> Longs:
    """Cut a tour into rings of k to `longest` rows whose windows cost least together.

    Returns where the ring that ends before each row begins; rows are `codes[row, axis]`. By dynamic
    programming: the best rings up to a row are those up to an earlier one, and one more. Ties: the
    shortest.
    """
    rows = len(codes)
    lo, hi = _beginnings(codes, k)
    before = np.zeros(rows + 1, np.int64)  # cost of the windows that begin before each row
    for row in range(rows):
        whole = of_box(costs, lo[row, k - 1], hi[row, k - 1]) if row + k <= rows else 0
        before[row + 1] = before[row] + whole
    best = np.full(rows + 1, FAR, np.int64)
    start = np.zeros(rows + 1, np.int64)
    best[0] = 0
    ends_lo = np.zeros((k, codes.shape[1]), np.int32)
    ends_hi = np.zeros((k, codes.shape[1]), np.int32)
    for end in range(k, rows + 1):
        _endings(codes, end, ends_lo, ends_hi)
        for first in range(end - k, max(end - longest, 0) - 1, -1):
            if best[first] == FAR:
                continue
            cost = best[first] + before[end - k + 1] - before[first]
            for tail in range(
                1, k
            ):  # windows that hold the last rows of the ring and go on with its first
                if cost >= best[end]:
                    break
                head = k - tail - 1
                cost += of_union(
                    costs, ends_lo[tail - 1], ends_hi[tail - 1], lo[first, head], hi[first, head]
                )
            if cost < best[end]:
                best[end] = cost
                start[end] = first
    return start


@compiled
def _beginnings(codes: Ints, k: int) -> tuple[Ints, Ints]:
    """Compute the boxes around the first rows from each row on: `lo[row, length - 1]`."""
    lo = np.zeros((len(codes), k, codes.shape[1]), np.int32)
    hi = np.zeros((len(codes), k, codes.shape[1]), np.int32)
    for row in range(len(codes)):
        lo[row, :] = codes[row]
        hi[row, :] = codes[row]
        for length in range(1, min(k, len(codes) - row)):
            widen(lo[row, length], hi[row, length], lo[row, length - 1], hi[row, length - 1])
            widen(lo[row, length], hi[row, length], codes[row + length], codes[row + length])
    return lo, hi


@compiled
def _endings(codes: Ints, end: int, lo: Ints, hi: Ints) -> None:
    """Compute the boxes around the last rows before an end: `lo[length - 1]`."""
    for length in range(len(lo)):
        row = end - 1 - length
        lo[length] = codes[row]
        hi[length] = codes[row]
        if length:
            widen(lo[length], hi[length], lo[length - 1], hi[length - 1])


@compiled
def mix(held: Longs, k: int, sweeps: int, rng: np.random.Generator) -> None:
    """Deal a ring anew by exchanges of two places and by walks.

    Place i may hold the k records from i on, going round.

    Exchanges alone never change how far records stand from their places on average where a ring is
    longer than two windows; walks do: a record leaves its place for any that may hold it, the
    record found there does likewise, until one takes the place that was left first (see
    `switching`).
    """
    size = len(held)
    trail = np.zeros(FARTHEST * size, np.int64)
    for _ in range(sweeps):
        for _ in range(size):
            one = int(rng.random() * size)
            other = int(rng.random() * size)
            if (held[other] - one) % size < k and (held[one] - other) % size < k:
                held[one], held[other] = held[other], held[one]
        _walk(held, k, trail, rng)


@compiled
def _walk(held: Longs, k: int, trail: Longs, rng: np.random.Generator) -> None:
    """Walk once round the ring; a walk that grows too long is undone.

    Backwards a walk is as likely, so that all deals become equally likely.
    """
    size = len(held)
    first = int(rng.random() * size)
    record = held[first]
    place = -1
    steps = 0
    while place != first and steps < len(trail):
        place = (record - int(rng.random() * k)) % size
        trail[steps] = place
        steps += 1
        held[place], record = record, held[place]
    if place != first:
        for step in range(steps - 1, -1, -1):
            place = trail[step]
            held[place], record = record, held[place]


@compiled
def offsets(held: Longs, k: int, draws: int, sweeps: int, rng: np.random.Generator) -> Longs:
    """Count how far on from its place each record stands, over draws of a ring mixed before."""
    counts = np.zeros(k, np.int64)
    for _ in range(draws):
        mix(held, k, sweeps, rng)
        for place in range(len(held)):
            counts[(held[place] - place) % len(held)] += 1
    return counts
