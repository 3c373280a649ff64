"""Audited: the audit of a Spark DataFrame, measured where its rows lie, in two jobs. Only counts
and figures come back.

It is that of the same table in memory, item by item, float for float up to the order in which
groups are summed. What stays behind: a table of everyone (their number or the fraction that was
sampled will do), the count in which a missing cell matches everything, quasi-identifiers that stand
as two bounds, and requirements that look beyond groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

import pyarrow as pa

from shoal.declare.columns import kind_of
from shoal.engines.judging import in_part
from shoal.engines.profiles import Streamed, totals
from shoal.engines.spark import exposure, jobs, workers
from shoal.engines.spark.jobs import Frame
from shoal.engines.spark.profiles import profiles
from shoal.errors import DataError, RecipeError
from shoal.privacy.model import Model
from shoal.privacy.promises import Promises
from shoal.review.audit import Audit, column_of, of_exposure, printed_columns, spoken
from shoal.review.prechecks.population import Population
from shoal.review.promised import Hierarchies
from shoal.review.requirements import by_name, failures, refuse_unspoken
from shoal.review.risks.risk import Risk
from shoal.review.sources import Source

COLLECT = "collect the table: people.toArrow()"


def audited(
    frame: Frame,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    models: Mapping[str, type[Model]],
    risks: Mapping[str, Risk],
    *,
    missing: str = "own",
    require: Sequence[Model] = (),
    population: Source = None,
    hierarchies: Hierarchies | None = None,
) -> Audit:
    """Measure a DataFrame as it is printed, and whether required models hold."""
    quasi = list(dict.fromkeys(quasi))
    sensitive = list(dict.fromkeys(sensitive))
    _refuse_beyond(frame, quasi, sensitive, missing, require, population)
    types = jobs.types_of(frame, [*quasi, *sensitive])
    columns = _profiled(frame, types)
    tried = tuple(model.unpromised() for model in models.values() if model.judges != "population")
    asked = exposure.Asked(
        tuple(columns[name].size for name in quasi),
        tuple(columns[name] for name in sensitive),
        columns[quasi[0]].rows,
        tuple(require),
        tried,
        hierarchies or {},
    )
    _refuse_unspoken(asked)
    worker = workers.numbering(list(columns.values()), types)
    fields = ", ".join(f"c{i} int" for i in range(len(types)))
    coded = jobs.chosen(frame, list(types)).mapInArrow(worker, fields)
    with ExitStack() as until:
        told = jobs.told(*exposure.frames(jobs.held(coded, until), asked))
    counted = exposure.gathered(told, asked)
    unmet = failures(counted.required.broken(), counted.seen.groups)
    measured = by_name(counted.measured)
    seen = counted.seen
    if isinstance(population, int | float):
        seen = replace(seen, population=Population.estimated(seen.groups, population))
    named = {name: measured[name] for name in models if name in measured}
    each = {name: column_of(totals(columns[name])) for name in quasi}
    made = of_exposure(seen, named, risks, each)
    return replace(made, required=spoken(require), unmet=unmet)


def _profiled(frame: Frame, types: Mapping[str, pa.DataType]) -> dict[str, Streamed]:
    """Count the values of columns; refuse types that hold no single value, and no rows at all."""
    for name, kind in types.items():
        kind_of(kind, name)
    columns = profiles(jobs.chosen(frame, list(types)), types)
    if not next(iter(columns.values())).rows:
        raise DataError("the table has no rows, so there is nothing to measure")
    return columns


def _refuse_beyond(
    frame: Frame,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    missing: str,
    require: Sequence[Model],
    population: Source,
) -> None:
    """Refuse what is wrong with the call, and what can't be done on Spark."""
    jobs.check_columns(frame)
    printed = printed_columns(pa.table({name: [] for name in frame.columns}), quasi, sensitive)
    bounds = [name for name in printed if name not in quasi]
    asked = {
        "population as a table": (
            isinstance(population, pa.Table),
            f"give the number of people, or {COLLECT}",
        ),
        "missing=wildcard": (missing == "wildcard", f"leave it out, or {COLLECT}"),
        "bounds as one column": (bool(bounds), f"name both of them: {','.join(bounds)}"),
    }
    asked |= {
        f"model {model.name}": (True, f"leave it out, or {COLLECT}")
        for model in require
        if model.judges != "group"
    }
    errors = [
        RecipeError(f"Spark can't do {name}", remedy=remedy)
        for name, (given, remedy) in asked.items()
        if given
    ]
    if errors:
        raise RecipeError.together(errors)


def _refuse_unspoken(asked: exposure.Asked) -> None:
    """Refuse required models that nobody can judge, before any row is seen."""
    trees = asked.hierarchies if any(model.needs_hierarchy for model in asked.required) else {}
    nobody = in_part([(column, column.codes) for column in asked.sensitive], trees)
    refuse_unspoken(Promises(asked.required, nobody))
