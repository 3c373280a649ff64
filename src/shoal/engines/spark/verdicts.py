"""Verdicts: judge published rows wherever they lie, alike ones together. Arrow in, Arrow out.

`judging` takes published rows of which all alike ones are there, and gives verdicts about their
groups, and the rows as codes. Columns go by their place (`p0` published, `c0` codes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal.adapters.plain_arrow import plain_column
from shoal.arrays import Counts, Ints
from shoal.engines.judging import judge
from shoal.engines.profiles import Streamed
from shoal.engines.spark.batches import Gatherer, telling
from shoal.errors import ShoalError
from shoal.recipe import Plan
from shoal.review.partial_counts import Judged


@dataclass(frozen=True)
class AlikeGroups:
    """Verdicts about groups of which many are alike: each kind once, and how many there are."""

    judged: Judged
    times: Counts

    @classmethod
    def of(cls, judged: Judged) -> AlikeGroups:
        """Count groups of the same size of which the same promises hold."""
        kinds, times = np.unique(
            np.array([judged.sizes, *judged.unsafe], np.int64), axis=1, return_counts=True
        )
        return cls(
            replace(
                judged, sizes=kinds[0], unsafe=tuple(flags.astype(np.bool_) for flags in kinds[1:])
            ),
            times,
        )

    def each(self) -> Judged:
        """Give each group by itself."""
        unsafe = tuple(np.repeat(flags, self.times) for flags in self.judged.unsafe)
        return replace(self.judged, sizes=np.repeat(self.judged.sizes, self.times), unsafe=unsafe)


def judging(columns: Sequence[Streamed], quasi: int, plan: Plan, *, marked: bool) -> Gatherer:
    """Judge the groups of some published rows by their texts alone, or tell why that can't be.

    Behind the verdicts come the rows as codes, where they are to be hashed.
    """

    def judged(part: pa.Table) -> pa.Table:
        codes = np.zeros((len(columns), 0), np.int32)
        try:
            of_columns = [
                column.code(plain_column(part[f"p{i}"])) for i, column in enumerate(columns)
            ]
            codes = np.array(of_columns, np.int32)
            told: object = AlikeGroups.of(judge(columns, codes, quasi, plan)[1])
        except ShoalError as error:
            told = error
        return _behind(telling(told), codes if marked else codes[:, :0])

    return judged


def _behind(verdicts: pa.Table, codes: Ints) -> pa.Table:
    """Append rows as codes to a table of verdicts, each in columns of its own."""
    rows = pa.table({f"c{i}": of for i, of in enumerate(codes)})
    both = pa.concat_tables([verdicts, rows], promote_options="default")
    return both.select(["told", *rows.column_names])
