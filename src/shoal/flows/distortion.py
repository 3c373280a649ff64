"""Distorting: numbers in, perturbed numbers out, once our own attacks have had their turn.

    numbers = the columns that were named                  (distortions/numbers)
    perturbed = the method at work on them                 (distortions)
    findings = every attack on distortions                 (attacks): one that gates and succeeds,
    and nothing leaves
    effects = what it did to values and to clusters        (review/effects)

No promise like k is made or recounted here: noise protects as far as attacks fail, and the
certificate names those that have failed. `as_published` publishes what an attack has broken, as a
paper described it, and the certificate says so. Attacks and effects look at ROWS rows at most. A
table that does not fit into memory goes `through` part by part, and comes out the same as one that
does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.arrays import Floats
from shoal.attacks.findings import Findings
from shoal.attacks.nearest_code import decoded
from shoal.attacks.perturbed import ROWS, Perturbed
from shoal.attacks.plain_reading import read_off
from shoal.declare.roles import check_table
from shoal.distortions.chance import Chance
from shoal.distortions.distortion import Distortion, Stream
from shoal.distortions.numbers import chosen, decimals_of, values_of, widened, with_values
from shoal.distortions.parts import TableParts
from shoal.distortions.shape import Shape
from shoal.errors import DataError, RecipeError
from shoal.flows.clock import Clock, Stage, unstaged
from shoal.flows.distortion_attacks import DEFAULT, attacked, measured, on_numbers, refuse_broken
from shoal.groups import Note, Watch, unwatched
from shoal.review.certificate import Certificate
from shoal.review.certificate_format import (
    FORMAT,
    DistortedColumns,
    DistortionAttack,
    DistortionCertificate,
    DistortionPrivate,
)
from shoal.review.fingerprint import fingerprint
from shoal.wording import Remedy, Set

PerturbedCertificate = Certificate[DistortionCertificate, DistortionPrivate]
NOT_PROMISED = (
    "This is not differential privacy, and nobody is hidden among k others: "
    "noise protects as far as attacks fail.",
    "Whoever has a person's exact values finds their row by its nearness far more often than by "
    "chance (see nearest-record).",
    "Columns whose values lie far apart may be read off as they were by whoever rounds them.",
    "Nothing is promised about this table together with others.",
)
REPEATABLE = "Repeatable, do not publish: whoever finds the seed takes all noise off again."
AS_PUBLISHED = "Published whatever attacks found: they may take the protection off."
UNHASHED = "The rows have no hash: they were published part by part."


@dataclass(frozen=True)
class DistortionRequest:
    """A distortion as it is asked for, in plain data."""

    columns: Sequence[str] | str = "all"
    method: str = DEFAULT
    rounded: bool = False
    shuffled: bool = False
    clusters: int = 4
    as_published: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.clusters < 1:
            raise RecipeError(
                f"{self.clusters} clusters are too few", remedy=Remedy(Set("clusters", 4))
            )
        if self.seed is not None and self.seed < 0:
            raise RecipeError("a seed is a whole number from 0 on", remedy=Remedy(Set("seed", 7)))
        self.make()

    def make(self) -> Distortion:
        """Make the method with its parameters."""
        return registry.make(Distortion, self.method)


@dataclass(frozen=True)
class DistortionOutcome:
    """The perturbed table and its figures; the table is None where it went through in parts."""

    table: pa.Table | None
    certificate: PerturbedCertificate
    findings: Findings
    effects: Mapping[str, float | None]
    notices: tuple[Note, ...]
    seconds: Mapping[str, float]


def run(table: pa.Table, asked: DistortionRequest, stage: Stage = unstaged) -> DistortionOutcome:
    """Perturb a table; return it with what attacks found, or refuse and publish nothing."""
    clock = Clock(stage)
    with clock("looking at the table") as watch:
        check_table(table)
        work = Perturbing.begin(TableParts.of(table), asked, watch)
    with clock("perturbing"):
        values = np.concatenate([work.perturbed(part) for part in work.parts.read()])
        published = work.with_values(table, values)
    audit = work.audited(table, published, clock)
    with clock("fingerprinting"):
        if asked.shuffled:
            published = published.take(pa.array(work.chance.order(table.num_rows)))
        mark = fingerprint(published)
    return work.outcome(published, audit, mark, clock)


def through(
    parts: TableParts,
    asked: DistortionRequest,
    publish: Callable[[pa.Table], None],
    stage: Stage = unstaged,
) -> DistortionOutcome:
    """Perturb a table part by part and hand each part on.

    Whoever takes the parts must keep them back if a refusal is raised.
    """
    clock = Clock(stage)
    if asked.shuffled:
        raise RecipeError(
            "rows that are published part by part can't be shuffled",
            remedy=Remedy(Set("shuffled", False)),
        )
    with clock("looking at the table") as watch:
        work = Perturbing.begin(parts, asked, watch)
    audit: Tried | None = None
    done = 0
    schema = None
    for part in parts.read():
        with clock("perturbing") as watch:
            watch(done / parts.rows)
            published = widened(work.with_values(part, work.perturbed(part)), work.moved)
        audit = audit or work.audited(part, published, clock)
        schema = schema or published.schema
        _refuse_unlike(schema, published.schema)
        with clock("writing") as watch:
            watch(done / parts.rows)
            publish(published)
        done += part.num_rows
    assert audit is not None
    return work.outcome(None, audit, None, clock)


@dataclass(frozen=True)
class Tried:
    """Findings of attacks and effects in the rows at the top, and columns that can be read off."""

    findings: Findings
    effects: Mapping[str, float | None]
    readable: tuple[str, ...]


@dataclass(frozen=True)
class Perturbing:
    """A distortion that knows its table: what is left to do is to take the rows."""

    asked: DistortionRequest
    method: Distortion
    parts: TableParts
    names: tuple[str, ...]
    shape: Shape
    chance: Chance
    stream: Stream
    decimals: Sequence[int | None]

    @classmethod
    def begin(
        cls, parts: TableParts, asked: DistortionRequest, watch: Watch = unwatched
    ) -> Perturbing:
        """Look at the whole table; refuse what can't be perturbed."""
        names = chosen(parts.schema, asked.columns)
        method = asked.make()
        if parts.rows < asked.clusters:
            raise DataError(
                f"{parts.rows:,} rows can't form {asked.clusters:,} clusters",
                remedy=Remedy(Set("clusters", parts.rows)),
            )
        values = _Values(parts, names, watch, readings=3 if asked.rounded else 2)
        shape = Shape.of(values, names)
        chance = Chance.secret() if asked.seed is None else Chance.seeded(asked.seed)
        decimals = _most_decimals(values) if asked.rounded else [None] * len(names)
        return cls(
            asked, method, parts, names, shape, chance, method.begin(shape, chance), decimals
        )

    @property
    def notices(self) -> tuple[Note, ...]:
        """Notes of the method, for the maker alone."""
        return self.stream.notes()

    def perturbed(self, part: pa.Table) -> Floats:
        """Perturb the next rows."""
        return self.stream.more(values_of(part, self.names))

    @property
    def moved(self) -> tuple[str, ...]:
        """Columns that vary: of one value, noise has nothing to go by."""
        return tuple(
            name for name, range_ in zip(self.names, self.shape.range, strict=True) if range_ > 0
        )

    def with_values(self, part: pa.Table, values: Floats) -> pa.Table:
        """Show rows as they are published; a column of one value stays as it is."""
        varies = np.flatnonzero(self.shape.range > 0).tolist()
        return with_values(
            part, self.moved, values[:, varies], [self.decimals[place] for place in varies]
        )

    def audited(self, original: pa.Table, published: pa.Table, clock: Clock) -> Tried:
        """Attack and measure the rows at the top; refuse where an attack that gates succeeds."""
        before = values_of(original.slice(0, ROWS), self.names)
        after = values_of(published.slice(0, ROWS), self.names)
        if self.asked.shuffled:
            # Rows of one stretch, in which the attacker must search; the first one is known.
            mixed = np.concatenate(([0], 1 + self.chance.order(len(before) - 1)))
            before = before[mixed]
            after = after[mixed]
        with clock("attacking"):
            numbers = self._perturbed(before, after)
            findings = attacked(numbers)
            if not self.asked.as_published:
                refuse_broken(findings, self.method)
        with clock("measuring"):
            effects = measured(before, after, self.shape, self.asked.clusters)
        return Tried(findings, effects, self._readable(numbers))

    def _perturbed(self, before: Floats, after: Floats) -> Perturbed:
        """Put values before and after together with what an attacker may know of the method."""
        r = self.method.orbit_parameter
        ends = (self.shape.low, self.shape.high)
        return Perturbed(
            before,
            after,
            *ends,
            self.method.scale,
            r,
            self.shape.rows,
            self.asked.shuffled,
            self.names,
        )

    def _readable(self, numbers: Perturbed) -> tuple[str, ...]:
        """Name the columns of which more than half of the values tried can be read off."""
        plain = read_off(numbers).sum(axis=0)
        by_code = decoded(numbers).sum(axis=0)
        alike = np.maximum(plain, by_code) * 2 > numbers.tried.sum(axis=0)
        readable = zip(self.names, alike & numbers.varies, strict=True)
        return tuple(name for name, read in readable if read)

    def outcome(
        self, published: pa.Table | None, audit: Tried, mark: str | None, clock: Clock
    ) -> DistortionOutcome:
        """Put everything together when it is done."""
        return DistortionOutcome(
            published,
            self.certificate(audit, mark),
            audit.findings,
            audit.effects,
            self.notices,
            clock.seconds,
        )

    def certificate(self, audit: Tried, mark: str | None) -> PerturbedCertificate:
        """State what may be known, and what follows from the original.

        The method is no secret, its random numbers are.
        """
        others = [name for name in self.parts.schema.names if name not in self.names]
        columns = DistortedColumns(perturbed=list(self.names), as_they_were=others)
        private = DistortionPrivate(
            seed=self.asked.seed,
            clusters=self.asked.clusters,
            effects=dict(audit.effects),
            notes=[str(note) for note in self.notices],
            attacks=[
                DistortionAttack(**each.stated(), limit=each.limit, refuses=each.refuses)
                for each in audit.findings.all
            ],
            read_off=list(audit.readable),
        )
        return Certificate(public_of(self.asked, columns, self.parts.rows, mark), private)


