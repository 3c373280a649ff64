"""Which published rows a person may be, cell by cell as a reader would decide it."""

from __future__ import annotations

from typing import Any

Tree = dict[str, set[str]]  # the leaves under each label


def fits(cell: str | None, value: Any, tree: Tree | None) -> bool:
    """Whether a printed cell can stand for a value."""
    if cell == "*":
        return True
    if cell is None or value is None:
        return cell is None and value is None
    if tree is not None:
        return str(value) in tree.get(cell, {cell})
    if cell.startswith("["):
        lo, hi = cell[1:-1].split(", ")
        return float(lo) <= value <= float(hi)
    return float(cell) == value


def candidates(
    rows: list[dict[str, Any]], person: dict[str, Any], trees: dict[str, Tree | None]
) -> list[int]:
    """The numbers of the published rows that fit a person."""
    return [
        i
        for i, row in enumerate(rows)
        if all(fits(row[name], person[name], tree) for name, tree in trees.items())
    ]


def most_frequent(values: list[Any]) -> set[Any]:
    """The values that occur most often, missing ones left out."""
    there = [value for value in values if value is not None]
    most = max((there.count(value) for value in there), default=0)
    return {value for value in there if there.count(value) == most}


def chance_of(value: Any, values: list[Any]) -> float:
    """The chance of guessing a value right with a most frequent one, ties at random."""
    best = most_frequent(values)
    return 1 / len(best) if value in best else 0.0


def gap(cell: str, value: float) -> float:
    """How far a number lies from a printed interval or number."""
    lo, hi = cell[1:-1].split(", ") if cell.startswith("[") else (cell, cell)
    return max(float(lo) - value, value - float(hi), 0.0)


def nearest(rows: list[dict[str, Any]], person: dict[str, Any]) -> set[int]:
    """The rows at least distance from a person: the sum of gaps over columns of the same range."""
    far = [sum(gap(row[name], value) for name, value in person.items()) for row in rows]
    return {i for i, distance in enumerate(far) if distance == min(far)}
