"""Entropy: measures how much of a quasi-identifier a column beside it takes away.

A quasi-identifier Q is generalized so that nobody knows a person's value. A column C that is
published beside it takes some of that away, all of it where C determines Q. The share is

    taken(C) = (H(Q) - H(Q | C)) / H(Q)

with H the entropy. Any column with many values takes something by chance: one that is unique takes
everything, and tells nothing. So the share is counted beyond what the column takes once its rows
are shuffled. 0.4 and more is too much (decision 0020). Where columns have many values, the share is
also measured of steps of values, and there 0.5 is too much.

Chance is drawn from a generator that always begins alike, from counts of values alone: figures
depend on neither the order of rows nor how values are numbered. In small tables a column may agree
with another by accident, so that a column is refused only if fewer than one shuffled column in a
thousand takes as much.

By hand: education-num 9, 9, 13, 13 beside HS, HS, BA, BA: H(Q) is 1 bit and H(Q | C) is 0. Of six
ways to shuffle two take 1 bit and four take none: 1 - 1/3 = 0.67 beyond chance, and no evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.review.recount import keys, numbered

TOO_MUCH = 0.4  # of the entropy of a quasi-identifier, beyond what the shuffled column takes
TOO_MUCH_IN_STEPS = 0.5  # bills of two months take .48 of each other, taxes .64 of an income
SAMPLE = 200_000  # rows of a longer table that are looked at
DRAWS = 100_000  # rows that are shuffled, at least once and at most MOST times
MOST = 20  # times a column is shuffled to know what chance takes
SMALL = 300  # rows; in fewer, columns agree by accident
EVIDENCE = 999  # times a column is shuffled there, all of which take less
SEED = 20_021_005
STEPS = 20  # into which columns of many values are put
FEWEST = 5  # steps in a short table
ROWS_OF_STEP = 10  # at least, where there are rows for more than the fewest steps


def sampled(rows: int) -> Longs:
    """Choose the rows that are looked at: all, or some of a longer table, in ascending order."""
    if rows <= SAMPLE:
        return np.arange(rows)
    chosen = np.random.Generator(np.random.PCG64(SEED)).choice(rows, SAMPLE, replace=False)
    return np.sort(chosen).astype(np.int64)


def most_taken(
    known: Ints, quasi: Mapping[str, Ints], *, ascending: bool = False
) -> dict[str, float]:
    """Measure the quasi-identifiers of which a column takes too much, and the share of each.

    Codes that are `ascending` follow the order of values: then steps of them are measured too.
    """
    shares = {name: taken(known, wanted) for name, wanted in quasi.items()}
    if ascending:
        in_steps = {name: taken_in_steps(known, wanted) for name, wanted in quasi.items()}
        shares |= {name: share for name, share in in_steps.items() if share >= TOO_MUCH_IN_STEPS}
    return {name: share for name, share in shares.items() if share >= TOO_MUCH}


def taken_in_steps(known: Ints, wanted: Ints) -> float:
    """Measure what a column of many values takes, once values are put into steps of equal size.

    Where nearly every row has a value of its own, chance takes everything and the share beyond it
    is 0, also of a date of birth beside age. Steps keep the order of values and are held by many.
    """
    steps = min(max(len(known) // ROWS_OF_STEP, FEWEST), STEPS)
    if not len(known) or len(np.unique(known)) <= steps:
        return 0.0
    many = len(np.unique(wanted)) > steps
    wanted = _in_steps(wanted, steps) if many else wanted
    return taken(_in_steps(known, steps), wanted, TOO_MUCH_IN_STEPS)


def _in_steps(codes: Ints, steps: int) -> Ints:
    """Put values into steps that about as many rows hold, by the middle of their rows."""
    counts = np.bincount(codes)
    middle = np.cumsum(counts) - counts / 2
    return (middle * steps / len(codes)).astype(np.int32)[codes]


def joined(columns: Sequence[Ints]) -> Ints:
    """Number the combinations of several columns."""
    return numbered(keys(columns, [int(codes.max(initial=0)) + 1 for codes in columns]))[0]


def taken(known: Ints, wanted: Ints, least: float = TOO_MUCH) -> float:
    """Measure the share of the entropy of `wanted` that `known` takes beyond chance.

    0 where chance takes as much, or so often that a small table proves nothing; and, to save the
    shuffling, where the column takes less than `least` with chance.
    """
    rows = len(wanted)
    if not rows:
        return 0.0
    of_known = np.sort(np.bincount(known))
    of_wanted = np.sort(np.bincount(wanted))
    entropy = rows * np.log(rows) - _sum(of_wanted)
    if entropy <= 0:
        return 0.0
    agreement = _agreement(known, wanted)
    if (agreement - _sum(of_known) + entropy) / entropy < least - 1e-9:
        return 0.0
    chance = _Chance(
        np.repeat(np.arange(len(of_known), dtype=np.int32), of_known),
        np.repeat(np.arange(len(of_wanted), dtype=np.int32), of_wanted),
    )
    usual = float(np.mean(chance.draw(min(max(DRAWS // rows, 1), MOST))))
    share = (agreement - usual) / entropy
    if share >= TOO_MUCH and rows < SMALL and max(chance.draw(EVIDENCE)) >= agreement - 1e-9:
        return 0.0
    return max(share, 0.0)


class _Chance:
    """Shuffles one column beside the other, from a generator that always begins alike."""

    def __init__(self, known: Ints, wanted: Ints) -> None:
        self.known = known
        self.wanted = wanted
        self.random = np.random.Generator(np.random.PCG64(SEED))

    def draw(self, times: int) -> list[float]:
        """Measure how far the columns agree, several times."""
        return [_agreement(self.known, self.random.permutation(self.wanted)) for _ in range(times)]


def _agreement(known: Ints, wanted: Ints) -> float:
    """Sum n log n over pairs of values: the higher, the more one column tells of the other."""
    sizes = [int(known.max()) + 1, int(wanted.max()) + 1]
    pairs = keys([known, wanted], sizes)
    if sizes[0] * sizes[1] <= 4 * len(known) + 1000:
        return _sum(np.bincount(pairs))
    return _sum(np.bincount(numbered(pairs)[0]))


def _sum(counts: Longs) -> float:
    """Sum n log n, in ascending order so that it depends on the counts alone."""
    ordered = np.sort(counts[counts > 1]).astype(np.float64)
    return float((ordered * np.log(ordered)).sum())
