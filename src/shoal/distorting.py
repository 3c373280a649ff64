"""Distorting: numbers in, perturbed numbers out, once our own attacks have had their turn.

    numbers = the columns that were named                  (distortions/numbers)
    perturbed = the method at work on them                 (distort/)
    findings = every attack on distortions                 (attack/): one that gates and succeeds,
    and nothing leaves
    effects = what it did to values and to clusters        (review/effects)

No promise like k is made or recounted here: noise protects as far as attacks fail, and the
certificate says which were tried. `as_published` publishes what an attack has broken, as a paper
described it, and the certificate says so. Attacks and effects look at ROWS rows at most. A table
that does not fit into memory goes `through` part by part, and comes out the same as one that does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.arrays import Floats
from shoal.attacks import attacking
from shoal.attacks.attack import Attack, Finding, Material
from shoal.attacks.attacking import Findings
from shoal.attacks.perturbed import ROWS, Perturbed
from shoal.attacks.plain_reading import PlainReading, read_off
from shoal.declare.roles import check_table
from shoal.distortions.chance import Chance
from shoal.distortions.distortion import MOST, Distortion, Stream
from shoal.distortions.numbers import chosen, decimals_of, values_of, widened, with_values
from shoal.distortions.parts import Parts
from shoal.distortions.shape import Shape
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from shoal.groups import Watch, unwatched
from shoal.pipeline import Clock, Stage
from shoal.review.certificate import Certificate, finite
from shoal.review.certificate_format import (
    FORMAT,
    DistortedColumns,
    DistortionAttack,
    DistortionCertificate,
    DistortionPrivate,
)
from shoal.review.effects.effect import Effect, Pair
from shoal.review.fingerprint import fingerprint

PerturbedCertificate = Certificate[DistortionCertificate, DistortionPrivate]
DEFAULT = "correlated-noise"
USUAL = Distortion.scale
NOT_PROMISED = (
    "This is not differential privacy, and nobody is hidden among k others: noise protects as far as attacks fail.",
    "Whoever has a person's exact values finds their row by its nearness far more often than by chance (see nearest-record).",
    "Nothing is promised about this table together with others.",
)
REPEATABLE = "Repeatable, do not publish: whoever finds the seed takes all noise off again."
AS_PUBLISHED = "Published although attacks took the protection off: see what they found."
UNHASHED = "The rows have no hash: they were published part by part."
READABLE = (
    "Whoever rounds them reads these columns off as they were, since their values lie far apart: "
)


@dataclass(frozen=True)
class Asked:
    """What is asked of a distortion, as plain data."""

    columns: Sequence[str] | str = "all"
    method: str = DEFAULT
    rounded: bool = False
    shuffled: bool = False
    clusters: int = 4
    as_published: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.clusters < 1:
            raise RecipeError(f"{self.clusters} clusters are too few", remedy="--clusters 4")
        if self.seed is not None and self.seed < 0:
            raise RecipeError("a seed is a whole number from 0 on", remedy="--seed 7")
        self.make()

    def make(self) -> Distortion:
        """The method with its parameters."""
        return registry.make(Distortion, self.method)


@dataclass(frozen=True)
class Outcome:
    """The perturbed table (None where it went through in parts), what attacks found, and what it
    did to the numbers.
    """

    table: pa.Table | None
    certificate: PerturbedCertificate
    findings: Findings
    effects: Mapping[str, float | None]
    notices: tuple[str, ...]
    seconds: Mapping[str, float]


def run(table: pa.Table, asked: Asked, stage: Stage = lambda name: unwatched) -> Outcome:
    """Perturb a table; return it with what attacks found, or refuse and publish nothing."""
    clock = Clock(stage)
    with clock("looking at the table") as watch:
        check_table(table)
        work = Work.begin(Parts.of(table), asked, watch)
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
    parts: Parts,
    asked: Asked,
    publish: Callable[[pa.Table], None],
    stage: Stage = lambda name: unwatched,
) -> Outcome:
    """Perturb a table part by part and hand each part on; whoever takes them must keep them back if
    a refusal is raised.
    """
    clock = Clock(stage)
    if asked.shuffled:
        raise RecipeError(
            "rows that are published part by part can't be shuffled", remedy="leave --shuffle out"
        )
    with clock("looking at the table") as watch:
        work = Work.begin(parts, asked, watch)
    audit: Audit | None = None
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
class Audit:
    """What attacks and measures found in the rows at the top, and the columns that can be read off
    as they were.
    """

    findings: Findings
    effects: Mapping[str, float | None]
    readable: tuple[str, ...]


@dataclass(frozen=True)
class Work:
    """A distortion that knows its table: what is left to do is to take the rows."""

    asked: Asked
    method: Distortion
    parts: Parts
    names: tuple[str, ...]
    shape: Shape
    chance: Chance
    stream: Stream
    decimals: Sequence[int | None]

    @classmethod
    def begin(cls, parts: Parts, asked: Asked, watch: Watch = unwatched) -> Work:
        """Look at the whole table; refuse what can't be perturbed."""
        names = chosen(parts.schema, asked.columns)
        method = asked.make()
        if parts.rows < asked.clusters:
            raise DataError(
                f"{parts.rows:,} rows can't form {asked.clusters:,} clusters",
                remedy=f"--clusters {parts.rows}",
            )
        values = _Values(parts, names, watch, readings=3 if asked.rounded else 2)
        shape = Shape.of(values, names)
        chance = Chance.secret() if asked.seed is None else Chance.seeded(asked.seed)
        decimals = _most_decimals(values) if asked.rounded else [None] * len(names)
        return cls(
            asked, method, parts, names, shape, chance, method.begin(shape, chance), decimals
        )

    @property
    def notices(self) -> tuple[str, ...]:
        """What is worth knowing, for the maker alone."""
        return self.stream.notes()

    def perturbed(self, part: pa.Table) -> Floats:
        """The next rows, perturbed."""
        return self.stream.more(values_of(part, self.names))

    @property
    def moved(self) -> tuple[str, ...]:
        """The columns that vary: of one value, noise has nothing to go by."""
        return tuple(
            name for name, range_ in zip(self.names, self.shape.range, strict=True) if range_ > 0
        )

    def with_values(self, part: pa.Table, values: Floats) -> pa.Table:
        """Rows as they are published; a column of one value stays as it is."""
        varies = np.flatnonzero(self.shape.range > 0).tolist()
        return with_values(
            part, self.moved, values[:, varies], [self.decimals[place] for place in varies]
        )

    def audited(self, original: pa.Table, published: pa.Table, clock: Clock) -> Audit:
        """What attacks and measures find in the rows at the top; a refusal where an attack that
        gates succeeds.
        """
        before, after = (
            values_of(table.slice(0, ROWS), self.names) for table in (original, published)
        )
        if (
            self.asked.shuffled
        ):  # rows of one stretch, in which the attacker must search; the first one is known
            mixed = np.concatenate(([0], 1 + self.chance.order(len(before) - 1)))
            before = before[mixed]
            after = after[mixed]
        with clock("attacking"):
            r = float(getattr(self.method, "r", 4.0))
            ends = (self.shape.low, self.shape.high)
            numbers = Perturbed(
                before, after, *ends, self.method.scale, r, self.shape.rows, self.asked.shuffled
            )
            findings = attacked(numbers)
            _refuse_broken(findings, self.asked, self.method)
        with clock("measuring"):
            effects = measured(before, after, self.shape, self.asked.clusters)
        alike = read_off(numbers).sum(axis=0) * 2 > numbers.tried.sum(axis=0)
        readable = tuple(
            name for name, read in zip(self.names, alike & numbers.varies, strict=True) if read
        )
        return Audit(findings, effects, readable)

    def outcome(
        self, published: pa.Table | None, audit: Audit, mark: str | None, clock: Clock
    ) -> Outcome:
        """All of it, when it is done."""
        return Outcome(
            published,
            self.certificate(audit, mark),
            audit.findings,
            audit.effects,
            self.notices,
            clock.seconds,
        )

    def certificate(self, audit: Audit, mark: str | None) -> PerturbedCertificate:
        """What may be known (the method is no secret, its random numbers are), and what follows
        from the original.
        """
        asked = self.asked
        constant = [name for name in self.names if name not in self.moved]
        said = {
            REPEATABLE: asked.seed is not None,
            AS_PUBLISHED: not audit.findings.holds,
            UNHASHED: mark is None,
            READABLE + ", ".join(map(repr, audit.readable)): bool(audit.readable),
        }
        others = [name for name in self.parts.schema.names if name not in self.names]
        public = DistortionCertificate(
            format=FORMAT,
            kind="distortion",
            shoal=registry.version(),
            rows=self.parts.rows,
            method=registry.spell(self.method),
            columns=DistortedColumns(
                perturbed=list(self.moved), constant=constant, as_they_were=others
            ),
            rounded=asked.rounded,
            shuffled=asked.shuffled,
            attacks=[
                DistortionAttack(**each.stated(), limit=each.limit, refuses=each.refuses)
                for each in audit.findings.all
            ],
            hash=mark,
            not_promised=[
                *(sentence for sentence, holds in said.items() if holds),
                *NOT_PROMISED,
            ],
        )
        private = DistortionPrivate(
            seed=asked.seed,
            clusters=asked.clusters,
            effects=dict(audit.effects),
            notes=list(self.notices),
        )
        return Certificate(public, private)


