"""Requirements: models measured, and held against recounted groups, however many groups and values there are.

Models judge `counts[group, value]`, and a table of many groups and many different sensitive values has more of them
than memory. So groups are judged in blocks, and below each block stands one row with the counts of all other
groups together: models that compare with the whole table find it complete. A verdict on a group reads its own row and
the whole table, so verdicts of blocks are exact. A measured value is the worst over blocks, which is exact for a model
that survives merging: the row of all others is then never worse than the worst among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts, Flags, Ints
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.groups import Groups
from shoal.privacy.model import Model
from shoal.review.recount import in_order

BLOCK = 2**24  # cells of counts at a time: 128 MB
WORTHWHILE = 2**31  # cells beyond which measuring a model is left alone


@dataclass(frozen=True)
class Judged:
    """Groups by the values of one sensitive column; codes ascend with the values, the last one is missing."""

    groups: Groups
    column: str
    codes: Ints
    values: int

    @classmethod
    def of(cls, groups: Groups, column: str, cells: pa.Array) -> Judged:
        """The counts of a column."""
        codes, size = in_order(cells)
        return cls(groups, column, codes, size + 1)

    @classmethod
    def sizes(cls, groups: Groups) -> Judged:
        """No column: every value is missing."""
        return cls(groups, "", np.zeros(len(groups.labels), np.int32), 1)

    @property
    def cells(self) -> int:
        """Groups times values."""
        return self.groups.count * self.values

    def blocks(self) -> Iterator[tuple[int, Counts]]:
        """How many groups a block holds, and their counts; below them those of all others, unless there are none."""
        width = max(BLOCK // self.values, 1)
        order, starts = self.groups.by_group
        whole = np.bincount(self.codes[self.groups.labels >= 0], minlength=self.values)
        for first in range(0, self.groups.count, width):
            last = min(first + width, self.groups.count)
            rows = order[starts[first] : starts[last]]
            flat = (self.groups.labels[rows].astype(np.int64) - first) * self.values + self.codes[rows]
            counts = np.bincount(flat, minlength=(last - first) * self.values).reshape(-1, self.values)
            others = whole - counts.sum(axis=0)
            yield last - first, np.vstack((counts, others)) if others.any() else counts


def measured(
    models: Mapping[str, type[Model]], groups: Groups, judged: Sequence[Judged]
) -> dict[str, dict[str, float | None]]:
    """What every model measures, for each sensitive column; models without one under the empty name."""
    return {
        name: {of.column: _measured(model, of) for of in (judged if model.needs_sensitive else [Judged.sizes(groups)])}
        for name, model in models.items()
        if judged or not model.needs_sensitive
    }


def _measured(model: type[Model], of: Judged) -> float | None:
    """The measure over all blocks, or None where it would take too long or needs all groups at once."""
    if of.cells > BLOCK and (of.cells > WORTHWHILE or not model.survives_merging):
        return None
    values = [model.measured(counts) for _, counts in of.blocks()]
    # one group of all rows is the best that any grouping gives: the worst lies furthest from it, on whichever side
    best = model.measured(np.bincount(of.codes[of.groups.labels >= 0], minlength=of.values).reshape(1, -1))
    return min(values) if min(values) < best else max(values)


def keep(require: Sequence[Model], groups: Groups, judged: Sequence[Judged]) -> None:
    """Silence, or one refusal for all required models that do not hold."""
    lacking = [model.name for model in require if model.needs_sensitive and not judged]
    if lacking:
        raise RecipeError(f"'{lacking[0]}' speaks about a sensitive column, and none is named", remedy="name it with -s")
    failures = [
        failure
        for model in require
        for of in (judged if model.needs_sensitive else [Judged.sizes(groups)])
        if (failure := _failure(model, of)) is not None
    ]
    if len(failures) == 1:
        raise failures[0]
    if failures:
        lines = "\n".join(f"- {failure}".replace("\n", "\n  ") for failure in failures)
        raise PrivacyNotMet(f"{len(failures)} promises are not kept\n{lines}")


def _failure(model: Model, of: Judged) -> PrivacyNotMet | None:
    verdicts: Flags = np.concatenate([model.safe(counts)[:size] for size, counts in of.blocks()])
    if verdicts.all():
        return None
    rows = int(of.groups.sizes[~verdicts].sum())
    problem = model.failing(int(np.count_nonzero(~verdicts)), of.groups.count, of.column or None)
    return PrivacyNotMet(problem, {"model": _spoken(model), "rows concerned": rows})


def _spoken(model: Model) -> str:
    """A model with its parameters: `l-diversity (l = 3)`."""
    given = ", ".join(f"{field.name} = {getattr(model, field.name)}" for field in fields(cast(Any, model)))
    return f"{model.name} ({given})" if given else model.name
