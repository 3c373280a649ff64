"""Looking: columns that would undo a release, and what the rows would show as they came."""

from __future__ import annotations

import numpy as np

from shoal.engines.encoding import Coded
from shoal.engines.prechecks import refuse_leaks, tally_of
from shoal.engines.spark import exposure, jobs, workers
from shoal.engines.spark.jobs import Frame
from shoal.groups import Note
from shoal.recipe import Plan
from shoal.review.kept_columns import KeptTally
from shoal.review.partial_counts import Summed
from shoal.review.prechecks.entropy import SAMPLE


def looked(table: Coded, coded: Frame, plan: Plan) -> tuple[tuple[Note, ...], Summed]:
    """Give warnings, and what the rows would show as they came, in one job.

    Refuses columns that would undo the release; what takes too much of a quasi-identifier is
    looked for in a sample of a long table.
    """
    sizes = tuple(axis.size for axis in table.axes)
    asked = exposure.Asked(sizes, table.sensitive, table.count)
    sample = coded if table.count <= SAMPLE else coded.sample(SAMPLE / table.count, seed=1)
    together = sample.selectExpr("*", "0 as one").groupBy("one")
    beside = []
    if table.beside:
        beside = [
            together.applyInArrow(workers.leaking(table, plan), "told binary"),
            coded.mapInArrow(workers.combining(table, plan), "told binary"),
        ]
    told = jobs.told(*beside, *exposure.frames(coded, asked))
    given = [leak for each in told if isinstance(each, list) for leak in each]
    nobody = tally_of(table, np.zeros((len(table.axes) + len(table.beside), 0), np.int32), plan)
    counted = [each for each in told if isinstance(each, KeptTally)]
    kept = KeptTally.together([nobody, *counted])
    return refuse_leaks(table, kept, given, plan), exposure.gathered(told, asked).seen
