"""Port: what an engine must be able to do, and what travels between it and the flow of groups.

An engine says its name and what it can't do (see `limits`), and opens a store: a place where one
table is worked on. A store has six verbs, which the flow calls in this order:

| verb | takes | gives |
|---|---|---|
| `look` | a table, wherever it is | the table as codes on axes, once all that is wrong was said |
| `divide` | that | groups that keep every promise |
| `publish` | that | the release as it will be written |
| `recount` | the release alone | groups and promises, counted from its published values |
| `attack` | all of it | what the attacks find that have their turn before every release |
| `measure` | all of it | losses against the original, for the maker alone |

The flow decides the order, the gates, the risks and the certificate; a store decides nothing but
where rows lie and how they are counted there. `LocalEngine(shards=n)` is the specification of all
engines: with the same shards and the same seed each gives its labels, its rows and its public
certificate (`tests/contracts/test_engines.py`, which finds new engines by itself).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypedDict, TypeVar, Unpack

import pyarrow as pa

from shoal.attacks.findings import Findings
from shoal.declare.coding import coded_table
from shoal.declare.understanding.table import understood
from shoal.encode.axes import Axis
from shoal.encode.profile import Profile
from shoal.errors import ShoalError
from shoal.flows.clock import seed_of
from shoal.groups import Groups, Note, Watch
from shoal.ledger.across import Crossed, EarlierReleases
from shoal.ledger.published import PeoplePublished
from shoal.recipe import Plan, Recipe
from shoal.review.certificate import Certificate
from shoal.review.certificate_format import OptimalityGap, ReleaseCertificate, ReleasePrivate
from shoal.review.counterfeits import CounterfeitsOfGroup
from shoal.review.kept_counts import KeptCounts
from shoal.review.losses.published import PublishedView
from shoal.review.measured_model import MeasuredModel
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.risk import Figure
from shoal.review.sources import Source
from shoal.review.what_is_left import ColumnsLeft


class BesideRecipe(TypedDict, total=False):
    """Things that are asked beside a recipe."""

    bound: bool
    """Take time to prove how little any grouping could lose."""
    across: EarlierReleases | None
    """Earlier releases that this one is compared with."""
    typed: Recipe | None
    """The recipe before a look at the table chose what it left open."""


@dataclass(frozen=True)
class Request:
    """Everything that is asked of an engine, with the seed of this run."""

    plan: Plan
    seed: int
    population: Source = None
    thorough: bool = False
    """Whether time is taken to prove how little any grouping could lose."""
    typed: Recipe | None = None
    """The recipe before a look at the table chose what it left open; None where nothing was."""
    across: EarlierReleases | None = None
    """Earlier releases that this one is compared with; None without a ledger."""

    @classmethod
    def of(
        cls, recipe: Recipe, population: Source = None, **beside: Unpack[BesideRecipe]
    ) -> Request:
        """Plan a recipe; refuse one that can't be carried out."""
        if isinstance(population, pa.Table):  # people are counted in cells of coded values
            read = understood(population, recipe.columns_asked)[0]
            population = coded_table(read, recipe.coding)
        plan = recipe.plan().among(population)
        bound = beside.get("bound", False)
        return cls(
            plan, seed_of(recipe), population, bound, beside.get("typed"), beside.get("across")
        )

    @property
    def recipe(self) -> Recipe:
        """The recipe as it was given."""
        return self.plan.recipe

    @property
    def weighed(self) -> bool:
        """Whether weights of rows stand for the people behind them."""
        unknown = self.population is None and self.recipe.population is None
        return self.recipe.weight is not None and unknown


@dataclass(frozen=True, kw_only=True)
class Looked:
    """A table that was looked at. Engines add what they need to go on."""

    rows: int
    names: tuple[str, ...]
    notices: tuple[Note, ...]
    before: Exposure | None = None
    """What the rows would show as they came; None where an engine does not look."""
    axes: tuple[Axis, ...] = ()
    """The different original values of each quasi-identifier, where they are kept for a report."""


@dataclass(frozen=True, kw_only=True)
class Grouped:
    """The groups of a table. Engines add what they need to publish them."""

    withheld: int
    sizes: Mapping[int, int]
    """How many groups have each size."""
    notes: tuple[Note, ...]
    labels: Any = None
    """The group of each input row, as far as an engine keeps it."""
    people: int | None = None
    """How many people are published, where they may have several rows."""
    again: int = 0
    """How many rows are published that the table does not have: of people who left, of nobody."""
    counterfeits: tuple[CounterfeitsOfGroup, ...] | None = None
    """How many rows of each group are about nobody; None where no model asks for such rows."""


