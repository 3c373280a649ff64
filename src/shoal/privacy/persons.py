"""Persons: the guard where several rows are about one person.

Wang & Fung 2006 call it (X,Y)-anonymity.

All rows of a person stand in one group: otherwise whoever knows a person looks at what their groups
have in common, and is left with fewer than k. So methods divide persons, each represented by one
row, the one with the lowest codes. Sizes count persons; sensitive values are counted in all rows of
all persons of a group.

What this does not do: a person with many rows counts once for k and many times for the values, so
that one may hide a lack of diversity among the others. Methods see the loss of the representing
rows alone; boxes, losses and everything that is measured afterwards come from all rows. The person
is never published, so the release can't show any of this.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.arrays import Flags, Ints, Longs
from shoal.groups import Groups
from shoal.kernels.guards import Rules
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.promises import Broken, Promises


@dataclass(frozen=True)
class Persons:
    """A guard of groups of at least `least` persons, whose rows keep the promises."""

    promises: Promises
    of: Ints  # the person of each row, numbered from 0

    @property
    def least(self) -> int:
        """The smallest number of persons that a safe group can have."""
        return self.promises.least

    @property
    def survives_merging(self) -> bool:
        """True if the union of two safe groups is always safe."""
        return self.promises.survives_merging

    @property
    def only_more_helps(self) -> bool:
        """True if a safe group stays safe whoever joins it."""
        return self.promises.only_more_helps

    @property
    def survives_recoding(self) -> bool:
        """True if one scheme for all rows stays safe when a column moves to a higher level."""
        return self.promises.survives_recoding

    @property
    def only_size(self) -> bool:
        """True if size is all that matters: enough persons have enough rows."""
        return self.promises.only_size

    @property
    def rules(self) -> Rules | None:
        """None: kernels count one value for each person, and a person may have several."""
        return None

    def safe(self, groups: Groups) -> Flags:
        """Mark groups of enough persons whose rows keep every promise."""
        return np.asarray(groups.sizes >= self.least, np.bool_) & self.promises.safe(
            self.rows_of(groups)
        )

    def broken(self, groups: Groups) -> list[Broken]:
        """List promises that are not kept, and by which groups of persons."""
        few = Broken(KAnonymity(self.least), None, np.asarray(groups.sizes < self.least, np.bool_))
        return [*([few] if few.unsafe.any() else []), *self.promises.broken(self.rows_of(groups))]

    def rows_of(self, groups: Groups) -> Groups:
        """Convert groups of persons to groups of all their rows."""
        return Groups(groups.labels[self.of], groups.count, groups.notes, levels=groups.levels)


def represented(person: Ints, keys: Longs) -> tuple[Ints, Longs]:
    """Number persons by the keys of their rows, and find the row of each with the lowest key.

    Returned are the person of each row and the row of each person. Rows with the same key are
    alike.

    Persons are numbered anew by the keys of all their rows, so that nothing depends on the order of
    the rows.
    """
    order = np.lexsort((keys, person))
    starts = np.append(np.flatnonzero(np.diff(person[order], prepend=-1)), len(order))
    sorted_keys = keys[order].tolist()
    held = [sorted_keys[a:b] for a, b in pairwise(starts.tolist())]
    by_keys = np.array(sorted(range(len(held)), key=held.__getitem__), np.int64)
    rank = np.empty(len(held), np.int32)
    rank[by_keys] = np.arange(len(held), dtype=np.int32)
    return rank[person], order[starts[:-1][by_keys]]
