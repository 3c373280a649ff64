"""Gathered: what workers told of the shards of a table, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Counts, Ints
from shoal.engines.dividing import refuse_left_out
from shoal.engines.losses import of_table
from shoal.engines.people import PublishedPeople
from shoal.engines.spark.workers import ShardTold
from shoal.groups import Note
from shoal.partition.leaving_out import notes_together
from shoal.recipe import Plan


@dataclass(frozen=True)
class Divided:
    """The shards of a table, divided."""

    shards: tuple[ShardTold, ...]
    count: int

    @classmethod
    def of(cls, told: Sequence[ShardTold], rows: int, plan: Plan) -> Divided:
        """Put shards in their order; refuse what left too many rows out."""
        divided = cls(tuple(sorted(told, key=lambda each: each.number)), rows)
        refuse_left_out(divided.withheld, rows, plan)
        return divided

    def refuse_few_people(self, people: int, k: int) -> None:
        """Refuse people who stand in several shards, and kept values that few people hold."""
        parts = [each.people for each in self.shards if each.people is not None]
        PublishedPeople.refuse_together(parts, people, k)

    @property
    def people(self) -> int | None:
        """The number of people who are published, where they may have several rows."""
        parts = [each.people.published for each in self.shards if each.people is not None]
        return sum(parts) if parts else None

    @property
    def sizes(self) -> tuple[Counts, Counts]:
        """The sizes that groups have, and how many groups have each."""
        sizes, where = np.unique(
            np.concatenate([each.sizes for each in self.shards]), return_inverse=True
        )
        return sizes, np.bincount(
            where, np.concatenate([each.times for each in self.shards])
        ).astype(np.int64)

    @property
    def withheld(self) -> int:
        """The number of rows that are left out."""
        sizes, times = self.sizes
        return self.count - int(sizes @ times)

    @property
    def before(self) -> tuple[int, ...]:
        """The number of groups in front of those of each shard."""
        return tuple(np.cumsum([0, *(int(each.times.sum()) for each in self.shards)]).tolist())

    @property
    def ranges(self) -> Ints:
        """The least and largest code on each axis of groups in which no value is missing."""
        every = np.array([each.ranges for each in self.shards])
        return np.stack([every[:, :, 0].min(axis=0), every[:, :, 1].max(axis=0)], axis=1).astype(
            np.int32
        )

    @property
    def losses(self) -> dict[str, float]:
        """Losses that add up over shards."""
        return of_table([shard.losses for shard in self.shards], self.count)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes of methods about their search, in the order of the shards."""
        count = len(self.shards)
        cut = (Note("shards", f"divided in {count} shards"),) if count > 1 else ()
        return (*cut, *notes_together(note for shard in self.shards for note in shard.notes))