@dataclass
class _Values:
    """The numbers of a table, part by part, as often as one likes; the watch is told how much of
    all readings is done.
    """

    parts: Parts
    names: tuple[str, ...]
    watch: Watch
    readings: int
    done: int = 0

    def __iter__(self) -> Iterator[Floats]:
        for part in self.parts.read(self.names):
            yield values_of(part, self.names)
            self.done += part.num_rows
            self.watch(self.done / (self.readings * self.parts.rows))


def attacked(numbers: Perturbed, traces: Mapping[str, int] | None = None) -> Findings:
    """What every attack on distortions finds; traces are what a file tells beside its table, once
    there is one.
    """
    there = {"numbers"} | ({"traces"} if traces is not None else set())
    attacks = [
        attack() for attack in registry.names(Attack).values() if there.issuperset(attack.needs)
    ]
    return attacking.attack(replace(Material.of_numbers(numbers), traces=traces), attacks)


def attacked_later(
    original: pa.Table | None,
    published: pa.Table,
    said: DistortionCertificate,
    traces: Mapping[str, int] | None = None,
) -> Findings:
    """What attacks find in a table that was perturbed some time ago, of which the certificate tells
    how.
    """
    perturbed = said.columns.perturbed
    if original is None:
        raise DataError(
            "attacks on perturbed numbers need the original table", remedy="--original FILE"
        )
    if said.shuffled or original.num_rows != published.num_rows:
        facts = {"rows": published.num_rows, "rows of the original": original.num_rows}
        raise DataError(
            "rows of the two tables do not stand beside each other, so no guess can be scored",
            facts,
        )
    if not perturbed:
        raise DataError("nothing was perturbed, so there is nothing to attack")
    for table in (original, published):
        chosen(table.schema, perturbed)
    method = registry.make(Distortion, said.method)
    every = values_of(original, perturbed)
    after = values_of(published.slice(0, ROWS), perturbed)
    ends = np.fmin.reduce(every, axis=0), np.fmax.reduce(every, axis=0)
    numbers = Perturbed(
        every[:ROWS], after, *ends, method.scale, float(getattr(method, "r", 4.0)), len(every)
    )
    return attacked(numbers, traces)


