"""Spark: a DataFrame in, a DataFrame out, divided in shards on the cluster exactly as
`LocalEngine(shards=n)` does it.

    profile    one job counts the values of all columns
    look       one job looks for columns that give others back, and at what the rows would show as
               they came
    cut        one job for each level of cuts counts rows by place (see `encode/shards`), one more
               tallies the shards
    divide     each shard in one task, by the kernels of every other engine and with a seed of its
               own; one job
    attack     one job looks for people of the first shard
    recode     boxes become cells row by row, once the range of all groups is known
    gate       one job counts the published values, one judges groups: rows that look alike meet by
               a hash of their texts; behind it one task takes the hash of all rows, which it gets
               as codes

What comes to the driver are profiles and counts, never rows. No more than 20 jobs are run, however
many shards there are: nine, and one for each level of cuts. Whatever a task does depends on its
rows alone, not on their order, so a task that runs twice gives the same. Written to the Spark
Connect subset: runs on clusters of Spark 4 and on Sail. Workers need Shoal installed, and see
hierarchy files under the paths that the recipe gives.

`Published.table` is a plan: it is computed when it is used, and cached where the server can.
Whoever writes it gets what was really written recounted (`Published.folder`).
"""

from __future__ import annotations

import secrets
import shutil
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal import registry
from shoal.adapters import exposed, jobs, workers
from shoal.adapters.databases import is_url
from shoal.adapters.folders import NOTHING, members, refuse_books
from shoal.adapters.gathered import Counted, Divided, profile_of
from shoal.adapters.jobs import Frame, chosen, quoted, types_of
from shoal.adapters.marks import Mark, marking
from shoal.adapters.plain_arrow import plain_column
from shoal.arrays import Counts
from shoal.declare.columns import kind_of
from shoal.encode.shards import MOST_LEVELS, Cuts, Grid, Shards
from shoal.engine.sharding import Tally, cut_table, seeds
from shoal.errors import DataError, RecipeError, ShoalError
from shoal.groups import unwatched
from shoal.pipeline import Clock, Stage, columns_of, public_recipe, risks_of
from shoal.recipe import Plan, Recipe
from shoal.review.certificate import Certificate, public_counts, rounded
from shoal.review.certificate_format import GroupsCertificate, GroupsPrivate
from shoal.review.partial_counts import Judged, Summed
from shoal.review.prechecks.kept import ENOUGH_ROWS, NEARLY_UNIQUE, Leak, refuse_found
from shoal.review.risks.risk import Figure
from shoal.streaming.coding import SAMPLE, Coded
from shoal.streaming.dividing import refuse_impossible
from shoal.streaming.values import Streamed

SHARD = 500_000  # rows of a shard, about
MOST_SHARDS = 2**MOST_LEVELS
PORT = 15_002  # of a server whose address names none
MOST_VALUES = 5_000_000  # different values of all columns together, which the driver holds
MOST_MARKED = 200_000_000  # rows of which the hash is taken: they go through one task, as codes
TOLD = {
    pa.int64(): "bigint",
    pa.float64(): "double",
    pa.date32(): "date",
}  # types of columns that folders tell

GROUP = "group"  # the column of labels; with a `_` more where the table has one of this name


def read(place: str, remote: str) -> Frame:
    """A folder of Parquet files as a DataFrame of a Spark Connect server (`sc://host:port`)."""
    try:
        from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise RecipeError(
            "Spark is not installed here", remedy="pip install 'shoal[spark]'"
        ) from None
    path = place if is_url(place) else str(Path(place).absolute())
    address = urlsplit(remote)
    refuse_books(Path(path))
    try:  # Spark itself would ask again for many minutes
        socket.create_connection((address.hostname, address.port or PORT), timeout=10).close()
    except (OSError, ValueError):
        raise DataError(
            "there is no server at this address", remedy="--remote sc://host:port"
        ) from None
    session = jobs.running(lambda: SparkSession.builder.remote(remote).create())
    with suppress(Exception):  # where a server has none of this, it infers nothing
        session.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    frame = jobs.running(lambda: session.read.parquet(path))
    try:
        columns = frame.columns  # here the server looks
    except Exception:  # what it says quotes its own paths
        columns = []
    if not columns:
        facts = {"server": f"{address.hostname}:{address.port or PORT}"}
        raise DataError(
            f"the server finds no Parquet files in '{place}'",
            facts,
            "name a folder that the server sees, too",
        )
    return _as_told(frame, path)


