"""Loss: what every metric of a grouping has in common, and the evidence it weighs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from shoal.arrays import AnyArray, Floats, Ints
from shoal.encode.axes import Axis
from shoal.encode.rows import Rows
from shoal.groups import Groups
from shoal.kernels import costs as kernels
from shoal.review.losses.centres import errors_of
from shoal.review.losses.held import HeldCodes, held


@dataclass(frozen=True)
class Evidence:
    """A grouping and its rows: all that a loss may look at. Withheld rows are charged in full."""

    rows: Rows
    groups: Groups
    k: int = 1  # the least size that was asked for, which the bounds lean on
    # Boxes that are not the least around their groups: each row its own.
    given: tuple[Ints, Ints] | None = None

    @cached_property
    def boxes(self) -> tuple[Ints, Ints]:
        """The least box of each group, or the one given: lo[axis, group], hi[axis, group]."""
        return self.given or kernels.boxes(self.rows.codes, self.groups.labels, self.groups.count)

    @cached_property
    def heights(self) -> Floats:
        """The height loss of each group on each axis: [axis, group]."""
        return self.by_axis(Axis.heights)

    def by_axis(self, weigh: Callable[[Axis, Ints, Ints], Floats]) -> Floats:
        """Weigh the box of each group on each axis: [axis, group]."""
        lo, hi = self.boxes
        losses = [weigh(axis, lo[a], hi[a]) for a, axis in enumerate(self.rows.axes)]
        return np.array(losses).reshape(lo.shape)

    @cached_property
    def held(self) -> tuple[HeldCodes, ...]:
        """The number of rows of each group that hold each code, axis by axis."""
        return tuple(
            held(axis, self.rows.codes[a], self.groups) for a, axis in enumerate(self.rows.axes)
        )

    @cached_property
    def squared_errors(self) -> tuple[float, ...]:
        """The squared distances of rows to the centres of their groups, summed on each axis.

        Withheld rows are left out.
        """
        pairs = zip(self.rows.axes, self.held, strict=True)
        return tuple(
            float(errors_of(axis, held, self.groups.count) @ held.times) for axis, held in pairs
        )

    @cached_property
    def row_losses(self) -> Floats:
        """The mean height loss per cell of each row, 1 where it is withheld."""
        return self.of_rows(
            self.heights.mean(axis=0) if len(self.rows.axes) else np.zeros(self.groups.count), 1.0
        )

    @property
    def cells(self) -> int:
        """Rows times axes, withheld ones among them."""
        return self.rows.count * len(self.rows.axes)

    def per_cell(self, losses: Floats) -> float:
        """Average a loss of each axis and group over cells; withheld rows lose everything."""
        kept = float((losses.sum(axis=0) * self.groups.sizes).sum())
        return (kept + self.groups.withheld * len(self.rows.axes)) / max(self.cells, 1)

    def of_rows(self, of_groups: AnyArray, withheld: float) -> Floats:
        """Hand a figure of each group to its rows, and another to the withheld ones."""
        # Label -1 (withheld) reads the last place.
        return np.asarray(np.append(of_groups, withheld)[self.groups.labels], np.float64)


class Loss(ABC):
    """A number about a grouping; lower is better unless its page says otherwise."""

    name: ClassVar[str]
    """The name that users type."""
    of_boxes: ClassVar[bool] = False
    """True if the loss needs only the boxes of rows, so that each row may have its own box."""
    adds: ClassVar[Literal["", "sum", "rows"]] = ""
    """The way to add it up over shards: as a sum, as a mean over rows, or not at all."""

    @abstractmethod
    def measure(self, evidence: Evidence) -> float | None:
        """Compute the figure; None where it means nothing for this table."""