def measured(before: Floats, after: Floats, shape: Shape, clusters: int) -> dict[str, float | None]:
    """Every effect, in shares of the whole table's ranges; None where too few rows are complete to
    be clustered.
    """
    there = ~np.isnan(before).all(axis=0)
    ends = (shape.low[there], shape.high[there])
    pair = Pair(before[:, there], after[:, there], clusters, ends)
    found = {}
    for name, effect in registry.names(Effect).items():
        try:
            found[name] = finite(effect().measure(pair))
        except DataError:
            found[name] = None
    return found


def _most_decimals(values: Iterable[Floats]) -> list[int | None]:
    """How many decimals the values of each column have, over all parts."""
    return [max(column) for column in zip(*map(decimals_of, values), strict=True)]


def _refuse_unlike(first: pa.Schema, other: pa.Schema) -> None:
    """Parts must be alike; whole numbers near the end of 64 bits may leave their type when
    rounded.
    """
    unlike = [name for name in first.names if first.field(name).type != other.field(name).type]
    if unlike:
        raise DataError(
            f"column '{unlike[0]}' holds numbers too large to be rounded part by part",
            remedy="leave --round out",
        )


def _refuse_broken(findings: Findings, asked: Asked, method: Distortion) -> None:
    """Silence, or a refusal that names the attacks that succeed."""
    broken = [finding for finding in findings.all if finding.refuses]
    if broken and not asked.as_published:
        facts = {finding.called: finding.words for finding in broken}
        remedy = f"{_stops(broken, method)}; or --as-published, to publish it all the same"
        problem = f"{len(broken)} of {len(findings.all)} attacks take the protection off"
        raise PrivacyNotMet(problem, {**facts, "published": "nothing"}, remedy)


def _stops(broken: Sequence[Finding], method: Distortion) -> str:
    """What would stop the attacks: more noise where values can be read, less where noise drowns
    them, or other noise.
    """
    others = [finding for finding in broken if finding.name != PlainReading.name]
    if not others:
        return f"more noise (--method {method.name}:scale={_more(method.scale):g}), or leave columns of few values out"
    if method.name == DEFAULT and others == list(broken):
        return f"less noise (--method {method.name}:scale={method.scale / 4:g})"
    return others[0].stops_it


def _more(scale: float) -> float:
    return min(max(USUAL, 4 * scale), MOST)
