"""`downcoding`: are the ends of published intervals real people's values?

*The attacker knows* the release, and that boxes may be the least ones around their people. Nothing
about anyone else.

    claim   = "someone of this group has just the value of the lower end", and the same for the
            upper end
    right   = someone whom the box covers has it
    control = the same claim about a value drawn at random from those of the column that lie in the
              interval

Tight boxes are least, so the claim is always right. Snapped ends stand on a grid and are right
about as often as any other value would be, apart from columns that span fewer than ten units.
Single values, which at least k people share, are no intervals and make no claim. It never gates,
because tight boxes are chosen knowingly; it shows what `snapped` leaves. Of the same kind, and not
tried here: that two children of a published node are inhabited, as the node would be lower
otherwise.

Cohen 2022 (USENIX Security, "Attacks on deidentification's defenses").

By hand: a group holds people of 31, 34 and 39. Published as `[31, 39]`, the claims "someone is 31"
and "someone is 39" are both right. Published as `[30, 40]`, both are wrong.

Cost: people x groups; of many groups so many are drawn that 200 million looks are enough.

When to use it: on releases with exact intervals (`publish="tight"`): the ends of a box are
somebody's values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Ints, Longs
from shoal.attacks.attack import Attack, Material, Tries
from shoal.attacks.reading import INTERVAL, LOWER, UPPER, PublishedBoxes
from shoal.attacks.sight import drawn
from shoal.kernels.attacks.reach import covering, covering_count
from shoal.wording import Remedy, Set

LOOKS = 200_000_000  # at a person and a box


@dataclass(frozen=True)
class Downcoding(Attack):
    """Read people's values off the ends of published intervals."""

    name = "downcoding"
    stops_it = Remedy(Set("publish", "snapped"), "a hierarchy of intervals")

    def _tries(self, material: Material) -> Iterator[Tries]:
        codes = material.exactly.rows.codes
        boxes = material.exactly.boxes
        claims = 2 * int(np.count_nonzero(boxes.ends & INTERVAL))
        picked = drawn(boxes.groups.count, max(LOOKS // max(codes.shape[1], 1), 1))
        person, group = _inside(codes, boxes, picked)
        tried = [
            _claims(codes[axis], axis, boxes, picked, person, group) for axis in range(len(codes))
        ]
        attack = np.concatenate([part[0] for part in tried])
        control = np.concatenate([part[1] for part in tried])
        words = "Claims that someone has just the value at an end of an interval."
        yield Tries(
            attack,
            control,
            claims,
            words if len(attack) else "not possible: no interval is published",
        )


def _inside(codes: Ints, boxes: PublishedBoxes, picked: Longs) -> tuple[Longs, Ints]:
    """List the pairs of a person and one of the boxes picked that covers the person."""
    first = boxes.first[picked]
    last = boxes.last[picked]
    people = np.ascontiguousarray(codes.T)
    covered = covering_count(first, last, people, people)
    starts = np.concatenate(([0], np.cumsum(covered))).astype(np.int64)
    return np.repeat(np.arange(len(people)), covered), covering(first, last, people, people, starts)


def _claims(
    codes: Ints, axis: int, boxes: PublishedBoxes, picked: Longs, person: Longs, group: Ints
) -> tuple[Floats, Floats]:
    """Score both claims about each interval on an axis: if right, and the chance of any value."""
    size = int(codes.max(initial=0)) + 1
    held = np.unique(group * np.int64(size) + codes[person])
    first = boxes.first[picked, axis]
    last = boxes.last[picked, axis]
    ends = boxes.ends[picked, axis]
    wide = np.flatnonzero(ends & INTERVAL)
    right = [
        (ends[wide] & bit > 0) & np.isin(wide * np.int64(size) + end[wide], held)
        for bit, end in ((LOWER, first), (UPPER, last))
    ]
    different = np.bincount(held // size, minlength=len(picked))[wide]
    chance = different / np.maximum(last[wide] - first[wide] + 1, 1)
    return np.concatenate(right).astype(np.float64), np.concatenate([chance, chance])
