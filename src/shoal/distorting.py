"""Distorting: numbers in, perturbed numbers out, once our own attacks have had their turn.

    numbers = the columns that were named                  (distort/numbers)
    perturbed = the method at work on them                 (distort/)
    findings = every attack on distortions                 (attack/): one that gates and succeeds, and nothing leaves
    effects = what it did to values and to clusters        (review/effects)

No promise like k is made or recounted here: noise protects as far as attacks fail, and the certificate says which were
tried. `as_published` publishes what an attack has broken, as a paper described it, and the certificate says so.
Attacks and effects look at ROWS rows at most. A table that does not fit into memory goes `through` part by part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.arrays import Floats
from shoal.attack import attacking
from shoal.attack.attack import Attack, Material
from shoal.attack.attacking import Findings
from shoal.attack.perturbed import ROWS, Perturbed
from shoal.declare.roles import check_table
from shoal.distort.chance import Chance
from shoal.distort.distortion import Distortion, Stream
from shoal.distort.numbers import chosen, decimals_of, values_of, widened, with_values
from shoal.distort.shape import Shape
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from shoal.groups import unwatched
from shoal.pipeline import Clock, Stage
from shoal.review.certificate import FORMAT, Certificate, finite
from shoal.review.effects.effect import Effect, Pair
from shoal.review.fingerprint import fingerprint
from shoal.review.perturbation import KIND, stated

DEFAULT = "correlated-noise"
NOT_PROMISED = (
    "This is not differential privacy, and nobody is hidden among k others: noise protects as far as attacks fail.",
    "Whoever has a person's exact values finds their row by its nearness far more often than by chance (see nearest-record).",
    "Nothing is promised about this table together with others.",
)
REPEATABLE = "Repeatable, do not publish: whoever finds the seed takes all noise off again."
AS_PUBLISHED = "Published although attacks took the protection off: see what they found."
UNHASHED = "The rows have no hash: they were published part by part."


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
class Parts:
    """A table that is read several times, part by part, always in the same order; the first part has what attacks look at."""

    schema: pa.Schema
    rows: int
    read: Callable[[Sequence[str] | None], Iterable[pa.Table]]  # some of its columns, or all


@dataclass(frozen=True)
class Outcome:
    """The perturbed table (None where it went through in parts), what attacks found, and what it did to the numbers."""

    table: pa.Table | None
    certificate: Certificate
    findings: Findings
    effects: Mapping[str, float | None]
    notices: tuple[str, ...]
    seconds: Mapping[str, float]


def run(table: pa.Table, asked: Asked, stage: Stage = lambda name: unwatched) -> Outcome:
    """Perturb a table; return it with what attacks found, or refuse and publish nothing."""
    clock = Clock(stage)
    with clock("looking at the table"):
        check_table(table)
        work = Work.begin(Parts(table.schema, table.num_rows, lambda _: (table,)), asked)
    with clock("perturbing"):
        published = work.perturbed(table)
    findings, effects = work.audited(table, published, clock)
    with clock("fingerprinting"):
        if asked.shuffled:
            published = published.take(pa.array(work.chance.order(table.num_rows)))
        mark = fingerprint(published)
    return Outcome(published, work.certificate(findings, effects, mark), findings, effects, work.notices, clock.seconds)


def through(parts: Parts, asked: Asked, publish: Callable[[pa.Table], None], stage: Stage = lambda name: unwatched) -> Outcome:
    """Perturb a table part by part and hand each part on; whoever takes them must keep them back if a refusal is raised."""
    clock = Clock(stage)
    if asked.shuffled:
        raise RecipeError("rows that are published part by part can't be shuffled", remedy="leave --shuffle out")
    with clock("looking at the table"):
        work = Work.begin(parts, asked)
    found: tuple[Findings, dict[str, float | None]] | None = None
    done = 0
    for part in parts.read(None):
        with clock("perturbing") as watch:
            published = widened(work.perturbed(part), work.names)
        found = found or work.audited(part, published, clock)
        with clock("writing"):
            publish(published)
        done += part.num_rows
        watch(done / parts.rows)
    assert found is not None
    return Outcome(None, work.certificate(*found, None), *found, work.notices, clock.seconds)


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
    def begin(cls, parts: Parts, asked: Asked) -> Work:
        """Look at the whole table; refuse what can't be perturbed."""
        names, method = chosen(parts.schema, asked.columns), asked.make()
        if parts.rows < asked.clusters:
            raise DataError(f"{parts.rows:,} rows can't form {asked.clusters:,} clusters", remedy=f"--clusters {parts.rows}")
        shape = Shape.of(_Values(parts, names), names)
        chance = Chance.secret() if asked.seed is None else Chance.seeded(asked.seed)
        decimals = _most_decimals(_Values(parts, names)) if asked.rounded else [None] * len(names)
        return cls(asked, method, parts, names, shape, chance, method.begin(shape, chance), decimals)

    @property
    def notices(self) -> tuple[str, ...]:
        """What is worth knowing, for the maker alone."""
        return self.stream.notes()

    def perturbed(self, part: pa.Table) -> pa.Table:
        """The next rows as they are published."""
        return with_values(part, self.names, self.stream.more(values_of(part, self.names)), self.decimals)

    def audited(self, original: pa.Table, published: pa.Table, clock: Clock) -> tuple[Findings, dict[str, float | None]]:
        """What attacks and measures find in the rows at the top; a refusal where an attack that gates succeeds."""
        before, after = (values_of(table.slice(0, ROWS), self.names) for table in (original, published))
        if self.asked.shuffled:  # rows of one stretch, in which the attacker must search; the first one is known
            mixed = np.concatenate(([0], 1 + self.chance.order(len(before) - 1)))
            before, after = before[mixed], after[mixed]
        with clock("attacking"):
            r = float(getattr(self.method, "r", 4.0))
            ends = (self.shape.low, self.shape.high)
            numbers = Perturbed(before, after, *ends, self.method.scale, r, self.shape.rows, self.asked.shuffled)
            findings = attacked(numbers)
            _refuse_broken(findings, self.asked, self.method)
        with clock("measuring"):
            effects = measured(before, after, self.shape, self.asked.clusters)
        return findings, effects

    def certificate(self, findings: Findings, effects: Mapping[str, float | None], mark: str | None) -> Certificate:
        """What may be known (the method is no secret, its random numbers are), and what follows from the original."""
        asked, others = self.asked, [name for name in self.parts.schema.names if name not in self.names]
        said = {REPEATABLE: asked.seed is not None, AS_PUBLISHED: not findings.holds, UNHASHED: mark is None}
        public = {
            "format": FORMAT,
            "shoal": registry.version(),
            "kind": KIND,
            "rows": self.parts.rows,
            "method": registry.spell(self.method),
            "columns": {"perturbed": list(self.names), "as they were": others},
            "rounded": asked.rounded,
            "shuffled": asked.shuffled,
            "attacks": [finding.stated() | {"limit": finding.limit, "refuses": finding.refuses} for finding in findings.all],
            "hash": mark,
            "not promised": [*(sentence for sentence, holds in said.items() if holds), *NOT_PROMISED],
        }
        private = {"seed": asked.seed, "clusters": asked.clusters, "effects": dict(effects), "notes": list(self.notices)}
        return Certificate(public, private)


