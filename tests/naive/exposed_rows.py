"""Who is easiest to find, literally: each row beside every other on all sets of columns."""

from __future__ import annotations

from itertools import combinations
from typing import Any

Row = tuple[Any, ...]


def people_alike(rows: list[Row], persons: list[Any], row: Row, columns: tuple[int, ...]) -> int:
    """Count the people one of whose rows agrees with a row on some columns."""
    return len(
        {
            person
            for other, person in zip(rows, persons, strict=True)
            if all(other[c] == row[c] for c in columns)
        }
    )


def fewest_columns(rows: list[Row], persons: list[Any], row: Row) -> int:
    """Return how many columns are needed so that no more people look alike than on all of them."""
    every = tuple(range(len(row)))
    alike = people_alike(rows, persons, row, every)
    return next(
        size
        for size in range(1, len(row) + 1)
        for columns in combinations(every, size)
        if people_alike(rows, persons, row, columns) == alike
    )