def _as_told(frame: Frame, place: str) -> Frame:
    """A frame in which columns that folders tell have the types that they have everywhere, and
    missing values are missing.
    """
    told = {
        name: value.type for member in members(place)[:1] for name, value in member.told.items()
    }
    shown = []
    for name, cell in zip(frame.columns, quoted(frame.columns), strict=True):
        text = f"nullif(cast({cell} as string), '{NOTHING}')"
        shown.append(
            f"cast({text} as {TOLD.get(told[name], 'string')}) as {cell}" if name in told else cell
        )
    return frame.selectExpr(*shown) if told else frame


@dataclass(frozen=True)
class Published:
    """What a run gives: two DataFrames, and what was measured."""

    table: Frame
    groups: Frame
    """The input rows, and behind their columns the number of their group; -1 is withheld."""
    certificate: Certificate[GroupsCertificate, GroupsPrivate]
    losses: Mapping[str, float | None]
    risks: Mapping[str, Mapping[str, Figure]]
    notices: tuple[str, ...]
    seconds: Mapping[str, float]
    plan: Plan

    @contextmanager
    def folder(self, target: Path) -> Iterator[Path]:
        """A hidden folder of Parquet files beside the target, recounted from these; gone at the
        end, unless it was moved.
        """
        hidden = target.parent / f".{target.stem}.{secrets.token_hex(6)}.part{target.suffix}"
        try:
            jobs.running(lambda: self.table.write.parquet(str(hidden)))
            if not any(hidden.glob("*.parquet")):
                raise DataError(
                    "what Spark wrote can't be seen from here",
                    remedy="name a folder that both can see",
                )
            found = recounted(self.table.sparkSession.read.parquet(str(hidden)), self.plan)
            stated = self.certificate.public
            seen = (found.rows, found.groups.count, found.models, found.mark)
            if seen != (stated.rows, stated.groups, stated.models, stated.hash):
                raise ShoalError(
                    "what was written does not hold the release", {"published": "nothing"}
                )
            yield hidden
        finally:
            shutil.rmtree(hidden, ignore_errors=True)


def anonymized(
    frame: Frame, recipe: Recipe, shards: int | None = None, stage: Stage = lambda name: unwatched
) -> Published:
    """Carry out a recipe; return the release, or refuse and publish nothing."""
    with ExitStack() as until:
        return _anonymized(frame, recipe, shards, stage, until)