@dataclass(frozen=True)
class Recounted:
    """A release recounted from its published values alone; all of its groups are safe."""

    rows: int
    groups: Groups
    models: list[MeasuredModel]
    """Every model with the strictest value that all groups meet."""
    seen: Exposure
    """What risks look at."""
    view: PublishedView
    """What losses of printed cells look at."""
    hash: str | None
    """The hash of the rows as a set; None where nobody saw all of them."""
    kept: KeptCounts
    """What is seen by someone who knows the kept columns too."""
    nearly_unique: tuple[str, ...] = ()
    """Sensitive columns of which most rows have a value of their own."""


@dataclass(frozen=True)
class Measured:
    """Losses against the original, for the maker alone."""

    losses: Mapping[str, float | None]
    bound: OptimalityGap | None = None
    """How much of the loss might be spared at most, where it was proven."""
    different: int | None = None
    """How many different rows there are, where they were counted."""
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The result of a flow: the published table, the groups of the input rows, and all figures."""

    table: Any
    """An Arrow table, or the handle of one that stays where an engine keeps it."""
    groups: Any
    """`Groups`, or what an engine keeps of them; None where each row has a box of its own."""
    certificate: Certificate[ReleaseCertificate, ReleasePrivate]
    losses: Mapping[str, float | None]
    risks: Mapping[str, Mapping[str, Figure]]
    notices: tuple[Note, ...]
    seconds: Mapping[str, float]
    axes: tuple[Axis, ...] = ()
    """The different original values of each quasi-identifier, for the maker alone."""
    columns: ColumnsLeft = field(default_factory=ColumnsLeft)
    """What is left of each quasi-identifier, counted from the published cells."""
    recipe: Recipe | None = None
    """The recipe with everything that a look at the table chose; None in the other flows."""
    view: PublishedView | None = None
    """The published cells, of which a scheme is made; None where each row has its own box."""
    crossed: Crossed | None = None
    """The release beside earlier ones; None without a ledger."""


Origin = TypeVar("Origin")
Table = TypeVar("Table", bound=Looked)
Division = TypeVar("Division", bound=Grouped)
Released = TypeVar("Released")


class Store(ABC, Generic[Origin, Table, Division, Released]):
    """Where one table is worked on: six verbs, called by the flow of groups in their order."""

    @abstractmethod
    def columns(self, source: Origin) -> Sequence[str]:
        """Name the columns of a table; refuse one whose columns or rows can't be told apart."""

    @abstractmethod
    def look(self, source: Origin, request: Request, watch: Watch) -> Table:
        """Encode a table; refuse it once everything wrong with it has been said."""

    @abstractmethod
    def divide(self, table: Table, request: Request, watch: Watch) -> Division:
        """Divide rows into groups that keep every promise, or refuse."""

    @abstractmethod
    def publish(self, table: Table, groups: Division, request: Request, watch: Watch) -> Released:
        """Make the release, its rows in an order that tells nothing."""

    @abstractmethod
    def recount(self, released: Released, request: Request, watch: Watch) -> Recounted:
        """Count groups and promises from the release alone; refuse one that breaks a promise."""

    @abstractmethod
    def attack(
        self, table: Table, groups: Division, released: Released, request: Request
    ) -> Findings:
        """Run the attacks that have their turn before every release (`attacked.withstood`)."""

    @abstractmethod
    def measure(self, table: Table, groups: Division, request: Request) -> Measured:
        """Measure what was lost against the original."""

    def members(self, table: Table, groups: Division, request: Request) -> PeoplePublished:
        """Tell who is published in which group, where there is a ledger (`limits` says where)."""
        raise ShoalError("this engine can't tell who is published", {"published": "nothing"})


class Engine(ABC, Generic[Origin]):
    """Where work on tables is done. `LocalEngine` is the specification of every other."""

    name: ClassVar[str]
    """What users type."""
    called: ClassVar[str]
    """Its name inside a sentence."""
    cannot: ClassVar[tuple[str, ...]] = ()
    """What it can't do: names of `limits.LIMITS`."""
    instead: ClassVar[str] = ""
    """What does it, said behind "leave it out, or"."""

    @abstractmethod
    def counted(self, source: Origin, names: Sequence[str]) -> Sequence[Profile]:
        """Count the different values of some columns, where a recipe asks for percentiles."""

    @abstractmethod
    def opened(self) -> AbstractContextManager[Store[Origin, Any, Any, Any]]:
        """Open a store for one table.

        Where the block ends in an error, nothing that was stored is left behind. Where it ends
        well, what the release needs stays, and is let go with the release.
        """
