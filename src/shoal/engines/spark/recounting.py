"""Recounting: the gate of a release on a cluster, by its texts alone."""

from __future__ import annotations

from shoal.engines.judging import recounted_from
from shoal.engines.spark import jobs
from shoal.engines.spark.fingerprint import Mark, marking
from shoal.engines.spark.jobs import Frame, chosen, types_of
from shoal.engines.spark.profiles import profiles
from shoal.engines.spark.verdicts import AlikeGroups, judging
from shoal.errors import ShoalError
from shoal.flows.port import Recounted
from shoal.recipe import Plan
from shoal.review.partial_counts import Judged

MOST_MARKED = 200_000_000  # rows of which the hash is taken: they go through one task, as codes


def recounted(published: Frame, plan: Plan) -> Recounted:
    """Count groups and promises of a release from its texts, in two jobs; refuse a broken one."""
    recipe = plan.recipe
    names = [*recipe.quasi, *recipe.sensitive, *recipe.keep]
    _refuse_other_columns(published, names)
    shown = chosen(published, names)
    columns = list(profiles(shown, types_of(published, names)).values())
    marked = columns[0].rows <= MOST_MARKED
    met = jobs.meeting(shown, [f"p{i}" for i in range(len(recipe.quasi))], columns[0].rows)
    fields = ", ".join(["told binary", *(f"c{i} int" for i in range(len(names)))])
    worker = judging(columns, len(recipe.quasi), plan, marked=marked)
    judged = met.applyInArrow(worker, fields)
    told = jobs.told(judged.repartition(1).mapInArrow(marking(columns), "told binary"))
    marks = [each for each in told if isinstance(each, Mark)]
    if marked and [each.rows for each in marks] != [columns[0].rows]:
        raise ShoalError("the rows of the release were not seen together", {"published": "nothing"})
    verdicts = Judged.together([each.each() for each in told if isinstance(each, AlikeGroups)])
    return recounted_from(columns, verdicts, plan, marks[0].hash if marked else None)


def _refuse_other_columns(published: Frame, names: list[str]) -> None:
    if list(published.columns) != names:
        raise ShoalError(
            "the release does not have the columns it should", {"published": "nothing"}
        )
