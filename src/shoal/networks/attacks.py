"""Attacks on graphs: what someone gets out of a release who knows a person's neighbours.

| attack | the attacker knows of a person |
|---|---|
| `degree` | the number of neighbours |
| `neighbourhood-count` | numbers of neighbours, and of edges among them |
| `neighbour-degrees` | the numbers of neighbours of all neighbours |
| `attributes` and `attributes-and-degree` | the quasi-identifiers, alone or with the first |
| `edge-disclosure` | the clusters of two people, and asks whether they know each other |
| `seeded-propagation` | a few people by name; goes on from neighbour to neighbour |

Each is a chance of being right, beside guessing among all nodes. In a supergraph whoever knows
degrees can rule out clusters that hold too few edges for one; the rest of the structure is not
there. In a k-degree graph the first three look the person up in the published graph itself. The
form promises 1 / k against what gates: everything that is known of neighbours and attributes for a
supergraph, the degree alone for k-degree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.arrays import AnyArray, Longs
from shoal.attacks.attack import Attack, Finding, Material, Tries
from shoal.attacks.sight import Seen, Sight, drawn
from shoal.encode.rows import Rows
from shoal.kernels.networks.counting import triangles
from shoal.networks.network import Network
from shoal.networks.structure import Structure

PEOPLE = 10_000
BEFORE_RELEASE = 2_000  # people of a supergraph who are looked for before every release
MANY_EDGES = 1_000_000  # beyond it, only attacks that gate have their turn before a release
ON_SUPERGRAPHS = ("degree", "attributes", "attributes-and-degree")


def signatures(network: Network) -> dict[str, Longs]:
    """Number what is known of each node's neighbourhood, by attack; equal numbers look alike."""
    degrees = network.degrees
    count = degrees * (int(triangles(network.near).max(initial=0)) + 1)
    return {
        "degree": degrees,
        "neighbourhood-count": _numbered(count + triangles(network.near)),
        "neighbour-degrees": _neighbour_degrees(network),
    }


def _neighbour_degrees(network: Network) -> Longs:
    """Number the multisets of neighbours' degrees, by sums of a random number for each."""
    rng = np.random.default_rng(20_080_601)
    value = rng.integers(1, 2**62, int(network.degrees.max(initial=0)) + 1, dtype=np.int64)
    near = network.near
    of_ends = value[network.degrees[near.ends]]
    sums = np.concatenate(([0], np.cumsum(of_ends)))  # wraps around, alike for all
    return _numbered(sums[near.starts[1:]] - sums[near.starts[:-1]])


def _numbered(values: AnyArray) -> Longs:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def class_sizes(labels: Longs) -> Longs:
    """Count for each node how many look like it, itself among them."""
    numbers = _numbered(labels)
    return np.bincount(numbers)[numbers]


@dataclass(frozen=True)
class GraphAttack(Attack):
    """An attack whose chances were computed elsewhere; turns them into a finding."""

    called: str
    gating: bool
    name = "graph"
    stops_it = "a larger k, or clusters (form 'supergraph') in place of a graph"

    def finding(self, tries: Tries) -> Finding:
        """Compare the chances with guessing."""
        made = self._finding(tries)
        return _renamed(made, self.called, gates=self.gating)

    def _tries(self, material: Material) -> Iterator[Tries]:
        return iter(())


def _renamed(finding: Finding, name: str, *, gates: bool) -> Finding:
    facts = {**vars(finding), "name": name, "gates": gates}
    return Finding(**facts)


def linked(
    called: str, candidates: Longs, nodes: int, *, k: int, gates: bool, words: str
) -> Finding:
    """Make a finding of the numbers of nodes that each person attacked may be."""
    chance = np.where(candidates > 0, 1.0 / np.maximum(candidates, 1), 0.0)
    there = candidates[candidates > 0]
    fewest = int(there.min()) if len(there) else 0
    tries = Tries(
        chance,
        np.full(len(chance), 1.0 / max(nodes, 1)),
        nodes,
        f"{words} The fewest that someone may be: {fewest:,}.",
        conceded=1.0 / k if gates else 0.0,
    )
    return GraphAttack(called, gates).finding(tries)


