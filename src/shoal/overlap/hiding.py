"""Hiding: convert neighbourhoods to boxes that hide people, and choose what rows may tell.

`match` says how people are hidden: `1-k`, `k-k`, `k-concealment` and `mutual` widen the boxes of
neighbourhoods, `ring` puts rows on rings inside groups. `values` says what becomes of the other
columns:

    sampled   each row carries the values of a record that it may be
    noisy     noise on the counts of its neighbourhood: values are protected, rows can be recognised
              by who knows the method
    groups    exact counts of disjoint groups, whose boxes are then published
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Codes, Floats, Ints, Longs
from shoal.encode.profile import Profile
from shoal.encode.rows import Rows
from shoal.groups import Groups
from shoal.overlap import rings as ringing
from shoal.overlap.cover import Cover
from shoal.overlap.matching import DOUBT, Links, links, matching, upper_limit
from shoal.overlap.overlap import Neighbourhoods, Overlap
from shoal.overlap.repairs import repaired
from shoal.overlap.rings import Ring, dealt, likeliest, ringed, shuffled, windows
from shoal.overlap.speech import Speech, of_groups, of_rings, sampled, told
from shoal.overlap.values import NoiseStrength, noisy

DRAWS = 4_000_000  # of a record's row, over all records and draws: some seconds
CONCEALED = "k-concealment"
PROMISED = {"mutual": CONCEALED}  # others are promises themselves


@dataclass(frozen=True)
class Hidden:
    """The boxes to be published, the promise that they keep, and what they were made from."""

    lo: Codes
    hi: Codes
    promise: str
    near: Neighbourhoods
    rings: tuple[Ring, ...] = ()
    groups: Groups | None = None

    @property
    def gathered(self) -> tuple[Longs, Ints] | None:
        """The records that each row was made from; None where boxes were widened."""
        if self.rings:
            return windows(self.rings)
        rows, k = self.near.members.shape
        if self.promise != "k-1":
            return None
        return np.arange(rows + 1, dtype=np.int64) * k, self.near.members.reshape(-1)


def left_alone(near: Neighbourhoods) -> Hidden:
    """Publish the boxes of neighbourhoods as the paper does."""
    return Hidden(near.lo, near.hi, "k-1", near)


def divides(method: Overlap) -> bool:
    """Tell whether a method makes its boxes inside groups of rows."""
    return method.match == "ring" or method.values == "groups"


def promise_of(method: Overlap, *, as_published: bool) -> str:
    """Name the promise that boxes of a method keep; the paper's own are `k-1`."""
    if as_published:
        return "k-1"
    return CONCEALED if divides(method) else PROMISED.get(method.match, method.match)


def hidden(
    rows: Rows, near: Neighbourhoods, k: int, method: Overlap, groups: Groups | None
) -> Hidden:
    """Make boxes that keep a promise.

    `groups` keep l by themselves; where it was asked for they are published whole.
    """
    promise = promise_of(method, as_published=False)
    if groups is None:
        return Hidden(*repaired(rows, near, k, method.match), promise, near)
    whole = method.l > 1 or method.values == "groups"
    made = shuffled(rows, groups) if whole else ringed(rows, groups, k)
    return Hidden(made.lo, made.hi, promise, near, made.rings, groups)


def spoken(
    boxes: Hidden,
    cover: Cover,
    columns: Sequence[Profile],
    method: Overlap,
    chance: np.random.Generator,
) -> Speech:
    """Choose what each row tells of the columns beside its box."""
    if method.values == "noisy":
        return told(boxes.near, tuple(_noisy(boxes, column, method, chance) for column in columns))
    if method.values == "groups":
        assert boxes.groups is not None
        return of_groups(boxes.groups, columns)
    if boxes.rings:
        return of_rings(boxes.rings, dealt(boxes.rings, chance))
    return sampled(cover, matching(cover.matches(cover.own()), chance))


def _noisy(boxes: Hidden, column: Profile, method: Overlap, chance: np.random.Generator) -> Floats:
    # Missing values get a share only where there are any: noise must not invent them.
    size = column.size + (column.missing > 0)
    noise = NoiseStrength(method.epsilon, method.cap, method.l)
    shares = noisy(boxes.near.members, column.codes, size, noise, chance).shares
    return np.pad(shares, ((0, 0), (0, column.size + 1 - size)))


def links_of(boxes: Hidden, cover: Cover, speech: Speech, chance: np.random.Generator) -> Links:
    """Compute the chance of the likeliest link of a person and a row."""
    # Whoever knows the method finds the row of each person, up to rows with the same box.
    if speech.own is not None:
        return Links.known(1.0 / cover.rows[cover.box_of])
    if boxes.rings:
        return _links_of_rings(boxes.rings, chance)
    draws = int(np.clip(DRAWS // max(len(cover.tuple_of), 1), 100, 400))
    return links(cover.matches(cover.own()), chance, draws)


def _links_of_rings(rings: tuple[Ring, ...], chance: np.random.Generator) -> Links:
    """Compute the likeliest links of rings: exactly for whole groups, else from deals.

    Every place of a ring is like the others.
    """
    chances = likeliest(rings, chance)
    shapes = {(len(ring.rows), ring.window) for ring in rings if not ring.whole}
    if not shapes:
        return Links.known(chances)
    largest = float(chances.max(initial=0.0))
    places = sum(window for _, window in shapes)
    limit = upper_limit(largest, ringing.DRAWS, DOUBT / places)
    return Links(largest, limit, chances, ringing.DRAWS, float(ringing.DRAWS))
