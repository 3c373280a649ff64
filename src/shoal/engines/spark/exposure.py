"""Exposed: what coded rows show as they are, counted where they lie: groups of equal rows, guesses,
what models measure.

    groups     rows that are equal on the quasi-identifiers meet in one task: sizes, right guesses,
               models on each column
    alone      one task looks for rows that few columns single out, among the different
               combinations; where these are more than `Exposure` looks at, or than fit there,
               nobody looks
    looks      a model of the release judges rows that look alike on one column: counts by value,
               which add up first

One job for all three. Columns go by their place: `c0` and on are codes, those of the
quasi-identifiers first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.arrays import Codes, Counts
from shoal.encode.rows import combined
from shoal.engines.judging import in_part
from shoal.engines.profiles import Streamed
from shoal.engines.spark import jobs
from shoal.engines.spark.batches import (
    Batches,
    Gatherer,
    Worker,
    array_of,
    batch_of,
    coded_rows,
    several,
    telling,
)
from shoal.engines.spark.jobs import Frame
from shoal.engines.spark.verdicts import AlikeGroups
from shoal.groups import Groups
from shoal.privacy.column import Sensitive
from shoal.privacy.counted import BLOCK
from shoal.privacy.model import Model
from shoal.privacy.promises import Promises
from shoal.review.partial_counts import Judged, Sized, Summed
from shoal.review.promised import Hierarchies
from shoal.review.recount import keys, numbered
from shoal.review.risks.exposure import LARGEST, WORK, Exposure

MOST_ALONE = 10_000_000  # different combinations that one task looks at


@dataclass(frozen=True)
class Asked:
    """Coded columns, and the models that are asked about them: some are required, others measured.

    It is plain data, and travels.
    """

    sizes: tuple[int, ...]  # of the quasi-identifiers: how many values each has
    sensitive: tuple[Streamed, ...]
    rows: int
    required: tuple[Model, ...] = ()
    measured: tuple[Model, ...] = ()
    hierarchies: Hierarchies = field(default_factory=dict)

    @property
    def quasi(self) -> list[str]:
        """The columns of the quasi-identifiers."""
        return [f"c{i}" for i in range(len(self.sizes))]

    @property
    def looking(self) -> tuple[Model, ...]:
        """Models that look at one column at a time, where there is something to guess."""
        return tuple(
            model for model in self.measured if model.judges == "release" and self.sensitive
        )

    def groups_of(self, codes: Codes) -> Groups:
        """Group rows that are equal on the quasi-identifiers."""
        return Groups(
            *numbered(keys(list(codes[: len(self.sizes)]), [size + 1 for size in self.sizes]))
        )

    def promises(self, codes: Codes, models: Sequence[Model]) -> Promises:
        """Lay models over one part; `codes` are those of the sensitive columns."""
        trees = self.hierarchies if any(model.needs_hierarchy for model in self.required) else {}
        return Promises(tuple(models), in_part(zip(self.sensitive, codes, strict=True), trees))


@dataclass(frozen=True)
class Alone:
    """Rows that one column singles out, two, three; None where nobody looked."""

    rows: Counts | None


@dataclass(frozen=True)
class Looks:
    """Figures of models of the release on some rows."""

    judged: Judged


@dataclass(frozen=True)
class Found:
    """The exposure of rows, verdicts on required promises, and figures of every other model."""

    seen: Summed
    required: Judged
    measured: tuple[tuple[Model, str | None, float | None], ...]


def frames(coded: Frame, asked: Asked) -> list[Frame]:
    """Plan frames that workers tell, for one job that may ask for more."""
    planned = [
        jobs.meeting(coded, asked.quasi, asked.rows).applyInArrow(grouping(asked), "told binary")
    ]
    most = min(WORK // max(math.comb(len(asked.sizes), LARGEST), 1), MOST_ALONE)
    different = coded.groupBy(*asked.quasi).count().limit(most + 1).repartition(1)
    planned.append(different.mapInArrow(standing_alone(asked, most), "told binary"))
    if asked.looking:
        columns = [f"c{i}" for i in range(2 + len(asked.sensitive))]
        each = coded.mapInArrow(
            looking(asked), ", ".join([*(f"{name} int" for name in columns), "times long"])
        )
        each = each.groupBy(*columns).agg({"times": "sum"}).toDF(*columns, "times")
        planned.append(
            jobs.meeting(each, ["c0", "c1"], asked.rows).applyInArrow(looked(asked), "told binary")
        )
    return planned


def gathered(told: Sequence[Any], asked: Asked) -> Found:
    """Put together what workers told."""
    pairs = [each for each in told if isinstance(each, tuple)]
    required = Judged.together([alike.each() for alike, _ in pairs])
    measured = [Judged.together([judged for _, judged in pairs])]
    measured += (
        [Judged.together(some)]
        if (some := [each.judged for each in told if isinstance(each, Looks)])
        else []
    )
    (alone,) = [each.rows for each in told if isinstance(each, Alone)] or [None]
    values = [each for some in measured for each in zip(some.spoken, some.measured, strict=True)]
    common = {column.name: int(column.counts.max(initial=0)) for column in asked.sensitive}
    seen = Summed(
        Sized.with_sizes(required.sizes), right=required.right, common=common, alone=alone
    )
    return Found(seen, required, tuple((*spoken, value) for spoken, value in values))


def grouping(asked: Asked) -> Gatherer:
    """Group rows that have met: sizes, guesses, verdicts and figures."""
    width = len(asked.sizes) + len(asked.sensitive)
    measured = tuple(model for model in asked.measured if model.judges == "group")

    def group(part: pa.Table) -> pa.Table:
        codes = array_of(part, width)
        groups = asked.groups_of(codes)
        others = codes[len(asked.sizes) :]
        sensitive = {
            column.name: (of, column.size)
            for column, of in zip(asked.sensitive, others, strict=True)
        }
        judged = Judged.of(groups, asked.promises(others, asked.required), sensitive)
        beside = Judged.measuring(groups, asked.promises(others, measured))
        return telling((AlikeGroups.of(judged), replace(beside, sizes=beside.sizes[:0], unsafe=())))

    return group


def standing_alone(asked: Asked, most: int) -> Worker:
    """Find rows that few columns single out among at most `most` different combinations."""

    def stand(batches: Batches) -> Iterator[pa.RecordBatch]:
        codes = list[Codes]()
        times = list[Counts]()
        for some in several(batches):
            part = pa.Table.from_batches(some)
            codes.append(array_of(part, len(asked.sizes)))
            times.append(np.asarray(part["count"], np.int64))
        if codes:
            yield from telling(
                Alone(_alone(np.concatenate(codes, axis=1), np.concatenate(times), asked, most))
            ).to_batches()

    return stand


def _alone(codes: Codes, times: Counts, asked: Asked, most: int) -> Counts | None:
    """Count the rows that one column singles out, two, three."""
    if len(times) > most:
        return None
    groups = Sized(np.arange(len(times), dtype=np.int32), len(times), (), times)
    columns = {
        str(i): (of, size) for i, (of, size) in enumerate(zip(codes, asked.sizes, strict=True))
    }
    smallest = Exposure(groups, columns).smallest_key
    return None if smallest is None else np.bincount(smallest, minlength=LARGEST + 1)[1:]


def looking(asked: Asked) -> Worker:
    """Count rows once for each quasi-identifier: its place and code, then the sensitive codes."""
    width = len(asked.sizes) + len(asked.sensitive)

    def look(batches: Batches) -> Iterator[pa.RecordBatch]:
        for codes in coded_rows(batches, width):
            for place, size in enumerate(asked.sizes):
                some = codes[[place, *range(len(asked.sizes), width)]]
                key = combined(some, [size + 1, *(column.size + 1 for column in asked.sensitive)])
                _, first, times = np.unique(key, return_index=True, return_counts=True)
                of = np.full(len(first), place, np.int32)
                columns: Mapping[str, Any] = {
                    f"c{i}": pa.array(each) for i, each in enumerate([of, *some[:, first]])
                }
                yield batch_of(**columns, times=pa.array(times.astype(np.int64)))

    return look


def looked(asked: Asked) -> Gatherer:
    """Measure models of the release on counted rows that look alike on one column."""

    def measure(part: pa.Table) -> pa.Table:
        codes = array_of(part, 2 + len(asked.sensitive))
        times = np.asarray(part["times"], np.int64)
        alike = Groups(*numbered(keys(list(codes[:2]), [len(asked.sizes), max(asked.sizes) + 1])))
        spoken = list[tuple[Model, str | None]]()
        worst = list[float | None]()
        for model in asked.looking:
            for column in asked.promises(codes[2:], ()).sensitive:
                blocks = [
                    model.measures(counts, column.column)
                    for counts in _counts(alike, column, times)
                ]
                spoken.append((model, column.column.name))
                worst.append(model.worst(np.concatenate(blocks)))
        return telling(Looks(Judged(np.zeros(0, np.int64), tuple(spoken), (), tuple(worst), {})))

    return measure


def _counts(alike: Groups, column: Sensitive, times: Counts) -> Iterator[Counts]:
    """Count values by group, some groups at a time: `counts[group, value]`."""
    order, starts = alike.by_group
    values = column.column.size + 1
    width = max(BLOCK // values, 1)
    for first in range(0, alike.count, width):
        last = min(first + width, alike.count)
        rows = order[starts[first] : starts[last]]
        flat = (alike.labels[rows] - first) * np.int64(values) + column.codes[rows]
        cells = np.bincount(flat, times[rows], minlength=(last - first) * values)
        yield cells.astype(np.int64).reshape(last - first, values)
