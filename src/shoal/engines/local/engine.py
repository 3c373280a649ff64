"""The local engine: everything in this process, on Arrow columns. It specifies every other."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.attacks.findings import Findings
from shoal.declare.roles import check_table
from shoal.encode.profile import Profile
from shoal.encode.rows import Rows
from shoal.engines.guarding_costs import guarding_notes
from shoal.engines.local.balanced import balanced_division, balancing_model
from shoal.engines.local.counterfeits import Counterfeits
from shoal.engines.local.dividing import groups_of
from shoal.engines.local.gate import gated, refuse_few_people
from shoal.engines.local.members import (
    columns_compared,
    members_of,
    people_of,
    with_counterfeits,
    without_persons,
)
from shoal.engines.local.recoding import recoded
from shoal.engines.local.sticky import StickyDivision, sticky_groups
from shoal.engines.losses import of_whole
from shoal.engines.people import people_published
from shoal.engines.promises import OldCells
from shoal.flows.attacked import withstood
from shoal.flows.declared import encoded, profiled, understood_table
from shoal.flows.exposure import exposed, published_view, unpublished
from shoal.flows.port import Engine, Grouped, Looked, Measured, Recounted, Request, Store
from shoal.flows.repeated import refuse_repeated_people
from shoal.groups import Groups, Watch
from shoal.ledger.published import PeopleOfRows, PeoplePublished
from shoal.review.certificate import models_measured
from shoal.review.counterfeits import CounterfeitsOfGroup
from shoal.review.fingerprint import fingerprint
from shoal.review.losses.loss import Evidence
from shoal.review.optimality_gap import bound_in, gap_of


@dataclass(frozen=True, kw_only=True)
class LocalTable(Looked):
    """A table in memory, and its rows on axes."""

    table: pa.Table
    encoded: Rows
    people: PeopleOfRows | None = None
    """Who is who, where there is a ledger."""


@dataclass(frozen=True, kw_only=True)
class LocalGroups(Grouped):
    """Groups of a table in memory."""

    labels: Groups
    sticky: StickyDivision | None = None
    """Which groups were published before, where people stay in theirs."""
    filled: Counterfeits | None = None
    """Rows of nobody, where a model asks for them."""

    @property
    def old(self) -> OldCells | None:
        """Cells of groups that were published before."""
        return None if self.sticky is None else self.sticky.old


@dataclass(frozen=True)
class LocalEngine(Engine[pa.Table], Store[pa.Table, LocalTable, LocalGroups, pa.Table]):
    """Work in this process.

    With `shards`, the table is cut and each part divided alone, as larger engines do it.
    """

    name = "local"
    called = "the local engine"
    shards: int = 1

    def counted(self, source: pa.Table, names: Sequence[str]) -> list[Profile]:
        """Count the different values of some columns."""
        check_table(source)
        return profiled(source, names)

    def opened(self) -> AbstractContextManager[LocalEngine]:
        """Open nothing: a table in memory is let go by itself."""
        return nullcontext(self)

    def columns(self, source: pa.Table) -> Sequence[str]:
        """Name the columns of a table."""
        check_table(source)
        names: list[str] = source.column_names
        return names

    def look(self, source: pa.Table, request: Request, watch: Watch) -> LocalTable:
        """Encode a table, and look at what its rows would show as they came."""
        plan = request.plan
        repeated = refuse_repeated_people(source, plan.recipe)
        source, notes = understood_table(source, plan)
        rows, notices = encoded(source, (*repeated, *notes), plan)
        people = None
        if request.across is not None:
            rows = without_persons(rows)
            people = PeopleOfRows.of_texts(people_of(source, plan), request.across.hashing)
        before = unpublished(source, rows, plan, request.population, weighed=request.weighed)
        return LocalTable(
            rows=rows.count,
            names=tuple(source.column_names),
            notices=notices,
            before=before,
            axes=rows.axes,
            table=source,
            encoded=rows,
            people=people,
        )

    def divide(self, table: LocalTable, request: Request, watch: Watch) -> LocalGroups:
        """Divide the whole table, or each of its shards."""
        sticky = None
        filled = None
        model = balancing_model(request.plan)
        if request.across is not None and request.across.mode == "sticky":
            assert table.people is not None
            sticky = sticky_groups(
                table.encoded, table.people, request.plan, request.across, watch, request.seed
            )
            groups = sticky.groups
            filled = sticky.counterfeits
        elif model is not None:
            groups, filled = balanced_division(table.encoded, request.plan, model, request.seed)
        else:
            rng = np.random.default_rng(request.seed)
            groups = groups_of(table.encoded, request.plan, rng, watch, self.shards)
        sizes, times = np.unique(groups.sizes, return_counts=True)
        again = (0 if sticky is None else sticky.again) + (filled.count if filled else 0)
        stated = None if filled is None else filled.stated()
        return LocalGroups(
            withheld=groups.withheld,
            sizes=dict(zip(sizes.tolist(), times.tolist(), strict=True)),
            notes=(
                *groups.notes,
                *(sticky.notes if sticky else ()),
                *guarding_notes(groups, table.encoded, request.plan),
            ),
            labels=groups,
            sticky=sticky,
            filled=filled,
            again=again,
            counterfeits=stated,
            people=_people(table.encoded, groups, again, stated or ()),
        )

    def publish(
        self, table: LocalTable, groups: LocalGroups, request: Request, watch: Watch
    ) -> pa.Table:
        """Recode the table; refuse kept values that too few people hold."""
        refuse_few_people(table.table, table.encoded, groups.labels, request.plan)
        made = recoded(table.table, table.encoded, groups.labels, request.plan, groups.old)
        if groups.filled is not None:
            made = groups.filled.added(made)
        return made if groups.sticky is None else groups.sticky.with_kept(made)

    def recount(self, released: pa.Table, request: Request, watch: Watch) -> Recounted:
        """Count what the release shows; refuse a broken promise."""
        plan = request.plan
        passed = gated(released, plan)
        return Recounted(
            rows=released.num_rows,
            groups=passed.groups,
            models=models_measured(passed.promises, passed.groups),
            seen=exposed(released, plan, request.population, weighed=request.weighed),
            view=published_view(released, plan, 0),
            hash=fingerprint(released),
            kept=passed.kept,
            nearly_unique=passed.nearly_unique,
        )

    def attack(
        self, table: LocalTable, groups: LocalGroups, released: pa.Table, request: Request
    ) -> Findings:
        """Attack the whole release."""
        return withstood(table.table, table.encoded, released, request.plan)

    def measure(self, table: LocalTable, groups: LocalGroups, request: Request) -> Measured:
        """Measure every loss, and what no grouping could stay below."""
        evidence = Evidence(table.encoded, groups.labels, request.recipe.k)
        losses = of_whole(evidence)
        exact = request.plan.method.seeks_the_best
        thorough = request.thorough
        gap = gap_of(evidence, request.plan.loss, losses, thorough=thorough, exact=exact)
        different = table.encoded.distinct.codes.shape[1]
        return Measured({**losses, **bound_in(gap)}, gap, different)

    def members(self, table: LocalTable, groups: LocalGroups, request: Request) -> PeoplePublished:
        """Tell who is published in which group, and what groups show."""
        assert table.people is not None and request.across is not None
        members = members_of(
            table.table, table.encoded, groups.labels, table.people, request.plan, groups.old
        )
        if groups.filled is not None:
            members = with_counterfeits(members, groups.labels, groups.filled)
        past = request.across.past
        columns = columns_compared(table.table, table.encoded, request.plan, past)
        members = replace(members, columns=columns)
        if groups.sticky is None:
            return members
        return groups.sticky.joined(members, past)


def _people(
    rows: Rows, groups: Groups, again: int, counterfeits: Sequence[CounterfeitsOfGroup]
) -> int | None:
    """Count the people of a release; None where each row is one."""
    if rows.person is not None:
        return people_published(rows.person, groups)
    if not counterfeits:
        return None
    return rows.count - groups.withheld + again - sum(each.rows for each in counterfeits)
