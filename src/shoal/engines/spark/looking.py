"""Looking: columns that would undo a release, and what the rows would show as they came."""

from __future__ import annotations

import numpy as np

from shoal.engines.encoding import Coded
from shoal.engines.prechecks import refuse_leaks, tally_of
from shoal.engines.spark import exposure, jobs, people, workers
from shoal.engines.spark.jobs import Frame
from shoal.engines.spark.people import meeting
from shoal.groups import Note
from shoal.recipe import Plan
from shoal.review.kept_columns import KeptTally
from shoal.review.partial_counts import Summed
from shoal.review.prechecks.entropy import SAMPLE


def looked(table: Coded, coded: Frame, plan: Plan) -> tuple[tuple[Note, ...], Summed, int]:
    """Give warnings, what the rows would show as they came, and the number of people, in one job.

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
            _combined(table, coded, plan),
        ]
    if table.person is not None:
        beside.append(coded.mapInArrow(people.counting(), "told binary"))
    told = jobs.told(*beside, *exposure.frames(coded, asked))
    given = [leak for each in told if isinstance(each, list) for leak in each]
    nobody = tally_of(table, np.zeros((table.width, 0), np.int32), plan)
    counted = [each for each in told if isinstance(each, KeptTally)]
    kept = KeptTally.together([nobody, *counted])
    counted_people = sum(each for each in told if isinstance(each, int))
    seen = exposure.gathered(told, asked).seen
    return refuse_leaks(table, kept, given, plan), seen, counted_people


def _combined(table: Coded, coded: Frame, plan: Plan) -> Frame:
    """Plan counts of the combinations of kept columns: of their rows, or of their people."""
    if table.person is None:
        return coded.mapInArrow(workers.combining(table, plan), "told binary")
    return meeting(coded, table).applyInArrow(people.combining(table, plan), "told binary")