@dataclass(frozen=True)
class SupergraphSight:
    """A supergraph through the eyes of someone who knows people's attributes and degrees."""

    structure: Structure
    sight: Sight
    degrees: Longs
    """Of the people attacked."""

    @classmethod
    def of(
        cls,
        structure: Structure,
        cells: Seen,
        people: pa.Table,
        network: Network,
        *,
        most: int = PEOPLE,
        encoded: Rows | None = None,
    ) -> SupergraphSight:
        """Match people, at most so many, with clusters whose cells fit them.

        `encoded` saves work: the people as rows on axes, where someone has them already.
        """
        sight = Sight.of(cells, people, people=most, encoded=encoded)
        return cls(structure, sight, network.degrees[sight.picked])

    @property
    def highest(self) -> Longs:
        """The highest degree that a node of each cluster can have."""
        structure = self.structure
        highest = np.minimum(structure.sizes - 1, structure.inner)
        across = np.minimum(structure.sizes[structure.second], structure.between)
        np.add.at(highest, structure.first, across)
        across = np.minimum(structure.sizes[structure.first], structure.between)
        np.add.at(highest, structure.second, across)
        return highest

    def candidates(self, *, knows_degree: bool) -> Longs:
        """Count the nodes that each person may be."""
        sight = self.sight
        label = sight.boxes.groups.labels.astype(np.int64)
        highest = self.highest
        order = np.lexsort((highest, label))
        width = int(highest.max(initial=0)) + 2
        keys = label[order] * width + highest[order]
        sizes = np.concatenate(([0], np.cumsum(self.structure.sizes[order])))
        person = np.repeat(np.arange(sight.count), np.diff(sight.starts))
        group = sight.matched.astype(np.int64)
        least = np.minimum(self.degrees, width - 1)[person] if knows_degree else 0
        begin = np.searchsorted(keys, group * width + least)
        end = np.searchsorted(keys, (group + 1) * width)
        fits = sizes[end] - sizes[begin]
        return np.bincount(person, weights=fits, minlength=sight.count).astype(np.int64)


def on_supergraph(
    seen: SupergraphSight, network: Network, labels: Longs | None, k: int
) -> list[Finding]:
    """Attack a supergraph; `labels` are the clusters of nodes, where they are known."""
    nodes = int(seen.structure.sizes.sum())
    alone = np.zeros(len(seen.degrees), np.int64)
    alone += _by_degree(seen.structure.sizes, seen.highest, seen.degrees)
    told = "Knows the number of neighbours: clusters with too few edges are ruled out."
    findings = [
        linked("degree", alone, nodes, k=k, gates=True, words=told),
        linked(
            "attributes",
            seen.candidates(knows_degree=False),
            nodes,
            k=k,
            gates=True,
            words="Knows all quasi-identifiers.",
        ),
        linked(
            "attributes-and-degree",
            seen.candidates(knows_degree=True),
            nodes,
            k=k,
            gates=True,
            words="Knows all quasi-identifiers and the number of neighbours.",
        ),
    ]
    if labels is not None and network.edges:
        findings.append(edges_disclosed(seen.structure, network, labels))
    return findings


def _by_degree(sizes: Longs, highest: Longs, degrees: Longs) -> Longs:
    order = np.argsort(highest)
    sums = np.concatenate(([0], np.cumsum(sizes[order])))
    return sums[-1] - sums[np.searchsorted(highest[order], degrees)]


def edges_disclosed(structure: Structure, network: Network, labels: Longs) -> Finding:
    """Guess that two people know each other by the density of their clusters, on real edges."""
    picked = drawn(network.edges, PEOPLE)
    one = labels[network.one[picked]].astype(np.int64)
    other = labels[network.other[picked]].astype(np.int64)
    there = (one >= 0) & (other >= 0)
    count = len(structure.sizes)
    keys = np.minimum(one, other)[there] * count + np.maximum(one, other)[there]
    possible, real = structure.pairs
    listed = np.concatenate(
        (np.arange(count) * (count + 1), structure.first * count + structure.second)
    )
    order = np.argsort(listed)
    at = order[np.searchsorted(listed[order], keys)]
    density = real[at] / possible[at]
    blind = np.full(len(density), network.edges / max(network.possible, 1))
    words = "Knows the clusters of two people who know each other, and guesses by their edges."
    return GraphAttack("edge-disclosure", gating=False).finding(
        Tries(density, blind, network.edges, words, reported=True)
    )


def on_degrees(published: Network, k: int, *, gating_alone: bool = False) -> list[Finding]:
    """Attack a k-degree graph by looking people up in it, all of them."""
    words = {
        "degree": "Knows the number of neighbours in the published graph.",
        "neighbourhood-count": "Knows the numbers of neighbours and of edges among them.",
        "neighbour-degrees": "Knows the numbers of neighbours of all neighbours.",
    }
    known = {"degree": published.degrees} if gating_alone else signatures(published)
    return [
        linked(
            name,
            class_sizes(labels),
            published.count,
            k=k,
            gates=name == "degree",
            words=words[name],
        )
        for name, labels in known.items()
    ]


def alone_by(network: Network, attributes: Longs | None = None) -> dict[str, dict[str, float]]:
    """Measure which share of nodes stands alone, by each kind of knowledge."""
    known = dict(signatures(network))
    if attributes is not None:
        width = int(attributes.max(initial=0)) + 1
        joined = {f"attributes-and-{name}": of * width + attributes for name, of in known.items()}
        known = {**known, "attributes": attributes, **joined}
    figures = {}
    for name, labels in known.items():
        sizes = class_sizes(labels)
        figures[name] = {
            "alone": float((sizes == 1).mean()) if len(sizes) else 0.0,
            "among fewer than 5": float((sizes < 5).mean()) if len(sizes) else 0.0,
            "fewest": float(sizes.min(initial=network.count)),
        }
    return figures
