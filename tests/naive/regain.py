"""Noise of an orbit taken off again, step by step, as one would with pencil and paper. None is
missing.
"""

from __future__ import annotations

STEPS = 8
NEAR = 1e-3
LEAST = 3
DOUBLINGS = 40


def follow(published, row, value, r, reach, whole):
    """Values from a known row on, as far as they can be regained."""
    found = [value]
    x = (published[row] - value) / reach + 0.5
    for cell in published[row + 1 :]:
        x = r * x * (1.0 - x)
        if not whole and len(found) > DOUBLINGS:
            break
        guess = None if cell is None else cell - (x - 0.5) * reach
        if whole:
            if guess is None or abs(guess - round(guess)) > NEAR:
                break
            guess = float(round(guess))
            x = (cell - guess) / reach + 0.5
        found.append(guess)
    return found


def begins(published, row, value, r, reach):
    """Whether eight rows below come out whole if this one holds the value."""
    if published[row] is None or row + STEPS >= len(published):
        return False
    x = (published[row] - value) / reach + 0.5
    if not 0.0 < x < 1.0:
        return False
    for cell in published[row + 1 : row + 1 + STEPS]:
        x = r * x * (1.0 - x)
        guess = None if cell is None else cell - (x - 0.5) * reach
        if guess is None or abs(guess - round(guess)) > NEAR:
            return False
    return True


def regain(published, guesses, r, reach):
    """Every row's value, or None, when likely values are tried from the top."""
    found = [None] * len(published)
    row = 0
    while row < len(published):
        fitting = [guess for guess in guesses if begins(published, row, guess, r, reach)]
        if fitting:
            run = follow(published, row, fitting[0], r, reach, True)
            found[row : row + len(run)] = run
            row += len(run)
        else:
            row += 1
    return found


def search(published, row, values, r, reach):
    """Rows in any order: `{row: values}` of those that the orbits lead to, one after the other."""
    left = [i for i in range(len(published)) if i != row]
    found = {}
    x = [
        (cell - value) / span + 0.5
        for cell, value, span in zip(published[row], values, reach, strict=True)
    ]
    while True:
        x = [r * each * (1.0 - each) for each in x]
        row = next((i for i in left if fits(published[i], x, reach)), None)
        if row is None:
            return found
        left.remove(row)
        found[row] = [None] * len(x)
        for c, cell in enumerate(published[row]):
            if cell is not None:
                found[row][c] = float(round(cell - (x[c] - 0.5) * reach[c]))
                x[c] = (cell - found[row][c]) / reach[c] + 0.5


def fits(row, x, reach):
    """Whether all cells of a row come out whole, three at least."""
    guesses = [
        cell - (at - 0.5) * span
        for cell, at, span in zip(row, x, reach, strict=True)
        if cell is not None
    ]
    return len(guesses) >= LEAST and all(abs(guess - round(guess)) <= NEAR for guess in guesses)
