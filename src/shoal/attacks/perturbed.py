"""Perturbed: the material of attacks on a distortion.

*The attacker knows* the method with its parameters (they are public) and so the covariance of the
noise, the least and largest value of each column, and which columns hold whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.arrays import Flags, Floats

ROWS = 10_000  # attacked at most, from the top: orbits run downward


@dataclass(frozen=True)
class Perturbed:
    """Numbers before and after noise as `[rows, columns]` in published order; NaN is missing."""

    original: Floats
    published: Floats
    low: Floats
    high: Floats
    scale: float
    r: float = 4.0
    rows: int | None = None  # of the whole table, where these are some of it
    shuffled: bool = False
    names: tuple[str, ...] = ()

    def called(self, place: int) -> str:
        """The name of a column, or its number where names are not known."""
        return self.names[place] if self.names else str(place + 1)

    @property
    def share(self) -> float:
        """The share of the table's rows that are here."""
        return len(self.original) / (self.rows or len(self.original))

    @cached_property
    def whole(self) -> Flags:
        """Columns of whole numbers."""
        return np.asarray(
            (np.isnan(self.original) | (self.original == np.round(self.original))).all(axis=0),
            np.bool_,
        )

    @cached_property
    def reach(self) -> Floats:
        """The width of the noise of each column, as the attacker reckons."""
        return self.scale * (self.high - self.low)

    @cached_property
    def varies(self) -> Flags:
        """Columns that were perturbed at all, and have values here."""
        return np.asarray((self.high > self.low) & ~np.isnan(self.published).all(axis=0), np.bool_)

    @cached_property
    def filled(self) -> Floats:
        """The published values of varying columns, scaled to 0 to 1, gaps filled by means."""
        values = (self.published - self.low)[:, self.varies] / (self.high - self.low)[self.varies]
        return np.asarray(
            np.where(np.isnan(values), np.nanmean(values, axis=0), values), np.float64
        )

    @cached_property
    def truth(self) -> Floats:
        """The original values of varying columns, scaled alike; missing values stay NaN."""
        return np.asarray(
            (self.original - self.low)[:, self.varies] / (self.high - self.low)[self.varies],
            np.float64,
        )

    @cached_property
    def noise(self) -> Floats:
        """The covariance of the noise, in shares of the ranges.

        The attacker knows it: the method and its parameters are public, only its numbers are not.
        """
        return covariance(np.nan_to_num(self.filled - self.truth))

    @cached_property
    def tried(self) -> Flags:
        """Cells that an attack can regain: those that have a value and were perturbed."""
        return np.asarray(~np.isnan(self.original) & self.varies, np.bool_)

    @cached_property
    def read(self) -> Floats:
        """The plain guess: what is published, rounded where values are whole."""
        return np.where(self.whole, np.round(self.published), self.published)

    def exact(self, guess: Floats) -> Flags:
        """Mark guesses that are right, to the whole number or to a billionth of the range."""
        near = np.where(self.whole, 0.5, 1e-9 * (self.high - self.low))
        return np.asarray(np.abs(guess - self.original) < near, np.bool_)


def covariance(values: Floats) -> Floats:
    """Compute the covariance matrix of columns, also of one column or one row."""
    apart = values - values.mean(axis=0)
    return np.asarray(apart.T @ apart / max(len(values) - 1, 1), np.float64)
