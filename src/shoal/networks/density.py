"""Density: clusters and pairs of clusters that tell too much of their edges are merged.

    while some cluster, or pair of clusters, holds a larger share of its possible edges than is
    allowed:
        a cluster is merged with the one that it has most edges with, a pair with itself

Merging makes clusters larger, so k holds throughout, and it ends at worst in one cluster. Should
that be too dense as well, the release is refused: the graph as a whole is.
"""

from __future__ import annotations

import numpy as np

from shoal.groups import Groups
from shoal.networks.network import Network
from shoal.networks.structure import Structure


def thinned(network: Network, groups: Groups, most: float) -> Groups:
    """Merge clusters until none, and no pair, is denser than `most`."""
    while groups.count > 1:
        structure = Structure.of(network, groups)
        pairs = _to_merge(structure, most)
        if not pairs:
            return groups
        joined = np.arange(groups.count)
        taken = set[int]()
        for one, other in pairs:
            if one not in taken and other not in taken:
                joined[other] = one
                taken |= {one, other}
        labels = np.where(groups.labels < 0, -1, joined[groups.labels])
        groups = Groups.of(labels, groups.notes)
    return groups


def _to_merge(structure: Structure, most: float) -> list[tuple[int, int]]:
    """List pairs of clusters to be merged, the densest first."""
    possible, real = structure.pairs
    density = real / np.maximum(possible, 1)
    count = len(structure.sizes)
    merged = []
    for place in np.argsort(-density, kind="stable").tolist():
        if density[place] <= most:
            break
        if place >= count:
            pair = place - count
            merged.append((int(structure.first[pair]), int(structure.second[pair])))
        else:
            merged.append((place, _closest(structure, place)))
    return merged


def _closest(structure: Structure, cluster: int) -> int:
    """Find the cluster that another has most edges with; the next one where it has none."""
    here = (structure.first == cluster) | (structure.second == cluster)
    if not here.any():
        return (cluster + 1) % len(structure.sizes)
    at = np.flatnonzero(here)[np.argmax(structure.between[here])]
    ends = (int(structure.first[at]), int(structure.second[at]))
    return ends[0] if ends[1] == cluster else ends[1]
