"""Prechecks: what is refused before the work on a table whose rows lie elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from shoal.arrays import Codes, Ints
from shoal.encode.axes import Axis
from shoal.engines.encoding import Coded
from shoal.engines.people import persons_of
from shoal.engines.profiles import Streamed, totals
from shoal.engines.promises import promises_of
from shoal.engines.sharding import ShardTally, fit
from shoal.groups import Note
from shoal.recipe import Plan
from shoal.review.gate import refuse_unjudged
from shoal.review.kept_columns import KeptTally
from shoal.review.prechecks.feasible import refuse_hopeless, refuse_slips
from shoal.review.prechecks.kept import AsTheyAre, Leak, taking_leaks
from shoal.review.prechecks.kept import refuse_leaks as refuse_found


def refuse_impossible(table: Coded, plan: Plan) -> None:
    """Refuse promises that nobody can judge, or that no groups of these rows can keep."""
    nobody = table.rows(np.zeros((table.published, 0), np.int32))
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


def leaks_in(table: Coded, sample: Codes, plan: Plan) -> list[Leak]:
    """Find columns published as they are that take too much of a quasi-identifier.

    They are looked for in a sample of rows.
    """
    axes = len(table.axes)
    beside = axes + len(table.sensitive)
    return taking_leaks(
        _named(table.axes, sample[:axes]),
        _named(table.sensitive, sample[axes:beside]),
        _named(table.keep, sample[beside : table.published]),
        plan.recipe.force_keep,
    )


def _named(columns: Sequence[Axis | Streamed], codes: Codes) -> dict[str, Ints]:
    return {column.name: of for column, of in zip(columns, codes, strict=True)}


def tally_of(table: Coded, codes: Codes, plan: Plan) -> KeptTally:
    """Count the combinations of kept columns in some rows; those kept by force are left out.

    Where people have several rows, people are counted; all rows of a person must be there.
    """
    judged = table.judged(codes, plan.recipe.force_keep)
    person = None if table.person is None else persons_of(codes[table.published :])
    return KeptTally.of([name for name, _ in judged], [of for _, of in judged], person)


def refuse_leaks(
    table: Coded, kept: KeptTally, taking: Sequence[Leak], plan: Plan
) -> tuple[Note, ...]:
    """Refuse columns that would undo the release, by the counts of all rows; warn of the others.

    Those that take too much of a quasi-identifier were looked for in a sample.
    """
    recipe = plan.recipe
    return refuse_found(
        AsTheyAre(
            sensitive=table.sensitive,
            kept=kept,
            taking=taking,
            k=recipe.k,
            withhold=recipe.withhold,
            force_keep=recipe.force_keep,
            numbers=[column for column in table.beside if column.kind == "number"],
        )
    )