def _anonymized(
    frame: Frame, recipe: Recipe, shards: int | None, stage: Stage, until: ExitStack
) -> Published:
    clock = Clock(stage)
    plan = recipe.plan()
    seed = recipe.seed if recipe.seed is not None else secrets.randbits(63)
    with clock("looking at the table"):
        source = Source.of(frame, plan)
        coded = jobs.held(source.coded(), until)
        notices, before = _looked(source, coded, plan)
    with clock("dividing into groups"):
        refuse_impossible(source.table, plan)
        cuts, division = _cut(source.table, coded, plan, seed, shards)
        sharded = _sharded(coded, cuts, source.table)
        boxed = sharded.groupBy("shard").applyInArrow(
            workers.dividing(division), _boxes_and("told binary", source.table)
        )
        boxed = jobs.held(boxed, until, refused=True)
        divided = Divided.of(
            jobs.told(boxed.where("told is not null").select("told")), source.table.count, plan
        )
    with clock("attacking"):
        first = sharded.where("shard = 0").groupBy("shard")
        (findings,) = jobs.told(
            first.applyInArrow(workers.attacking(division, divided.ranges), "told binary")
        )
    with clock("recounting"):
        shown = source.published(boxed.where("told is null").drop("told"), plan, divided)
        count = recounted(shown, plan)
        if count.rows != source.table.count - divided.withheld:
            raise ShoalError(
                "the release does not have the rows it should", {"published": "nothing"}
            )
    with clock("measuring"):
        printed = count.losses(plan, divided.withheld)
        risks = {"before": risks_of(before), "after": risks_of(count.seen)}
    public = public_counts(
        *(
            count.rows,
            public_recipe(recipe),
            count.groups,
            count.models,
            printed,
            risks["after"],
            count.mark,
        ),
        columns=columns_of(pa.table({name: [] for name in frame.columns}), recipe),
        withheld=rounded(divided.withheld),
        version=registry.version(),
        attacks=[finding.stated() for finding in findings.all if finding.trials],
    )
    certificate = Certificate(public, divided.private(seed, risks["before"]))
    losses = {**divided.losses, **printed}
    ordered = shown.orderBy(
        *quoted(shown.columns)
    )  # by what is published, so that order tells nothing
    labels = source.labelled(cuts, division, divided)
    return Published(ordered, labels, certificate, losses, risks, notices, clock.seconds, plan)


@dataclass(frozen=True)
class Source:
    """A DataFrame, its types, and what its values are coded by."""

    frame: Frame
    types: Mapping[str, pa.DataType]
    table: Coded

    @classmethod
    def of(cls, frame: Frame, plan: Plan) -> Source:
        """A DataFrame of which the values were counted, once everything that is wrong with the
        recipe has been said.
        """
        recipe = plan.recipe
        types = _declared(frame, plan)
        names = [*recipe.quasi, *recipe.sensitive, *recipe.keep]
        found = profiles(chosen(frame, names), {name: types[name] for name in names})
        if not found[names[0]].rows:
            raise DataError(
                "the DataFrame has no rows",
                {"columns": len(types)},
                "give one with at least one row",
            )
        return cls(frame, types, Coded.of(found, found[names[0]].rows, plan))

    def coded(self, carried: Sequence[str] = ()) -> Frame:
        """Rows as codes, and some columns as they are."""
        used = dict.fromkeys(
            [*(column.name for column in (*self.table.quasi, *self.table.beside)), *carried]
        )
        codes = {f"c{i}": "int" for i in range(len(self.table.axes) + len(self.table.beside))}
        worker = workers.coding(self.table, {name: self.types[name] for name in used}, carried)
        return chosen(self.frame, list(used)).mapInArrow(
            worker, schema_of(codes | self._fields("r", carried))
        )

    def published(self, boxed: Frame, plan: Plan, divided: Divided) -> Frame:
        """Rows with boxes as they are published: cells are texts, the other columns are what they
        were.
        """
        beside = [column.name for column in self.table.beside]
        fields = {f"p{i}": "string" for i in range(len(self.table.axes))}
        fields |= self._fields("p", beside, first=len(fields))
        recoded = boxed.mapInArrow(
            workers.recoding(self.table, plan, divided.ranges), schema_of(fields)
        )
        return recoded.toDF(*(axis.name for axis in self.table.axes), *beside)

    def labelled(self, shards: Shards, division: workers.Division, divided: Divided) -> Frame:
        """The input rows with the number of their group, one shard after the other."""
        names = list(self.frame.columns)
        label = max([GROUP, *(f"{name}_" for name in names if name.rstrip("_") == GROUP)], key=len)
        rows = _sharded(self.coded(names), shards, self.table).groupBy("shard")
        worker = workers.labelling(division, divided.before, len(names))
        return rows.applyInArrow(
            worker, schema_of(self._fields("r", names) | {"group": "int"})
        ).toDF(*names, label)

    def _fields(self, kind: str, names: Sequence[str], first: int = 0) -> dict[str, Any]:
        """Columns by their place, with the types that Spark knows them by; those without any are
        texts.
        """
        kinds = {field.name: field.dataType for field in self.frame.schema.fields}
        known = {
            name: "string" if each.simpleString() == "void" else each
            for name, each in kinds.items()
        }
        return {f"{kind}{i}": known[name] for i, name in enumerate(names, start=first)}


