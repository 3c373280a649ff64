"""Minimal sample uniques, literally: every combination of columns, every pair of rows."""

from __future__ import annotations

from itertools import combinations
from typing import Any


def smallest_keys(rows: list[tuple[Any, ...]], largest: int) -> list[int]:
    """For each row the size of the smallest combination on which no other row agrees; 0 if it
    exceeds the largest.
    """
    width = len(rows[0])
    return [
        next(
            (
                size
                for size in range(1, min(largest, width) + 1)
                for columns in combinations(range(width), size)
                if not any(
                    all(row[c] == other[c] for c in columns)
                    for j, other in enumerate(rows)
                    if j != i
                )
            ),
            0,
        )
        for i, row in enumerate(rows)
    ]
