"""Means over folds, and gains that data sets agree on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments.significance import paired
from experiments.verdicts import FAILS, HOLDS, UNKNOWN
from shoal.comparison.cells import Row

SURE = 0.05


def means(rows: Sequence[Row], what: Sequence[str]) -> dict[tuple[str, str, int], float]:
    """By data set, method and k: the mean over folds and over some figures."""
    found: dict[tuple[str, str, int], list[float]] = {}
    for row in rows:
        found.setdefault((row["data"], row["method"], row["k"]), []).extend(
            row[name] for name in what
        )
    return {key: float(np.mean(values)) for key, values in found.items()}


def said(p: float) -> str:
    """Write a chance; a small one is not 0.

    >>> said(0.0312), said(0.0001)
    ('p = 0.03', 'p < 0.005')
    """
    return f"p = {p:.2f}" if p >= 0.005 else "p < 0.005"


def surely_above(gains: Sequence[float], what: str) -> tuple[str, str]:
    """Judge gains of data sets: above 0 on average, and by a paired test surely so."""
    if len(gains) < 2:
        return UNKNOWN, f"{what}: not measured"
    p = paired(list(gains), [0.0] * len(gains))[1] if np.ptp(gains) else 1.0
    wins = sum(value > 0 for value in gains)
    told = f"{what}: {np.mean(gains):+.3f}, better on {wins} of {len(gains)} sets ({said(p)})"
    return (HOLDS if np.mean(gains) > 0 and p < SURE else FAILS), told
