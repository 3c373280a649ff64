"""Population models: judged beside a table of everybody, of whom the published rows are some.

Such a model reads two numbers for each group: its rows, and the people of the population who look like it. Asked like a
model of groups, without the people, it has no verdict, and so none is safe.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags
from shoal.privacy.column import Column
from shoal.privacy.model import Judged, Model


class PopulationModel(Model):
    """A promise about each group beside the people of the population who look like it."""

    judges: ClassVar[Judged] = "population"
    needs_sensitive = False

    @abstractmethod
    def safe_among(self, rows: Counts, people: Counts) -> Flags:
        """An exact verdict for each group, from its rows and the people who look like it."""

    @abstractmethod
    def measured_among(self, rows: Counts, people: Counts) -> AnyArray:
        """The strictest parameter that each group meets."""

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Without the people there is no verdict."""
        return np.zeros(len(counts), np.bool_)

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Without the people there is no measure."""
        return np.full(len(counts), 0 if self.higher_is_stricter else np.inf)

    def lacks(self, column: Column) -> str | None:
        """People to compare with."""
        return "a table of the population (--population FILE)"
