"""Measures of graphs: who stands alone, what attacks find, and what a release is good for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.api.graph_folder import judged_plan, read_folder, true_places
from shoal.api.graph_release import DegreeRelease, GraphRelease, SupergraphRelease
from shoal.api.reading_graphs import read
from shoal.arrays import Longs
from shoal.attacks.attack import Tries
from shoal.attacks.findings import Findings
from shoal.attacks.sight import Seen
from shoal.declare.coding import coded_table
from shoal.declare.understanding.table import understood
from shoal.encode.profile import profile
from shoal.encode.rows import combined
from shoal.errors import RecipeError
from shoal.networks import attacks
from shoal.networks.certificate import GraphCertificate
from shoal.networks.k_degree import DegreeGraph
from shoal.networks.metrics import GraphFigure, compared
from shoal.networks.network import NamedNetwork, Network
from shoal.networks.propagation import MOST_EDGES, Propagation, rightly_mapped
from shoal.networks.published import Supergraph
from shoal.networks.sampling import sampled
from shoal.recipe import Plan, hierarchy_of
from shoal.review.promised import quasi_columns
from shoal.screen import Bar, Chart, Screen, Shown, percent
from shoal.wording import FILE, Remedy, Set

SEEDS = 10
SAMPLES = 20


@dataclass(frozen=True, repr=False)
class GraphAudit(Shown):
    """Shares of people who stand alone, by what is known about them."""

    nodes: int
    edges: int
    alone: Mapping[str, Mapping[str, float]]

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as plain data."""
        by = {name: dict(figures) for name, figures in self.alone.items()}
        return {"nodes": self.nodes, "edges": self.edges, "knowledge": by}

    @property
    def screen(self) -> Screen:
        """The worst figure first, then one bar for each kind of knowledge."""
        worst = max(self.alone, key=lambda name: self.alone[name]["alone"])
        share = percent(self.alone[worst]["alone"])
        headline = (
            f"{self.nodes:,} people with {self.edges:,} edges: {share} of them stand alone "
            f"by {worst}."
        )
        bars = tuple(
            Bar(name, (), (percent(figures["alone"]), percent(figures["among fewer than 5"])))
            for name, figures in self.alone.items()
        )
        return Screen(headline, (), Chart("known", ("alone", "among fewer than 5"), bars))


@dataclass(frozen=True, repr=False)
class GraphMined(Shown):
    """Figures of the original beside those of graphs from a release."""

    figures: tuple[GraphFigure, ...]
    samples: int

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {"samples": self.samples, "figures": [vars(figure) for figure in self.figures]}

    @property
    def screen(self) -> Screen:
        """One line for each figure."""
        bars = tuple(
            Bar(
                each.name, (), (f"{each.original:.4g}", f"{each.mean:.4g}", f"+- {each.spread:.2g}")
            )
            for each in self.figures
        )
        graphs = "the published graph" if self.samples == 1 else f"{self.samples} sampled graphs"
        chart = Chart("figure", ("original", "released", ""), bars)
        return Screen(f"measured on the original and on {graphs}.", (), chart)


def alone_in(nodes: Any, edges: Any, quasi: Any, *, simplify: bool = False) -> GraphAudit:
    """Measure who stands alone in a graph as it is, by neighbours and by attributes."""
    named, _ = read(nodes, edges, simplify=simplify)
    network = named.network
    attributes = None
    if quasi:
        attributes = _attribute_numbers(named, tuple([quasi] if isinstance(quasi, str) else quasi))
    return GraphAudit(network.count, network.edges, attacks.alone_by(network, attributes))


