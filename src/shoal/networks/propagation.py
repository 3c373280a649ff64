"""Seeded propagation: from a few people known by name to their neighbours, and on.

    score(u, v) = mapped neighbours of u whose images are neighbours of v / sqrt(deg u * deg v)
    take the best v for u if it stands out: (best - second) / standard deviation >= `stands_out`,
    and if u is the best for v as well; go on until nothing is added

A. Narayanan and V. Shmatikov, "De-anonymizing social networks", 2009, doi:10.1109/SP.2009.22. The
attacker holds the original graph and looks for its nodes in the published one. Ends after at most
`ROUNDS` rounds; each looks at all nodes with a mapped neighbour.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Longs
from shoal.kernels.networks.counting import Near
from shoal.networks.network import Network

ROUNDS = 5
MOST_EDGES = 200_000


@dataclass(frozen=True)
class Propagation:
    """The two graphs: one that the attacker knows, one that was published."""

    known: Network
    published: Network
    stands_out: float = 0.5

    def mapped(self, seeds: dict[int, int]) -> dict[int, int]:
        """Map nodes of the known graph to published ones, beginning with seeds."""
        image = dict(seeds)
        taken = {v: u for u, v in seeds.items()}
        for _ in range(ROUNDS):
            before = len(image)
            for u in range(self.known.count):
                if u in image:
                    continue
                v = self._best(u, image, self.known, self.published, taken)
                if v is not None and self._best(v, taken, self.published, self.known, image) == u:
                    image[u] = v
                    taken[v] = u
            if len(image) == before:
                break
        return image

    def _best(
        self, node: int, image: dict[int, int], here: Network, there: Network, taken: dict[int, int]
    ) -> int | None:
        """Find the node of the other graph that fits best, if it stands out."""
        scores: dict[int, float] = defaultdict(float)
        for neighbour in _around(here.near, node):
            if neighbour in image:
                for other in _around(there.near, image[neighbour]):
                    if other not in taken:
                        scores[other] += 1.0
        if not scores:
            return None
        degree = int(here.degrees[node])
        ranked = sorted(
            (
                (score / math.sqrt(degree * int(there.degrees[other])), other)
                for other, score in scores.items()
            ),
            reverse=True,
        )
        if len(ranked) == 1:
            return ranked[0][1]
        spread = float(np.std([score for score, _ in ranked]))
        outstanding = spread > 0 and (ranked[0][0] - ranked[1][0]) / spread >= self.stands_out
        return ranked[0][1] if outstanding else None


def _around(near: Near, node: int) -> list[int]:
    listed: list[int] = near.ends[near.starts[node] : near.starts[node + 1]].tolist()
    return listed


def rightly_mapped(attack: Propagation, truth: Longs, seeds: int, seed: int = 1) -> tuple[int, int]:
    """Count right and wrong nodes beyond the seeds, which are those of highest degree."""
    order = np.argsort(-attack.known.degrees, kind="stable")[:seeds].tolist()
    image = attack.mapped({node: int(truth[node]) for node in order})
    mapped = [node for node in image if node not in set(order)]
    right = sum(image[node] == int(truth[node]) for node in mapped)
    return right, len(mapped) - right