@dataclass(frozen=True)
class _Values:
    """The numbers of a table, part by part, as often as one likes."""

    parts: Parts
    names: tuple[str, ...]

    def __iter__(self) -> Iterator[Floats]:
        return (values_of(part, self.names) for part in self.parts.read(self.names))


def attacked(numbers: Perturbed) -> Findings:
    """What every attack on distortions finds."""
    attacks = [attack() for attack in registry.names(Attack).values() if "numbers" in attack.needs]
    return attacking.attack(Material.of_numbers(numbers), attacks)


def attacked_later(original: pa.Table | None, published: pa.Table, certificate: Mapping[str, object]) -> Findings:
    """What attacks find in a table that was perturbed some time ago, of which the certificate tells how."""
    said = stated(certificate)
    if original is None:
        raise DataError("attacks on perturbed numbers need the original table", remedy="--original FILE")
    if said.shuffled or original.num_rows != published.num_rows:
        facts = {"rows": published.num_rows, "rows of the original": original.num_rows}
        raise DataError("rows of the two tables do not stand beside each other, so no guess can be scored", facts)
    for table in (original, published):
        chosen(table.schema, said.perturbed)
    method, every = registry.make(Distortion, said.method), values_of(original, said.perturbed)
    after = values_of(published.slice(0, ROWS), said.perturbed)
    ends = np.fmin.reduce(every, axis=0), np.fmax.reduce(every, axis=0)
    return attacked(Perturbed(every[:ROWS], after, *ends, method.scale, float(getattr(method, "r", 4.0)), len(every)))


def measured(before: Floats, after: Floats, shape: Shape, clusters: int) -> dict[str, float | None]:
    """Every effect, in shares of the whole table's ranges; None where too few rows are complete to be clustered."""
    there = ~np.isnan(before).all(axis=0)
    ends = (shape.low[there], shape.high[there])
    pair, found = Pair(before[:, there], after[:, there], clusters, ends), {}
    for name, effect in registry.names(Effect).items():
        try:
            found[name] = finite(effect().measure(pair))
        except DataError:
            found[name] = None
    return found


def _most_decimals(values: Iterable[Floats]) -> list[int | None]:
    """How many decimals the values of each column have, over all parts."""
    return [max(column) for column in zip(*map(decimals_of, values), strict=True)]


def _refuse_broken(findings: Findings, asked: Asked, method: Distortion) -> None:
    """Silence, or a refusal that names the attacks that succeed."""
    broken = [finding for finding in findings.all if finding.refuses]
    if broken and not asked.as_published:
        facts = {finding.called: finding.words for finding in broken}
        less = f"less noise (--method {method.name}:scale={method.scale / 4:g})"
        remedy = f"{less if method.name == DEFAULT else broken[0].stops_it}; or --as-published, to publish it all the same"
        problem = f"{len(broken)} of {len(findings.all)} attacks take the protection off"
        raise PrivacyNotMet(problem, {**facts, "published": "nothing"}, remedy)
