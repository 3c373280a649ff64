"""Random draws of the record that each row carries, by exchanges and by walks round the rows.

Each step is as likely as its reverse.

Records and rows are paired throughout: `held[row]` is a record that matches the row,
`holder[record]` its row. Rows are numbered box by box; bit r of `columns[tuple]`: row r matches the
tuple; `ahead` counts bits before each BLOCK of words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.jit import compiled
from shoal.kernels.overlap.covering import ONE, WORD, Words, has, lowest

BLOCK = 8  # words


class Choices(NamedTuple):
    """The rows that match each tuple."""

    columns: Words  # [tuples, words of rows]
    ahead: Ints  # [tuples, blocks + 1]
    tuple_of: Ints  # [records]


@compiled
def set_bits(word: np.uint64) -> int:
    """Count the bits of a word that are set."""
    word -= (word >> ONE) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def count_ahead(columns: Words) -> Ints:
    """Count the bits before each block of words, and at the end all of them."""
    blocks = (columns.shape[1] + BLOCK - 1) // BLOCK
    ahead = np.zeros((columns.shape[0], blocks + 1), np.int32)
    for tuple_ in range(columns.shape[0]):
        for place in range(columns.shape[1]):
            ahead[tuple_, place // BLOCK + 1] += set_bits(columns[tuple_, place])
        for block in range(blocks):
            ahead[tuple_, block + 1] += ahead[tuple_, block]
    return ahead


@compiled
def below(count: int, rng: np.random.Generator) -> int:
    """Draw a number from 0 to count - 1."""
    return min(int(rng.random() * count), count - 1)  # the product can round up


@compiled
def any_row(choices: Choices, tuple_: int, rng: np.random.Generator) -> int:
    """Draw one of the rows that match a tuple, all equally likely."""
    ahead = choices.ahead[tuple_]
    left = below(ahead[-1], rng)
    low = 0
    high = len(ahead) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if ahead[middle] <= left:
            low = middle
        else:
            high = middle
    left -= ahead[low]
    place = low * BLOCK
    while left >= set_bits(choices.columns[tuple_, place]):
        left -= set_bits(choices.columns[tuple_, place])
        place += 1
    word = choices.columns[tuple_, place]
    for _ in range(left):
        word &= word - ONE
    return WORD * place + lowest(word)


@compiled
def exchange(
    choices: Choices, holder: Ints, held: Ints, times: int, rng: np.random.Generator
) -> None:
    """Exchange the rows of two records `times` times, where both match.

    Each time, any record is drawn, and any row that matches it; the record there comes here, if
    that is a match too.

    Records and rows may change roles: then it is any row, and any record that matches it.
    """
    for _ in range(times):
        record = below(len(holder), rng)
        here = holder[record]
        there = any_row(choices, choices.tuple_of[record], rng)
        other = held[there]
        if has(choices.columns[choices.tuple_of[other]], here):
            holder[record] = there
            held[there] = record
            holder[other] = here
            held[here] = other


@compiled
def walk(
    choices: Choices, holder: Ints, held: Ints, times: int, longest: int, rng: np.random.Generator
) -> None:
    """Move records along random walks round the rows, `times` times.

    Any record leaves its row for any that matches it, whose record does likewise, until one takes
    the first row.

    A walk that takes too many steps is undone. How many are too many is drawn beforehand: s or more
    in one of s / 4 walks.
    """
    trail = np.zeros(longest + 1, np.int32)
    for _ in range(times):
        most = np.int64(min(4.0 / (1.0 - rng.random()), longest))
        record = below(len(holder), rng)
        first = holder[record]
        steps = 0
        row = -1
        while row != first and steps < most:
            row = any_row(choices, choices.tuple_of[record], rng)
            trail[steps] = row
            steps += 1
            held[row], record = record, held[row]
        if row != first:
            for step in range(steps - 1, -1, -1):
                row = trail[step]
                held[row], record = record, held[row]
        for step in range(steps):
            holder[held[trail[step]]] = trail[step]


@compiled
def likeliest(given: Ints, order: Longs, starts: Longs, rows: Longs) -> tuple[Ints, Longs]:
    """Find the box whose rows the records of each tuple were given most often, row for row.

    Returns it, and how often it was given in each draw.

    `given[draw, record]` is a box; the records of a tuple are `order[starts[tuple]:starts[tuple +
    1]]`.
    """
    tuples = len(starts) - 1
    best = np.zeros(tuples, np.int32)
    often = np.zeros((tuples, len(given)), np.int64)
    times = np.zeros(len(rows), np.int64)
    for tuple_ in range(tuples):
        some = order[starts[tuple_] : starts[tuple_ + 1]]
        most = -1.0
        for draw in range(len(given)):
            for record in some:
                box = given[draw, record]
                times[box] += 1
                if times[box] / rows[box] > most:
                    most = times[box] / rows[box]
                    best[tuple_] = box
        for draw in range(len(given)):
            for record in some:
                times[given[draw, record]] = 0
                often[tuple_, draw] += given[draw, record] == best[tuple_]
    return best, often
