"""Prechecks: what is refused before the work on a table whose rows lie elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa

from shoal.arrays import Codes
from shoal.engines.encoding import Coded
from shoal.engines.profiles import totals
from shoal.engines.promises import promises_of
from shoal.engines.sharding import ShardTally, fit
from shoal.groups import Note
from shoal.recipe import Plan
from shoal.review.gate import refuse_unjudged
from shoal.review.prechecks.feasible import refuse_hopeless, refuse_slips
from shoal.review.prechecks.kept import ENOUGH_ROWS, NEARLY_UNIQUE, Leak, leaks, refuse_found

SAMPLE = 500_000  # rows among which a column is looked for that gives another back


def refuse_impossible(table: Coded, plan: Plan) -> None:
    """Refuse promises that nobody can judge, or that no groups of these rows can keep."""
    nobody = table.rows(np.zeros((len(table.axes) + len(table.beside), 0), np.int32))
    counts = [totals(column) for column in table.sensitive]
    promises = promises_of(nobody, plan, counts)
    refuse_unjudged(promises)
    refuse_slips(promises)
    together = ShardTally(np.array([table.count]), tuple(some.reshape(1, -1) for some in counts))
    if not fit(together, table.sensitive, plan).all():
        everyone = [np.repeat(np.arange(len(some), dtype=np.int32), some) for some in counts]
        sensitive = tuple(
            replace(column, codes=of) for column, of in zip(table.sensitive, everyone, strict=True)
        )
        promises = promises_of(replace(nobody, sensitive=sensitive), plan)
        refuse_hopeless(promises, table.count, withhold=plan.recipe.withhold > 0)


def leaks_in(table: Coded, sample: Codes) -> list[Leak]:
    """Find columns published as they are that give a quasi-identifier back in a sample of rows."""
    quasi = {axis.name: codes for axis, codes in zip(table.axes, sample, strict=False)}
    given = list[Leak]()
    for column, codes in zip(table.beside, sample[len(table.axes) :], strict=True):
        values = pa.array(codes, mask=codes == column.size)
        given += [leak for leak in leaks(column.name, values, quasi) if leak.quasi is not None]
    return given


def refuse_leaks(table: Coded, given: Iterable[Leak], plan: Plan) -> tuple[Note, ...]:
    """Refuse columns that would undo the release; warn of the others.

    Nearly unique columns are told by the counts of all rows, those that give another back by what
    was found in a sample.
    """
    by_column: Mapping[str, list[Leak]] = {column.name: [] for column in table.beside}
    for column in table.beside:
        held = table.count - column.missing
        if held >= ENOUGH_ROWS and column.size / held > NEARLY_UNIQUE:
            by_column[column.name].append(Leak(column.name, None, column.size / held))
    for leak in given:
        by_column[leak.column].append(leak)
    numbers = [column.name for column in table.sensitive if column.kind == "number"]
    return refuse_found(by_column, numbers, plan.recipe.force_keep)
