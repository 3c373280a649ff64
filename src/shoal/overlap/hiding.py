"""Hiding: from neighbourhoods to boxes that hide people, and to what rows may tell.

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
from shoal.overlap.values import noisy

DRAWS = 4_000_000  # of a record's row, over all records and draws: some seconds
PROMISED = {"mutual": "k-concealment"}  # others are promises themselves


@dataclass(frozen=True)
class Hidden:
    """The box of each row as it is to be published, what is promised of them, and what they were
    made from.
    """

    lo: Codes
    hi: Codes
    promise: str
    near: Neighbourhoods
    rings: tuple[Ring, ...] = ()
    groups: Groups | None = None

    @property
    def gathered(self) -> tuple[Longs, Ints] | None:
        """The records that each row was made from; None where boxes were widened, and are those of
        nobody.
        """
        if self.rings:
            return windows(self.rings)
        rows, k = self.near.members.shape
        return (
            (np.arange(rows + 1, dtype=np.int64) * k, self.near.members.reshape(-1))
            if self.promise == "k-1"
            else None
        )


def left_alone(near: Neighbourhoods) -> Hidden:
    """The boxes of neighbourhoods, as the paper publishes them."""
    return Hidden(near.lo, near.hi, "k-1", near)


def hidden(
    rows: Rows, near: Neighbourhoods, k: int, method: Overlap, groups: Groups | None
) -> Hidden:
    """Boxes that keep a promise. `groups` keep l by themselves; where it was asked for they are
    published whole.
    """
    if groups is None:
        promise = PROMISED.get(method.match, method.match)
        return Hidden(*repaired(rows, near, k, method.match), promise, near)
    whole = method.l > 1 or method.values == "groups"
    made = shuffled(rows, groups) if whole else ringed(rows, groups, k)
    return Hidden(made.lo, made.hi, "k-concealment", near, made.rings, groups)


def spoken(
    boxes: Hidden,
    cover: Cover,
    columns: Sequence[Profile],
    method: Overlap,
    chance: np.random.Generator,
) -> Speech:
    """What each row tells of the columns beside its box."""
    if method.values == "noisy":
        return told(boxes.near, tuple(_noisy(boxes, column, method, chance) for column in columns))
    if method.values == "groups":
        assert boxes.groups is not None
        return of_groups(boxes.groups, columns)
    if boxes.rings:
        return of_rings(boxes.rings, dealt(boxes.rings, chance))
    return sampled(cover, matching(cover.matches(cover.own()), chance))


def _noisy(boxes: Hidden, column: Profile, method: Overlap, chance: np.random.Generator) -> Floats:
    size = column.size + (
        column.missing > 0
    )  # where nobody's value is missing, noise must not say so
    given = {"epsilon": method.epsilon, "cap": method.cap, "l": method.l, "rng": chance}
    shares = noisy(boxes.near.members, column.codes, size, **given).shares  # type: ignore[arg-type]
    return np.pad(shares, ((0, 0), (0, column.size + 1 - size)))


def links_of(boxes: Hidden, cover: Cover, speech: Speech, chance: np.random.Generator) -> Links:
    """How likely the likeliest link of a person and a row is."""
    if (
        speech.own is not None
    ):  # who knows the method finds everybody's row again, up to rows with the same box
        return Links.known(1.0 / cover.rows[cover.box_of])
    if boxes.rings:
        return _links_of_rings(boxes.rings, chance)
    draws = int(np.clip(DRAWS // max(len(cover.tuple_of), 1), 100, 400))
    return links(cover.matches(cover.own()), chance, draws)


def _links_of_rings(rings: tuple[Ring, ...], chance: np.random.Generator) -> Links:
    """Known where groups are whole; else estimated from deals, every place of a ring being like the
    others.
    """
    found = likeliest(rings, chance)
    shapes = {(len(ring.rows), ring.window) for ring in rings if not ring.whole}
    if not shapes:
        return Links.known(found)
    largest = float(found.max(initial=0.0))
    places = sum(window for _, window in shapes)
    limit = upper_limit(largest, ringing.DRAWS, DOUBT / places)
    return Links(largest, limit, found, ringing.DRAWS, float(ringing.DRAWS))
