"""Supergraph: clusters of at least k nodes, their attributes and numbers of edges. A flow.

    look at the table of nodes -> divide nodes into clusters -> count edges -> publish three tables
    -> recount all promises from these tables alone -> attack -> measure -> certify

Stages before and after dividing are those of tables (`engines/local`): roles, hierarchies, missing
values, coding and models mean what they mean there. Nodes that are left out take their edges along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from shoal import registry
from shoal.arrays import Longs
from shoal.attacks.findings import Findings
from shoal.attacks.sight import Seen
from shoal.engines.local import LocalEngine
from shoal.engines.local.engine import LocalGroups, LocalTable
from shoal.engines.local.gate import gated
from shoal.engines.local.recoding import recoded
from shoal.errors import RecipeError
from shoal.flows.certified import columns_of, public_recipe
from shoal.flows.clock import Clock, Stage, unstaged
from shoal.flows.coded import settled
from shoal.flows.port import Request
from shoal.groups import DIVIDING, Groups, Note
from shoal.networks.attacks import BEFORE_RELEASE, ON_SUPERGRAPHS, SupergraphSight, on_supergraph
from shoal.networks.certificate import GraphCertificate, GraphPrivate, hashes_of, limits_of
from shoal.networks.density import thinned
from shoal.networks.gate import RecountedGraph, recounted
from shoal.networks.method import GraphMethod
from shoal.networks.network import NamedNetwork
from shoal.networks.published import Supergraph, densest, refuse_names, supergraph_of
from shoal.networks.structure import Structure, losses_of
from shoal.recipe import Plan, Recipe
from shoal.review.losses.height_share import HeightShare
from shoal.review.losses.loss import Evidence
from shoal.review.promised import quasi_columns
from shoal.wording import Sentence, Set


@dataclass(frozen=True)
class SupergraphOutcome:
    """A verified supergraph, with all figures."""

    release: Supergraph
    groups: Groups
    plan: Plan
    public: GraphCertificate
    private: GraphPrivate
    losses: dict[str, float | None]
    notices: tuple[Note, ...]
    seconds: dict[str, float]
    published_labels: Longs
    """The published cluster of each input node, from 0; -1 where it was left out."""
    most_dense: float = 1.0


def run(
    named: NamedNetwork,
    recipe: Recipe,
    method: GraphMethod,
    *,
    most_dense: float = 1.0,
    stage: Stage = unstaged,
) -> SupergraphOutcome:
    """Carry out a recipe on a graph; return the release, or refuse and publish nothing."""
    clock = Clock(stage)
    engine = LocalEngine()
    with clock("looking at the nodes") as watch:
        names = engine.columns(named.nodes)
        asked = settled(recipe, names, lambda some: engine.counted(named.nodes, some))
        request = Request.of(_weighed_alike(asked))
        refuse_names([*asked.quasi, *asked.roles.beside])
        _refuse_counterfeits(request.plan)
        table = engine.look(named.nodes, request, watch)
    with clock(DIVIDING) as watch:
        plan = replace(request.plan, method=method)
        groups = engine.divide(table, replace(request, plan=plan), watch)
        if most_dense < 1.0:
            groups = replace(groups, labels=thinned(named.network, groups.labels, most_dense))
    with clock("publishing"):
        release, number = _published(table, groups.labels, request.plan, named)
    with clock("recounting"):  # the gate: PrivacyNotMet, or silence
        counted = recounted(release, request.plan, most_dense)
    labels = groups.labels.labels
    published_labels = np.where(labels < 0, -1, number[labels] - 1)
    with clock("attacking"):  # the gate of attacks
        findings = _attacked(table, release, counted, request.plan, named, published_labels)
    with clock("measuring"):
        losses = _losses(table, groups.labels, named, counted)
    public = _public(request, table.names, release, counted, _search_asked(method, most_dense))
    private = GraphPrivate(
        seed=request.seed,
        nodes_in=named.network.count,
        edges_in=named.network.edges,
        withheld=groups.labels.withheld,
        losses=losses,
        notes=[str(note) for note in groups.notes],
        attacks=[finding.as_dict() for finding in findings.all],
    )
    notices = (*named.notices, *table.notices, *_notices(groups, named, counted))
    return SupergraphOutcome(
        release=release,
        groups=groups.labels,
        plan=request.plan,
        public=public,
        private=private,
        losses=losses,
        notices=notices,
        seconds=clock.seconds,
        published_labels=published_labels,
        most_dense=most_dense,
    )


def _refuse_counterfeits(plan: Plan) -> None:
    """Refuse models that fill groups up with counterfeits: nobody has edges to them."""
    for model in plan.models:
        if model.balances:
            problem = f"model '{model.name}' publishes counterfeits, which a graph has no edges for"
            raise RecipeError(problem, remedy="choose another model")


def _weighed_alike(recipe: Recipe) -> Recipe:
    """Ask for the loss of the papers, each column counting the same unless the recipe says so."""
    weights = {**dict.fromkeys(recipe.quasi, 1.0), **recipe.importance}
    return msgspec.structs.replace(recipe, loss="height", importance=weights)


def _search_asked(method: GraphMethod, most_dense: float) -> dict[str, Any]:
    """State what was asked of the clusters, beside the recipe of the nodes."""
    asked: dict[str, Any] = {"method": f"{method.name}(alpha={method.alpha:g})"}
    return asked if most_dense >= 1.0 else {**asked, "most_dense": most_dense}


def _published(
    table: LocalTable, groups: Groups, plan: Plan, named: NamedNetwork
) -> tuple[Supergraph, Longs]:
    """Write cells and values of nodes; the gate of tables sees them first."""
    in_order = msgspec.structs.replace(plan.recipe, keep_order=True)
    nodes = recoded(table.table, table.encoded, groups, replace(plan, recipe=in_order))
    gated(nodes, plan)
    structure = Structure.of(named.network, groups)
    return supergraph_of(nodes, groups, structure, quasi_columns(nodes, plan.recipe.quasi))


def _attacked(
    table: LocalTable,
    release: Supergraph,
    counted: RecountedGraph,
    plan: Plan,
    named: NamedNetwork,
    labels: Longs,
) -> Findings:
    """Look for some people by attributes and degrees; refuse a release in which they are found."""
    quasi = plan.recipe.quasi
    cells = release.clusters.select(quasi_columns(release.clusters, quasi))
    seen = SupergraphSight.of(
        counted.structure,
        Seen(cells, quasi, (), plan.hierarchies),
        table.table,
        named.network,
        most=BEFORE_RELEASE,
        encoded=table.encoded,
    )
    every = on_supergraph(seen, named.network, labels, plan.recipe.k)
    return Findings(tuple(every), people=seen.sight.count).require(published="nothing")


def _losses(
    table: LocalTable, groups: Groups, named: NamedNetwork, counted: RecountedGraph
) -> dict[str, float | None]:
    evidence = Evidence(table.encoded, groups)
    of_structure = losses_of(counted.structure, named.network.count, named.network.edges)
    return {"ngil": HeightShare().measure(evidence), **of_structure}


def public_losses(structure: Structure) -> dict[str, float | None]:
    """Measure what the published numbers of nodes and edges lose, against themselves."""
    return losses_of(structure, int(structure.sizes.sum()), structure.edges)


def _public(
    request: Request,
    names: Sequence[str],
    release: Supergraph,
    counted: RecountedGraph,
    asked: Mapping[str, Any],
) -> GraphCertificate:
    return GraphCertificate(
        shoal=registry.version(),
        form="supergraph",
        nodes=int(counted.structure.sizes.sum()),
        edges=counted.structure.edges,
        k=counted.k,
        clusters=len(counted.structure.sizes),
        models=counted.models,
        losses=public_losses(counted.structure),
        columns=columns_of(names, request.recipe),
        recipe={**public_recipe(request.recipe), **asked},
        hashes=hashes_of(release.tables),
        attacks=list(ON_SUPERGRAPHS),
        not_promised=limits_of("supergraph"),
    )


def _notices(groups: LocalGroups, named: NamedNetwork, counted: RecountedGraph) -> list[Note]:
    """Say what was left out, and where edges are known for certain."""
    told = [note for note in groups.notes if note.kind in ("interrupted", "left-out", "guarding")]
    lost = named.network.edges - counted.structure.edges
    if lost:
        out = f"{groups.withheld:,} people were left out, and {lost:,} edges with them"
        told.append(Note("left-out", out))
    counts = densest(counted.structure)
    complete = counts["complete clusters"] + counts["complete pairs"]
    if complete:
        of_all = len(counted.structure.sizes) + len(counted.structure.first)
        problem = f"in {complete:,} of {of_all:,} clusters and pairs of clusters all edges are "
        problem += "there, so that who knows whom is known. To bound that: "
        told.append(Note("leak", Sentence(problem, Set("most_dense", 0.9))))
    empty = counts["empty pairs"]
    if empty:
        count = len(counted.structure.sizes)
        of_all = count * (count - 1) // 2
        problem = f"between {empty:,} of {of_all:,} pairs of clusters there is no edge, so that it "
        problem += "is known that nobody in one knows anybody in the other. Larger clusters tell "
        told.append(Note("leak", Sentence(f"{problem}less: ", Set("k", 2 * counted.k))))
    return told


def plan_of(recipe: Recipe) -> Plan:
    """Plan a recipe that a certificate states, for a recount."""
    return Request.of(_weighed_alike(recipe)).plan
