"""Dividing: groups that keep every promise, of a table or of one of its shards.

The method divides; what is not safe is merged; what is still not safe is withheld, or all is
refused. Then, if asked for, the groups of any method are refined. All of it under costs in which
`*` has a price where a column would be sacrificed (`partition/pricing`). At last the worst groups
are left out, as far as the recipe allows (`partition/leaving_out`).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from shoal.arrays import Counts
from shoal.encode.prices import priced
from shoal.encode.rows import PersonRows, Rows, combined
from shoal.engines.promises import promises_of
from shoal.errors import PrivacyNotMet, ShoalError
from shoal.groups import Groups, Note, Watch, within
from shoal.partition.leaving_out import CommonValues, LeavingRoom, without_worst
from shoal.partition.microaggregation import microaggregate, refuse_categories
from shoal.partition.pricing import noted, prices_of
from shoal.partition.refinement import refine
from shoal.partition.repair import repair
from shoal.privacy.persons import Persons, represented
from shoal.privacy.promises import Promises
from shoal.recipe import Plan
from shoal.recode.scheme import blanked_cells
from shoal.review.gate import refusal, refuse_unjudged
from shoal.review.prechecks.feasible import refuse_hopeless, refuse_overlaps
from shoal.screen import listed, percent
from shoal.wording import Remedy, Sentence, Set


@dataclass(frozen=True)
class Elsewhere:
    """Rows of all other shards: their number, and how many have each sensitive value."""

    rows: int
    values: tuple[Counts, ...]  # in the order of the profiles, missing last


def divided(
    rows: Rows,
    plan: Plan,
    rng: np.random.Generator,
    watch: Watch,
    elsewhere: Elsewhere | None = None,
) -> Groups:
    """Divide a table, or a shard of one, into groups numbered by their first row."""
    promises = promises_of(rows, plan, elsewhere.values if elsewhere else None)
    refuse_impossible(rows, plan, promises)
    units, guard = united(rows, promises, plan)
    priced_units, notes = _without_sacrifice(units, plan, guard, watch)
    groups = _sound(
        plan.method.divide(priced_units, plan.recipe.k, guard, rng, watch), units.count, plan
    )
    of_table = rows.count + (elsewhere.rows if elsewhere else 0)
    refuse_left_out(guard.rows_of(groups).withheld, of_table, plan)
    groups = _safe(groups, priced_units, plan, guard, of_table)
    if plan.recipe.refine:
        groups = _refined(groups, priced_units, plan, guard, rng, watch)
    if plan.method.takes_withhold:
        notes = (*notes, *_weighed_by_method(guard.rows_of(groups), guard))
    elif plan.recipe.withhold:
        hindrance = None if elsewhere is None else _hindrance(plan)
        if hindrance is not None:
            notes = (*notes, hindrance)
        else:
            groups = _without_worst(groups, rows, units, plan, guard, alone=elsewhere is None)
    groups = Groups.of(guard.rows_of(groups).labels, (*groups.notes, *notes), groups.levels)
    return replace(groups, notes=(*groups.notes, *_blanked(rows, groups)))


def _blanked(rows: Rows, groups: Groups) -> tuple[Note, ...]:
    """Say how many cells of which column were blanked after global recoding."""
    cells = blanked_cells(rows, groups)
    if not cells:
        return ()
    published = rows.count - groups.withheld
    said = [
        f"{count:,} of '{name}' ({percent(count / published)})" for name, count in cells.items()
    ]
    most = max(cells, key=lambda name: cells[name])
    keep = Set("importance", {most: 3})
    text = f"blanked single cells: {', '.join(said)}. To keep more of '{most}': "
    return (Note("blanked", Sentence(text, keep)),)


def _without_sacrifice(
    units: Rows, plan: Plan, guard: Promises | Persons, watch: Watch
) -> tuple[Rows, tuple[Note, ...]]:
    """Put a price on `*` in columns that would be lost, unless importances say what may be.

    A method that sets one level for all rows weighs its levels by the loss alone.
    """
    if plan.recipe.importance or plan.method.sets_levels:
        return units, ()
    prices = prices_of(
        units,
        max(plan.recipe.k, guard.least),
        plan.recipe.effort,
        peels=plan.method.peels and guard.only_size,
        watch=within(watch, 0.0, 0.0),
    )
    return priced(units, prices), noted(units, prices)


def _weighed_by_method(of_rows: Groups, guard: Promises | Persons) -> tuple[Note, ...]:
    """Say how many rows a method left out that weighs what this is worth by itself."""
    if not of_rows.withheld:
        return ()
    out = f"left out {of_rows.withheld:,} of {len(of_rows.labels):,} {_whom(guard)}"
    return (Note("left-out", f"{out}, so that columns of all others can be more exact"),)


def _whom(guard: Promises | Persons) -> str:
    return "rows" if isinstance(guard, Persons) else "people"


def _hindrance(plan: Plan) -> Note | None:
    """Say why safe groups of a part of a table can't be left out; None where they can.

    A part does not know what others leave out: neither what is published there, to be compared
    with, nor how much of the limit a method takes that leaves rows out by itself.
    """
    comparing = [model.spoken for model in plan.models if not model.only_more_helps]
    if comparing:
        reason = f"'{comparing[0]}' compares the groups of each with all rows that are published"
    elif plan.method.leaves_out:
        reason = f"method '{plan.method.name}' leaves rows out by itself"
    else:
        return None
    return Note(
        "left-out",
        f"the worst groups are not left out: the table is divided in parts, and {reason}",
    )


def _without_worst(
    groups: Groups, rows: Rows, units: Rows, plan: Plan, guard: Promises | Persons, *, alone: bool
) -> Groups:
    """Leave the worst groups out, within the recipe's share of these rows."""
    of_rows = guard.rows_of(groups)
    allowed = may_be_withheld(plan, rows.count) - of_rows.withheld
    common = None
    if rows.kept is not None:
        common = CommonValues(of_rows, rows.kept, plan.recipe.k, rows.person)
    room = LeavingRoom(allowed, of_rows.sizes, _whom(guard), common)
    fewer = without_worst(groups, units, guard, room, alone=alone)
    if fewer.withheld > groups.withheld or common is None or not common.blocked:
        return fewer
    return replace(fewer, notes=(*fewer.notes, _held_back(plan)))


