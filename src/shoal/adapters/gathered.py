"""Gathered: what workers told of parts of a table, put together; knows nothing of where they
worked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal import registry
from shoal.adapters.batches import from_texts
from shoal.adapters.plain_arrow import plain_column
from shoal.adapters.workers import Told
from shoal.arrays import Counts, Ints
from shoal.declare.columns import kind_of
from shoal.encode.profile import without_nan
from shoal.engine.dividing import refuse_left_out
from shoal.errors import DataError
from shoal.recipe import Plan
from shoal.review.certificate import finite, plain_risks, rounded
from shoal.review.certificate_format import GroupsPrivate
from shoal.review.losses.loss import Loss
from shoal.review.losses.published import PublishedLoss
from shoal.review.measured_model import MeasuredModel
from shoal.review.partial_counts import Judged, Printed, Sized, Summed
from shoal.review.risks.risk import Figure
from shoal.streaming.flow import LEFT_OUT
from shoal.streaming.values import Streamed, totals


@dataclass(frozen=True)
class Divided:
    """The shards of a table, divided."""

    shards: tuple[Told, ...]
    count: int

    @classmethod
    def of(cls, told: Sequence[Told], rows: int, plan: Plan) -> Divided:
        """In the order of the shards; refuses what left too many rows out."""
        found = cls(tuple(sorted(told, key=lambda each: each.number)), rows)
        refuse_left_out(found.withheld, rows, plan)
        return found

    @property
    def sizes(self) -> tuple[Counts, Counts]:
        """The sizes that groups have, and how many have each."""
        sizes, where = np.unique(
            np.concatenate([each.sizes for each in self.shards]), return_inverse=True
        )
        return sizes, np.bincount(
            where, np.concatenate([each.times for each in self.shards])
        ).astype(np.int64)

    @property
    def withheld(self) -> int:
        """How many rows are left out."""
        sizes, times = self.sizes
        return self.count - int(sizes @ times)

    @property
    def before(self) -> tuple[int, ...]:
        """How many groups stand in front of those of each shard."""
        return tuple(np.cumsum([0, *(int(each.times.sum()) for each in self.shards)]).tolist())

    @property
    def ranges(self) -> Ints:
        """The least and the largest code on each axis of groups in which nobody's value is
        missing.
        """
        every = np.array([each.ranges for each in self.shards])
        return np.stack([every[:, :, 0].min(axis=0), every[:, :, 1].max(axis=0)], axis=1).astype(
            np.int32
        )

    @property
    def losses(self) -> dict[str, float]:
        """Those that add up."""
        summed = {
            name: sum(shard.losses[name] for shard in self.shards) for name in self.shards[0].losses
        }
        return summed | {
            name: summed[name] / self.count
            for name in summed
            if registry.names(Loss)[name].adds == "rows"
        }

    def private(self, seed: int, before: Mapping[str, Figure]) -> GroupsPrivate:
        """What only the maker should know."""
        cut = (f"divided in {len(self.shards)} shards",) if len(self.shards) > 1 else ()
        return GroupsPrivate(
            seed=seed,
            rows_in=self.count,
            withheld=self.withheld,
            losses=dict(self.losses),
            risks_before=plain_risks(before),
            notes=[
                *cut,
                *dict.fromkeys(note for shard in self.shards for note in shard.notes),
                LEFT_OUT,
            ],
            group_sizes={str(size): int(number) for size, number in zip(*self.sizes, strict=True)},
            bound=None,
        )


@dataclass(frozen=True)
class Counted:
    """What the gate found in a release, all of its groups safe."""

    rows: int
    groups: Sized
    models: list[MeasuredModel]
    seen: Summed
    cells: Mapping[
        str, tuple[pa.Array, Counts]
    ]  # the different cells of each column, and how often each is printed
    mark: str | None

    @classmethod
    def of(
        cls, columns: Sequence[Streamed], judged: Judged, plan: Plan, mark: str | None
    ) -> Counted:
        """Published columns, quasi-identifiers first, verdicts about all groups, and the hash of
        the rows; or a refusal.
        """
        groups = judged.groups()
        recipe = plan.recipe
        common = {
            column.name: int(column.counts.max(initial=0))
            for column in columns
            if column.name in recipe.sensitive
        }
        cells = {column.name: _cells(column) for column in columns[: len(recipe.quasi)]}
        seen = Summed(groups, right=judged.right, common=common)
        return cls(columns[0].rows, groups, judged.models(), seen, cells, mark)

    def losses(self, plan: Plan, withheld: int) -> dict[str, float | None]:
        """The losses of the cells as printed."""
        publish = {name: recoder.name for name, recoder in plan.recoders.items()}
        seen = Printed(
            pa.table({}),
            plan.recipe.quasi,
            plan.hierarchies,
            publish,
            rounded(withheld),
            count=self.rows,
            times=self.cells,
        )
        return {
            name: finite(loss().measure(seen))
            for name, loss in registry.names(PublishedLoss).items()
        }


def profile_of(name: str, kind: pa.DataType, texts: pa.Array, times: Counts) -> Streamed:
    """The profile of a column from its values as `workers.counting` spells them; some may be there
    in two spellings.
    """
    values = from_texts(texts, kind)
    if pa.types.is_floating(kind) and pc.any(pc.is_inf(values)).as_py():
        raise DataError(
            f"column '{name}' holds infinite numbers",
            remedy="replace them by the largest real value",
        )
    values = without_nan(values, name)
    both = pa.table({"value": values, "times": times}).filter(pc.is_valid(values))
    added = both.group_by("value").aggregate([("times", "sum")]).sort_by("value")
    found = plain_column(added["value"])
    counts = np.asarray(added["times_sum"], np.int64)
    return Streamed(
        name, kind_of(found.type, name), found, np.zeros(0, np.int32), counts, int(times.sum())
    )


def _cells(column: Streamed) -> tuple[pa.Array, Counts]:
    """The cells of a column, null among them where it is printed."""
    if not column.missing:
        return column.values, column.counts
    return pa.concat_arrays([column.values, pa.nulls(1, column.values.type)]), totals(column)
