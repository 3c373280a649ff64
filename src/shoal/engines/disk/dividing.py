"""Dividing: rows on disk are cut into shards, each of which is divided alone.

What is known of groups stays in memory; their boxes and rows go back to disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.arrays import Counts, Ints
from shoal.encode.shards import Cuts, Grid, Shards
from shoal.engines.attacked import attacked_rows
from shoal.engines.disk.people import axis_codes, in_their_order
from shoal.engines.disk.reading import CodedRows
from shoal.engines.disk.workspace import Workspace
from shoal.engines.dividing import refuse_left_out
from shoal.engines.encoding import Coded
from shoal.engines.losses import of_shard, of_table
from shoal.engines.pacing import hurried
from shoal.engines.people import PublishedPeople
from shoal.engines.prechecks import refuse_impossible
from shoal.engines.row_files import Folder, RowFile, Scattered
from shoal.engines.sharding import Countable, ShardTally, cut_table, divided_shard, seeds
from shoal.engines.widest_cells import divided
from shoal.errors import DataError
from shoal.groups import Groups, InTurn, Note, Watch
from shoal.kernels.costs import boxes as boxes_of
from shoal.partition.leaving_out import notes_together
from shoal.recipe import Plan
from shoal.wording import Remedy, Set


@dataclass(frozen=True)
class DividedShards:
    """The groups of all shards.

    Their sizes are in memory; on disk are their boxes, and each row with its group and codes beside
    the axes.
    """

    boxes: tuple[RowFile, ...]  # [axis]: the first and the last code of each group
    sizes: Counts
    rows: tuple[RowFile, ...]
    withheld: int
    losses: Mapping[str, float]
    notes: tuple[Note, ...]
    stretch: Ints  # some rows in whole groups: group, then all codes
    people: int | None = None  # who are published, where they may have several rows


def groups_of(
    on_disk: CodedRows, plan: Plan, rng: np.random.Generator, workspace: Workspace, watch: Watch
) -> DividedShards:
    """Divide rows on disk into groups that keep every promise, shard by shard; or refuse."""
    table = on_disk.table
    refuse_impossible(table, plan)
    scattered, tally = _scattered(on_disk, plan, workspace)
    shards = list[_Shard]()
    people = list[PublishedPeople]()
    boxes = tuple(workspace.folder.file(2) for _ in table.axes)
    in_turn = InTurn(watch, table.count)
    groups_before = 0
    alone = len(tally.sizes) == 1
    for number, seed in enumerate([0] if alone else seeds(rng, len(tally.sizes))):
        shard = scattered.files[number]
        part = in_turn.part(shard.rows)
        codes = shard.columns()
        shard.remove()
        if table.person is not None:
            codes = in_their_order(codes, table)
        rows = table.rows(codes)
        elsewhere = tally.elsewhere(number)
        groups = (
            divided(rows, plan, rng, part)
            if alone
            else divided_shard(rows, plan, elsewhere, seed, part)
        )
        shards.append(_Shard.of(table, codes, groups, groups_before, boxes, workspace.folder))
        if rows.person is not None:
            kept = table.judged(codes, plan.recipe.force_keep)
            people.append(PublishedPeople.of(rows.person, groups, kept, plan.recipe.k))
        groups_before += groups.count
        if groups.interrupted:
            plan = hurried(plan)
    together = _together(shards, boxes, table, plan)
    if on_disk.people is None:
        return together
    PublishedPeople.refuse_together(people, on_disk.people.units.rows, plan.recipe.k)
    return replace(together, people=sum(part.published for part in people))


def _scattered(
    on_disk: CodedRows, plan: Plan, workspace: Workspace
) -> tuple[Scattered, ShardTally]:
    """Write the rows of each shard to a file of their own; those of a person go to one."""
    table = on_disk.table
    file = units = on_disk.file
    if on_disk.people is not None:
        file = on_disk.people.rows
        units = on_disk.people.units
    at_once = workspace.rows
    axes = len(table.axes)
    last = len(table.axes) + len(table.sensitive)

    def tallying(cut: Shards) -> ShardTally:
        parts = []
        for block in file.blocks():
            codes = np.ascontiguousarray(block.T)
            columns = [
                replace(of, codes=some)
                for of, some in zip(table.sensitive, codes[axes:last], strict=True)
            ]
            shard = cut.shard_of(axis_codes(codes, table))
            parts.append(ShardTally.of(shard, cut.count, columns))
        return sum(parts[1:], parts[0])

    def counting(grid: Grid, cuts: Cuts) -> list[Counts]:
        parts = [
            grid.counted(cuts, np.ascontiguousarray(block.T[:axes])) for block in units.blocks()
        ]
        return [np.sum(of_axis, axis=0) for of_axis in zip(*parts, strict=True)]

    # half as many again, since some shards will be larger than others
    most = 1 if table.count <= at_once else -(-3 * table.count // (2 * at_once))
    countable = Countable(table.axes, table.costs, table.sensitive, counting, tallying)
    shards, tally = cut_table(countable, plan, most, at_once)
    _refuse_large(tally, at_once)
    scattered = workspace.folder.scattered(file.width, shards.count)
    for block in file.blocks():
        scattered.append(block, shards.shard_of(axis_codes(block.T, table)))
    file.remove()
    return scattered, tally


def _refuse_large(tally: ShardTally, at_once: int) -> None:
    """Refuse a shard that had to join others, or that is filled by equal rows."""
    largest = int(tally.sizes.max())
    if largest > at_once:
        raise DataError(
            "the table can't be cut into shards that fit into this memory and keep every promise",
            {"rows of the largest shard": largest, "rows that fit": at_once},
            Remedy(Set("memory", "8GB", "allow more memory"), "ask for less"),
        )


@dataclass(frozen=True)
class _Shard:
    """A divided shard, as far as it is kept."""

    sizes: Counts
    rows: RowFile
    count: int
    losses: Mapping[str, float]
    notes: tuple[Note, ...]
    stretch: Ints

    @classmethod
    def of(
        cls,
        table: Coded,
        codes: Ints,
        groups: Groups,
        before: int,
        boxes: Sequence[RowFile],
        folder: Folder,
    ) -> _Shard:
        """Keep the groups of a shard, numbered from `before` on."""
        kept = groups.labels >= 0
        axes = len(table.axes)
        for ends, of in zip(
            boxes,
            zip(*boxes_of(codes[:axes], groups.labels, groups.count), strict=True),
            strict=True,
        ):
            ends.append(np.array(of).T)
        labels = (groups.labels + before).astype(np.int32)
        file = folder.file(1 + len(table.beside))
        file.append(np.concatenate(([labels[kept]], codes[axes : table.published, kept])).T)
        some = attacked_rows(groups) if before == 0 else np.zeros(0, np.int64)
        stretch = np.concatenate(([labels[some]], codes[: table.published, some]))
        return cls(
            groups.sizes,
            file,
            codes.shape[1],
            of_shard(table, codes, groups),
            groups.notes,
            stretch,
        )


def _together(
    shards: list[_Shard], boxes: tuple[RowFile, ...], table: Coded, plan: Plan
) -> DividedShards:
    """Put all shards together; refuse what left too many rows out."""
    sizes = np.concatenate([shard.sizes for shard in shards])
    withheld = table.count - int(sizes.sum())
    refuse_left_out(withheld, table.count, plan)
    notes = notes_together(note for shard in shards for note in shard.notes)
    cut = (Note("shards", f"divided in {len(shards)} shards"),) if len(shards) > 1 else ()
    return DividedShards(
        boxes=boxes,
        sizes=sizes,
        rows=tuple(shard.rows for shard in shards),
        withheld=withheld,
        losses=of_table([shard.losses for shard in shards], table.count),
        notes=(*cut, *notes),
        stretch=shards[0].stretch,
    )
