"""Engine: the port through which the pipeline touches a table (profile, divide, recode, counts), and the local one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np
import pyarrow as pa

from shoal.arrays import Codes, Ints, Labels, Longs
from shoal.declare.columns import whole
from shoal.encode.profile import Profile, profile, without_nan
from shoal.encode.rows import Rows, combined
from shoal.errors import PrivacyNotMet, ShoalError
from shoal.groups import Groups, Watch
from shoal.kernels.costs import boxes
from shoal.partition.refinement import refine
from shoal.partition.repair import repair
from shoal.privacy.column import Sensitive
from shoal.privacy.persons import Persons, represented
from shoal.privacy.population import Crowd
from shoal.privacy.promises import Promises
from shoal.recipe import Plan
from shoal.recode.recoder import Boxes
from shoal.recode.scheme import one_scheme
from shoal.review.counterparts import Everyone, printed_cells
from shoal.review.coverage import refuse_untrue
from shoal.review.feasible import refuse_hopeless, refuse_overlaps
from shoal.review.recount import recount
from shoal.review.sources import behind, printed
from shoal.review.verify import refusal, refuse_strangers, refuse_unjudged, verify
from shoal.review.weights import means, refuse_uneven, weights_of


class Engine(Protocol):
    """Where the work is done. `LocalEngine` is the specification of every other."""

    def profile(self, table: pa.Table, names: Sequence[str]) -> list[Profile]:
        """The different values of some columns, and how often each occurs."""

    def divide(self, rows: Rows, plan: Plan, rng: np.random.Generator, watch: Watch) -> Groups:
        """Groups that keep every promise, or a refusal."""

    def recode(self, table: pa.Table, rows: Rows, groups: Groups, plan: Plan) -> pa.Table:
        """The table as it will be published."""

    def counts(self, published: pa.Table, plan: Plan) -> tuple[Groups, Promises]:
        """The groups as published, recounted from outside; or a refusal."""


class LocalEngine:
    """Everything in this process, on Arrow columns."""

    def profile(self, table: pa.Table, names: Sequence[str]) -> list[Profile]:
        """One pass over each column."""
        return [profile(whole(table[name]), name) for name in names]

    def divide(self, rows: Rows, plan: Plan, rng: np.random.Generator, watch: Watch) -> Groups:
        """The method divides; what is not safe is merged; what is still not safe is withheld, or all is refused."""
        promises = _promises(rows, plan)
        refuse_unjudged(promises)
        refuse_overlaps(plan.models, [axis.name for axis in rows.axes if axis.points is not None], plan.recoders)
        refuse_hopeless(promises, rows.count, withhold=plan.recipe.withhold > 0)
        units, guard = _united(rows, promises, plan)
        groups = _sound(plan.method.divide(units, plan.recipe.k, guard, rng, watch), units.count, plan)
        _refuse_withheld(guard.rows_of(groups), plan)
        groups = _safe(groups, units, plan, guard)
        if plan.recipe.refine:
            groups = _refined(groups, units, plan, guard, rng, watch)
        return Groups.of(guard.rows_of(groups).labels, groups.notes)

    def recode(self, table: pa.Table, rows: Rows, groups: Groups, plan: Plan) -> pa.Table:
        """Quasi-identifiers as cells, sensitive and kept columns as they are, rows in an order that tells nothing."""
        lo, hi = _boxes(rows, groups, plan)
        cells: dict[str, pa.Array] = {}  # of groups
        for a, axis in enumerate(rows.axes):
            recoder, box = plan.recoders[axis.name], Boxes(axis, rows.codes[a], groups, lo[a], hi[a])
            of_axis = recoder.publish(box)
            if recoder.covers:
                refuse_untrue(box, of_axis, recoder.name)
            cells |= of_axis
        there = np.flatnonzero(groups.labels >= 0)
        if not plan.recipe.keep_order:
            beside = (*rows.sensitive, *self.profile(table, plan.recipe.keep))
            there = there[_order(cells, groups.labels[there], [column.codes[there] for column in beside])]
        labels = pa.array(groups.labels[there])
        columns = {name: column.take(labels) for name, column in cells.items()}
        alike = recount(list(columns.values())) if plan.recipe.weight else groups
        for name in (*plan.recipe.sensitive, *plan.recipe.keep):
            columns[name] = without_nan(whole(table[name]), name).take(pa.array(there))
        for name in plan.recipe.roles.weight:
            columns[name] = means(alike, weights_of(table, name)[there])
        return pa.table(columns)

    def counts(self, published: pa.Table, plan: Plan) -> tuple[Groups, Promises]:
        """Equal cells are one group, whoever made them."""
        recipe = plan.recipe
        refuse_strangers(published, recipe.quasi, recipe.roles.beside)
        for name in recipe.roles.weight:
            refuse_uneven(published, recipe.quasi, name)
        people = None
        if plan.everyone is not None:
            people = behind(printed(published, recipe.quasi, (), plan.everyone, plan.hierarchies))
        beside = {"hierarchies": plan.hierarchies, "others": recipe.others, "people": people}
        return verify(published, recipe.quasi, recipe.sensitive, plan.models, **beside)


def _sound(groups: Groups, rows: int, plan: Plan) -> Groups:
    """The groups with labels that can be trusted: kernels read them without asking."""
    if len(groups.labels) != rows:
        raise ShoalError(f"method '{plan.method.name}' did not label every row", {"published": "nothing"})
    return Groups.of(groups.labels, groups.notes)


def _promises(rows: Rows, plan: Plan) -> Promises:
    """The models over the rows as they came; groups look as they will be published."""
    asked = plan.hierarchies if any(model.needs_hierarchy for model in plan.models) else {}
    columns = tuple(Sensitive.of(p.name, p.codes, p.values, asked.get(p.name)) for p in rows.sensitive)
    people = _people(rows, plan) if plan.everyone is not None else None
    return Promises(plan.models, columns, plan.recipe.others, lambda groups: _looks(rows, groups, plan), people)


def _people(rows: Rows, plan: Plan) -> Callable[[Groups], Crowd]:
    """Who of the population fits each group as it will be published."""
    assert plan.everyone is not None
    everyone = Everyone.of(plan.everyone, [axis.name for axis in rows.axes], plan.hierarchies)

    def people(groups: Groups) -> Crowd:
        cells = _cells(rows, groups, plan)
        columns = {name: printed_cells(pa.table(of_axis), list(of_axis)) for name, of_axis in cells.items()}
        return Crowd(*everyone.behind(columns, np.arange(groups.count, dtype=np.int32)))

    return people


def _looks(rows: Rows, groups: Groups, plan: Plan) -> Codes:
    """A number for how each group will be published on each quasi-identifier."""
    cells = _cells(rows, groups, plan)
    return np.array([recount(list(of_axis.values())).labels for of_axis in cells.values()], np.int32)


def _cells(rows: Rows, groups: Groups, plan: Plan) -> dict[str, dict[str, pa.Array]]:
    """What each group will print for each quasi-identifier: one column, or two of bounds."""
    lo, hi = _boxes(rows, groups, plan)
    return {
        axis.name: plan.recoders[axis.name].publish(Boxes(axis, rows.codes[a], groups, lo[a], hi[a]))
        for a, axis in enumerate(rows.axes)
    }


def _united(rows: Rows, promises: Promises, plan: Plan) -> tuple[Rows, Promises | Persons]:
    """What is divided, and under which guard: the rows, or one row for each person."""
    if rows.person is None:
        return rows, promises
    coded = [(codes, axis.size + 1) for axis, codes in zip(rows.axes, rows.codes, strict=True)]
    coded += [(column.codes, column.size + 1) for column in rows.sensitive]
    keys = combined(np.array([codes for codes, _ in coded]), [size for _, size in coded])
    person, first = represented(rows.person, keys)
    units = rows.some(first)
    if units.count < plan.recipe.k:
        facts = {"persons": units.count, "rows": rows.count, "k": plan.recipe.k, "published": "nothing"}
        problem = f"{units.count:,} persons can't form a group of {plan.recipe.k:,}"
        raise PrivacyNotMet(problem, facts, f"lower k to at most {units.count:,}, or add people")
    return units, Persons(promises, person)


def _boxes(rows: Rows, groups: Groups, plan: Plan) -> tuple[Codes, Codes]:
    """The least box of each group; widened to one scheme for all rows where a model judges the release as a whole."""
    lo, hi = boxes(rows.codes, groups.labels, groups.count)
    return one_scheme(lo, hi) if any(model.judges == "release" for model in plan.models) else (lo, hi)


def _safe(groups: Groups, units: Rows, plan: Plan, guard: Promises | Persons) -> Groups:
    """Groups that keep every promise: unsafe ones merged, or else withheld as far as the recipe allows.

    Withholding changes the table that groups are compared with, so all are judged again until nothing changes. Each round
    withholds a group or ends, so this ends.
    """
    if guard.safe(groups).all():
        return groups
    merged = repair(groups, units, guard)
    if guard.safe(merged).all():
        return merged
    while broken := guard.broken(groups):
        unsafe = np.flatnonzero(np.any([verdict.unsafe for verdict in broken], axis=0))
        rows = guard.rows_of(groups)
        if rows.withheld + int(rows.sizes[unsafe].sum()) > _may_be_withheld(plan, len(rows.labels)):
            raise refusal(broken, rows)
        groups = groups.withhold(unsafe)
    return groups


def _refined(
    groups: Groups, units: Rows, plan: Plan, guard: Promises | Persons, rng: np.random.Generator, watch: Watch
) -> Groups:
    """The same groups with less loss, if the promises hold for them as well."""
    until = time.monotonic() + (plan.recipe.time_limit or math.inf)
    effort = plan.recipe.effort
    better = refine(groups, units, plan.recipe.k, guard, rng, lambda share: watch(1.0), effort=effort, until=until)
    return groups if guard.broken(better) else better


def _may_be_withheld(plan: Plan, rows: int) -> int:
    """How many rows may be left out; the share is read as the decimal that was typed."""
    return math.floor(Fraction(str(plan.recipe.withhold)) * rows)


def _refuse_withheld(groups: Groups, plan: Plan) -> None:
    """Refuse groups of a method that left more rows out than the recipe allows."""
    rows = len(groups.labels)
    allowed = _may_be_withheld(plan, rows)
    if groups.withheld > allowed:
        share = math.ceil(1000 * groups.withheld / rows) / 1000
        allow = f"allow it (--withhold {share:g})" if share < 1 else "lower k"
        raise PrivacyNotMet(
            f"method '{plan.method.name}' left {groups.withheld:,} of {rows:,} rows without a group",
            {"rows that may be withheld": allowed, "published": "nothing"},
            f"{allow}, or choose a method that places every row (--method threshold:small=reattach)",
        )


def _order(cells: Mapping[str, pa.Array], labels: Labels, others: Sequence[Ints]) -> Longs:
    """Rows sorted by all that is published about them, so that order says nothing more; groups first, there are fewer."""
    of_groups = [profile(column, name) for name, column in cells.items()]
    keys = combined(np.array([column.codes for column in of_groups]), [column.size + 1 for column in of_groups])
    _, rank = np.unique(keys, return_inverse=True)
    codes = np.array([rank[labels], *others])
    return np.argsort(combined(codes, (codes.max(axis=1, initial=0) + 1).tolist()))  # rows that tie are equal