def public_of(
    asked: DistortionRequest, columns: DistortedColumns, rows: int, mark: str | None
) -> DistortionCertificate:
    """State what the table and the request tell, and nothing that follows from the original."""
    said = {
        REPEATABLE: asked.seed is not None,
        AS_PUBLISHED: asked.as_published,
        UNHASHED: mark is None,
    }
    return DistortionCertificate(
        format=FORMAT,
        kind="distortion",
        shoal=registry.version(),
        rows=rows,
        method=registry.spell(asked.make()),
        columns=columns,
        rounded=asked.rounded,
        shuffled=asked.shuffled,
        attacks=[] if asked.as_published else [*on_numbers()],
        hash=mark,
        not_promised=[*(sentence for sentence, holds in said.items() if holds), *NOT_PROMISED],
    )


@dataclass
class _Values:
    """The numbers of a table, read part by part; the watch is told the share of all readings."""

    parts: TableParts
    names: tuple[str, ...]
    watch: Watch
    readings: int
    done: int = 0

    def __iter__(self) -> Iterator[Floats]:
        for part in self.parts.read(self.names):
            yield values_of(part, self.names)
            self.done += part.num_rows
            self.watch(self.done / (self.readings * self.parts.rows))


def _most_decimals(values: Iterable[Floats]) -> list[int | None]:
    """Count the decimals of each column's values, over all parts."""
    return [max(column) for column in zip(*map(decimals_of, values), strict=True)]


def _refuse_unlike(first: pa.Schema, other: pa.Schema) -> None:
    """Refuse parts of different types: whole numbers near the end of 64 bits may leave theirs."""
    unlike = [name for name in first.names if first.field(name).type != other.field(name).type]
    if unlike:
        raise DataError(
            f"column '{unlike[0]}' holds numbers too large to be rounded part by part",
            remedy=Remedy(Set("rounded", False)),
        )
