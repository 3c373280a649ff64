"""Itemsets and rules by brute force: every set of items is held against every row. Eclat on sets of
rows beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations


def frequent(
    rows: Sequence[Iterable[int]], minimum: int, longest: int
) -> dict[tuple[int, ...], int]:
    """Every set of items that enough rows hold."""
    sets = [set(row) for row in rows]
    items = sorted(set().union(*sets)) if sets else []
    found = {}
    for size in range(1, longest + 1):
        for itemset in combinations(items, size):
            count = sum(set(itemset) <= row for row in sets)
            if count >= minimum:
                found[itemset] = count
    return found


def eclat(rows: Sequence[Iterable[int]], minimum: int, longest: int) -> dict[tuple[int, ...], int]:
    """The same by intersecting the sets of rows in which items stand (Zaki 2000)."""
    where: dict[int, set[int]] = {}
    for number, row in enumerate(rows):
        for item in row:
            where.setdefault(item, set()).add(number)
    found: dict[tuple[int, ...], int] = {}

    def widen(prefix: tuple[int, ...], candidates: list[tuple[int, set[int]]]) -> None:
        for place, (item, there) in enumerate(candidates):
            found[(*prefix, item)] = len(there)
            if len(prefix) + 1 < longest:
                both = [(other, there & elsewhere) for other, elsewhere in candidates[place + 1 :]]
                widen(
                    (*prefix, item),
                    [(other, common) for other, common in both if len(common) >= minimum],
                )

    widen((), sorted((item, there) for item, there in where.items() if len(there) >= minimum))
    return found


def expected(
    rows: Sequence[Sequence[Fraction]], column: Sequence[int], longest: int
) -> dict[tuple[int, ...], Fraction]:
    """The sum over rows of the product of chances, of every set of items from different columns."""
    found = {}
    for size in range(1, longest + 1):
        for itemset in combinations(range(len(column)), size):
            if len({column[item] for item in itemset}) == size:
                found[itemset] = sum(
                    (_product(row[item] for item in itemset) for row in rows), Fraction(0)
                )
    return found


def _product(chances: Iterable[Fraction]) -> Fraction:
    product = Fraction(1)
    for chance in chances:
        product *= chance
    return product


def rules(
    supports: Mapping[tuple[int, ...], int], minimum: Fraction
) -> dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, Fraction]]:
    """Every split of a frequent set in two of which the first is followed by the second often
    enough.
    """
    found = {}
    for itemset, count in supports.items():
        for size in range(1, len(itemset)):
            for antecedent in combinations(itemset, size):
                confidence = Fraction(count, supports[antecedent])
                if confidence >= minimum:
                    found[antecedent, tuple(i for i in itemset if i not in antecedent)] = (
                        count,
                        confidence,
                    )
    return found


def certain(cell: set[int] | None, item: set[int]) -> Fraction:
    """Whether all values that a cell may stand for are in an item; None is a cell that may stand
    for anything.
    """
    return Fraction(bool(cell) and cell <= item)


def possible(cell: set[int] | None, item: set[int]) -> Fraction:
    """Whether some value that a cell may stand for is in an item."""
    return Fraction(cell is None or bool(cell & item))


def share(cell: set[int], item: set[int]) -> Fraction:
    """The share of the values that a cell may stand for that are in an item; nothing of a missing
    one is.
    """
    return Fraction(len(cell & item), len(cell)) if cell else Fraction(0)
