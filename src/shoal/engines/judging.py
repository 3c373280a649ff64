"""Judging: groups of published rows of which all that look alike are in one part, by texts alone.

Each part is told how often each sensitive value occurs in the others; verdicts, sizes and guesses
add up, and become what the whole release shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from shoal.arrays import Codes, Counts, Ints
from shoal.engines.profiles import Streamed, totals
from shoal.flows.port import Recounted
from shoal.groups import Groups
from shoal.privacy.column import Sensitive
from shoal.privacy.promises import Promises
from shoal.recipe import Plan
from shoal.review.coded_ends import refuse_column_beyond_ends
from shoal.review.coded_levels import refuse_column_beyond_levels
from shoal.review.gate import refuse_as_they_are, refuse_unjudged
from shoal.review.identifiers import nearly_unique
from shoal.review.kept_counts import KeptCounts
from shoal.review.partial_counts import Judged, Printed, Summed
from shoal.review.promised import Hierarchies
from shoal.review.recount import keys, numbered


def recounted_from(
    columns: Sequence[Streamed], judged: Judged, plan: Plan, mark: str | None
) -> Recounted:
    """Put verdicts about all groups together with the counts of the published values.

    The columns are those of the release, quasi-identifiers first. Refuses a broken promise.
    """
    groups = judged.groups()
    recipe = plan.recipe
    for column in columns:
        refuse_column_beyond_ends(column.values, plan.coding.get(column.name), recipe.quasi)
        refuse_column_beyond_levels(column.values, column.name, plan.hierarchies)
    sensitive = [column for column in columns if column.name in recipe.sensitive]
    unforced = [column for column in sensitive if column.name not in recipe.force_keep]
    refuse_as_they_are(judged.kept.combinations, unforced, recipe.k)
    common = {
        column.name: int(column.counts.max(initial=0))
        for column in columns
        if column.name in recipe.sensitive
    }
    seen = Summed(groups, right=judged.right, common=common)
    view = _view_of(columns[: len(recipe.quasi)], plan)
    return Recounted(
        rows=columns[0].rows,
        groups=groups,
        models=judged.models(),
        seen=seen,
        view=view,
        hash=mark,
        kept=judged.kept,
        nearly_unique=tuple(nearly_unique(sensitive)),
    )


def _view_of(quasi: Sequence[Streamed], plan: Plan) -> Printed:
    """Build the view of the published quasi-identifiers from how often each cell occurs."""
    return Printed(
        pa.table({}),
        plan.recipe.quasi,
        plan.hierarchies,
        {name: recoder.name for name, recoder in plan.recoders.items()},
        count=quasi[0].rows,
        times={column.name: _cells(column) for column in quasi},
    )


def judge(
    columns: Sequence[Streamed], codes: Codes, quasi: int, plan: Plan
) -> tuple[Groups, Judged]:
    """Judge the groups of one part, which holds all rows that look alike.

    The first columns are the quasi-identifiers as printed.
    """
    groups = Groups(
        *numbered(keys(list(codes[:quasi]), [column.size + 1 for column in columns[:quasi]]))
    )
    coded = {column.name: (of, column.size) for column, of in zip(columns, codes, strict=True)}
    sensitive = {name: coded[name] for name in plan.recipe.sensitive}
    kept = {name: coded[name][0] for name in plan.recipe.keep}
    counts = KeptCounts.of(groups, kept, plan.recipe.force_keep)
    return groups, Judged.of(groups, _promises(columns, codes, plan), sensitive, counts)


def _promises(columns: Sequence[Streamed], codes: Codes, plan: Plan) -> Promises:
    """Lay the models over one part; refuse those that nobody can judge."""
    asked = plan.hierarchies if any(model.needs_hierarchy for model in plan.models) else {}
    sensitive = [
        (column, of)
        for column, of in zip(columns, codes, strict=True)
        if column.name in plan.recipe.sensitive
    ]
    promises = Promises(plan.models, in_part(sensitive, asked), plan.recipe.others)
    refuse_unjudged(promises)
    return promises


def in_part(
    columns: Iterable[tuple[Streamed, Ints]], hierarchies: Hierarchies
) -> tuple[Sensitive, ...]:
    """Give the sensitive columns of one part, which know what stands in the others."""
    sensitive = []
    for column, of in columns:
        elsewhere = totals(column) - np.bincount(of, minlength=column.size + 1)
        sensitive.append(
            Sensitive.of(column.name, of, column.values, hierarchies.get(column.name), elsewhere)
        )
    return tuple(sensitive)


def _cells(column: Streamed) -> tuple[pa.Array, Counts]:
    """List the different cells of a column and their counts, null among them where printed."""
    if not column.missing:
        return column.values, column.counts
    return pa.concat_arrays([column.values, pa.nulls(1, column.values.type)]), totals(column)
