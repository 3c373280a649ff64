"""Graphs, read literally from the papers in fractions; imports nothing from shoal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

Edges = Sequence[tuple[int, int]]
Partition = Sequence[Sequence[int]]
UNIT = 1 << 20


def sil(partition: Partition, edges: Edges) -> Fraction:
    """Structural information loss of Campan & Truta: every cluster, every pair of clusters."""
    known = {frozenset(edge) for edge in edges}
    total = Fraction(0)
    for cluster in partition:
        pairs = [frozenset(pair) for pair in combinations(cluster, 2)]
        if pairs:
            e = sum(pair in known for pair in pairs)
            total += 2 * e * (1 - Fraction(e, len(pairs)))
    for one, other in combinations(partition, 2):
        pairs = [frozenset((a, b)) for a in one for b in other]
        e = sum(pair in known for pair in pairs)
        total += 2 * e * (1 - Fraction(e, len(pairs)))
    return total


def nsil(partition: Partition, edges: Edges) -> Fraction:
    n = sum(len(cluster) for cluster in partition)
    return sil(partition, edges) / Fraction(n * (n - 1), 4)


def structure_kept(partition: Partition, edges: Edges) -> Fraction:
    everyone = [node for cluster in partition for node in cluster]
    return 1 - sil(partition, edges) / sil([everyone], edges)


def distance(i: int, j: int, n: int, edges: Edges) -> Fraction:
    """Share of the other nodes that are a neighbour of one and not of the other."""
    known = {frozenset(edge) for edge in edges}
    others = [h for h in range(n) if h not in (i, j)]
    differ = sum((frozenset((i, h)) in known) != (frozenset((j, h)) in known) for h in others)
    return Fraction(differ, max(n - 2, 1))


class Greedy:
    """SaNGreeA; `cost` gives the cost of a set of nodes over all axes, in whole units."""

    def __init__(self, n, edges, cost, axes, k, alpha: Fraction) -> None:
        self.n = n
        self.edges = edges
        self.cost = cost
        self.axes = axes
        self.k = k
        self.alpha = alpha

    def score(self, cluster: list[int], node: int) -> Fraction:
        lost = Fraction(self.cost([*cluster, node]), self.axes * UNIT)
        apart = sum(distance(node, member, self.n, self.edges) for member in cluster)
        return self.alpha * lost + (1 - self.alpha) * apart / len(cluster)

    def run(self) -> list[list[int]]:
        degree = [sum(node in edge for edge in self.edges) for node in range(self.n)]
        left = list(range(self.n))
        clusters: list[list[int]] = []
        while left:
            seed = max(left, key=lambda node: (degree[node], -node))
            cluster = [seed]
            left.remove(seed)
            while left and len(cluster) < self.k:
                best = min(left, key=lambda node: (self.score(cluster, node), node))
                cluster.append(best)
                left.remove(best)
            clusters.append(cluster)
        if len(clusters[-1]) < self.k:
            for node in sorted(clusters.pop()):
                best = min(clusters, key=lambda cluster: self.score(cluster, node))
                best.append(node)
        return clusters


def partitions(nodes: Sequence[int], k: int) -> Iterator[list[list[int]]]:
    """Every partition into clusters of at least k nodes."""
    if not nodes:
        yield []
        return
    first, *rest = nodes
    for size in range(k - 1, len(rest) + 1):
        for others in combinations(rest, size):
            left = [node for node in rest if node not in others]
            if left and len(left) < k:
                continue
            for further in partitions(left, k):
                yield [[first, *others], *further]