def _held_back(plan: Plan) -> Note:
    """Say that kept values hinder leaving groups out."""
    names = [name for name in plan.recipe.keep if name not in plan.recipe.force_keep]
    problem = (
        f"the worst groups are not left out: fewer than {plan.recipe.k:,} others hold the same "
        f"kept values of {listed([repr(name) for name in names], 3)} as someone in them"
    )
    return Note("left-out", Sentence(problem, "; ", Remedy("keep fewer columns, or round them")))


def refuse_impossible(rows: Rows, plan: Plan, promises: Promises) -> None:
    """Refuse promises that nobody can judge, or that no groups of these rows can keep."""
    refuse_unjudged(promises)
    if plan.recipe.refine and rows.loss == "squared-error":
        refuse_categories(rows)
    refuse_overlaps(
        plan.models, [axis.name for axis in rows.axes if axis.points is not None], plan.recoders
    )
    refuse_hopeless(promises, rows.count, withhold=plan.recipe.withhold > 0)


def united(rows: Rows, promises: Promises, plan: Plan) -> tuple[Rows, Promises | Persons]:
    """Choose what is divided, and under which guard: the rows, or one row for each person."""
    if rows.person is None:
        return rows, promises
    coded = [(codes, axis.size + 1) for axis, codes in zip(rows.axes, rows.codes, strict=True)]
    coded += [(column.codes, column.size + 1) for column in rows.sensitive]
    keys = combined(np.array([codes for codes, _ in coded]), [size for _, size in coded])
    person, first = represented(rows.person, keys)
    units = replace(rows.some(first), members=PersonRows(rows.codes, person))
    if units.count < plan.recipe.k:
        facts = {
            "persons": units.count,
            "rows": rows.count,
            "k": plan.recipe.k,
            "published": "nothing",
        }
        problem = f"{units.count:,} persons can't form a group of {plan.recipe.k:,}"
        raise PrivacyNotMet(problem, facts, f"lower k to at most {units.count:,}, or add people")
    return units, Persons(promises, person)


def without_unsafe(groups: Groups, plan: Plan, guard: Promises | Persons, of_table: int) -> Groups:
    """Withhold unsafe groups as far as the recipe allows for a table of `of_table` rows, or refuse.

    Withholding changes the table that groups are compared with, so all are judged again until
    nothing changes. Each round withholds a group or ends, so this ends.
    """
    while broken := guard.broken(groups):
        unsafe = np.flatnonzero(np.any([verdict.unsafe for verdict in broken], axis=0))
        rows = guard.rows_of(groups)
        if rows.withheld + int(rows.sizes[unsafe].sum()) > may_be_withheld(plan, of_table):
            raise refusal(broken, rows)
        groups = groups.withhold(unsafe)
    return groups


def refuse_left_out(withheld: int, rows: int, plan: Plan) -> None:
    """Refuse groups of a method that left more rows of a table out than the recipe allows."""
    allowed = may_be_withheld(plan, rows)
    if withheld > allowed:
        share = math.ceil(1000 * withheld / rows) / 1000
        allow = Set("withhold", share, "allow it") if share < 1 else "lower k"
        another = Set("method", "threshold:small=reattach", "choose a method that places every row")
        raise PrivacyNotMet(
            f"method '{plan.method.name}' left {withheld:,} of {rows:,} rows without a group",
            {"rows that may be withheld": allowed, "published": "nothing"},
            Remedy(allow, another),
        )


def _sound(groups: Groups, rows: int, plan: Plan) -> Groups:
    """Check that every row has a label: kernels read labels without asking."""
    if len(groups.labels) != rows:
        raise ShoalError(
            f"method '{plan.method.name}' did not label every row", {"published": "nothing"}
        )
    return Groups.of(groups.labels, groups.notes, groups.levels)


def _safe(
    groups: Groups, units: Rows, plan: Plan, guard: Promises | Persons, of_table: int
) -> Groups:
    """Merge unsafe groups, or else withhold them as far as the recipe allows."""
    if guard.safe(groups).all():
        return groups
    merged = repair(groups, units, guard)
    if guard.safe(merged).all():
        return merged
    return without_unsafe(groups, plan, guard, of_table)


def _refined(
    groups: Groups,
    units: Rows,
    plan: Plan,
    guard: Promises | Persons,
    rng: np.random.Generator,
    watch: Watch,
) -> Groups:
    """Refine groups, if the promises hold for the refined ones as well."""
    until = time.monotonic() + (plan.recipe.time_limit or math.inf)
    watch = within(watch, 1.0, 1.0)
    effort = plan.recipe.effort
    better = groups
    if units.loss != "squared-error":
        better = refine(groups, units, plan.recipe.k, guard, rng, watch, effort=effort, until=until)
    elif groups.count:
        least = max(plan.recipe.k, guard.least)
        better = microaggregate(units, least, rng, watch, effort=effort, until=until, begun=groups)
    return groups if guard.broken(better) else better


def may_be_withheld(plan: Plan, rows: int) -> int:
    """Count the rows that may be left out; the share is read as the decimal that was typed."""
    return math.floor(Fraction(str(plan.recipe.withhold)) * rows)
