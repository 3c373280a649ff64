"""Cutting a table into shards, read literally: plain lists of rows, one comparison at a time.

A part that is to become n shards is cut at the place with the highest (even enough, worth,
evenness, lowest axis, lowest code). It is not even enough where a side is to become more shards
than the levels of cuts below it can make. `across(axis, code)` is what a group pays to reach from
code - 1 to code, or None on a line; `span(axis, lo, hi)` is what the codes from lo to hi cost.
"""

from __future__ import annotations

from collections.abc import Callable

Rows = list[list[int]]
LINES = 2


def shards(
    rows: Rows,
    sizes: list[int],
    wanted: int,
    least: int,
    levels: int,
    across: Callable[[int, int], int | None],
    span: Callable[[int, int, int], int],
) -> list[list[int]]:
    """Row numbers of each shard, from left to right; code `sizes[axis]` is a missing one."""

    def cut(members: list[int], wanted: int, levels: int) -> list[list[int]]:
        if wanted == 1 or levels == 0:
            return [members]
        best = ()
        found = None
        for axis, size in enumerate(sizes):
            held = sorted(rows[row][axis] for row in members)
            for code in range(size + 1):
                left = [row for row in members if rows[row][axis] < code]
                right = [row for row in members if rows[row][axis] >= code]
                if len(left) < least or len(right) < least or not left or not right:
                    continue
                lefts = min(
                    max((2 * wanted * len(left) + len(members)) // (2 * len(members)), 1),
                    wanted - 1,
                )
                largest = max(-(-len(left) // lefts), -(-len(right) // (wanted - lefts)))
                even = 2 * wanted * largest <= 3 * len(members) and max(
                    lefts, wanted - lefts
                ) <= 2 ** (levels - 1)
                worth = across(axis, code)
                if worth is None:
                    worth = span(axis, held[0], held[-1]) // LINES
                rank = (even, worth if even else 0, -largest, -axis, -code)
                if not best or rank > best:
                    best = rank
                    found = (left, lefts, right)
        if found is None:
            return [members]
        left, lefts, right = found
        return cut(left, lefts, levels - 1) + cut(right, wanted - lefts, levels - 1)

    return cut(list(range(len(rows))), wanted, levels)
