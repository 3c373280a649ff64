"""The local engine: everything in this process, on Arrow columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.arrays import Ints, Labels, Longs
from shoal.declare.columns import whole
from shoal.encode.profile import Profile, profile, without_nan
from shoal.encode.rows import Rows, combined
from shoal.encode.shards import Shards
from shoal.engines.dividing import (
    divided,
    refuse_impossible,
    refuse_left_out,
    united,
    without_unsafe,
)
from shoal.engines.promises import promises_of, published_cells
from shoal.engines.sharding import Tally, closed, cut_table, divided_in_shards
from shoal.groups import Groups, Watch
from shoal.privacy.persons import Persons
from shoal.privacy.promises import Promises
from shoal.recipe import Plan
from shoal.review.gate import refuse_strangers, verify
from shoal.review.recount import recount
from shoal.review.sources import behind, printed
from shoal.review.weights import means, refuse_uneven, weights_of


@dataclass(frozen=True)
class LocalEngine:
    """Everything in this process. With `shards`, the table is cut and each part divided alone, as
    larger engines do it.
    """

    shards: int = 1

    def profile(self, table: pa.Table, names: Sequence[str]) -> list[Profile]:
        """One pass over each column."""
        return [profile(whole(table[name]), name) for name in names]

    def divide(self, rows: Rows, plan: Plan, rng: np.random.Generator, watch: Watch) -> Groups:
        """Groups of the whole table, or of each of its shards."""
        if self.shards < 2:
            return divided(rows, plan, rng, watch)
        promises = promises_of(rows, plan)
        refuse_impossible(rows, plan, promises)
        shard, tally = self._shards(rows, plan, promises)
        if len(tally.sizes) == 1:
            return divided(rows, plan, rng, watch)
        groups = divided_in_shards(rows, plan, shard, tally, rng, watch)
        refuse_left_out(groups.withheld, rows.count, plan)
        return closed(without_unsafe(groups, plan, promises, rows.count), groups.labels)

    def recode(self, table: pa.Table, rows: Rows, groups: Groups, plan: Plan) -> pa.Table:
        """Quasi-identifiers as cells, sensitive and kept columns as they are, rows in an order that
        tells nothing.
        """
        cells = published_cells(rows, groups, plan)
        there = np.flatnonzero(groups.labels >= 0)
        if not plan.recipe.keep_order:
            beside = (*rows.sensitive, *self.profile(table, plan.recipe.keep))
            there = there[
                _order(cells, groups.labels[there], [column.codes[there] for column in beside])
            ]
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

    def _shards(self, rows: Rows, plan: Plan, promises: Promises) -> tuple[Ints, Tally]:
        """The shard of each row, all rows of a person being in one; and what shards hold."""
        units, guard = united(rows, promises, plan)
        tuples = units.distinct

        def shard_of(shards: Shards) -> Ints:
            of_units = shards.shard_of(units.codes)
            return of_units[guard.of] if isinstance(guard, Persons) else of_units

        shards, tally = cut_table(
            *(rows.axes, rows.costs, rows.sensitive, plan, self.shards),
            lambda grid, cuts: grid.counted(cuts, tuples.codes, tuples.counts),
            lambda shards: Tally.of(shard_of(shards), shards.count, rows.sensitive),
        )
        return shard_of(shards), tally


def _order(cells: Mapping[str, pa.Array], labels: Labels, others: Sequence[Ints]) -> Longs:
    """Rows sorted by all that is published about them, so that order says nothing more; groups
    first, there are fewer.
    """
    of_groups = [profile(column, name) for name, column in cells.items()]
    keys = combined(
        np.array([column.codes for column in of_groups]), [column.size + 1 for column in of_groups]
    )
    _, rank = np.unique(keys, return_inverse=True)
    codes = np.array([rank[labels], *others])
    return np.argsort(
        combined(codes, (codes.max(axis=1, initial=0) + 1).tolist())
    )  # rows that tie are equal
