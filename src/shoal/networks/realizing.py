"""Realizing: edges to add to a graph so that each node gets as many new neighbours as it lacks.

    take the node that lacks most; join it to the nodes that lack most among those it may be joined
    to: neither itself nor a neighbour, old or new
    where nobody is left for u and w: find a new edge x-y, such that u-x and w-y are free, and
    replace it by these two; x and y keep their degrees

The complement of a sparse graph is dense, so this seldom fails; where it does, another draw among
equally cheap targets is tried (`shoal.networks.k_degree`), never a random raise.
"""

from __future__ import annotations

import heapq

import numpy as np

from shoal.arrays import Longs
from shoal.kernels.networks.counting import Near


class Realization:
    """A graph that edges are added to, until nobody lacks any or nothing more can be done."""

    def __init__(self, near: Near, lacking: Longs, rng: np.random.Generator) -> None:
        self.near = near
        self.rng = rng
        self.lacking = {int(node): int(lacking[node]) for node in np.flatnonzero(lacking)}
        self.old = {node: set(self._neighbours(node)) for node in self.lacking}
        self.new: dict[int, set[int]] = {node: set() for node in self.lacking}

    def _neighbours(self, node: int) -> list[int]:
        at = slice(self.near.starts[node], self.near.starts[node + 1])
        listed: list[int] = self.near.ends[at].tolist()
        return listed

    def edges(self) -> list[tuple[int, int]] | None:
        """Return the edges that were added, or None where some node still lacks one."""
        self._join_greedily()
        while any(self.lacking.values()):
            if not self._exchange():
                return None
        return [(u, v) for u, others in self.new.items() for v in others if u < v]

    def _free(self, u: int, v: int) -> bool:
        return u != v and v not in self.old[u] and v not in self.new[u]

    def _join(self, u: int, v: int) -> None:
        self.new[u].add(v)
        self.new[v].add(u)
        self.lacking[u] -= 1
        self.lacking[v] -= 1

    def _join_greedily(self) -> None:
        chance = self.rng.random(len(self.lacking)).tolist()
        tie = dict(zip(self.lacking, chance, strict=True))
        waiting = [(-lack, tie[node], node) for node, lack in self.lacking.items()]
        heapq.heapify(waiting)
        done = set[int]()
        while waiting:
            lack, _, node = heapq.heappop(waiting)
            if node in done or -lack != self.lacking[node] or not lack:
                continue
            done.add(node)
            for other in self._partners(node, waiting):
                self._join(node, other)
                heapq.heappush(waiting, (-self.lacking[other], tie[other], other))

    def _partners(self, node: int, waiting: list[tuple[int, float, int]]) -> list[int]:
        """Take from the waiting those that lack most and may be joined; the others wait on."""
        wanted = self.lacking[node]
        partners = list[int]()
        passed = []
        while waiting and len(partners) < wanted:
            entry = heapq.heappop(waiting)
            other = entry[2]
            if -entry[0] != self.lacking[other] or not entry[0]:
                continue
            if self._free(node, other) and other not in partners:
                partners.append(other)
            else:
                passed.append(entry)
        for entry in passed:
            heapq.heappush(waiting, entry)
        return partners

    def _exchange(self) -> bool:
        """Give two nodes that lack a neighbour, or one that lacks two, the ends of a new edge."""
        short = [node for node, lack in self.lacking.items() for _ in range(min(lack, 2))]
        edges = [(x, y) for x, others in self.new.items() for y in others]
        for first, u in enumerate(short):
            for w in short[first + 1 :]:
                if u != w and self._free(u, w):
                    self._join(u, w)
                    return True
                for x, y in edges:
                    if self._free(u, x) and self._free(w, y) and u != y and w != x:
                        self.new[x].discard(y)
                        self.new[y].discard(x)
                        self.lacking[x] += 1
                        self.lacking[y] += 1
                        self._join(u, x)
                        self._join(w, y)
                        return True
        return False
