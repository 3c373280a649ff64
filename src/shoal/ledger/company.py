"""Company: how many people share all published groups of a person.

`labels[release, person]` holds the group in which a person was published, -1 where the person was
not. Rows of two releases can often be recognised as one person's, by a number that did not change
or a pseudonym. Then a person hides only among those who were in the same group every time:

    company(p) = people who were in the group of p in each release that p was in

Counted by histories: people with equal columns of `labels` are one history, and each different set
of releases is looked at once. Cost: a pass over people for each release, and one over histories
for each different set of releases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags, Ints, Longs

ABSENT = -1


@dataclass(frozen=True)
class Histories:
    """People who were in the same group in every release, as one history."""

    labels: Ints  # [releases, histories]
    people: Longs  # how many people each history has
    of: Ints  # [people]: the history of each person

    @classmethod
    def of_labels(cls, labels: Ints) -> Histories:
        """Put people with equal columns together."""
        of = numbered(labels)
        count = int(of.max(initial=-1)) + 1
        first = np.zeros(count, np.int64)
        # Of several people the one that is written last stays.
        first[of] = np.arange(len(of))
        people = np.bincount(of, minlength=count).astype(np.int64)
        return cls(np.ascontiguousarray(labels[:, first]), people, of)

    @property
    def present(self) -> Flags:
        """Tell in which releases each history is: [releases, histories]."""
        return np.asarray(self.labels != ABSENT, np.bool_)

    def company(self) -> Longs:
        """Count for each history the people in all of its groups; nobody's is 0."""
        present = self.present
        of_pattern = numbered(present.astype(np.int32))
        first = np.unique(of_pattern, return_index=True)[1]
        counted = np.zeros(len(self.people), np.int64)
        for number, pattern in enumerate(present[:, first].T):
            releases = np.flatnonzero(pattern)
            if not len(releases):
                continue
            there = np.flatnonzero(present[releases].all(axis=0))
            place = numbered(self.labels[np.ix_(releases, there)])
            together = np.bincount(place, self.people[there]).astype(np.int64)
            own = of_pattern[there] == number
            counted[there[own]] = together[place[own]]
        return counted


def company(labels: Ints) -> Longs:
    """Count the company of each person, themselves included; 0 for who was never published.

    >>> company(np.array([[0, 0, 1, 1], [0, 1, 1, -1]], np.int32)).tolist()
    [1, 1, 1, 2]
    """
    histories = Histories.of_labels(labels)
    return np.asarray(histories.company()[histories.of], np.int64)


def numbered(labels: Ints) -> Ints:
    """Number columns of labels from 0, in the order of their first; alike where all labels are.

    By mixed radix, renumbered by hashing before it would overflow.
    """
    keys = np.zeros(labels.shape[1], np.int64)
    ceiling = 1
    for row in labels:
        size = int(row.max(initial=ABSENT)) + 2
        if ceiling * size >= 2**62:
            keys = _hashed(keys).astype(np.int64)
            ceiling = int(keys.max(initial=0)) + 1
        keys *= size
        keys += row
        keys += 1
        ceiling *= size
    return _hashed(keys)


def _hashed(keys: Longs) -> Ints:
    """Number different keys from 0, in the order of their first."""
    return np.asarray(pc.dictionary_encode(pa.array(keys)).indices, np.int32)
