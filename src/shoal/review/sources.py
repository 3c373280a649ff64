"""Sources: measure the exposure of rows, printed or not yet, among a population of any form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from shoal.arrays import Floats
from shoal.encode.rows import Rows
from shoal.groups import Groups
from shoal.privacy.population import Crowd
from shoal.review.population_matches import (
    Column,
    Hierarchies,
    counterparts,
    printed_cells,
    raw_cells,
)
from shoal.review.prechecks.population import Population
from shoal.review.recount import coded, keys, numbered
from shoal.review.risks.exposure import Coded, Exposure, first_rows

Source: TypeAlias = pa.Table | int | float | None
"""A table of everyone, their number (whole), the sampled fraction of them, or nothing."""


def printed(
    table: pa.Table,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    source: Source = None,
    hierarchies: Hierarchies | None = None,
) -> Exposure:
    """Return the exposure of a table as printed.

    A quasi-identifier stands under its own name, or as its two bounds.
    """
    there = table.column_names
    parts = {name: [name] if name in there else [f"{name}_lo", f"{name}_hi"] for name in quasi}
    columns = {name: _together([_code(table, part) for part in of]) for name, of in parts.items()}
    seen = Exposure.of(columns, {name: _code(table, name) for name in sensitive})
    cells = {}
    if isinstance(source, pa.Table):
        cells = {name: printed_cells(table, of) for name, of in parts.items()}
    return _among(seen, source, cells, hierarchies or {})


def unprinted(
    rows: Rows, source: Source = None, hierarchies: Hierarchies | None = None
) -> Exposure:
    """Return the exposure of the rows if they were published as they are."""
    quasi = {
        axis.name: (codes, axis.size) for axis, codes in zip(rows.axes, rows.codes, strict=True)
    }
    seen = Exposure.of(
        quasi, {column.name: (column.codes, column.size) for column in rows.sensitive}
    )
    cells = {}
    if isinstance(source, pa.Table):
        cells = {
            axis.name: raw_cells(axis.values, codes)
            for axis, codes in zip(rows.axes, rows.codes, strict=True)
        }
    return _among(seen, source, cells, hierarchies or {})


def weighted(seen: Exposure, weights: Floats) -> Exposure:
    """Put rows among the people for whom their weights say that they stand."""
    return seen.among(Population.weighted(seen.groups, weights))


def behind(seen: Exposure) -> Callable[[Groups], Crowd] | None:
    """Return who is behind each group, where people were counted.

    Models promise nothing by estimates.
    """
    population = seen.population
    if population is None or not population.counted or population.shared is None:
        return None
    crowd = Crowd(population.sizes.astype(np.int64), population.shared)
    return lambda groups: crowd


def _among(
    seen: Exposure, source: Source, cells: Mapping[str, Column], hierarchies: Hierarchies
) -> Exposure:
    if source is None:
        return seen
    if isinstance(source, pa.Table):
        return seen.among(
            counterparts(source, seen.groups, cells, first_rows(seen.groups), hierarchies)
        )
    return seen.among(Population.estimated(seen.groups, source))


def _code(table: pa.Table, name: str) -> Coded:
    column = table[name]
    return coded(column.chunk(0) if column.num_chunks == 1 else column.combine_chunks())


def _together(parts: list[Coded]) -> Coded:
    """Combine two columns to one."""
    if len(parts) == 1:
        return parts[0]
    return numbered(keys([codes for codes, _ in parts], [size + 1 for _, size in parts]))
