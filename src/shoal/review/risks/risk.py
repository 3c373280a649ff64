"""Risk: the parts that all risk figures share.

A risk reads an exposure, which is recounted from published values alone.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

from shoal.review.risks.exposure import Exposure

Figure = float | None | Mapping[str, float | None]
Question = Literal["singling out", "linkability", "inference"]


class Risk(ABC):
    """The chance that a person is found or something is learnt, in [0, 1]; lower is better.

    Withheld rows are at no risk.
    """

    name: ClassVar[str]
    """The name that users type."""
    question: ClassVar[Question]
    """The aim of an adversary: one row apart, a name for a row, or a value of a person."""
    needs_population: ClassVar[bool] = False
    """True if the risk needs the number of people that the rows come from."""

    @abstractmethod
    def measure(self, seen: Exposure) -> Figure:
        """Compute the figure, by column where it is about sensitive ones.

        0 for a table without rows, None where unknown.
        """

    def baseline(self, seen: Exposure) -> Figure:
        """Compute the figure of a table that tells nothing: its quasi-identifiers are all `*`."""
        return self.measure(seen.blind)


def plain(figure: Figure) -> Figure:
    """Convert a figure for JSON: None for what is not finite."""
    if isinstance(figure, Mapping):
        return {part: _finite(value) for part, value in figure.items()}
    return _finite(figure)


def worst(figure: Figure) -> float | None:
    """Reduce a figure to one number: the highest where it has parts."""
    if isinstance(figure, Mapping):
        return max((value for value in figure.values() if value is not None), default=None)
    return figure


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
