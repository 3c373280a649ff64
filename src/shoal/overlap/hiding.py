"""Hiding: from neighbourhoods to boxes that hide people, and to what rows may tell.

repair         boxes are widened until `1-k`, `k-k` or `k-concealment` holds, or stand on a `ring`; None leaves them alone
values         `sampled`: each row carries the values of a record that it may be; `noisy`: noise on the counts of its
               neighbourhood; `groups`: exact counts of disjoint groups; `exact`: of its neighbourhood, as in the paper
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Codes, Ints
from shoal.encode.profile import Profile
from shoal.encode.rows import Rows
from shoal.overlap.cover import Cover
from shoal.overlap.matching import Links, links, matching
from shoal.overlap.overlap import Neighbourhoods
from shoal.overlap.repairs import repaired
from shoal.overlap.rings import ringed, turned
from shoal.overlap.speech import Speech, exact, sampled

DRAWS = 4_000_000  # of a record's row, over all records and draws: some seconds


@dataclass(frozen=True)
class Hidden:
    """The box of each row as it is to be published, what is promised of them, and what they were made from."""

    lo: Codes
    hi: Codes
    promise: str
    near: Neighbourhoods
    k: int
    rings: list[Ints] | None = None


def hidden(rows: Rows, near: Neighbourhoods, k: int, repair: str | None) -> Hidden:
    """Boxes under a promise: `k-1` where nothing is repaired."""
    if repair is None:
        return Hidden(near.lo, near.hi, "k-1", near, k)
    if repair == "ring":
        ring, rings = ringed(rows, k)
        return Hidden(ring.lo, ring.hi, "k-concealment", ring, k, rings)
    return Hidden(*repaired(rows, near, k, repair), repair, near, k)


def spoken(boxes: Hidden, cover: Cover, columns: Sequence[Profile], values: str, chance: np.random.Generator) -> Speech:
    """What each row tells of the columns beside its box."""
    if values == "exact":
        return exact(boxes.near, columns)
    if boxes.rings is not None:
        return sampled(cover, turned(boxes.rings, boxes.k, chance))
    return sampled(cover, matching(cover.matches(cover.own()), chance))


def links_of(boxes: Hidden, cover: Cover, chance: np.random.Generator) -> Links:
    """How likely the likeliest link of a person and a row is; exactly known on rings."""
    if boxes.rings is not None:
        each = 1.0 / boxes.k
        return Links(each, each, np.full(len(cover.tuple_of), each), 0, 0.0)
    draws = int(np.clip(DRAWS // max(len(cover.tuple_of), 1), 100, 400))
    return links(cover.matches(cover.own()), chance, draws)
