"""Tuples in the order of their codes on one axis."""

from __future__ import annotations

import numpy as np

from shoal.arrays import Ints, Longs
from shoal.kernels.copying import copy
from shoal.kernels.jit import compiled

FEW = 24  # tuples that are sorted one by one


@compiled
def _insertion_sort(codes: Ints, here: Ints) -> None:
    """Sort a few tuples by their codes, ties as they stand."""
    for i in range(1, len(here)):
        t = here[i]
        place = i
        while place > 0 and codes[here[place - 1]] > codes[t]:
            here[place] = here[place - 1]
            place -= 1
        here[place] = t


@compiled
def sort_by_code(codes: Ints, size: int, here: Ints, room: Ints, tally: Longs) -> None:
    """Sort tuples by their codes."""
    if len(here) < FEW:
        _insertion_sort(codes, here)
    elif len(here) * 8 < size:
        copy(here[np.argsort(codes[here], kind="mergesort")], here)
    else:
        tally[: size + 2] = 0
        for t in here:
            tally[codes[t] + 1] += 1
        for code in range(size + 1):
            tally[code + 1] += tally[code]
        for t in here:
            room[tally[codes[t]]] = t
            tally[codes[t]] += 1
        copy(room[: len(here)], here)
