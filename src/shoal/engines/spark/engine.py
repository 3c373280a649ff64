"""The Spark engine: a DataFrame in, a DataFrame out, divided in shards where its rows lie.

    look       one job counts the values of all columns; one more looks for columns that give
               others back, and at what the rows would show as they came
    divide     one job for each level of cuts counts rows by place (see `encode/shards`), one more
               tallies the shards; then each shard is divided in one task, by the kernels of every
               other engine and with a seed of its own
    publish    boxes become cells row by row, once the range of all groups is known
    recount    one job counts the published values, one judges groups: rows that look alike meet by
               a hash of their texts; behind it one task takes the hash of all rows, which it gets
               as codes
    attack     one job looks for people of the first shard
    measure    what adds up over shards

What comes to the driver are profiles and counts, never rows. No more than 21 jobs are run, however
many shards there are: nine, one for each level of cuts, and one that counts ids where columns may
say whose row it is. Whatever a task does depends on its
rows alone, not on their order, so a task that runs twice gives the same. Written to the Spark
Connect subset: runs on clusters of Spark 4 and on Sail. Workers need Shoal installed, and see
hierarchy files under the paths that the recipe gives.

The published DataFrame is a plan: it is computed when it is used, and cached where the server can.
Whoever writes it gets what was really written recounted (`writing.folder`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from shoal.attacks.findings import Findings
from shoal.engines.losses import LEFT_OUT
from shoal.engines.prechecks import refuse_impossible
from shoal.engines.profiles import Streamed
from shoal.engines.spark import jobs, workers
from shoal.engines.spark.cutting import cut
from shoal.engines.spark.gathered import Divided
from shoal.engines.spark.jobs import Frame, quoted
from shoal.engines.spark.looking import looked
from shoal.engines.spark.profiles import profiles
from shoal.engines.spark.recounting import recounted
from shoal.engines.spark.source import SparkSource, boxes_and, sharded
from shoal.flows.coded import coding_notes
from shoal.flows.declared import notices_of
from shoal.flows.port import Engine, Grouped, Looked, Measured, Recounted, Request, Store
from shoal.groups import Watch
from shoal.recipe import recipe_options_not_with


@dataclass(frozen=True, kw_only=True)
class SparkTable(Looked):
    """A DataFrame, and its rows as codes."""

    source: SparkSource
    coded: Frame
    people: int
    """How many people there are, where they may have several rows."""


@dataclass(frozen=True, kw_only=True)
class SparkGroups(Grouped):
    """Groups of a DataFrame: how its shards are divided, and the rows with their boxes."""

    sharded: Frame
    division: workers.Division
    divided: Divided
    boxed: Frame
    labels: Frame


@dataclass(frozen=True)
class SparkReleased:
    """The plan of a release: its rows in any order, as the gate takes them, and in their own."""

    rows: Frame
    table: Frame


@dataclass(frozen=True)
class SparkEngine(Engine[Frame]):
    """Work on a cluster; with `shards`, in that many at most."""

    name = "spark"
    called = "Spark"
    instead = "collect the table: people.toArrow()"
    cannot = (
        *recipe_options_not_with("spark"),
        "k = 1",
        "centre",
        "bounds",
        "sets",
        "beyond groups",
        "counterfeits",
        "levels",
        "bound",
        "ledger",
        "overlap",
        "report",
    )
    shards: int | None = None

    def counted(self, source: Frame, names: Sequence[str]) -> list[Streamed]:
        """Count the different values of some columns, in one more job."""
        counts = profiles(jobs.chosen(source, list(names)), jobs.types_of(source, list(names)))
        return [counts[name] for name in names]

    @contextmanager
    def opened(self) -> Iterator[SparkStore]:
        """Hold frames while they are worked on; the groups stay cached where all ends well."""
        with ExitStack() as until:
            yield SparkStore(self.shards, until)


@dataclass(frozen=True)
class SparkStore(Store[Frame, SparkTable, SparkGroups, SparkReleased]):
    """Where one DataFrame is worked on: the cluster that it lies on."""

    shards: int | None
    until: ExitStack

    def columns(self, source: Frame) -> Sequence[str]:
        """Name the columns of a DataFrame."""
        jobs.check_columns(source)
        names: list[str] = source.columns
        return names

    def look(self, source: Frame, request: Request, watch: Watch) -> SparkTable:
        """Count the values of a DataFrame, and look at what its rows would show as they came."""
        known = SparkSource.of(source, request.plan)
        table = known.table
        coded = jobs.held(known.coded(), self.until)
        warnings, before, people = looked(table, coded, request.plan)
        notes = coding_notes((*table.quasi, *table.beside))
        return SparkTable(
            rows=table.count,
            names=tuple(source.columns),
            notices=notices_of(
                request.recipe, source.columns, (*known.notes, *notes, *warnings), table.axes
            ),
            before=before,
            source=known,
            coded=coded,
            people=people,
        )

    def divide(self, table: SparkTable, request: Request, watch: Watch) -> SparkGroups:
        """Divide each shard in one task."""
        source = table.source
        plan = request.plan
        refuse_impossible(source.table, plan)
        cuts, division = cut(source.table, table.coded, plan, request.seed, self.shards)
        rows = sharded(table.coded, cuts, source.table)
        boxed, divided = self._divided(rows, division)
        if source.table.person is not None:
            divided.refuse_few_people(table.people, request.recipe.k)
        sizes, times = divided.sizes
        return SparkGroups(
            withheld=divided.withheld,
            sizes=dict(zip(sizes.tolist(), times.tolist(), strict=True)),
            notes=divided.notes,
            people=divided.people,
            sharded=rows,
            division=division,
            divided=divided,
            boxed=boxed,
            labels=source.labelled(cuts, division, divided),
        )

    def _divided(self, rows: Frame, division: workers.Division) -> tuple[Frame, Divided]:
        """Run the tasks that divide shards; return rows with boxes, and the figures of shards."""
        fields = boxes_and("told binary", division.table)
        boxed = rows.groupBy("shard").applyInArrow(workers.dividing(division), fields)
        boxed = jobs.held(boxed, self.until, refused=True)
        told = jobs.told(boxed.where("told is not null").select("told"))
        return boxed, Divided.of(told, division.table.count, division.plan)

    def publish(
        self, table: SparkTable, groups: SparkGroups, request: Request, watch: Watch
    ) -> SparkReleased:
        """Plan the release, sorted by what is published, so that order tells nothing."""
        rows = groups.boxed.where("told is null").drop("told")
        shown = table.source.published(rows, request.plan, groups.divided)
        return SparkReleased(shown, shown.orderBy(*quoted(shown.columns)))

    def recount(self, released: SparkReleased, request: Request, watch: Watch) -> Recounted:
        """Count on the cluster, from texts."""
        return recounted(released.rows, request.plan)

    def attack(
        self, table: SparkTable, groups: SparkGroups, released: SparkReleased, request: Request
    ) -> Findings:
        """Attack people of some whole groups of the first shard, in one task."""
        first = groups.sharded.where("shard = 0").groupBy("shard")
        worker = workers.attacking(groups.division, groups.divided.ranges)
        findings: Findings
        (findings,) = jobs.told(first.applyInArrow(worker, "told binary"))
        return findings

    def measure(self, table: SparkTable, groups: SparkGroups, request: Request) -> Measured:
        """Give the losses that add up over shards."""
        return Measured(groups.divided.losses, notes=(LEFT_OUT,))
