"""Reading: a table that comes part by part becomes rows of codes on disk. It is read twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints
from shoal.declare.columns import kind_of
from shoal.declare.understanding.table import notes_of
from shoal.distortions.parts import TableParts
from shoal.engines.disk.people import PeopleFiles, gathered_people, refuse_too_many
from shoal.engines.disk.workspace import Workspace
from shoal.engines.encoding import Coded
from shoal.engines.prechecks import leaks_in, refuse_leaks, tally_of
from shoal.engines.profiles import profiles, understood_profiles
from shoal.engines.repeats import RepeatCounting
from shoal.engines.row_files import Folder, RowFile
from shoal.errors import DataError
from shoal.flows.coded import coding_notes
from shoal.flows.declared import notices_of
from shoal.groups import Note, Watch
from shoal.recipe import Plan
from shoal.review.kept_columns import KeptTally
from shoal.review.prechecks.entropy import sampled
from shoal.review.prechecks.repeated import refuse_repeated


def coded(
    parts: TableParts, plan: Plan, workspace: Workspace, watch: Watch
) -> tuple[CodedRows, tuple[Note, ...]]:
    """Encode a table; give its rows as codes on disk, and what is worth knowing."""
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
    repeating = RepeatCounting.of(parts.schema, recipe)
    every = tuple(dict.fromkeys((*names, *repeating.names)))
    columns = profiles(repeating.seen(_watched(parts, every, watch, 0.0)), names, workspace.memory)
    repeated = refuse_repeated(repeating.repeats(), parts.rows, recipe.k)
    counted = dict(zip(names, columns, strict=True))
    by_name, understood = understood_profiles(counted, recipe.columns_asked)
    table = Coded.of(by_name, parts.rows, plan)
    rows = _watched(parts, table.read, watch, 0.5)
    file, sample, kept = _spilled(table, rows, workspace.folder, plan)
    people = None
    if table.person is not None:
        people, kept = gathered_people(table, file, plan, workspace)
    warnings = refuse_leaks(table, kept, leaks_in(table, sample, plan), plan)
    coding = coding_notes((*table.quasi, *table.beside))
    notes = notices_of(
        recipe,
        parts.schema.names,
        (*repeated, *notes_of(understood), *coding, *warnings),
        table.axes,
    )
    return CodedRows(table, file, people), notes


@dataclass(frozen=True)
class CodedRows:
    """A table as codes, the file of its rows, and those of people where these have several."""

    table: Coded
    file: RowFile
    people: PeopleFiles | None


def _watched(
    parts: TableParts, names: Sequence[str], watch: Watch, before: float
) -> Iterator[pa.Table]:
    """Read the table once of two times."""
    done = 0
    for table in parts.read(names):
        yield table
        done += table.num_rows
        watch(before + done / parts.rows / 2)


def _spilled(
    table: Coded, parts: Iterable[pa.Table], folder: Folder, plan: Plan
) -> tuple[RowFile, Ints, KeptTally]:
    """Write all rows as codes to a file; give it, a sample, and counts of kept combinations."""
    file = folder.file(table.width)
    chosen = sampled(table.count)
    sample = []
    kept = tally_of(table, np.zeros((table.width, 0), np.int32), plan)
    for part in parts:
        codes = table.code(part)
        inside = np.searchsorted(chosen, [file.rows, file.rows + codes.shape[1]])
        sample.append(codes[:, chosen[inside[0] : inside[1]] - file.rows])
        file.append(codes.T)
        if table.person is None:
            kept = KeptTally.together([kept, tally_of(table, codes, plan)])
            refuse_too_many(kept, table.count, plan)
    return file, np.concatenate(sample, axis=1), kept
