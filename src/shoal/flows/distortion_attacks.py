"""Distortion attacks: what attacks on perturbed numbers regain; a refusal where one succeeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.arrays import Floats
from shoal.attacks import attacking
from shoal.attacks.attack import Attack, Finding, Material
from shoal.attacks.findings import Findings
from shoal.attacks.nearest_code import NearestCode
from shoal.attacks.perturbed import ROWS, Perturbed
from shoal.attacks.plain_reading import PlainReading
from shoal.distortions.distortion import MOST, Distortion
from shoal.distortions.numbers import chosen, values_of
from shoal.distortions.shape import Shape
from shoal.errors import DataError, PrivacyNotMet
from shoal.review.certificate import finite
from shoal.review.certificate_reading import AnyDistortion
from shoal.review.effects.effect import Effect, Pair
from shoal.wording import FILE, Remedy, Sentence, Set

DEFAULT = "correlated-noise"
USUAL = Distortion.scale
READS = (PlainReading.name, NearestCode.name)  # attacks that more noise stops


def attacked(numbers: Perturbed, traces: Mapping[str, int] | None = None) -> Findings:
    """Run every attack on distortions; `traces` is what a file tells beside its table, if any."""
    attacks = [attack() for attack in on_numbers(traces=traces is not None).values()]
    return attacking.attack(replace(Material.of_numbers(numbers), traces=traces), attacks)


def on_numbers(*, traces: bool = False) -> dict[str, type[Attack]]:
    """List the attacks on distortions by name; with `traces`, those on its file too."""
    there = {"numbers"} | ({"traces"} if traces else set())
    return {
        name: attack
        for name, attack in registry.names(Attack).items()
        if there.issuperset(attack.needs)
    }


def attacked_later(
    original: pa.Table | None,
    published: pa.Table,
    said: AnyDistortion,
    traces: Mapping[str, int] | None = None,
) -> Findings:
    """Attack a table that was perturbed some time ago, of which the certificate tells how."""
    perturbed = said.columns.perturbed
    if original is None:
        raise DataError(
            "attacks on perturbed numbers need the original table",
            remedy=Remedy(Set("original", FILE)),
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
        every[:ROWS],
        after,
        *ends,
        method.scale,
        method.orbit_parameter,
        len(every),
        names=tuple(perturbed),
    )
    return attacked(numbers, traces)


def measured(before: Floats, after: Floats, shape: Shape, clusters: int) -> dict[str, float | None]:
    """Measure every effect, in shares of the whole table's ranges.

    An effect is None where too few rows are complete to be clustered.
    """
    there = ~np.isnan(before).all(axis=0)
    ends = (shape.low[there], shape.high[there])
    pair = Pair(before[:, there], after[:, there], clusters, ends)
    figures = {}
    for name, effect in registry.names(Effect).items():
        try:
            figures[name] = finite(effect().measure(pair))
        except DataError:
            figures[name] = None
    return figures


def refuse_broken(findings: Findings, method: Distortion) -> None:
    """Refuse a table where attacks succeed, and name them."""
    broken = [finding for finding in findings.all if finding.refuses]
    if broken:
        facts = {finding.called: finding.words for finding in broken}
        anyway = Sentence(Set("as_published", True), ", to publish it all the same")
        remedy = Remedy(_stops(broken, method), anyway)
        problem = f"{len(broken)} of {len(findings.all)} attacks take the protection off"
        raise PrivacyNotMet(problem, {**facts, "published": "nothing"}, remedy)


def _stops(broken: Sequence[Finding], method: Distortion) -> str:
    """Suggest what would stop the attacks.

    More noise where values can be read, less where noise drowns them, or other noise.
    """
    others = [finding for finding in broken if finding.name not in READS]
    if not others:
        louder = f"{method.name}:scale={_more(method.scale):g}"
        return Remedy(Set("method", louder, "more noise"), "leave columns of few values out")
    if method.name == DEFAULT and others == list(broken):
        fainter = f"{method.name}:scale={method.scale / 4:g}"
        return Remedy(Set("method", fainter, "less noise"))
    return others[0].stops_it


def _more(scale: float) -> float:
    return min(max(USUAL, 4 * scale), MOST)
