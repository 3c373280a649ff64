"""Engine: the port through which the pipeline touches a table (profile, divide, recode, counts), and the local one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np
import pyarrow as pa

from shoal.arrays import Longs
from shoal.encode.profile import Profile, profile, without_nan
from shoal.encode.rows import Rows
from shoal.errors import PrivacyNotMet, ShoalError
from shoal.groups import Groups, Watch
from shoal.kernels.costs import boxes
from shoal.partition.refinement import refine
from shoal.partition.repair import repair
from shoal.privacy.promises import Promises, Sensitive
from shoal.recipe import Plan
from shoal.recode.recoder import Boxes
from shoal.review.coverage import refuse_untrue
from shoal.review.verify import refusal, refuse_strangers, verify


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
        return [profile(table[name].combine_chunks(), name) for name in names]

    def divide(self, rows: Rows, plan: Plan, rng: np.random.Generator, watch: Watch) -> Groups:
        """The method divides; what is not safe is merged; what is still not safe is withheld, or all is refused."""
        promises = Promises(plan.models, tuple(Sensitive(p.name, p.codes, p.size) for p in rows.sensitive))
        groups = _sound(plan.method.divide(rows, plan.recipe.k, promises, rng, watch), rows.count, plan)
        _refuse_withheld(groups, plan)
        if not promises.safe(groups).all():
            groups = repair(groups, rows, promises)
        while (broken := promises.broken(groups)) != []:
            unsafe = np.flatnonzero(~promises.safe(groups))
            if groups.withheld + int(groups.sizes[unsafe].sum()) > _may_be_withheld(plan, rows.count):
                raise refusal(broken, groups)
            groups = groups.withhold(unsafe)
        return _refined(groups, rows, plan, promises, rng, watch) if plan.recipe.refine else groups

    def recode(self, table: pa.Table, rows: Rows, groups: Groups, plan: Plan) -> pa.Table:
        """Quasi-identifiers as cells, sensitive and kept columns as they are, rows in an order that tells nothing."""
        lo, hi = boxes(rows.codes, groups.labels, groups.count)
        there = np.flatnonzero(groups.labels >= 0)
        labels = pa.array(groups.labels[there])
        columns: dict[str, pa.Array] = {}
        for a, axis in enumerate(rows.axes):
            recoder, box = plan.recoders[axis.name], Boxes(axis, rows.codes[a], groups, lo[a], hi[a])
            cells = recoder.publish(box)
            if recoder.covers:
                refuse_untrue(box, cells, recoder.name)
            columns |= {name: column.take(labels) for name, column in cells.items()}
        for name in (*plan.recipe.sensitive, *plan.recipe.keep):
            columns[name] = without_nan(table[name].combine_chunks(), name).take(pa.array(there))
        published = pa.table(columns)
        return published if plan.recipe.keep_order else published.take(pa.array(_order(published)))

    def counts(self, published: pa.Table, plan: Plan) -> tuple[Groups, Promises]:
        """Equal cells are one group, whoever made them."""
        refuse_strangers(published, plan.recipe.quasi, (*plan.recipe.sensitive, *plan.recipe.keep))
        return verify(published, plan.recipe.quasi, plan.recipe.sensitive, plan.models)


def _sound(groups: Groups, rows: int, plan: Plan) -> Groups:
    """The groups with labels that can be trusted: kernels read them without asking."""
    if len(groups.labels) != rows:
        raise ShoalError(f"method '{plan.method.name}' did not label every row", {"published": "nothing"})
    return Groups.of(groups.labels, groups.notes)


def _refined(groups: Groups, rows: Rows, plan: Plan, promises: Promises, rng: np.random.Generator, watch: Watch) -> Groups:
    """The same groups with less loss, if the promises hold for them as well."""
    better = refine(groups, rows, plan.recipe.k, promises, rng, lambda share: watch(1.0), effort=plan.recipe.effort)
    return groups if promises.broken(better) else better


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


def _order(table: pa.Table) -> Longs:
    """Rows sorted by all that is published about them, so that order says nothing more."""
    codes = [
        profile(column.combine_chunks(), name).codes for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    return np.lexsort(codes[::-1]).astype(np.int64)
