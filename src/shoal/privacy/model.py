"""Model: what every privacy model has in common. It judges counts, never rows, so it works on any engine."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import MISSING, fields
from typing import Any, ClassVar, cast

from shoal.arrays import Counts, Flags
from shoal.errors import RecipeError


class Model(ABC):
    """A promise about groups. Its parameters are the fields of a frozen dataclass.

    `counts[group, value]` counts the rows of each group by sensitive value; the last value is *missing*, which counts
    towards the size of a group and never towards its diversity. Without a sensitive column there is that one column only.
    """

    name: ClassVar[str]
    """What users type."""
    needs_sensitive: ClassVar[bool] = True
    """Whether it speaks about a sensitive column."""
    survives_merging: ClassVar[bool] = True
    """Whether the union of two safe groups is always safe; argued in each model's file."""

    def _refuse_below(self, name: str, least: float) -> None:
        """Refuse a parameter that promises nothing."""
        if not getattr(self, name) >= least:
            problem = f"{name} of '{self.name}' must be at least {least}, not {getattr(self, name)}"
            raise RecipeError(problem, remedy=f"write {self.name}:{name}={max(least, 2):g}")

    @property
    def least(self) -> int:
        """The smallest size a safe group can have."""
        return 1

    @property
    def spoken(self) -> str:
        """The model with its parameters, as people say it: `l-diversity (l = 3)`."""
        given = ", ".join(f"{name} = {value}" for name, value in vars(self).items())
        return f"{self.name} ({given})" if given else self.name

    @abstractmethod
    def safe(self, counts: Counts) -> Flags:
        """An exact verdict for each group."""

    @abstractmethod
    def measure(self, counts: Counts) -> float:
        """The strictest parameter that all groups together meet."""

    @classmethod
    def measured(cls, counts: Counts) -> float:
        """The same of a table nobody made a promise about, as an audit does.

        Parameters without a default are promises, which `measure` does not read: 1 stands in for them. Those with a
        default (a distance, a form) say how to measure, and keep it.
        """
        promises = [field.name for field in fields(cast(Any, cls)) if field.default is MISSING]
        return cls(**dict.fromkeys(promises, 1)).measure(counts)

    @abstractmethod
    def failing(self, groups: int, of: int, column: str | None) -> str:
        """In the user's words: so many of so many groups do not keep the promise."""
