"""Origin: checks that a release was made from an original, as far as the two can tell.

Four things are counted, by code that knows no method and no label:

    columns   the certificate names every column of the original, and no other
    number    no more rows are left out than the recipe allows
    values    sensitive and kept values, taken together row by row, are those of different rows of
              the original: a value that nobody has, or that too many rows claim, is found
    rows      for rows that look alike and tell the same values there are as many rows of the
              original inside their cells with these values, and every row of the original that
              was not left out is inside some cells

Cells may overlap, so that a row of the original fits several; then `rows` is a necessary condition
and no proof. Where they do not, it decides. Centres name no cells, and distributions no row's
values: what can't be checked for them is said.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts, Ints
from shoal.declare.columns import text_of, whole
from shoal.encode.axes import axis_of
from shoal.encode.profile import profile, without_nan
from shoal.encode.rows import Distinct
from shoal.errors import DataError
from shoal.kernels.review.inside import PlacedTuples
from shoal.review.certificate_format import DistortedColumns
from shoal.review.certificate_format_1 import DistortedColumns1
from shoal.review.population_matches import Hierarchies, printed_cells, spans
from shoal.review.recount import keys, numbered
from shoal.review.verdict import Item
from shoal.wording import FILE, FOLDER, Sentence, Set

COLUMNS = "columns of the original"
NUMBER = "rows left out, at most as the recipe allows"
VALUES = "sensitive and kept values are those of the original"
ROWS = "cells and values stand for rows of the original"
ALL_ROWS = "rows of the original"
AS_THEY_WERE = "values without noise are those of the original"
UNPERTURBED = (COLUMNS, ALL_ROWS, AS_THEY_WERE)
NOISE = "noise can't be told from false numbers; only a signature speaks for them"
ALL = (COLUMNS, NUMBER, VALUES, ROWS)
WITHOUT_ORIGINAL = Sentence("not checkable without ", Set("original", FILE, "the original"))
WITHOUT_TREES = Sentence("not checkable without ", Set("hierarchies", FOLDER, "the hierarchies"))
CENTRES = "not checkable: centres stand for no cells"
SHARES = "not checkable: the release tells distributions of these columns, not values"


@dataclass(frozen=True)
class ReleasedRows:
    """A release and how it is to be read: columns that were generalized, and those beside."""

    table: pa.Table
    quasi: Sequence[str]
    beside: Sequence[str]
    named: Sequence[str]
    """All columns of the original that the certificate names, dropped ones too."""
    withhold: float = 0.0
    has_cells: bool = True
    """Whether cells cover the rows that they stand for; centres do not."""
    tells_values: bool = True
    """Whether rows tell values of the columns beside; some tell distributions of them."""


def origin_items(
    released: ReleasedRows, original: pa.Table | None, hierarchies: Hierarchies | None
) -> list[Item]:
    """Check a release against its original; `hierarchies` is None where some can't be read.

    Without an original the same items say that they are not checkable.
    """
    if original is None:
        return [Item(what, "not checkable", None, note=WITHOUT_ORIGINAL) for what in ALL]
    refuse_lacking(original, (*released.quasi, *released.beside))
    return [
        _columns(released, original),
        _number(released, original.num_rows),
        _values(released, original),
        _rows(released, original, hierarchies),
    ]


def refuse_lacking(original: pa.Table, wanted: Sequence[str]) -> None:
    """Refuse an original without the columns that a release was made from."""
    lacking = [name for name in wanted if name not in original.column_names]
    if lacking:
        named = ", ".join(map(repr, lacking))
        raise DataError(f"the original has no column {named}", remedy="name the original table")


def distortion_origin(
    table: pa.Table, columns: DistortedColumns | DistortedColumns1, original: pa.Table | None
) -> list[Item]:
    """Check the columns of a perturbed table that have no noise against the original.

    Noise can't be told from falsified numbers, so perturbed columns stay as they are stated.
    """
    noisy = Item("perturbed values", "stated", columns.perturbed, note=NOISE)
    constant = columns.constant if isinstance(columns, DistortedColumns1) else []
    plain = [*constant, *columns.as_they_were]
    if original is None:
        unseen = [Item(what, "not checkable", None, note=WITHOUT_ORIGINAL) for what in UNPERTURBED]
        return [*unseen, noisy]
    named = sorted([*columns.perturbed, *plain])
    lacking = [name for name in plain if name not in original.column_names]
    rows = ReleasedRows(table, (), [name for name in plain if name not in lacking], named)
    number = Item(ALL_ROWS, "recounted", table.num_rows, original.num_rows)
    if table.num_rows != original.num_rows:
        number = replace(number, status="differs")
    return [
        _columns(rows, original),
        number,
        replace(_values(rows, original), what=AS_THEY_WERE),
        noisy,
    ]


def _columns(released: ReleasedRows, original: pa.Table) -> Item:
    stated = sorted(released.named)
    there = sorted(original.column_names)
    return Item.compared(COLUMNS, stated, there, same=stated == there)


def _number(released: ReleasedRows, rows: int) -> Item:
    """Compare the number of rows that are missing with the recipe's limit."""
    allowed = math.floor(Fraction(str(released.withhold)) * rows)
    missing = rows - released.table.num_rows
    if 0 <= missing <= allowed:  # the number itself is not told: it is not public
        return Item(NUMBER, "recounted", allowed)
    return Item(NUMBER, "differs", allowed, missing)


