"""Repeats: counts how often ids repeat in a table that comes in parts.

Ids are hashed and counted by their hash, all of them up to two million. Where there are more, those
whose hash is even are kept, then those divisible by 4 and so on: whose ids are kept is chance, and
all rows of an id are kept or none. What is counted of them stands for the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import AnyArray, Counts
from shoal.declare.columns import text_of, whole
from shoal.encode.hashed import hashed
from shoal.flows.repeated import cells_of, columns_in_doubt
from shoal.recipe import Recipe
from shoal.review.person_columns import PersonColumns
from shoal.review.prechecks.repeated import Repeats, Shaped, joined_shape, shape_of, without_blank

MOST = 2_000_000  # ids that are counted one by one


class _Ids:
    """The ids of some columns that were met so far."""

    def __init__(self, of: PersonColumns) -> None:
        self.of = of
        self.rows = 0
        self.shaped: Shaped | None = None
        self._keys: AnyArray = np.zeros(0, np.uint64)
        self._times: Counts = np.zeros(0, np.int64)
        self._halved = 0

    def add(self, cells: Sequence[pa.Array]) -> None:
        """Count more rows."""
        values = [without_blank(column) for column in cells]
        there = values[0].is_valid()
        for column in values[1:]:
            there = pc.and_(there, column.is_valid())
        encoded = [pc.dictionary_encode(column.filter(there)) for column in values]
        keys = np.zeros(len(encoded[0]), np.uint64)
        for column in encoded:
            numbers = hashed(text_of(column.dictionary))[np.asarray(column.indices, np.int64)]
            keys = keys * np.uint64(0x9E3779B97F4A7C15) ^ numbers
        self.rows += len(keys)
        if len(keys):
            shape = shape_of(encoded[0].dictionary)
            self.shaped = shape if self.shaped is None else joined_shape(self.shaped, shape)
            self._count(keys)

    def _count(self, keys: AnyArray) -> None:
        keys, times = np.unique(keys, return_counts=True)
        every = np.concatenate((self._keys, keys))
        self._keys, at = np.unique(every, return_inverse=True)
        counted = np.concatenate((self._times, times))
        self._times = np.bincount(at, counted, len(self._keys)).astype(np.int64)
        self._thin_out()

    def _thin_out(self) -> None:
        """Keep the ids whose hash ends in zeros, one more where these are too many."""
        while True:
            kept = self._keys & np.uint64(2**self._halved - 1) == 0
            if not kept.all():
                self._keys, self._times = self._keys[kept], self._times[kept]
            if len(self._keys) <= MOST:
                return
            self._halved += 1

    def repeats(self) -> Repeats:
        """Sum up what was counted."""
        times = 2**self._halved
        some = Repeats.counted(self.of, self._times, self.shaped or Shaped("words"))
        people = min(some.people * times, self.rows)
        repeated = min(some.repeated * times, self.rows)
        return Repeats(self.of, self.rows, people, repeated, some.most, some.shaped)


class RepeatCounting:
    """Counts how often the columns repeat that may say whose row it is."""

    def __init__(self, columns: Sequence[PersonColumns], recipe: Recipe) -> None:
        self._ids = [_Ids(of) for of in columns]
        self._recipe = recipe
        self.names = tuple(dict.fromkeys(name for of in columns for name in of.columns))

    @classmethod
    def of(cls, schema: pa.Schema, recipe: Recipe) -> RepeatCounting:
        """Count those that a recipe leaves in doubt."""
        return cls(columns_in_doubt(schema, recipe), recipe)

    def seen(self, parts: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """Hand the parts of a table on, and count them."""
        for part in parts:
            for ids in self._ids:
                names = ids.of.columns
                ids.add([cells_of(whole(part[name]), name, self._recipe) for name in names])
            yield part

    def repeats(self) -> list[Repeats]:
        """List what was counted of each."""
        return [ids.repeats() for ids in self._ids]
