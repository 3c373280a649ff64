"""Layout: joins the clusters of a graph to a few bubbles, and finds a place for each on a plane.

    while there are more bubbles than a picture can show:
        join each bubble and its neighbour with the densest edges between them, the densest pairs
        first; bubbles that want the same neighbour, or have none, in pairs
    let edges draw bubbles together and all bubbles push each other away; then part those that touch

So up to 80 clusters have a bubble each, and 2,000 of them become 80 bubbles that hang together.
Nothing here is drawn by chance: one release has one picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Longs
from shoal.networks.structure import Structure

MOST = 80  # bubbles
FEW = 8  # where fewer than one part in so many finds a partner, others are coupled too
WIDE = 600.0
HIGH = 450.0
FILLED = 0.3  # share of the plane that circles take
LEAST = 3.0  # radius of a circle
GAP = 3.0  # between two circles
STEPS = 200
MARGIN = 4.0


@dataclass(frozen=True)
class Bubbles:
    """Parts of a graph: people, clusters and edges of each, edges between them, and their place."""

    of_cluster: Longs
    people: Longs
    clusters: Longs
    inner: Longs
    first: Longs
    second: Longs
    between: Longs
    x: Floats
    y: Floats
    radius: Floats

    @property
    def count(self) -> int:
        """Count the bubbles."""
        return len(self.people)

    @property
    def outer(self) -> Longs:
        """Count the edges of each bubble to others."""
        ends = np.concatenate((self.first, self.second))
        counts = np.bincount(ends, np.tile(self.between, 2), minlength=self.count)
        return counts.astype(np.int64)


def bubbles_of(structure: Structure, most: int = MOST) -> Bubbles:
    """Join clusters until there are at most `most` bubbles, and place them."""
    part = _joined(structure, most)
    count = int(part.max(initial=-1)) + 1
    people = _summed(part, structure.sizes, count)
    first, second, between, inside = _links(part, structure)
    inner = _summed(part, structure.inner, count) + inside
    radius = radii(people)
    x, y = _placed(first, second, between, radius)
    clusters = np.bincount(part, minlength=count).astype(np.int64)
    return Bubbles(part, people, clusters, inner, first, second, between, x, y, radius)


def radii(people: Longs) -> Floats:
    """Size circles so that their areas follow the numbers of people."""
    area = FILLED * WIDE * HIGH / max(int(people.sum()), 1)
    return np.maximum(np.sqrt(people * area / np.pi), LEAST)


def _summed(part: Longs, counts: Longs, count: int) -> Longs:
    return np.bincount(part, counts, minlength=count).astype(np.int64)


def _links(part: Longs, structure: Structure) -> tuple[Longs, Longs, Longs, Longs]:
    """Count the edges between parts, and those between clusters of one part."""
    count = max(int(part.max(initial=-1)) + 1, 1)
    one = part[structure.first]
    other = part[structure.second]
    inside = _summed(one[one == other], structure.between[one == other], count)
    apart = one != other
    keys = np.minimum(one, other)[apart] * count + np.maximum(one, other)[apart]
    pairs, place = np.unique(keys, return_inverse=True)
    between = _summed(place.astype(np.int64), structure.between[apart], len(pairs))
    return pairs // count, pairs % count, between, inside


def _joined(structure: Structure, most: int) -> Longs:
    """Give the bubble of each cluster."""
    part = np.arange(len(structure.sizes), dtype=np.int64)
    while (count := int(part.max(initial=-1)) + 1) > most:
        people = _summed(part, structure.sizes, count)
        first, second, between, _ = _links(part, structure)
        density = between / (people[first] * people[second])
        pairs = _couples(count, first, second, density)[: count - most]
        into = np.arange(count)
        into[pairs[:, 1]] = pairs[:, 0]
        part = np.unique(into, return_inverse=True)[1].astype(np.int64)[part]
    return part


def _couples(count: int, first: Longs, second: Longs, density: Floats) -> Longs:
    """Couple parts, each at most once: those that want each other, the densest first."""
    ranks = np.empty(len(first), np.int64)
    ranks[np.lexsort((-second, -first, density))] = np.arange(len(first))
    order = np.argsort(np.tile(ranks, 2), kind="stable")
    one = np.concatenate((first, second))[order]
    wanted = np.full(count, -1, np.int64)
    rank = np.full(count, -1, np.int64)
    # of several links of a part, the last one that is written is the densest
    wanted[one] = np.concatenate((second, first))[order]
    rank[one] = np.tile(ranks, 2)[order]
    own = np.arange(count)
    mutual = (own < wanted) & (wanted[wanted] == own)
    low = own[mutual][np.argsort(-rank[mutual])]
    pairs = np.column_stack((low, wanted[low]))
    return pairs if len(pairs) > count // FEW else np.concatenate((pairs, _others(pairs, wanted)))


def _others(pairs: Longs, wanted: Longs) -> Longs:
    """Couple parts that stayed alone, those beside each other that want the same neighbour."""
    alone = np.ones(len(wanted), np.bool_)
    alone[pairs.ravel()] = False
    left = np.flatnonzero(alone)
    left = left[np.argsort(wanted[left], kind="stable")]
    return np.sort(left[: len(left) // 2 * 2].reshape(-1, 2), axis=1)


def _placed(first: Longs, second: Longs, between: Longs, radius: Floats) -> tuple[Floats, Floats]:
    """Place circles in a plane of `WIDE` by `HIGH`: those with many edges near each other."""
    count = len(radius)
    if not count:
        return np.zeros(0), np.zeros(0)
    turn = 2.399963 * np.arange(count)  # the golden angle: no two in one direction
    away = np.sqrt((np.arange(count) + 0.5) / count)
    place = np.column_stack((np.cos(turn) * away, np.sin(turn) * away))
    pull = np.zeros((count, count))
    strength = np.sqrt(between / max(int(between.max(initial=1)), 1))
    pull[first, second] = strength
    pull[second, first] = strength
    length = np.sqrt(2.0 / count)
    for step in range(STEPS):
        place += _moves(place, pull, length) * 0.2 * (1.0 - step / STEPS)
    low = place.min(axis=0)
    extent = np.maximum(place.max(axis=0) - low, 1e-9)
    plane = np.array([WIDE, HIGH])
    edge = min(float(radius.max()), HIGH / 4)
    spread = (place - low) / extent * (plane - 2 * edge) + edge if count > 1 else plane[None] / 2
    return _parted(spread, radius)


def _moves(place: Floats, pull: Floats, length: float) -> Floats:
    """Compute a step of each place, at most 1 long: pushed by all, pulled by neighbours."""
    apart = place[:, None, :] - place[None, :, :]
    distance = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 1e-3)
    push = (length / distance) ** 2 - pull * distance / length
    np.fill_diagonal(push, 0.0)
    move = (apart * push[..., None]).sum(axis=1) - 0.5 * place
    return move / np.maximum(np.hypot(move[:, 0], move[:, 1]), 1.0)[:, None]


def _parted(place: Floats, radius: Floats) -> tuple[Floats, Floats]:
    """Push circles apart that touch, and back into the plane."""
    room = radius[:, None] + radius[None, :] + GAP
    within = radius + MARGIN
    plane = np.array([WIDE, HIGH])
    for _ in range(STEPS):
        apart = place[:, None, :] - place[None, :, :]
        distance = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 1e-3)
        lacking = np.maximum(room - distance, 0.0)
        np.fill_diagonal(lacking, 0.0)
        inside = np.minimum(np.maximum(place, within[:, None]), plane - within[:, None])
        if not lacking.any() and np.array_equal(inside, place):
            break
        place = place + (apart / distance[..., None] * (lacking / 2)[..., None]).sum(axis=1)
        place = np.minimum(np.maximum(place, within[:, None]), plane - within[:, None])
    return place[:, 0], place[:, 1]
