"""Encoding: a table whose rows lie elsewhere, as codes along the values of its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.arrays import Codes, Ints
from shoal.declare.columns import whole
from shoal.encode.axes import Axis, axis_of
from shoal.encode.costs import costs_of
from shoal.encode.profile import refuse_missing, refuse_mixed
from shoal.encode.rows import Rows, kept_numbers, tallied
from shoal.engines.people import WIDTH, PersonCoding, persons_of
from shoal.engines.profiles import Streamed
from shoal.kernels.costs import Costs
from shoal.recipe import Plan


@dataclass(frozen=True)
class Coded:
    """A table as codes: on the axes, then on the sensitive columns, then on the kept ones.

    The person of a row stands behind them, where there is one. It is plain data, and travels.
    """

    axes: tuple[Axis, ...]
    costs: Costs
    quasi: tuple[Streamed, ...]
    ranks: tuple[Ints, ...]  # the code on its axis of each value of a quasi-identifier
    sensitive: tuple[Streamed, ...]
    keep: tuple[Streamed, ...]
    count: int
    loss: str
    person: PersonCoding | None = None
    forced: tuple[str, ...] = ()  # columns that are kept by force

    @classmethod
    def of(cls, profiles: Mapping[str, Streamed], rows: int, plan: Plan) -> Coded:
        """Fit axes to the profiles of all published columns; refuse what can't be published."""
        recipe = plan.recipe
        quasi, sensitive, keep = (
            tuple(profiles[name].coded_as(plan.coding.get(name)) for name in of)
            for of in (recipe.quasi, recipe.sensitive, recipe.keep)
        )
        refuse_mixed([column for column in quasi if recipe.may_mix_no_text(column.name)])
        if recipe.missing == "refuse":
            refuse_missing(quasi)
        every = [
            replace(column, codes=np.arange(column.size + 1, dtype=np.int32)) for column in quasi
        ]
        fitted = [axis_of(column, plan.hierarchies.get(column.name)) for column in every]
        axes = tuple(axis for axis, _ in fitted)
        ranks = tuple(rank for _, rank in fitted)
        costs = costs_of(axes, plan.loss, recipe.importance or {})
        person = PersonCoding.of(recipe)
        forced = tuple(recipe.force_keep)
        return cls(axes, costs, quasi, ranks, sensitive, keep, rows, plan.loss, person, forced)

    @property
    def beside(self) -> tuple[Streamed, ...]:
        """The columns that are published as they are."""
        return (*self.sensitive, *self.keep)

    @property
    def published(self) -> int:
        """The number of codes of a row that stand for what is published."""
        return len(self.axes) + len(self.beside)

    @property
    def width(self) -> int:
        """The number of codes of a row."""
        return self.published + WIDTH * (self.person is not None)

    @property
    def placed_by(self) -> str:
        """The columns by which rows go to shards: their codes, or those of their person."""
        return "c" if self.person is None else "u"

    @property
    def read(self) -> tuple[str, ...]:
        """The columns that rows are encoded from."""
        names = [column.name for column in (*self.quasi, *self.beside)]
        if self.person is not None:
            names.append(self.person.name)
        return tuple(names)

    def judged(self, codes: Codes, force_keep: Sequence[str]) -> list[tuple[str, Ints]]:
        """Give the kept columns with their codes, without those that are kept by force."""
        first = len(self.axes) + len(self.sensitive)
        return [
            (column.name, codes[first + place])
            for place, column in enumerate(self.keep)
            if column.name not in force_keep
        ]

    def code(self, table: pa.Table) -> Codes:
        """Encode some of its rows: [column, row]."""
        of_axes = [
            rank[column.code(whole(table[column.name]))]
            for rank, column in zip(self.ranks, self.quasi, strict=True)
        ]
        of_person: Sequence[Ints] = ()
        if self.person is not None:
            of_person = [*self.person.code(whole(table[self.person.name]))]
        beside = [column.code(whole(table[column.name])) for column in self.beside]
        return np.array([*of_axes, *beside, *of_person], np.int32)

    def rows(self, codes: Codes) -> Rows:
        """Give some of the rows as a shard: values and costs are those of the whole table.

        Without the codes of people, each row is a person of its own.
        """
        of_axes = codes[: len(self.axes)]
        others = codes[len(self.axes) :]
        axes = tuple(
            replace(axis, counts=tallied(of, axis.size))
            for axis, of in zip(self.axes, of_axes, strict=True)
        )
        sensitive = tuple(
            replace(column, codes=of, counts=tallied(of, column.size), rows=len(of))
            for column, of in zip(self.sensitive, others, strict=False)
        )
        person = None
        if len(codes) > self.published:
            person = persons_of(codes[self.published :])
        of_axes = np.ascontiguousarray(of_axes)
        sizes = {column.name: column.size + 1 for column in self.keep}
        kept = kept_numbers([(of, sizes[name]) for name, of in self.judged(codes, self.forced)])
        return Rows(axes, of_axes, self.costs, sensitive, self.loss, person, kept)

    def values(self, codes: Codes) -> pa.Table:
        """Give some of the rows as they were read."""
        columns = [(axis.name, axis.values) for axis in self.axes] + [
            (each.name, each.values) for each in self.beside
        ]
        return pa.table(
            {name: taken(values, of) for (name, values), of in zip(columns, codes, strict=False)}
        )


def taken(values: pa.Array, codes: Ints) -> pa.Array:
    """Look up the values of codes; the code behind them all is a missing one."""
    return values.take(pa.array(codes, pa.int32(), mask=codes == len(values)))
