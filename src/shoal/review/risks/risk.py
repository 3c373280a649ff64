"""Risk: what every risk figure has in common. It reads the sizes of recounted groups and nothing else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from shoal.groups import Groups


class Risk(ABC):
    """How likely a row is found again: a fraction in [0, 1], lower is better. Withheld rows are at no risk."""

    name: ClassVar[str]
    """What users type."""

    @abstractmethod
    def measure(self, groups: Groups) -> float:
        """The figure for groups recounted from published values; 0 for a table without rows."""
