"""Linear equations over sets: row i says what the sum over its members is. Solved by least squares, all values at once.

    sums[i]   = sum over members r of row i of x[r]        (A x, where record r counts times[r] in A)
    spread[r] = sum over rows i with member r of y[i]      (A' y)
    regress   = conjugate gradients on A'A x = A'b from a first guess: of all best x, the nearest to that guess

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
    """The sum over the members of each row."""
    out[:] = 0.0
    for i in range(len(starts) - 1):
        for place in range(starts[i], starts[i + 1]):
            for v in range(x.shape[1]):
                out[i, v] += x[members[place], v]


@compiled
def spread(starts: Longs, members: Ints, y: Floats, out: Floats) -> None:
    """The sum over the rows that each record is a member of."""
    out[:] = 0.0
    for i in range(len(starts) - 1):
        for place in range(starts[i], starts[i + 1]):
            for v in range(y.shape[1]):
                out[members[place], v] += y[i, v]


def regress(starts: Longs, members: Ints, times: Floats, told: Floats, guess: Floats) -> Floats:
    """The values of records that come nearest to what rows tell, `told[row, value]`; record r counts `times[r]` times."""
    x, weight = guess.astype(np.float64), times[:, None]
    image, back = np.empty_like(told), np.empty_like(x)
    sums(starts, members, weight * x, image)
    residual = told - image
    spread(starts, members, residual, back)
    back *= weight
    direction, norm = back.copy(), (back * back).sum(axis=0)
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