def profiles(frame: Frame, types: Mapping[str, pa.DataType]) -> dict[str, Streamed]:
    """The different values of all columns of a frame, which are these in this order; one job."""
    counted = frame.mapInArrow(workers.counting(dict(types)), "column int, text string, times long")
    summed = counted.groupBy("column", "text").agg({"times": "sum"}).toDF("column", "text", "times")
    table = jobs.collected(summed.limit(MOST_VALUES + 1))
    if table.num_rows > MOST_VALUES:
        facts = {"different values": f"more than {MOST_VALUES:,}"}
        raise DataError(
            "the columns have too many different values", facts, "round them, or leave some out"
        )
    found = {}
    for number, (name, kind) in enumerate(types.items()):
        of = table.filter(pc.equal(table["column"], number))
        found[name] = profile_of(
            name, kind, plain_column(of["text"]), np.asarray(of["times"], np.int64)
        )
    return found


def recounted(published: Frame, plan: Plan) -> Counted:
    """The groups of a release, counted on the cluster from its texts; or a refusal. Two jobs."""
    recipe = plan.recipe
    names = [*recipe.quasi, *recipe.sensitive, *recipe.keep]
    if list(published.columns) != names:
        raise ShoalError(
            "the release does not have the columns it should", {"published": "nothing"}
        )
    shown = chosen(published, names)
    columns = list(profiles(shown, types_of(published, names)).values())
    marked = columns[0].rows <= MOST_MARKED
    met = jobs.meeting(shown, [f"p{i}" for i in range(len(recipe.quasi))], columns[0].rows)
    fields = ", ".join(["told binary", *(f"c{i} int" for i in range(len(names)))])
    judged = met.applyInArrow(
        workers.judging(columns, len(recipe.quasi), plan, marked=marked), fields
    )
    told = jobs.told(judged.repartition(1).mapInArrow(marking(columns), "told binary"))
    marks = [each for each in told if isinstance(each, Mark)]
    if marked and [each.rows for each in marks] != [columns[0].rows]:
        raise ShoalError("the rows of the release were not seen together", {"published": "nothing"})
    verdicts = Judged.together([each.each() for each in told if isinstance(each, workers.Alike)])
    return Counted.of(columns, verdicts, plan, marks[0].hash if marked else None)


def _declared(frame: Frame, plan: Plan) -> dict[str, pa.DataType]:
    """The types of all columns, once everything that is wrong with the recipe has been said."""
    recipe = plan.recipe
    jobs.check_columns(frame)
    asked = {
        "keep_order": recipe.keep_order,
        "person": recipe.person is not None,
        "weight": recipe.weight is not None,
        "population": recipe.population is not None,
        "time_limit": recipe.time_limit is not None,
        "k = 1": recipe.k < 2,
    }
    asked |= {
        f"publish={recoder.name}": True
        for recoder in plan.recoders.values()
        if recoder.name in ("centre", "bounds")
    }
    asked |= {f"model {model.name}": True for model in plan.models if model.judges != "group"}
    errors = [*recipe.roles.fit(frame.columns)]
    errors += [
        RecipeError(f"Spark can't do {name}", remedy="leave it out")
        for name, given in asked.items()
        if given
    ]
    if errors:
        raise RecipeError.together(errors)
    types = types_of(frame, frame.columns)
    for name in (*recipe.quasi, *recipe.sensitive, *recipe.keep):
        kind_of(types[name], name)
    return types