def _values(released: ReleasedRows, original: pa.Table) -> Item:
    """Compare the values beside the cells as multisets of whole rows."""
    if not released.tells_values:
        return Item(VALUES, "not checkable", None, note=SHARES)
    of_release, of_original, size = _numbered_together(released, original)
    surplus = _surplus(of_release, of_original, size)
    if not surplus:
        return Item(VALUES, "recounted", released.table.num_rows, released.table.num_rows)
    note = f"{surplus:,} rows tell values that no row of the original is left for"
    columns = _strange_columns(released, original)
    where = f": {', '.join(map(repr, columns))}" if columns else ""
    return Item(VALUES, "differs", released.table.num_rows, note=note + where)


def _strange_columns(released: ReleasedRows, original: pa.Table) -> list[str]:
    """Name the columns whose values alone are no part of the original's."""
    return [
        name for name in released.beside if _surplus(*_numbered(released.table, original, [name]))
    ]


def _rows(released: ReleasedRows, original: pa.Table, hierarchies: Hierarchies | None) -> Item:
    """Count the rows of the original inside the cells of each kind of published rows."""
    if not released.has_cells:
        return Item(ROWS, "not checkable", None, note=CENTRES)
    if hierarchies is None:
        return Item(ROWS, "not checkable", None, note=WITHOUT_TREES)
    placed = _Placed.of(released, original, hierarchies)
    short = int(np.count_nonzero(placed.inside < placed.sizes))
    missing = max(original.num_rows - released.table.num_rows, 0)
    outside = original.num_rows - placed.covered - missing
    if not short and outside <= 0:
        return Item(ROWS, "recounted", released.table.num_rows, released.table.num_rows)
    said = {
        "kinds of rows that the original has too few of": short,
        "rows of the original outside all cells": max(outside, 0),
    }
    note = "; ".join(f"{what}: {count:,}" for what, count in said.items() if count)
    return Item(ROWS, "differs", released.table.num_rows, note=note)


@dataclass(frozen=True)
class _Placed:
    """Published rows that are alike, with the rows of the original inside each kind of them."""

    sizes: Counts
    inside: Counts
    covered: int
    """Rows of the original that are inside at least one kind."""

    @classmethod
    def of(cls, released: ReleasedRows, original: pa.Table, hierarchies: Hierarchies) -> _Placed:
        """Count rows inside boxes; values beside the cells are one more axis, of boxes of one."""
        lo, hi, codes, sizes = _on_axes(released, original, hierarchies)
        if released.tells_values:
            of_release, of_original, size = _numbered_together(released, original)
            lo.append(of_release)
            hi.append(of_release)
            codes.append(of_original)
            sizes.append(size)
        kinds = Distinct.of(np.array([*lo, *hi], np.int32), [*sizes, *sizes])
        axes = len(lo)
        tuples = Distinct.of(np.array(codes, np.int32), sizes)
        standing = PlacedTuples.of(tuples.codes, tuples.counts)
        boxes = (kinds.codes[:axes], kinds.codes[axes:])
        inside, _ = standing.inside(*boxes)
        return cls(kinds.counts, inside, standing.covered(*boxes))


def _on_axes(
    released: ReleasedRows, original: pa.Table, hierarchies: Hierarchies
) -> tuple[list[Ints], list[Ints], list[Ints], list[int]]:
    """Put cells and rows of the original on common axes: first and last code, codes, sizes."""
    lo: list[Ints] = []
    hi: list[Ints] = []
    codes: list[Ints] = []
    sizes: list[int] = []
    there = released.table.column_names
    for name in released.quasi:
        axis, own = axis_of(profile(whole(original[name]), name), hierarchies.get(name))
        parts = [name] if name in there else [f"{name}_lo", f"{name}_hi"]
        numbers, cells = printed_cells(released.table, parts)
        first, last = spans(axis, cells)
        # a cell that fits nothing of the original is a box that holds nothing
        empty = last < first
        lo.append(np.where(empty, axis.size + 1, first).astype(np.int32)[numbers])
        hi.append(np.where(empty, axis.size + 1, last).astype(np.int32)[numbers])
        codes.append(own)
        sizes.append(axis.size + 2)
    return lo, hi, codes, sizes


def _numbered_together(released: ReleasedRows, original: pa.Table) -> tuple[Ints, Ints, int]:
    return _numbered(released.table, original, released.beside)


def _numbered(table: pa.Table, original: pa.Table, names: Sequence[str]) -> tuple[Ints, Ints, int]:
    """Number the values of some columns, taken together, alike in a release and its original."""
    rows = table.num_rows
    codes: list[Ints] = []
    sizes: list[int] = []
    for name in names:
        texts = [_texts(table, name), _texts(original, name)]
        encoded = pc.dictionary_encode(pa.chunked_array(texts).combine_chunks())
        size = len(encoded.dictionary)
        codes.append(np.asarray(pc.fill_null(encoded.indices, size), np.int32))
        sizes.append(size + 1)
    if not codes:
        return np.zeros(rows, np.int32), np.zeros(original.num_rows, np.int32), 1
    together, count = numbered(keys(codes, sizes))
    return together[:rows], together[rows:], count


def _texts(table: pa.Table, name: str) -> pa.Array:
    """Spell a column as a release does."""
    return pc.cast(text_of(without_nan(whole(table[name]), name)), pa.large_string())


def _surplus(of_release: Ints, of_original: Ints, size: int) -> int:
    """Count the published rows beyond those that the original has of the same values."""
    counts = np.bincount(of_release, minlength=size)
    return int(np.maximum(counts - np.bincount(of_original, minlength=size), 0).sum())