def _attribute_numbers(named: NamedNetwork, quasi: tuple[str, ...]) -> Longs:
    unknown = [name for name in quasi if name not in named.nodes.column_names]
    if unknown:
        raise RecipeError(f"there is no column '{unknown[0]}'")
    columns = [profile(named.nodes[name].combine_chunks(), name) for name in quasi]
    keys = combined(
        np.array([column.codes for column in columns]), [column.size + 1 for column in columns]
    )
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True)
class ReleasedGraph:
    """A release of a graph, from a folder or from memory, beside its original."""

    stated: GraphCertificate
    release: Supergraph | DegreeGraph
    named: NamedNetwork
    labels: Longs | None = None
    """The published cluster of each node, where it is known."""
    places: Longs | None = None
    """The published number of each node, where it is known."""
    plan: Plan | None = None
    """What was asked for, where the release was made here."""
    hierarchies: Mapping[str, Any] = field(default_factory=dict)
    """Those that a certificate names without holding them."""

    @classmethod
    def of(cls, release: Any, nodes: Any, edges: Any, *, simplify: bool) -> ReleasedGraph:
        """Take a release that was made here, or the folder of one with its original."""
        if isinstance(release, SupergraphRelease):
            made = release.outcome
            labels = made.published_labels
            return cls(made.public, made.release, release.named, labels, plan=made.plan)
        if isinstance(release, DegreeRelease):
            outcome = release.outcome
            return cls(outcome.public, outcome.release, release.named, places=outcome.place)
        stated, tables = read_folder(release)
        named, _ = read(nodes, edges, simplify=simplify)
        return cls(stated, tables, named, places=true_places(release))

    def findings(self) -> Findings:
        """Try every attack that the form has."""
        network = self.named.network
        if isinstance(self.release, DegreeGraph):
            published = self.release.network()
            every = attacks.on_degrees(published, int(self.stated.recipe["k"]))
            every += self._propagated(published)
            return Findings(tuple(every), people=published.count)
        structure = self.release.structure()
        quasi = tuple(self.stated.recipe["quasi"])
        cells = self.release.clusters.select(quasi_columns(self.release.clusters, quasi))
        plan = judged_plan(self.stated) if self.plan is None else self.plan
        people = understood(self.named.nodes, plan.recipe.columns_asked)[0]
        people = coded_table(people, plan.coding)  # whoever knows a value knows its coding
        seen = attacks.SupergraphSight.of(
            structure, Seen(cells, quasi, (), self._trees(quasi)), people, network
        )
        every = attacks.on_supergraph(seen, network, self.labels, plan.recipe.k)
        return Findings(tuple(every), people=seen.sight.count)

    def _trees(self, quasi: Sequence[str]) -> Mapping[str, Any]:
        """Give the hierarchies by which cells are read."""
        if self.plan is not None:
            return self.plan.hierarchies
        named = {**self.stated.recipe.get("hierarchies", {}), **self.hierarchies}
        return {name: _tree(spec, name) for name, spec in named.items() if name in quasi}

    def _propagated(self, published: Network) -> list[Any]:
        """Go from the people of highest degree on, where it is known who is who."""
        if self.places is None or published.edges > MOST_EDGES:
            return []
        attack = Propagation(self.named.network, published)
        seeds = min(SEEDS, published.count)
        right, wrong = rightly_mapped(attack, self.places, seeds)
        others = published.count - seeds
        chance = np.zeros(max(others, 1))
        chance[:right] = 1.0
        blind = np.full(len(chance), 1.0 / max(others, 1))
        words = f"Knows {seeds} people by name: {right:,} others are found, {wrong:,} wrongly."
        tries = Tries(chance, blind, len(chance), words, reported=True)
        return [attacks.GraphAttack("seeded-propagation", gating=False).finding(tries)]

    def mined(self, samples: int) -> GraphMined:
        """Measure figures on the original, and on graphs from the release."""
        if isinstance(self.release, DegreeGraph):
            graphs = [self.release.network()]
        else:
            structure = self.release.structure()
            graphs = [sampled(structure, seed).network for seed in range(samples)]
        return GraphMined(tuple(compared(self.named.network, graphs)), len(graphs))


def _tree(spec: Any, column: str) -> Any:
    """Make a hierarchy that a certificate names, unless the certificate does not hold it."""
    gone = isinstance(spec, str) and spec.endswith(".csv") and not Path(spec).is_file()
    if spec == "nested" or gone:
        problem = f"the cells of '{column}' can't be read without their hierarchy"
        raise RecipeError(problem, remedy=Remedy(Set("hierarchies", {column: FILE})))
    return hierarchy_of(spec)


def attack(
    release: GraphRelease | str | Path,
    nodes: Any = None,
    edges: Any = None,
    *,
    simplify: bool = False,
    hierarchies: Mapping[str, Any] | None = None,
) -> Findings:
    """Try what someone gets out of a release of a graph who knows people's neighbours.

    `release` was made here, or is the folder of one; then `nodes` and `edges` are the original, and
    `hierarchies` those that its certificate only names.
    """
    released = ReleasedGraph.of(release, nodes, edges, simplify=simplify)
    return replace(released, hierarchies=hierarchies or {}).findings()


def mine(
    release: GraphRelease | str | Path,
    nodes: Any = None,
    edges: Any = None,
    *,
    samples: int = SAMPLES,
    simplify: bool = False,
) -> GraphMined:
    """Measure what a release of a graph is good for, beside the original."""
    if samples < 1:
        raise RecipeError("samples must be at least 1", remedy="samples=20")
    return ReleasedGraph.of(release, nodes, edges, simplify=simplify).mined(samples)
