"""Looking: columns that would undo a release, and what the rows would show as they came."""

from __future__ import annotations

from shoal.engines.encoding import Coded
from shoal.engines.prechecks import SAMPLE, refuse_leaks
from shoal.engines.spark import exposure, jobs, workers
from shoal.engines.spark.jobs import Frame
from shoal.groups import Note
from shoal.recipe import Plan
from shoal.review.partial_counts import Summed


def looked(table: Coded, coded: Frame, plan: Plan) -> tuple[tuple[Note, ...], Summed]:
    """Give warnings, and what the rows would show as they came, in one job.

    Refuses columns that would undo the release; what gives another column back is looked for in a
    sample of a long table.
    """
    sizes = tuple(axis.size for axis in table.axes)
    asked = exposure.Asked(sizes, table.sensitive, table.count)
    sample = coded if table.count <= SAMPLE else coded.sample(SAMPLE / table.count, seed=1)
    together = sample.selectExpr("*", "0 as one").groupBy("one")
    leaking = [together.applyInArrow(workers.leaking(table), "told binary")] if table.beside else []
    told = jobs.told(*leaking, *exposure.frames(coded, asked))
    given = [leak for each in told if isinstance(each, list) for leak in each]
    return refuse_leaks(table, given, plan), exposure.gathered(told, asked).seen
