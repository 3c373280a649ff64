"""Families: a table and its reordered copies, perturbed and clustered, under every reading of what
a paper leaves open.

`ranges`  by which both tables are normalized: those of the original, each table's own, or none at
all `runs`    which centres are compared: those of ten runs from rows of their own (`apart`), of ten
runs from the same rows in
          both tables (`together`), of the best run of each (`best`), or of runs on the perturbed
          table that start at the
          centres of the original (`warm`)
`draws`   whether a table is perturbed `once`, or anew for `each` of the ten runs
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

import shoal
from shoal.distortions.chance import Chance
from shoal.distortions.distortion import Distortion
from shoal.kernels.clusters import ClusterResult, from_centres, matched
from shoal.kernels.lloyd import separation

FILES = {"Census": "census", "Housing": "boston", "Tarragona": "tarragona", "Wages": "cps85"}
RANGES = ("original", "own", "none")
RUNS = ("apart", "together", "best", "warm")
DRAWS = ("once", "each")
TEN = 10


class Reading(NamedTuple):
    """One way to read what the paper leaves open."""

    ranges: str
    runs: str
    draws: str


class Found(NamedTuple):
    """What one table of a family gives at one number of clusters, run by run: how far rows and
    centres moved; Dunn's index.
    """

    ppd: dict[Reading, list[float]]
    ild: dict[Reading, list[float]]
    dunn: dict[str, list[float]]  # of the original and of the perturbed table


def numbers_in(name: str) -> np.ndarray:
    """The columns of a table as numbers; categories as the place of their label."""
    table = shoal.datasets.table(FILES[name])
    return np.stack([_number(column) for column in table.columns], axis=1)


def _number(column: pa.ChunkedArray) -> np.ndarray:
    values = np.asarray(column)
    return (
        np.unique(values, return_inverse=True)[1].astype(float)
        if values.dtype == object
        else values.astype(float)
    )


def family(
    values: np.ndarray, method: Distortion, copies: int, clusters: tuple[int, ...]
) -> list[dict[int, Found]]:
    """The table as it is and in so many other orders, each perturbed anew: what each gives at each
    number of clusters.
    """
    found = []
    for member in range(1 + copies):
        rng = np.random.default_rng(member)
        before = values if not member else values[rng.permutation(len(values))]
        afters = [method.distort(before, Chance.seeded(100 * member + run)) for run in range(TEN)]
        found.append({k: read(before, afters, k, rng) for k in clusters})
    return found


def read(
    before: np.ndarray, afters: Sequence[np.ndarray], k: int, rng: np.random.Generator
) -> Found:
    """One table, perturbed several times, under every reading."""
    found = Found({}, {}, {})
    starts, others = (
        [rng.choice(len(before), k, replace=False) for _ in range(TEN)] for _ in range(2)
    )
    for ranges in RANGES:
        first = [
            from_centres(scaled(before, before, ranges)[0], scaled(before, before, ranges)[0][rows])
            for rows in starts
        ]
        for draws in DRAWS:
            pairs = [
                scaled(before, afters[run if draws == "each" else 0], ranges) for run in range(TEN)
            ]
            moved = [float(np.sqrt(((x - y) ** 2).sum(axis=1)).mean()) for x, y in pairs]
            for runs, both in compared(first, [y for _, y in pairs], starts, others, draws).items():
                reading = Reading(ranges, runs, draws)
                found.ild[reading] = [
                    float(matched(one.centres, other.centres).mean()) for one, other in both
                ]
                found.ppd[reading] = moved[: len(both)]
        if ranges == "original":
            x, y = scaled(before, afters[0], ranges)
            found.dunn["original"] = [dunn_of(x, run) for run in first]
            found.dunn["perturbed"] = [dunn_of(y, from_centres(y, y[rows])) for rows in others]
    return found


def compared(
    first: list[ClusterResult],
    tables: list[np.ndarray],
    starts: list[np.ndarray],
    others: list[np.ndarray],
    draws: str,
) -> dict[str, list[tuple[ClusterResult, ClusterResult]]]:
    """Which clusters of the original are held beside which of the perturbed tables."""
    best = min(first, key=_squares)
    same, apart = (
        [from_centres(y, y[rows]) for y, rows in zip(tables, drawn, strict=True)]
        for drawn in (starts, others)
    )
    once = draws == "once"
    pairs = {
        "apart": list(zip(first, apart, strict=True)),
        "together": list(zip(first, same, strict=True)),
    }
    pairs["warm"] = [
        (best, from_centres(y, best.centres)) for y in (tables[:1] if once else tables)
    ]
    return pairs | ({"best": [(best, min(apart, key=_squares))]} if once else {})


def _squares(run: ClusterResult) -> float:
    return run.squares


def scaled(before: np.ndarray, after: np.ndarray, ranges: str) -> tuple[np.ndarray, np.ndarray]:
    """Both tables from 0 to 1, by the ranges that are asked for."""
    if ranges == "none":
        return before, after
    tables = (before, before if ranges == "original" else after)
    ends = [
        (table.min(axis=0), np.where(np.ptp(table, axis=0) > 0, np.ptp(table, axis=0), 1.0))
        for table in tables
    ]
    return (before - ends[0][0]) / ends[0][1], (after - ends[1][0]) / ends[1][1]


def dunn_of(points: np.ndarray, clusters: ClusterResult) -> float:
    apart, across = separation(np.ascontiguousarray(points), clusters.labels)
    return float(np.sqrt(apart / across))
