"""Noise of a chaotic orbit taken off again: one step of the map gives the noise of the next row.

A value that is known gives the noise of its row, and so the point of the orbit; the map gives that
of the row below, whose value follows, and so on. Each step doubles the error of the last; where
values are whole numbers, rounding wipes it out.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.arrays import Flags, Floats
from shoal.kernels.jit import compiled

STEPS = 8  # whole numbers in a row that are no accident
# How far from a whole number a value may stand to count as one; 8 by chance: (2 NEAR)^8.
NEAR = 1e-3
LEAST = 3  # columns that must agree before a row is believed to be the next one
DOUBLINGS = 40  # steps after which an error has eaten up the digits of a float


@compiled
def follow(
    published: Floats, row: int, value: float, r: float, reach: float, whole: bool, out: Floats
) -> int:
    """Regain the values below a row whose value is known, into `out`; return where it ends.

    The end is the first row that was not regained.

    Whole numbers end where a regained value is none; others when the error has doubled too often.
    """
    out[row] = value
    x = (published[row] - value) / reach + 0.5
    for i in range(row + 1, len(published)):
        x = r * x * (1.0 - x)
        regained = published[i] - (x - 0.5) * reach
        if whole:
            nearest = float(round(regained))
            if math.isnan(regained) or abs(regained - nearest) > NEAR:
                return i
            regained = nearest
            x = (published[i] - nearest) / reach + 0.5
        elif i - row > DOUBLINGS:
            return i
        out[i] = regained
    return len(published)


@compiled
def begins(published: Floats, row: int, value: float, r: float, reach: float) -> bool:
    """Tell whether the rows below come out as whole numbers if this one holds the value."""
    x = (published[row] - value) / reach + 0.5
    if not 0.0 < x < 1.0 or row + STEPS >= len(published):
        return False
    for i in range(row + 1, row + 1 + STEPS):
        x = r * x * (1.0 - x)
        regained = published[i] - (x - 0.5) * reach
        if math.isnan(regained) or abs(regained - round(regained)) > NEAR:
            return False
    return True


@compiled
def regain(
    published: Floats, guesses: Floats, r: float, reach: float, out: Floats, regained: Flags
) -> int:
    """Regain the whole numbers of a column without knowing any value; return how many cells.

    Likely values are tried row by row until an orbit fits. Fills `out` where `regained` is set.
    """
    row = 0
    total = 0
    while row < len(published):
        end = row
        for guess in guesses:
            if begins(published, row, guess, r, reach):
                end = follow(published, row, guess, r, reach, True, out)
                break
        regained[row:end] = True
        total += end - row
        row = max(end, row + 1)
    return total


@compiled
def search(published: Floats, row: int, value: Floats, r: float, reach: Floats, out: Floats) -> int:
    """Regain rows that stand in any order, one orbit step after the other; return how many.

    The next row is one that the orbits turn into whole numbers in LEAST columns or more.

    Fills rows of `out`; returns how many were found.
    """
    seen = np.zeros(len(published), np.bool_)
    total = 0
    seen[row] = True
    x = (published[row] - value) / reach + 0.5
    while True:
        x = r * x * (1.0 - x)
        row = -1
        for i in range(len(published)):
            if not seen[i] and fits(published[i], x, reach):
                row = i
                break
        if row < 0:
            return total
        seen[row] = True
        total += 1
        for c in range(len(x)):
            if not math.isnan(published[row, c]):
                out[row, c] = float(round(published[row, c] - (x[c] - 0.5) * reach[c]))
                x[c] = (published[row, c] - out[row, c]) / reach[c] + 0.5


@compiled
def fits(published: Floats, x: Floats, reach: Floats) -> bool:
    """Tell whether a row comes out as whole numbers at these points of the orbits."""
    compared = 0
    for c in range(len(x)):
        if math.isnan(published[c]):
            continue
        regained = published[c] - (x[c] - 0.5) * reach[c]
        if abs(regained - round(regained)) > NEAR:
            return False
        compared += 1
    return compared >= LEAST
