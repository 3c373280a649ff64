"""Source: a DataFrame, its types, what its values are coded by, and the frames that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from shoal.declare.columns import kind_of
from shoal.declare.understanding.table import notes_of
from shoal.encode.shards import Shards
from shoal.engines.encoding import Coded
from shoal.engines.profiles import understood_profiles
from shoal.engines.spark import workers
from shoal.engines.spark.gathered import Divided
from shoal.engines.spark.jobs import Frame, chosen, schema_of, types_of
from shoal.engines.spark.people import united
from shoal.engines.spark.profiles import profiles
from shoal.engines.spark.repeats import repeats_in
from shoal.errors import DataError
from shoal.groups import Note
from shoal.recipe import Plan
from shoal.review.prechecks.repeated import refuse_repeated

GROUP = "group"  # the column of labels; with a `_` more where the table has one of this name


@dataclass(frozen=True)
class SparkSource:
    """A DataFrame, its types, and what its values are coded by."""

    frame: Frame
    types: Mapping[str, pa.DataType]
    table: Coded
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(cls, frame: Frame, plan: Plan) -> SparkSource:
        """Count the values of a DataFrame; refuse columns that can't be used."""
        recipe = plan.recipe
        types = types_of(frame, frame.columns)
        for name in (*recipe.quasi, *recipe.sensitive, *recipe.keep):
            kind_of(types[name], name)
        names = [*recipe.quasi, *recipe.sensitive, *recipe.keep]
        by_name = profiles(chosen(frame, names), {name: types[name] for name in names})
        if not by_name[names[0]].rows:
            raise DataError(
                "the DataFrame has no rows",
                {"columns": len(types)},
                "give one with at least one row",
            )
        rows = by_name[names[0]].rows
        by_name, understood = understood_profiles(by_name, recipe.columns_asked)
        in_doubt = repeats_in(frame, types, recipe)
        repeated = refuse_repeated(in_doubt, rows, recipe.k)
        notes = (*repeated, *notes_of(understood))
        return cls(frame, types, Coded.of(by_name, rows, plan), notes)

    def coded(self, carried: Sequence[str] = ()) -> Frame:
        """Plan rows as codes, with some columns as they are.

        Where people have several rows, the codes of the row that represents them come with each.
        """
        used = dict.fromkeys([*self.table.read, *carried])
        codes = {f"c{i}": "int" for i in range(self.table.width)}
        worker = workers.coding(self.table, {name: self.types[name] for name in used}, carried)
        fields = codes | self._fields("r", carried)
        coded = chosen(self.frame, list(used)).mapInArrow(worker, schema_of(fields))
        return coded if self.table.person is None else united(coded, fields, self.table)

    def published(self, boxed: Frame, plan: Plan, divided: Divided) -> Frame:
        """Plan rows as they are published: boxes become texts, other columns stay."""
        beside = [column.name for column in self.table.beside]
        fields = {f"p{i}": "string" for i in range(len(self.table.axes))}
        fields |= self._fields("p", beside, first=len(fields)) | self._read_fields(len(fields))
        recoded = boxed.mapInArrow(
            workers.recoding(self.table, plan, divided.ranges), schema_of(fields)
        )
        return recoded.toDF(*(axis.name for axis in self.table.axes), *beside)

    def labelled(self, shards: Shards, division: workers.Division, divided: Divided) -> Frame:
        """Plan the input rows with the number of their group, one shard after the other."""
        names = list(self.frame.columns)
        label = max([GROUP, *(f"{name}_" for name in names if name.rstrip("_") == GROUP)], key=len)
        rows = sharded(self.coded(names), shards, self.table).groupBy("shard")
        worker = workers.labelling(division, divided.before, len(names))
        return rows.applyInArrow(
            worker, schema_of(self._fields("r", names) | {"group": "int"})
        ).toDF(*names, label)

    def _read_fields(self, first: int) -> dict[str, Any]:
        """Name columns whose cells became other values, with Spark's types of these."""
        from pyspark.sql.pandas.types import from_arrow_type

        return {
            f"p{i}": from_arrow_type(column.shown.type)
            for i, column in enumerate(self.table.beside, start=first)
            if column.understood is not None or column.coding is not None
        }

    def _fields(self, kind: str, names: Sequence[str], first: int = 0) -> dict[str, Any]:
        """Name columns by their place, with Spark's types; those without any are texts."""
        kinds = {field.name: field.dataType for field in self.frame.schema.fields}
        known = {
            name: "string" if each.simpleString() == "void" else each
            for name, each in kinds.items()
        }
        return {f"{kind}{i}": known[name] for i, name in enumerate(names, start=first)}


def sharded(coded: Frame, shards: Shards, table: Coded) -> Frame:
    """Plan coded rows with those of a shard together."""
    fields = {"shard": "int"} | {field.name: field.dataType for field in coded.schema.fields}
    numbered = coded.mapInArrow(workers.sharding(shards, table), schema_of(fields))
    return numbered.repartition(shards.count, "shard")


def boxes_and(more: str, table: Coded) -> str:
    """Declare the columns of a divided shard."""
    fields = [f"{end}{i} int" for i in range(len(table.axes)) for end in ("lo", "hi")]
    fields += [f"c{i} int" for i in range(len(table.axes), len(table.axes) + len(table.beside))]
    return ", ".join([*fields, more])
