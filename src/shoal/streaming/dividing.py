"""Dividing: the rows on disk are cut into shards, each is divided alone, and what is known of its
groups stays in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal import registry
from shoal.arrays import Counts, Ints
from shoal.encode.shards import Cuts, Grid, Shards
from shoal.engine.dividing import divided, refuse_left_out
from shoal.engine.looks import promises_of
from shoal.engine.sharding import Tally, cut_table, divided_shard, fit, hurried, seeds
from shoal.errors import DataError
from shoal.groups import Groups, InTurn, Note, Watch
from shoal.kernels.costs import boxes as boxes_of
from shoal.recipe import Plan
from shoal.review.gate import refuse_unjudged
from shoal.review.losses.loss import Evidence, Loss
from shoal.review.prechecks.feasible import refuse_hopeless, refuse_slips
from shoal.streaming.coding import Coded
from shoal.streaming.spill import Folder, RowFile, Scattered
from shoal.streaming.values import totals
from shoal.wording import Remedy, Set

ATTACKED_ROWS = 50_000  # of the first shard, in whole groups: who is attacked before the release


@dataclass(frozen=True)
class Found:
    """The groups of all shards and their sizes; on disk their boxes, and each row with its group
    and codes beside the axes.
    """

    boxes: tuple[RowFile, ...]  # [axis]: the first and the last code of each group
    sizes: Counts
    rows: tuple[RowFile, ...]
    withheld: int
    losses: Mapping[str, float]
    notes: tuple[Note, ...]
    stretch: Ints  # some rows in whole groups: group, then all codes


def groups_of(
    table: Coded,
    file: RowFile,
    plan: Plan,
    at_once: int,
    rng: np.random.Generator,
    folder: Folder,
    watch: Watch,
) -> Found:
    """Groups that keep every promise, shard by shard, each of at most about so many rows; or a
    refusal.
    """
    refuse_impossible(table, plan)
    scattered, tally = _scattered(table, file, plan, at_once, folder)
    found = list[_Shard]()
    boxes = tuple(folder.file(2) for _ in table.axes)
    in_turn = InTurn(watch, table.count)
    groups_before = 0
    alone = len(tally.sizes) == 1
    for number, seed in enumerate([0] if alone else seeds(rng, len(tally.sizes))):
        shard = scattered.files[number]
        part = in_turn.part(shard.rows)
        codes = shard.columns()
        shard.remove()
        rows = table.rows(codes)
        elsewhere = tally.elsewhere(number)
        groups = (
            divided(rows, plan, rng, part)
            if alone
            else divided_shard(rows, plan, elsewhere, seed, part)
        )
        found.append(_Shard.of(table, codes, groups, groups_before, boxes, folder))
        groups_before += groups.count
        if groups.interrupted:
            plan = hurried(plan)
    return _together(found, boxes, table, plan)


def refuse_impossible(table: Coded, plan: Plan) -> None:
    """Before any work: promises that nobody can judge, or that no groups of these rows can keep."""
    nobody = table.rows(np.zeros((len(table.axes) + len(table.beside), 0), np.int32))
    counts = _totals(table)
    promises = promises_of(nobody, plan, counts)
    refuse_unjudged(promises)
    refuse_slips(promises)
    together = Tally(np.array([table.count]), tuple(some.reshape(1, -1) for some in counts))
    if not fit(together, table.sensitive, plan).all():
        everyone = [np.repeat(np.arange(len(some), dtype=np.int32), some) for some in counts]
        sensitive = tuple(
            replace(column, codes=of) for column, of in zip(table.sensitive, everyone, strict=True)
        )
        promises = promises_of(replace(nobody, sensitive=sensitive), plan)
        refuse_hopeless(promises, table.count, withhold=plan.recipe.withhold > 0)


def _totals(table: Coded) -> list[Counts]:
    return [totals(column) for column in table.sensitive]


def _scattered(
    table: Coded, file: RowFile, plan: Plan, at_once: int, folder: Folder
) -> tuple[Scattered, Tally]:
    """The rows of each shard in a file of their own."""
    axes = len(table.axes)
    last = len(table.axes) + len(table.sensitive)

    def tallying(found: Shards) -> Tally:
        parts = []
        for block in file.blocks():
            codes = np.ascontiguousarray(block.T)
            columns = [
                replace(of, codes=some)
                for of, some in zip(table.sensitive, codes[axes:last], strict=True)
            ]
            parts.append(Tally.of(found.shard_of(codes[:axes]), found.count, columns))
        return sum(parts[1:], parts[0])

    def counting(grid: Grid, cuts: Cuts) -> list[Counts]:
        parts = [
            grid.counted(cuts, np.ascontiguousarray(block.T[:axes])) for block in file.blocks()
        ]
        return [np.sum(of_axis, axis=0) for of_axis in zip(*parts, strict=True)]

    shards = (
        1 if table.count <= at_once else -(-3 * table.count // (2 * at_once))
    )  # some will be larger than others
    found, tally = cut_table(
        table.axes, table.costs, table.sensitive, plan, shards, counting, tallying, at_once
    )
    _refuse_large(tally, at_once)
    scattered = folder.scattered(file.width, found.count)
    for block in file.blocks():
        scattered.append(block, found.shard_of(np.ascontiguousarray(block.T[:axes])))
    file.remove()
    return scattered, tally


def _refuse_large(tally: Tally, at_once: int) -> None:
    """A shard that had to join others, or that one large part of equal rows fills."""
    largest = int(tally.sizes.max())
    if largest > at_once:
        raise DataError(
            "the table can't be cut into shards that fit into this memory and keep every promise",
            {"rows of the largest shard": largest, "rows that fit": at_once},
            Remedy(Set("memory", "8GB", "allow more memory"), "ask for less"),
        )


@dataclass(frozen=True)
class _Shard:
    """What stays of a divided shard."""

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
        """Its groups are numbered from `before` on."""
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
        file.append(np.concatenate(([labels[kept]], codes[axes:, kept])).T)
        upto = int(np.searchsorted(np.cumsum(groups.sizes), ATTACKED_ROWS)) if before == 0 else -1
        some = np.flatnonzero(kept & (groups.labels <= upto))
        stretch = np.concatenate(([labels[some]], codes[:, some]))
        return cls(
            groups.sizes, file, codes.shape[1], _losses(table, codes, groups), groups.notes, stretch
        )


def _losses(table: Coded, codes: Ints, groups: Groups) -> dict[str, float]:
    """The losses of a shard that add up: sums, and means times its rows."""
    evidence = Evidence(replace(table.rows(codes), axes=table.axes), groups)
    found = {}
    for name, loss in registry.names(Loss).items():
        if loss.adds and (value := loss().measure(evidence)) is not None:
            found[name] = value * codes.shape[1] if loss.adds == "rows" else value
    return found


def _together(found: list[_Shard], boxes: tuple[RowFile, ...], table: Coded, plan: Plan) -> Found:
    """All shards."""
    sizes = np.concatenate([shard.sizes for shard in found])
    withheld = table.count - int(sizes.sum())
    refuse_left_out(withheld, table.count, plan)
    summed = {name: sum(shard.losses[name] for shard in found) for name in found[0].losses}
    means = [name for name in summed if registry.names(Loss)[name].adds == "rows"]
    notes = dict.fromkeys(note for shard in found for note in shard.notes)
    cut = (f"divided in {len(found)} shards",) if len(found) > 1 else ()
    return Found(
        boxes=boxes,
        sizes=sizes,
        rows=tuple(shard.rows for shard in found),
        withheld=withheld,
        losses=summed | {name: summed[name] / table.count for name in means},
        notes=(*cut, *notes),
        stretch=found[0].stretch,
    )
