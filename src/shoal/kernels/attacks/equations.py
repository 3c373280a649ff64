"""Linear equations over sets: row i tells the sum over its members, solved by least squares.

    sums[i]   = sum over members r of row i of x[r]        (A x, where record r counts times[r] in
              A)
    spread[r] = sum over rows i with member r of y[i]      (A' y)
    within    = the same with x[r] a distribution: gradient steps, each brought back to shares that
              add up to 1
    regress   = conjugate gradients on A'A x = A'b from a first guess: of all best x, the nearest to
              that guess

Memory is that of x and b; a step reads every member twice.
"""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Ints, Longs
from shoal.kernels.jit import compiled

STEPS = 200
ENOUGH = 1e-9  # of the first residual, squared: labels do not change any more


@compiled
def sums(starts: Longs, members: Ints, x: Floats, out: Floats) -> None:
    """Sum the values of the members of each row, into `out[row, value]`."""
    out[:] = 0.0
    for i in range(len(starts) - 1):
        for place in range(starts[i], starts[i + 1]):
            for v in range(x.shape[1]):
                out[i, v] += x[members[place], v]


@compiled
def spread(starts: Longs, members: Ints, y: Floats, out: Floats) -> None:
    """Sum the values of the rows that each record is a member of, into `out[record, value]`."""
    out[:] = 0.0
    for i in range(len(starts) - 1):
        for place in range(starts[i], starts[i + 1]):
            for v in range(y.shape[1]):
                out[members[place], v] += y[i, v]


def regress(starts: Longs, members: Ints, times: Floats, told: Floats, guess: Floats) -> Floats:
    """Find the values of records that come nearest to what rows tell, by least squares.

    `told[row, value]`; record r counts `times[r]` times.
    """
    x = guess.astype(np.float64)
    weight = times[:, None]
    image = np.empty_like(told)
    back = np.empty_like(x)
    sums(starts, members, weight * x, image)
    residual = told - image
    spread(starts, members, residual, back)
    back *= weight
    direction = back.copy()
    norm = (back * back).sum(axis=0)
    first = norm.copy()
    for _ in range(STEPS):
        if (norm <= ENOUGH * first).all():
            break
        sums(starts, members, weight * direction, image)
        size = norm / np.maximum((image * image).sum(axis=0), 1e-300)
        x += size * direction
        residual -= size * image
        spread(starts, members, residual, back)
        back *= weight
        now = (back * back).sum(axis=0)
        direction = back + now / np.maximum(norm, 1e-300) * direction
        norm = now
    return x


def within(
    starts: Longs, members: Ints, times: Floats, told: Floats, guess: Floats, steps: int = STEPS
) -> Floats:
    """Find the shares of records, each adding up to 1, that come near to what rows tell.

    Gradient steps with momentum (Nesterov 1983); `told[row, value]`; record r counts `times[r]`
    times.
    """
    x = guess.astype(np.float64)
    weight = times[:, None]
    image = np.empty_like(told)
    back = np.empty_like(x)
    size = 1.0 / max(_steepest(starts, members, times), 1e-300)
    ahead = x.copy()
    pace = 1.0
    for _ in range(steps):
        sums(starts, members, weight * ahead, image)
        spread(starts, members, told - image, back)
        before = x
        x = _to_shares(ahead + size * weight * back)
        last = pace
        pace = (1.0 + np.sqrt(1.0 + 4.0 * last * last)) / 2.0
        ahead = x + (last - 1.0) / pace * (x - before)
    return x


def _steepest(starts: Longs, members: Ints, times: Floats) -> float:
    """Bound the steepest slope: the largest sum over a row times the largest over a record."""
    rows = np.add.reduceat(times[members], starts[:-1])
    records = np.bincount(members, minlength=len(times)) * times
    return float(rows.max() * records.max())


def _to_shares(x: Floats) -> Floats:
    """Find the nearest shares that are not negative and add up to 1, row by row.

    After Held, Wolfe & Crowder (1974).
    """
    ordered = -np.sort(-x, axis=1)
    beyond = (np.cumsum(ordered, axis=1) - 1.0) / np.arange(1, x.shape[1] + 1)
    last = (ordered > beyond).sum(axis=1) - 1
    return np.maximum(x - beyond[np.arange(len(x)), last][:, None], 0.0)
