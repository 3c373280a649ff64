"""Demo graph: invented patients of one hospital, and who shared a ward, the same on every machine.

Nobody in it exists. People and their illnesses are those of the table of patients. Each illness is
treated in one of six wards; two people shared it if a day of their stays, which last three days to
three weeks, is the same. So people who know each other are ill with related things, came in the
same weeks, and a few who stayed long know many.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa

from shoal.adapters.demo_data import FIRST_DAY, SEED, Draw, patients
from shoal.arrays import Longs

PEOPLE = 1_200
WARDS = 6
SHORTEST = 3  # days
LONGEST = 21


def people_and_wards(people: int = PEOPLE, seed: int = SEED) -> tuple[pa.Table, pa.Table]:
    """Make a table of people with an id, and one of pairs who shared a ward."""
    table = patients(people, seed)
    draw = Draw(people, seed + 1)
    begin = (np.asarray(table["admission_date"], "datetime64[D]") - FIRST_DAY).astype(np.int64)
    end = begin + SHORTEST + draw.below(LONGEST - SHORTEST + 1)
    illness = np.asarray(table["diagnosis"].combine_chunks().dictionary_encode().indices)
    pairs = np.array(_together(illness % WARDS, begin, end), np.int64).reshape(-1, 2)
    nodes = table.drop_columns(["admission_date", "cost"])
    nodes = nodes.add_column(0, "id", pa.array(np.arange(1, people + 1)))
    return nodes, pa.table({"person": pairs[:, 0] + 1, "shared_ward_with": pairs[:, 1] + 1})


def _together(ward: Longs, begin: Longs, end: Longs) -> list[tuple[int, int]]:
    """List pairs of people, the lower first, who were in one ward on one day."""
    pairs = set[tuple[int, int]]()
    for number in range(WARDS):
        inside = np.flatnonzero(ward == number)
        days: dict[int, list[int]] = {}
        for person in inside.tolist():
            for day in range(int(begin[person]), int(end[person])):
                days.setdefault(day, []).append(person)
        for present in days.values():
            pairs.update(combinations(present, 2))
    return sorted(pairs)
