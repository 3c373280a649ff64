"""`dates`: days and times by the calendar.

| level | label |
|---|---|
| `day` | `2021-03-05` (for columns with a time of day) |
| `month` | `2021-03` |
| `quarter` | `2021-Q1` |
| `year` | `2021` |
| `decade` | `2020s` |

Every level lies within the next, so any choice of them is a tree; `*` stands above. A text column
is read too if all its values are ISO dates. Times with a zone are generalized in UTC, as they are
published.

When to use it: for dates whose months and years mean something to readers; without a hierarchy
dates become intervals that follow each group.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts, Floats, Longs
from shoal.declare.coarseness import Measure
from shoal.declare.columns import Kind, is_text, points_of, text_of
from shoal.declare.hierarchies.hierarchy import Fitted, Hierarchy
from shoal.declare.hierarchies.tree import EVERYTHING
from shoal.errors import DataError, RecipeError, did_you_mean

LEVELS = ("day", "month", "quarter", "year", "decade")
SHAPES = dict(
    zip(LEVELS, (r"\d{4}-\d\d-\d\d", r"\d{4}-\d\d", r"\d{4}-Q\d", r"\d{4}", r"\d{4}s"), strict=True)
)
DAY = 86_400
LENGTHS = {
    "": {"months": 0, "width": 0},
    "day": {"months": 0, "width": 1},
    "month": {"months": 1, "width": 28},
    "quarter": {"months": 3, "width": 90},
    "year": {"months": 12, "width": 365},
    "decade": {"months": 120, "width": 3652},
}
"""How long each level is: in months, and in the fewest days."""


@dataclass(frozen=True)
class Dates(Hierarchy):
    """Dates by month, quarter, year, decade: those levels that are chosen."""

    name = "dates"

    levels: tuple[str, ...] = LEVELS[1:]

    def __post_init__(self) -> None:
        for level in self.levels:
            if level not in LEVELS:
                raise RecipeError(
                    f"'dates' has no level '{level}'", remedy=did_you_mean(level, LEVELS)
                )
        if not self.levels or len(set(self.levels)) < len(self.levels):
            raise RecipeError(
                "levels of 'dates' must be one or more, each once",
                remedy="write levels=[month,year]",
            )

    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        """Put each date under its month, year and so on; refuses values that are no dates."""
        days = _days(values, kind, column)
        columns = [_labels(days, level) for level in LEVELS if level in self.levels]
        texts = text_of(values).to_pylist()
        return Fitted.of_paths(list(zip(texts, *columns, [EVERYTHING] * len(texts), strict=True)))

    def public_shares(self, labels: Sequence[str]) -> tuple[Floats, Floats]:
        """Return the level of each label by height.

        Nobody knows all dates, so leaves are counted alike.
        """
        chosen = [SHAPES[level] for level in LEVELS if level in self.levels]
        steps = [
            next((i for i, shape in enumerate(chosen, 1) if re.fullmatch(shape, label)), 0)
            for label in labels
        ]
        shares = np.array(steps, np.float64) / (len(chosen) + 1)
        return shares, shares

    def coarseness(self, labels: Sequence[str], measure: Measure) -> list[Decimal | None]:
        """Measure labels by their levels, their months, or their fewest days; values have none."""
        chosen = ["", *(level for level in LEVELS if level in self.levels)]
        named = [self.level_said(label) for label in labels]
        levels = [level * (level in chosen) for level in named]
        if measure == "level":
            return [Decimal(chosen.index(level)) for level in levels]
        if measure == "shown":
            return [None] * len(labels)
        return [Decimal(LENGTHS[level][measure]) for level in levels]

    @property
    def levels_said(self) -> tuple[str, ...]:
        """Name the levels: `month`, `year`."""
        return tuple(level for level in LEVELS if level in self.levels)

    def level_said(self, label: str) -> str:
        """Name the level of a label: `year`."""
        return next((level for level in LEVELS if re.fullmatch(SHAPES[level], label)), "")


def _days(values: pa.Array, kind: Kind, column: str) -> Longs:
    """Convert values to days since 1970."""
    if kind == "date":
        return points_of(values, kind).astype(np.int64)
    if kind == "time":
        return np.floor(points_of(values, kind) / DAY).astype(np.int64)
    try:
        if is_text(values.type):
            return points_of(pc.cast(values, pa.date32()), "date").astype(np.int64)
    except pa.ArrowInvalid:
        pass
    raise DataError(
        f"column '{column}' holds no dates",
        remedy="turn it into dates, or give it another hierarchy",
    )


def _labels(days: Longs, level: str) -> list[str]:
    if level == "day":
        return [str(day) for day in days.astype("datetime64[D]")]
    months = (
        days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + 1970 * 12
    ).tolist()
    if level == "month":
        return [f"{month // 12:04d}-{month % 12 + 1:02d}" for month in months]
    if level == "quarter":
        return [f"{month // 12:04d}-Q{month % 12 // 3 + 1}" for month in months]
    return [
        f"{month // 12:04d}" if level == "year" else f"{month // 120 * 10:04d}s" for month in months
    ]
