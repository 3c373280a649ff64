"""k-degree: an ordinary graph in which at least k nodes share every number of neighbours. A flow.

    prove a bound on added edges -> draw targets within it -> add the edges that realize them
    where none of many draws can be realized, the sum of raises grows by one edge, and so on
    -> in a small graph, prove more by the group of the highest node, exchange targets for cheaper
    ones, and look for fewer changes by an integer programme, which also proves a bound
    -> number nodes anew by chance -> recount degrees from the tables -> attack -> certify

Edges are added and none is removed, so that everything that was true of paths stays so or gets
shorter; `removals` lets the programme take edges away as well, where that changes fewer. No
attribute is published: whoever knows one would not need degrees. K. Liu and E. Terzi, "Towards
identity anonymization on graphs", 2008, doi:10.1145/1376616.1376629; in place of their random
probing, targets of equal and then of higher cost are drawn from the dynamic programme.

Only numbers of neighbours are hidden: see what is not promised in the certificate.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from shoal import registry
from shoal.arrays import AnyArray, Longs
from shoal.attacks.findings import Findings
from shoal.errors import PrivacyNotMet
from shoal.flows.clock import Clock, Stage, seed_of, unstaged
from shoal.groups import Note, Watch
from shoal.kernels.networks.degrees import cheapest_shift
from shoal.networks import highest_group
from shoal.networks.attacks import MANY_EDGES, on_degrees
from shoal.networks.certificate import GraphCertificate, GraphPrivate, hashes_of, limits_of
from shoal.networks.changing import LARGEST, ChangeSearch, EdgeChanges
from shoal.networks.degrees import DegreeRaise, bound_of
from shoal.networks.exchanging import TargetExchange
from shoal.networks.highest_group import HighestGroup
from shoal.networks.network import NamedNetwork, Network
from shoal.networks.published import numbers_of, refuse_where
from shoal.networks.realizing import Realization
from shoal.partition.refinement import Effort
from shoal.recipe import Recipe
from shoal.review.certificate_format import PublishedColumns

NODE = "node"
ONE = "node_1"
OTHER = "node_2"
DRAWS = 150  # of targets, for each sum of raises
WORK = 2_000_000  # nodes in all draws together, for each sum of raises
RISES = 60  # how often the sum may rise before the release is refused


@dataclass(frozen=True)
class DegreeGraph:
    """The tables of a k-degree release: nodes by number, and edges."""

    nodes: pa.Table
    edges: pa.Table

    @property
    def tables(self) -> dict[str, pa.Table]:
        """Give the tables by name, as they are written."""
        return {"nodes": self.nodes, "edges": self.edges}

    def network(self) -> Network:
        """Read the graph; refuse what is no undirected simple graph."""
        count = self.nodes.num_rows
        numbers = numbers_of(self.nodes, NODE)
        refuse_where(numbers != np.arange(1, count + 1), "nodes are not 1, 2, 3 ...")
        one = numbers_of(self.edges, ONE) - 1
        other = numbers_of(self.edges, OTHER) - 1
        refuse_where((one < 0) | (other <= one) | (other >= count), "edges are not pairs of nodes")
        refuse_where(np.diff(one * count + other) <= 0, "edges are not in order, or there twice")
        return Network.of(count, one, other)


def fewest_of_a_degree(network: Network) -> int:
    """Count the nodes of the rarest degree."""
    counts = np.bincount(network.degrees)
    return int(counts[counts > 0].min(initial=network.count))


def refuse_rare_degrees(release: DegreeGraph, k: int) -> Network:
    """Recount degrees from the tables; refuse one that fewer than k nodes share."""
    network = release.network()
    fewest = fewest_of_a_degree(network)
    if fewest < k:
        facts = {"fewest nodes of a degree": fewest, "k": k, "published": "nothing"}
        raise PrivacyNotMet(f"a number of neighbours is shared by fewer than {k:,} nodes", facts)
    return network


@dataclass(frozen=True)
class DegreeOutcome:
    """A verified k-degree release, with all figures."""

    release: DegreeGraph
    public: GraphCertificate
    private: GraphPrivate
    losses: dict[str, float | None]
    notices: tuple[Note, ...]
    seconds: dict[str, float]
    place: Longs
    """The published number of each input node, less one; for its maker alone."""


def run(
    named: NamedNetwork, recipe: Recipe, stage: Stage = unstaged, *, removals: bool = False
) -> DegreeOutcome:
    """Change edges until k nodes share every degree; return the release, or refuse."""
    clock = Clock(stage)
    network = named.network
    _refuse_few(network, recipe.k)
    seed = seed_of(recipe)
    with clock("proving a bound"):
        order = np.argsort(-network.degrees, kind="stable")
        raising = DegreeRaise(network.degrees[order], recipe.k)
        bound = bound_of(raising, network.near, order)
    rng = np.random.default_rng(seed)
    with clock("adding edges") as watch:
        added = _added(network, raising, bound, rng, watch)
    with clock("looking for fewer changes"):
        exchange = TargetExchange(network, raising, added, rng)
        added, bound = _exchanged(exchange, order, bound, recipe.effort)
        if removals:
            bound = -(-int(cheapest_shift(raising.degrees, recipe.k)) // 2)
        changes, bound = _fewest(network, recipe, EdgeChanges(added, []), bound, removals)
    with clock("publishing"):
        place = np.random.default_rng(secrets.randbits(128)).permutation(network.count)
        release = _published(network, changes, place)
    with clock("recounting"):  # the gate: PrivacyNotMet, or silence
        counted = refuse_rare_degrees(release, recipe.k)
    with clock("attacking"):  # the gate of attacks
        alone = counted.edges > MANY_EDGES
        every = on_degrees(counted, recipe.k, gating_alone=alone)
        findings = Findings(tuple(every), people=counted.count).require(published="nothing")
    private = _private(named, seed, changes, bound)
    private = msgspec.structs.replace(
        private, attacks=[finding.as_dict() for finding in findings.all], numbers=place.tolist()
    )
    public = _public(named, recipe, release, counted, removals)
    notices = (*_notices(named), *_unproven(network, changes, bound, removals))
    return DegreeOutcome(
        release, public, private, private.losses, notices, clock.seconds, place.astype(np.int64)
    )


def _exchanged(
    exchange: TargetExchange, order: Longs, bound: int, effort: Effort
) -> tuple[list[tuple[int, int]], int]:
    """Prove more in a small graph, by the group of the highest node, and look for fewer edges."""
    most = len(exchange.best)
    if len(order) > highest_group.LARGEST or bound >= most:
        return exchange.best, bound
    problem = HighestGroup.of(exchange.network, order, exchange.raising.k)
    proven = problem.search(most, highest_group.STEPS[effort])
    bound = max(bound, proven.bound)
    groups = [(target, order[members].tolist()) for target, members in proven.groups]
    return exchange.fewer(effort, bound, groups), bound


def _fewest(
    network: Network, recipe: Recipe, known: EdgeChanges, bound: int, removals: bool
) -> tuple[EdgeChanges, int]:
    """Take fewer changes where an integer programme has them; give the better of two bounds."""
    search = ChangeSearch(network, recipe.k, removals, known.count)
    better, least = search.better(recipe.effort, bound)
    return (known if better is None else better), least


def _private(named: NamedNetwork, seed: int, changes: EdgeChanges, bound: int) -> GraphPrivate:
    gap = (changes.count - bound) / max(bound, 1)
    losses: dict[str, float | None] = {
        "edges-added": float(len(changes.added)),
        "edges-removed": float(len(changes.removed)),
        "lower-bound": float(bound),
        "gap": gap,
    }
    return GraphPrivate(
        seed=seed,
        nodes_in=named.network.count,
        edges_in=named.network.edges,
        losses=losses,
        edges_added=len(changes.added),
        edges_removed=len(changes.removed),
        bound=bound,
        gap=gap,
    )


def _public(
    named: NamedNetwork, recipe: Recipe, release: DegreeGraph, counted: Network, removals: bool
) -> GraphCertificate:
    asked: dict[str, Any] = {"k": recipe.k, "method": "k-degree"}
    if removals:
        asked["removals"] = True
    return GraphCertificate(
        shoal=registry.version(),
        form="k-degree",
        nodes=counted.count,
        edges=counted.edges,
        k=fewest_of_a_degree(counted),
        columns=PublishedColumns(dropped=list(named.nodes.column_names)),
        recipe=asked,
        hashes=hashes_of(release.tables),
        attacks=["degree"],
        not_promised=limits_of("k-degree"),
    )


def _unproven(network: Network, changes: EdgeChanges, bound: int, removals: bool) -> list[Note]:
    """Say why no edge was removed although that was allowed."""
    if not removals or changes.removed or changes.count == bound:
        return []
    if network.possible > LARGEST:
        why = f"the graph has more than {LARGEST:,} pairs of nodes"
    else:
        why = "fewer changes did not come up, or the extra 'graph' is not installed"
    return [Note("untried", f"edges were added and none removed: {why}")]


def _refuse_few(network: Network, k: int) -> None:
    if network.count < k:
        facts = {"nodes": network.count, "k": k, "published": "nothing"}
        remedy = f"lower k to at most {network.count:,}, or add nodes"
        raise PrivacyNotMet(f"{network.count:,} nodes can't share a degree by {k:,}", facts, remedy)


def _added(
    network: Network, raising: DegreeRaise, bound: int, rng: np.random.Generator, watch: Watch
) -> list[tuple[int, int]]:
    """Draw targets within a sum of raises and realize them; let the sum rise where none can be."""
    draws = max(min(DRAWS, WORK // max(network.count, 1)), 1)
    least = max(raising.least, 2 * bound)
    step = max(2, least // 100 * 2)
    for rise in range(RISES):
        watch(rise / RISES)
        for _ in range(draws):
            edges = _drawn(network, raising, least + rise * step, rng)
            if edges is not None:
                return edges
    facts = {"edges that no release stays below": bound, "published": "nothing"}
    problem = "no edges were found that let k nodes share every number of neighbours"
    raise PrivacyNotMet(problem, facts, "lower k, or publish clusters (form 'supergraph')")


def _drawn(
    network: Network, raising: DegreeRaise, within: int, rng: np.random.Generator
) -> list[tuple[int, int]] | None:
    """Draw targets, and who of equal degree gets which; realize them, or None."""
    order = np.lexsort((rng.random(network.count), -network.degrees))
    lacking = np.zeros(network.count, np.int64)
    lacking[order] = raising.drawn(rng, within) - network.degrees[order]
    return Realization(network.near, lacking, rng).edges()


def _published(network: Network, changes: EdgeChanges, place: AnyArray) -> DegreeGraph:
    """Number nodes anew, by chance, and list all edges in the order of these numbers."""
    more = np.array(changes.added, np.int64).reshape(-1, 2)
    less = np.array(changes.removed, np.int64).reshape(-1, 2)
    kept = ~np.isin(network.keys, less[:, 0] * network.count + less[:, 1])
    one = np.concatenate((network.one[kept], more[:, 0]))
    other = np.concatenate((network.other[kept], more[:, 1]))
    renamed = Network.of(network.count, place[one], place[other])
    nodes = pa.table({NODE: np.arange(1, network.count + 1)})
    ends = {ONE: renamed.one.astype(np.int64) + 1, OTHER: renamed.other.astype(np.int64) + 1}
    return DegreeGraph(nodes, pa.table(ends))


def _notices(named: NamedNetwork) -> tuple[Note, ...]:
    dropped = [name for name in named.nodes.column_names if name != named.id_column]
    if not dropped:
        return named.notices
    said = ", ".join(repr(name) for name in dropped)
    text = f"attributes are not published in this form: {said}"
    return (*named.notices, Note("dropped", text))
