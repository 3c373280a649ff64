"""How large a share one sensitive value has among the rows that a record could be in."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Floats, Ints, Longs
from shoal.kernels.covering import ONE, WORD, Words, lowest
from shoal.kernels.jit import compiled


@compiled
def most_frequent(columns: Words, values: Ints, size: int) -> tuple[Longs, Longs]:
    """For each tuple how many rows match it, and how many of them carry its most frequent value.

    Bit r of `columns[tuple]`: row r matches, which carries `values[r]`, below `size`.
    """
    total, most = np.zeros(len(columns), np.int64), np.zeros(len(columns), np.int64)
    times = np.zeros((2, size), np.int64)  # how often each value occurs, and of which tuple that is known
    times[1] = -1
    for tuple_ in range(len(columns)):
        for place in range(columns.shape[1]):
            word = columns[tuple_, place]
            while word:
                value = values[WORD * place + lowest(word)]
                word &= word - ONE
                times[0, value] = times[0, value] + 1 if times[1, value] == tuple_ else 1
                times[1, value] = tuple_
                total[tuple_] += 1
                most[tuple_] = max(most[tuple_], times[0, value])
    return total, most


@compiled
def _histograms(values: Ints, starts: Longs, size: int) -> tuple[Longs, Ints, Longs]:
    """The different values of each box and how many rows carry them: box b has entries `held[b]` to `held[b + 1]`."""
    held, value, times = np.zeros(len(starts), np.int64), np.zeros(len(values), np.int32), np.zeros(len(values), np.int64)
    seen = np.full(size, -1, np.int64)
    made = 0
    for box in range(len(starts) - 1):
        held[box] = made
        for row in range(starts[box], starts[box + 1]):
            if seen[values[row]] < held[box]:
                seen[values[row]], value[made] = made, values[row]
                made += 1
            times[seen[values[row]]] += 1
    held[-1] = made
    return held, value[:made], times[:made]


@compiled
def most_likely(given: Ints, order: Longs, records: Longs, values: Ints, starts: Longs, size: int) -> Floats:
    """For each tuple how likely its likeliest value is: the mean over draws of its shares in the boxes that were given."""
    held, value, times = _histograms(values, starts, size)
    found, chance = np.zeros(len(records) - 1), np.zeros(size)
    for tuple_ in range(len(found)):
        chance[:] = 0.0
        some = order[records[tuple_] : records[tuple_ + 1]]
        for draw in range(len(given)):
            for record in some:
                box = given[draw, record]
                for entry in range(held[box], held[box + 1]):
                    chance[value[entry]] += times[entry] / (starts[box + 1] - starts[box])
        found[tuple_] = chance.max() / (len(given) * len(some))
    return found
