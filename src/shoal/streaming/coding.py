"""Coding: a table that is read part by part becomes rows of codes on disk, once all that is wrong
with it has been said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.arrays import Codes, Ints
from shoal.declare.columns import kind_of, whole
from shoal.distortions.parts import Parts
from shoal.encode.axes import Axis, axis_of
from shoal.encode.costs import costs_of
from shoal.encode.profile import refuse_missing, refuse_mixed
from shoal.encode.rows import Rows, tallied
from shoal.errors import DataError, RecipeError
from shoal.groups import Note, Watch
from shoal.kernels.costs import Costs
from shoal.recipe import Plan
from shoal.recipe.checks import unserved_parts
from shoal.review.prechecks.kept import ENOUGH_ROWS, NEARLY_UNIQUE, Leak, leaks, refuse_found
from shoal.streaming.spill import Folder, RowFile
from shoal.streaming.values import Streamed, profiles
from shoal.wording import Option, Sentence, Set

SAMPLE = 500_000  # rows among which a column is looked for that gives another back


@dataclass(frozen=True)
class Coded:
    """A table as codes: on the axes, then on the sensitive columns, then on the kept ones. It is
    plain data, and travels.
    """

    axes: tuple[Axis, ...]
    costs: Costs
    quasi: tuple[Streamed, ...]
    ranks: tuple[Ints, ...]  # the code on its axis of each value of a quasi-identifier
    sensitive: tuple[Streamed, ...]
    keep: tuple[Streamed, ...]
    count: int
    loss: str

    @classmethod
    def of(cls, found: Mapping[str, Streamed], rows: int, plan: Plan) -> Coded:
        """A table of which the profiles of all columns to be published are known; or a refusal."""
        recipe = plan.recipe
        quasi, sensitive, keep = (
            tuple(found[name] for name in of)
            for of in (recipe.quasi, recipe.sensitive, recipe.keep)
        )
        refuse_mixed([column for column in quasi if column.name not in recipe.hierarchies])
        if recipe.missing == "refuse":
            refuse_missing(quasi)
        every = [
            replace(column, codes=np.arange(column.size + 1, dtype=np.int32)) for column in quasi
        ]
        fitted = [axis_of(column, plan.hierarchies.get(column.name)) for column in every]
        axes = tuple(axis for axis, _ in fitted)
        ranks = tuple(rank for _, rank in fitted)
        costs = costs_of(axes, plan.loss, recipe.importance or {})
        return cls(axes, costs, quasi, ranks, sensitive, keep, rows, plan.loss)

    @property
    def beside(self) -> tuple[Streamed, ...]:
        """The columns that are published as they are."""
        return (*self.sensitive, *self.keep)

    def code(self, table: pa.Table) -> Codes:
        """Some of its rows as codes: [column, row]."""
        of_axes = [
            rank[column.code(whole(table[column.name]))]
            for rank, column in zip(self.ranks, self.quasi, strict=True)
        ]
        return np.array(
            [*of_axes, *(column.code(whole(table[column.name])) for column in self.beside)],
            np.int32,
        )

    def rows(self, codes: Codes) -> Rows:
        """Some of the rows as a shard: values and costs are those of the whole table."""
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
        return Rows(axes, np.ascontiguousarray(of_axes), self.costs, sensitive, self.loss)

    def values(self, codes: Codes) -> pa.Table:
        """Some of the rows as they were read."""
        columns = [(axis.name, axis.values) for axis in self.axes] + [
            (each.name, each.values) for each in self.beside
        ]
        return pa.table(
            {name: taken(values, of) for (name, values), of in zip(columns, codes, strict=True)}
        )


def taken(values: pa.Array, codes: Ints) -> pa.Array:
    """The values of codes; the code behind them all is a missing one."""
    return values.take(pa.array(codes, pa.int32(), mask=codes == len(values)))


def coded(
    parts: Parts, plan: Plan, memory: int, folder: Folder, watch: Watch
) -> tuple[Coded, RowFile, tuple[Note, ...]]:
    """A table as codes, the file of its rows, and what is worth knowing. Reads it twice."""
    recipe = plan.recipe
    _refuse_roles(parts, plan)
    names = (*recipe.quasi, *recipe.sensitive, *recipe.keep)
    found = profiles(_watched(parts, names, watch, 0.0), names, memory)
    table = Coded.of(dict(zip(names, found, strict=True)), parts.rows, plan)
    file, sample = _spilled(table, _watched(parts, names, watch, 0.5), folder)
    warnings = _refuse_leaks(table, sample, plan)
    dropped = recipe.roles.dropped(parts.schema.names)
    return (
        table,
        file,
        (*dropped, *warnings, *(note for axis in table.axes for note in axis.notices)),
    )


def _refuse_roles(parts: Parts, plan: Plan) -> None:
    """Columns that are not there or have two roles, a table without rows, and what can't be done
    part by part.
    """
    recipe = plan.recipe
    errors = list(recipe.roles.fit(parts.schema.names))
    asked = unserved_parts(recipe, "disk")
    asked += [Set("k", recipe.k)] if recipe.k < 2 else []
    printed = dict.fromkeys(recoder.name for recoder in plan.recoders.values())
    asked += [Set("publish", name) for name in printed if name in ("centre", "bounds")]
    asked += [Set("models", [model.name]) for model in plan.models if model.judges != "group"]
    errors += [
        RecipeError(
            Sentence(Option("memory"), " can't be used with ", each), remedy="leave one of them out"
        )
        for each in asked
    ]
    if errors:
        raise RecipeError.together(errors)
    if not parts.rows:
        raise DataError(
            "the table has no rows",
            {"columns": len(parts.schema.names)},
            "there is nothing to publish",
        )
    for name in recipe.keep:
        kind_of(parts.schema.field(name).type, name)


def _watched(parts: Parts, names: Sequence[str], watch: Watch, before: float) -> Iterator[pa.Table]:
    """One of two readings."""
    done = 0
    for table in parts.read(names):
        yield table
        done += table.num_rows
        watch(before + done / parts.rows / 2)


def _spilled(table: Coded, parts: Iterable[pa.Table], folder: Folder) -> tuple[RowFile, Ints]:
    """All rows as codes in a file; and some of them, evenly spread."""
    file = folder.file(len(table.axes) + len(table.beside))
    step = -(-table.count // SAMPLE)
    sample = []
    for part in parts:
        rows = table.code(part).T
        sample.append(rows[-file.rows % step :: step])
        file.append(rows)
    return file, np.concatenate(sample).T


def _refuse_leaks(table: Coded, sample: Ints, plan: Plan) -> tuple[Note, ...]:
    """Columns that would undo the release: nearly unique ones by all rows, those that give another
    back by the sample.
    """
    quasi = {axis.name: codes for axis, codes in zip(table.axes, sample, strict=False)}
    found = {}
    for column, codes in zip(table.beside, sample[len(table.axes) :], strict=True):
        held = table.count - column.missing
        alone = held >= ENOUGH_ROWS and column.size / held > NEARLY_UNIQUE
        values = pa.array(codes, mask=codes == column.size)
        given = [leak for leak in leaks(column.name, values, quasi) if leak.quasi is not None]
        found[column.name] = [
            *([Leak(column.name, None, column.size / held)] if alone else []),
            *given,
        ]
    numbers = [column.name for column in table.sensitive if column.kind == "number"]
    return refuse_found(found, numbers, plan.recipe.force_keep)