def _looked(source: Source, coded: Frame, plan: Plan) -> tuple[tuple[str, ...], Summed]:
    """What is worth knowing, and what the rows would show as they came; or a refusal of columns
    that would undo the release.

    One job. What gives another column back is looked for in a sample of a long table.
    """
    table = source.table
    asked = exposed.Asked(tuple(axis.size for axis in table.axes), table.sensitive, table.count)
    sample = coded if table.count <= SAMPLE else coded.sample(SAMPLE / table.count, seed=1)
    together = sample.selectExpr("*", "0 as one").groupBy("one")
    leaking = [together.applyInArrow(workers.leaking(table), "told binary")] if table.beside else []
    told = jobs.told(*leaking, *exposed.frames(coded, asked))
    found: dict[str, list[Leak]] = {column.name: [] for column in table.beside}
    for column in table.beside:
        held = table.count - column.missing
        if held >= ENOUGH_ROWS and column.size / held > NEARLY_UNIQUE:
            found[column.name].append(Leak(column.name, None, column.size / held))
    for leak in (leak for each in told if isinstance(each, list) for leak in each):
        found[leak.column].append(leak)
    numbers = [column.name for column in table.sensitive if column.kind == "number"]
    warnings = refuse_found(found, numbers, plan.recipe.force_keep)
    dropped = plan.recipe.roles.without_role(source.frame.columns)
    notice = (f"dropped, because they have no role: {', '.join(dropped)}",) if dropped else ()
    return (
        *notice,
        *warnings,
        *(note for axis in table.axes for note in axis.notices),
    ), exposed.gathered(told, asked).seen


def _cut(
    table: Coded, coded: Frame, plan: Plan, seed: int, shards: int | None
) -> tuple[Shards, workers.Division]:
    """The shards of a table, and how each is to be divided. One job for each level of cuts, and one
    more.
    """
    axes = len(table.axes)
    wide = [column.size + 1 for column in table.sensitive]

    def counting(grid: Grid, cuts: Cuts) -> list[Counts]:
        found = jobs.added(
            coded.mapInArrow(workers.placing(grid, cuts), "column int, cell long, times long")
        )
        shapes = [(len(cuts.open), len(first)) for first in grid.first]
        return [jobs.filled(found, a, shape) for a, shape in enumerate(shapes)]

    def tallying(found: Shards) -> Tally:
        worker = workers.tallying(found, axes, table.sensitive)
        counts = jobs.added(coded.mapInArrow(worker, "column int, cell long, times long"))
        values = (
            jobs.filled(counts, i, (found.count, many)) for i, many in enumerate(wide, start=1)
        )
        return Tally(jobs.filled(counts, 0, (found.count,)), tuple(values))

    asked = min(-(-table.count // SHARD), MOST_SHARDS) if shards is None else shards
    cuts, tally = cut_table(
        table.axes, table.costs, table.sensitive, plan, asked, counting, tallying
    )
    if cuts.count == 1:
        return cuts, workers.Division(table, plan, tally, (seed,), whole=True)
    own = seeds(np.random.default_rng(seed), cuts.count)
    return cuts, workers.Division(table, plan, tally, tuple(own), whole=False)


def _sharded(coded: Frame, shards: Shards, table: Coded) -> Frame:
    """Coded rows, those of a shard together."""
    fields = {"shard": "int"} | {field.name: field.dataType for field in coded.schema.fields}
    numbered = coded.mapInArrow(workers.sharding(shards, len(table.axes)), schema_of(fields))
    return numbered.repartition(shards.count, "shard")


def _boxes_and(more: str, table: Coded) -> str:
    """The columns of a divided shard."""
    fields = [f"{end}{i} int" for i in range(len(table.axes)) for end in ("lo", "hi")]
    fields += [f"c{i} int" for i in range(len(table.axes), len(table.axes) + len(table.beside))]
    return ", ".join([*fields, more])


def schema_of(fields: Mapping[str, Any]) -> Any:
    """Columns with their types, each by its name in SQL or as Spark has it: names inside of types
    may be anything.
    """
    from pyspark.sql.types import IntegerType, StringType, StructField, StructType

    plain = {"int": IntegerType(), "string": StringType()}
    return StructType(
        [
            StructField(name, plain[kind] if isinstance(kind, str) else kind)
            for name, kind in fields.items()
        ]
    )
