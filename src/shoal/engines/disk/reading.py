"""Reading: a table that comes part by part becomes rows of codes on disk. It is read twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.declare.columns import kind_of
from shoal.distortions.parts import TableParts
from shoal.engines.encoding import Coded
from shoal.engines.prechecks import SAMPLE, leaks_in, refuse_leaks
from shoal.engines.profiles import profiles
from shoal.engines.row_files import Folder, RowFile
from shoal.errors import DataError
from shoal.flows.declared import notices_of
from shoal.groups import Note, Watch
from shoal.recipe import Plan


def coded(
    parts: TableParts, plan: Plan, memory: int, folder: Folder, watch: Watch
) -> tuple[Coded, RowFile, tuple[Note, ...]]:
    """Encode a table; give its codes, the file of its rows, and what is worth knowing."""
    recipe = plan.recipe
    if not parts.rows:
        raise DataError(
            "the table has no rows",
            {"columns": len(parts.schema.names)},
            "there is nothing to publish",
        )
    names = (*recipe.quasi, *recipe.sensitive, *recipe.keep)
    for name in names:  # before their values are counted, which not every type allows
        kind_of(parts.schema.field(name).type, name)
    columns = profiles(_watched(parts, names, watch, 0.0), names, memory)
    table = Coded.of(dict(zip(names, columns, strict=True)), parts.rows, plan)
    file, sample = _spilled(table, _watched(parts, names, watch, 0.5), folder)
    warnings = refuse_leaks(table, leaks_in(table, sample), plan)
    return table, file, notices_of(recipe, parts.schema.names, warnings, table.axes)


def _watched(
    parts: TableParts, names: Sequence[str], watch: Watch, before: float
) -> Iterator[pa.Table]:
    """Read the table once of two times."""
    done = 0
    for table in parts.read(names):
        yield table
        done += table.num_rows
        watch(before + done / parts.rows / 2)


def _spilled(table: Coded, parts: Iterable[pa.Table], folder: Folder) -> tuple[RowFile, Ints]:
    """Write all rows as codes to a file; give it, and a sample of rows, evenly spread."""
    file = folder.file(len(table.axes) + len(table.beside))
    step = -(-table.count // SAMPLE)
    sample = []
    for part in parts:
        rows = table.code(part).T
        sample.append(rows[-file.rows % step :: step])
        file.append(rows)
    return file, np.concatenate(sample).T
