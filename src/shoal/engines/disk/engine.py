"""The disk engine: a table larger than memory, part by part on one machine.

    look       values are counted in a first reading; in a second, rows go to disk as codes
    divide     the rows are cut into shards that fit into memory, each with a file of its own, and
               divided one after the other, exactly as `LocalEngine(shards=n)` does it
    publish    boxes of groups become cells; rows are sorted by all that is published of them and
               written part by part to a temporary file
    recount    that file is read again as texts and cut by a hash of its cells; each part is judged
               with the counts of the whole, and the hash of the rows is that of every other engine
    attack     people of some whole groups of the first shard are looked for
    measure    what adds up over shards; query-error, percentiles and bounds are left out

Temporary files hold codes and the release. They stand in a folder that only its owner can read,
which is gone when the work is refused, and with the release where it is not (at the end of the
process at the latest; only a kill leaves it).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal.adapters.atomic_files import told_when_full
from shoal.adapters.part_writer import PartWriter
from shoal.attacks.findings import Findings
from shoal.distortions.parts import TableParts
from shoal.engines.disk import memory as room
from shoal.engines.disk.dividing import DividedShards, groups_of
from shoal.engines.disk.reading import CodedRows, coded
from shoal.engines.disk.recounting import recounted
from shoal.engines.disk.release_file import ReleaseFile
from shoal.engines.disk.workspace import Workspace
from shoal.engines.disk.writing import attacked_part, cells_of, write
from shoal.engines.encoding import Coded
from shoal.engines.losses import LEFT_OUT
from shoal.engines.profiles import Streamed, profiles
from shoal.engines.row_files import Folder
from shoal.errors import DataError
from shoal.flows.attacked import withstood
from shoal.flows.port import Engine, Grouped, Looked, Measured, Recounted, Request, Store
from shoal.groups import Watch
from shoal.recipe import recipe_options_not_with
from shoal.wording import Option, Sentence

MEMORY = 2_000_000_000


@dataclass(frozen=True, kw_only=True)
class DiskTable(Looked):
    """A table as codes, with the file of its rows."""

    coded: Coded
    on_disk: CodedRows


@dataclass(frozen=True, kw_only=True)
class DiskGroups(Grouped):
    """Groups of a table on disk."""

    shards: DividedShards


@dataclass(frozen=True)
class DiskEngine(Engine[TableParts]):
    """Work part by part, within a number of bytes of memory."""

    name = "disk"
    called = Sentence("the disk engine (", Option("memory"), ")")
    instead = Sentence("leave ", Option("memory"), " out")
    cannot = (
        *recipe_options_not_with("disk"),
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
        "groups",
    )
    memory: int = MEMORY
    folder: Path | None = None
    """Where temporary files go; by default where the system keeps them."""
    like: str = "released.parquet"
    """A name whose ending says in which format the release is kept: Parquet or CSV."""
    rows: int | None = None
    """Rows that are worked on at a time; by default as many as the memory allows."""

    def counted(self, source: TableParts, names: Sequence[str]) -> list[Streamed]:
        """Count the different values of some columns, in one more reading."""
        return profiles(source.read(names), names, self.memory)

    @contextmanager
    def opened(self) -> Iterator[DiskStore]:
        """Open a folder for temporary files; of these only the release outlives the block."""
        place = Path(os.path.realpath(self.folder or tempfile.gettempdir()))
        if not place.is_dir():
            raise DataError(f"there is no folder '{self.folder}' for temporary files")
        beside = place / Path(self.like).name
        with told_when_full(beside), ExitStack() as until:
            folder = until.enter_context(Folder(beside))
            yield DiskStore(self, folder)
            folder.remove_rows()
            until.pop_all()  # from here on the folder is the release's own (see `ReleaseFile`)


@dataclass(frozen=True)
class DiskStore(Store[TableParts, DiskTable, DiskGroups, ReleaseFile]):
    """Where one table is worked on: a folder of temporary files."""

    engine: DiskEngine
    folder: Folder

    def columns(self, source: TableParts) -> Sequence[str]:
        """Name the columns of a table."""
        names: list[str] = source.schema.names
        return names

    def look(self, source: TableParts, request: Request, watch: Watch) -> DiskTable:
        """Read a table twice: its values are counted, and its rows go to disk as codes."""
        workspace = self._workspace(request)  # refuses too little memory before anything is read
        rows, notices = coded(source, request.plan, workspace, watch)
        return DiskTable(
            rows=rows.table.count,
            names=tuple(source.schema.names),
            notices=notices,
            coded=rows.table,
            on_disk=rows,
        )

    def divide(self, table: DiskTable, request: Request, watch: Watch) -> DiskGroups:
        """Divide one shard after the other."""
        rng = np.random.default_rng(request.seed)
        workspace = self._workspace(request)
        shards = groups_of(table.on_disk, request.plan, rng, workspace, watch)
        sizes, times = np.unique(shards.sizes, return_counts=True)
        return DiskGroups(
            withheld=shards.withheld,
            sizes=dict(zip(sizes.tolist(), times.tolist(), strict=True)),
            notes=shards.notes,
            people=shards.people,
            shards=shards,
        )

    def publish(
        self, table: DiskTable, groups: DiskGroups, request: Request, watch: Watch
    ) -> ReleaseFile:
        """Write the release to a temporary file, part by part."""
        cells = cells_of(table.coded, groups.shards, request.plan)
        released = ReleaseFile(
            self.folder.path / f"release{Path(self.engine.like).suffix}",
            self.engine.like,
            attacked_part(table.coded, groups.shards, cells),
        )
        with PartWriter(released.path, like=self.engine.like) as growing:
            write(table.coded, groups.shards, cells, self._workspace(request), growing, watch)
        return released

    def recount(self, released: ReleaseFile, request: Request, watch: Watch) -> Recounted:
        """Read the file again as texts, twice."""
        return self.recount_parts(released.texts(), request, watch)

    def recount_parts(self, texts: TableParts, request: Request, watch: Watch) -> Recounted:
        """Recount a release that was written anywhere, every cell read as text."""
        return recounted(texts, request.plan, self._workspace(request), watch)

    def attack(
        self, table: DiskTable, groups: DiskGroups, released: ReleaseFile, request: Request
    ) -> Findings:
        """Attack people of some whole groups of the first shard, in these groups alone."""
        codes = groups.shards.stretch[1:]
        original: pa.Table = table.coded.values(codes)
        return withstood(original, table.coded.rows(codes), released.attacked, request.plan)

    def measure(self, table: DiskTable, groups: DiskGroups, request: Request) -> Measured:
        """Give the losses that add up over shards."""
        return Measured(groups.shards.losses, notes=(LEFT_OUT,))

    def _workspace(self, request: Request) -> Workspace:
        """Count the rows that fit into memory."""
        memory = self.engine.memory
        rows = self.engine.rows or room.rows_at_once(memory, request.recipe)
        return Workspace(memory, rows, self.folder)
