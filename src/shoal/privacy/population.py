"""Population models: judged beside a table of everybody, of whom the published rows are some.

Such a model reads two numbers for each group: its rows, and the people of the population who look
like it. Asked like a model of groups, without the people, it has no verdict, and so none is safe.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.arrays import AnyArray, Counts, Flags
from shoal.privacy.column import Column
from shoal.privacy.model import Judged, Model
from shoal.wording import FILE, Sentence, Set


class Crowd(NamedTuple):
    """For each group, the people who look like it, and how many of them look like another too."""

    people: Counts
    shared: Counts


class PopulationModel(Model):
    """A promise about each group beside the people of the population who look like it."""

    judges: ClassVar[Judged] = "population"
    needs_sensitive = False
    apart: ClassVar[bool] = False
    """True if there is a verdict only where nobody of the population looks like two groups."""

    def verdicts(self, rows: Counts, crowd: Crowd) -> Flags:
        """Judge each group exactly, among the people who look like it.

        Where groups have to be apart, none that shares people is safe.
        """
        verdicts = self.safe_among(rows, crowd.people)
        return verdicts & (crowd.shared == 0) if self.apart else verdicts

    def measures_beside(self, rows: Counts, crowd: Crowd) -> AnyArray:
        """Compute the strictest parameter that each group meets.

        A group that shares people and must not meets none.
        """
        measures = self.measured_among(rows, crowd.people)
        if not self.apart:
            return measures
        return np.where(crowd.shared > 0, 0 if self.higher_is_stricter else np.inf, measures)

    @abstractmethod
    def safe_among(self, rows: Counts, people: Counts) -> Flags:
        """Judge each group exactly, from its rows and the people who look like it."""

    @abstractmethod
    def measured_among(self, rows: Counts, people: Counts) -> AnyArray:
        """Compute the strictest parameter that each group meets."""

    def safe(self, counts: Counts, column: Column) -> Flags:
        """Call no group safe: without the people there is no verdict."""
        return np.zeros(len(counts), np.bool_)

    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Return the weakest parameter: without the people there is no measure."""
        return np.full(len(counts), 0 if self.higher_is_stricter else np.inf)

    def lacks(self, column: Column) -> str | None:
        """Name what is needed: people to compare with."""
        return Sentence(Set("population", FILE, "a table of the population"))
