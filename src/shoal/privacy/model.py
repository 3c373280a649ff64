"""Model: the parts that all privacy models share.

A model judges counts, never rows, so it works on any engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from math import ceil, floor, isfinite, log10
from typing import Any, ClassVar, Literal, Self, cast

from shoal.arrays import AnyArray, Counts, Flags
from shoal.errors import RecipeError, did_you_mean
from shoal.kernels.guards import Rule
from shoal.privacy.column import Column
from shoal.wording import FILE, Sentence, Set

Judged = Literal["group", "release", "population"]
# A value to begin with, and the least and the most that people choose.
Usual = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Guarding:
    """The parameter that all models share."""

    on: tuple[str, ...] = ()
    """The sensitive columns that the model guards; all of them where none is named."""


class Model(Guarding, ABC):
    """A promise about groups. Its parameters are the fields of a frozen dataclass.

    `counts[group, value]` counts the rows of each group by sensitive value; the last value is
    *missing*, which counts towards the size of a group and never towards its diversity. Without a
    sensitive column there is that one column only. `column` tells the values' names, numbers,
    hierarchy, and how often each occurs among all published rows.
    """

    name: ClassVar[str]
    """The name that users type."""
    promise: ClassVar[str]
    """The parameter that is measured."""
    usual: ClassVar[Mapping[str, Usual]] = {}
    """For parameters without a default: a value to begin with, and the usual range."""
    higher_is_stricter: ClassVar[bool] = False
    """True if a higher parameter promises more."""
    needs_sensitive: ClassVar[bool] = True
    """True if the model speaks about a sensitive column."""
    survives_merging: bool = True
    """True if the union of two safe groups is always safe; argued in each model's file."""
    only_more_helps: ClassVar[bool] = False
    """True if leaving rows out never makes a group safe: then one group of all rows is best."""

    @property
    def survives_recoding(self) -> bool:
        """True if one scheme for all rows stays safe when a column moves to a higher level.

        Groups then become unions of groups.
        """
        return self.survives_merging

    values: tuple[str, ...] = ()
    """Sensitive values that it guards by name; all of them where none is named."""
    balances: ClassVar[bool] = False
    """True if groups are made for it alone, and filled up with rows of nobody where need be."""
    judges: ClassVar[Judged] = "group"
    """The scope of a verdict: a group, groups seen on some columns, or groups in a population."""

    def _refuse_unless(self, fine: bool, name: str, words: str, example: object) -> None:
        """Refuse a parameter that promises nothing, or what can't be."""
        if not fine:
            problem = f"{name} of '{self.name}' must be {words}, not {getattr(self, name)}"
            raise RecipeError(problem, remedy=f"write {self.name}:{name}={example}")

    def _refuse_below(self, name: str, least: float) -> None:
        """Refuse a parameter that is too low."""
        self._refuse_unless(
            getattr(self, name) >= least, name, f"at least {least}", f"{max(least, 2):g}"
        )

    @property
    def least(self) -> int:
        """The smallest size a safe group can have."""
        return 1

    @property
    def needs_hierarchy(self) -> bool:
        """True if the model measures along a hierarchy of the sensitive column."""
        return False

    @property
    def reads_absent(self) -> bool:
        """True if it matters which values a group lacks, and not only their number of rows."""
        return False

    @property
    def columns_known(self) -> int | None:
        """The number of quasi-identifiers that an attacker knows at a time; None: all."""
        return None

    @property
    def spoken(self) -> str:
        """The model with its parameters, as people say it: `l-diversity (l = 3)`.

        Values that are named are counted, never told: they are cells.
        """
        shown = {
            name: f"{len(value)} named" if isinstance(value, tuple) else value
            for name, value in self.own_parameters.items()
        }
        given = [
            f"{name} = {value}" for name, value in shown.items() if value not in (None, "0 named")
        ]
        given += [f"on {', '.join(self.on)}"] if self.on else []
        return f"{self.name} ({', '.join(given)})" if given else self.name

    @property
    def own_parameters(self) -> dict[str, Any]:
        """The parameters with their values, without the columns that the model guards."""
        return {name: value for name, value in vars(self).items() if name != "on"}

    @property
    def names_values(self) -> bool:
        """True if sensitive values are named, which are cells and are never told."""
        return any(isinstance(value, tuple) and value for value in self.own_parameters.values())

    def guards(self, column: str) -> bool:
        """Tell whether the model speaks about a sensitive column."""
        return self.needs_sensitive and (not self.on or column in self.on)

    def sparing(self, columns: Sequence[str], sensitive: Sequence[str]) -> Self | None:
        """Return the model as it is without guarding some columns; None where none is left."""
        if not self.needs_sensitive:
            return self
        before = [name for name in sensitive if self.guards(name)]
        rest = tuple(name for name in before if name not in columns)
        if len(rest) == len(before):
            return self
        return replace(cast(Any, self), on=rest) if rest else None

    def unguarded(self, sensitive: Sequence[str]) -> list[RecipeError]:
        """List columns that the model is to guard and that are not sensitive, as errors."""
        if self.on and not self.needs_sensitive:
            problem = f"model '{self.name}' speaks about no sensitive column, and so takes no 'on'"
            return [RecipeError(problem, remedy="leave 'on' out")]
        return [
            RecipeError(
                f"model '{self.name}' is to guard '{name}', which is no sensitive column",
                remedy=did_you_mean(name, sensitive),
            )
            for name in self.on
            if name not in sensitive
        ]

    @property
    def own_k(self) -> int | None:
        """The k that the model was given beside that of its recipe; None where it has none."""
        return None

    def under(self, k: int) -> Self:
        """Return the model in a recipe with this k; some take it from there."""
        return self

    def lacks(self, column: Column) -> str | None:
        """Name what is needed to judge this column; None where nothing is lacking."""
        if self.needs_hierarchy and column.tree is None:
            tree = Set("hierarchies", {column.name: FILE}, f"the hierarchy of '{column.name}'")
            return Sentence(tree)
        return None

    def rule(self, column: Column) -> Rule | None:
        """Return the model as kernels test it while they build groups.

        None where kernels can't: then groups are merged afterwards.

        A rule may refuse what the model calls safe, and never the other way round.
        """
        return None

    @abstractmethod
    def safe(self, counts: Counts, column: Column) -> Flags:
        """Judge each group exactly."""

    @abstractmethod
    def measures(self, counts: Counts, column: Column) -> AnyArray:
        """Compute the strictest parameter that each group meets."""

    def worst(self, measures: AnyArray) -> float:
        """Return the strictest parameter that all groups meet; 0 for a table without rows."""
        if not len(measures):
            return 0
        strictest = measures.min() if self.higher_is_stricter else measures.max()
        return cast(float, strictest.item())

    @classmethod
    def unpromised(cls) -> Model:
        """Make a model that measures a table without a promise, as an audit does.

        Parameters without a default are promises, which `measures` does not read: 1 stands in for
        them. Those with a default (a distance, a form) say how to measure, and keep it.
        """
        promises = [field.name for field in fields(cast(Any, cls)) if field.default is MISSING]
        model: Model = cast(Any, cls)(**dict.fromkeys(promises, 1))
        return model

    @abstractmethod
    def failing(self, who: str, column: str | None) -> str:
        """Say that some groups (`12 of 8,140 groups`) or all rows do not keep the promise."""

    def feasible(self, measured: float) -> str | None:
        """Spell a promise that would hold, as it can be typed; None where there is none.

        The measured parameter is rounded to the side that holds.
        """
        own = self.own_parameters
        if not isfinite(measured) or measured <= 0 or self.names_values:
            return None
        if isinstance(measured, float):
            measured = self._rounded(measured)
        usual = {field.name: field.default for field in fields(cast(Any, self))}
        given = {**own, self.promise: measured}
        parts = [
            f"{name}={value:.12g}" if isinstance(value, float) else f"{name}={value}"
            for name, value in given.items()
            if value != usual[name] and not isinstance(value, tuple)
        ]
        parts += [f"on={';'.join(self.on)}"] if self.on else []
        return f"{self.name}:{','.join(parts)}"

    def _rounded(self, measured: float) -> float:
        """Round to four digits, to the side on which a promise is easier to keep."""
        digits = 10.0 ** (3 - floor(log10(measured)))
        if self.higher_is_stricter:
            return floor(measured * digits) / digits
        return ceil(measured * digits) / digits


def known(counts: Counts) -> Counts:
    """Count the rows of each group that have a value."""
    return cast(Counts, counts[:, :-1].sum(axis=1))


def highest(counts: Counts) -> Counts:
    """Count the rows of each group that hold its most frequent value."""
    return cast(Counts, counts[:, :-1].max(axis=1, initial=0))


def different(counts: Counts) -> Counts:
    """Count the different values of each group; missing is none of them."""
    return cast(Counts, (counts[:, :-1] > 0).sum(axis=1))
