"""Loss by column, by row and by kind of people: who paid for a release.

For its maker alone: it points at rows.

    of a column   the mean over all rows of the loss of its cells, by height and by leaves; a
                  withheld row counts 1
    of a row      the mean height loss of its cells, 1 where it is withheld
    of people     the mean row loss of those who share a value, as in `worst-subgroup-loss`

The means over columns are the losses that the release reports: `height-share` and `leaf-share`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.declare.columns import text_of
from shoal.review.losses.loss import Evidence
from shoal.review.losses.worst_subgroup_loss import frequent

STEPS = 20  # of the histogram, from 0 to 1
DEAREST = 20  # rows and kinds of people that are named


@dataclass(frozen=True)
class ColumnPaid:
    """The loss of one quasi-identifier."""

    name: str
    height: float
    leaves: float


@dataclass(frozen=True)
class PeoplePaid:
    """The rows and the mean loss of those who share a value (None: it is missing)."""

    column: str
    value: str | None
    rows: int
    loss: float


@dataclass(frozen=True)
class Paid:
    """Losses of the columns in their order, of rows by steps, of the dearest rows and people."""

    columns: tuple[ColumnPaid, ...]
    histogram: Longs
    dearest: Longs
    people: tuple[PeoplePaid, ...]
    of_rows: Floats


def paid(evidence: Evidence) -> Paid:
    """Measure the loss of each column, and the dearest rows and people."""
    losses = evidence.row_losses
    # a step holds its lower end; the last step holds both ends
    place = np.minimum((losses * STEPS + 1e-9).astype(np.int64), STEPS - 1)
    dearest = np.argsort(-losses, kind="stable")[:DEAREST]
    people = sorted(_people(evidence), key=lambda one: -one.loss)[:DEAREST]
    return Paid(
        tuple(_columns(evidence)),
        np.bincount(place, minlength=STEPS),
        dearest,
        tuple(people),
        losses,
    )


def _columns(evidence: Evidence) -> Iterator[ColumnPaid]:
    lo, hi = evidence.boxes
    for a, axis in enumerate(evidence.rows.axes):
        both = (evidence.heights[a], axis.leaf_shares(lo[a], hi[a]))
        means = (
            (losses @ evidence.groups.sizes + evidence.groups.withheld)
            / max(evidence.rows.count, 1)
            for losses in both
        )
        yield ColumnPaid(axis.name, *map(float, means))


def _people(evidence: Evidence) -> Iterator[PeoplePaid]:
    for a, axis in enumerate(evidence.rows.axes):
        if axis.tree is not None:
            texts = [*text_of(axis.values).to_pylist(), None]
            for code, rows, mean in zip(*frequent(evidence, a), strict=True):
                yield PeoplePaid(axis.name, texts[code], int(rows), float(mean))
