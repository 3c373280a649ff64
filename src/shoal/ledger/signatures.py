"""Signatures: the sensitive values among which a person stands, which have to stay the same.

Where every group holds its values equally often, and a person stands beside the same values in
every release, values can change places in all releases at once: none is likelier than another.

Xiao & Tao 2007, doi:10.1145/1247480.1247556.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.arrays import Ints
from shoal.errors import PrivacyNotMet
from shoal.ledger.candidates import ValueCounts
from shoal.ledger.company import ABSENT
from shoal.ledger.past import Joined
from shoal.wording import Remedy, Set


def people_with_others(joined: Joined, column: str) -> int:
    """Count people of the new release who stand beside other values than in an earlier one."""
    having, tallies = joined.tallies(column)
    numbers: dict[bytes, int] = {}
    signatures = [
        _of_people(groups, _of_groups(tally, numbers))
        for groups, tally in zip(joined.labels[having], tallies, strict=True)
    ]
    new = signatures[-1]
    others = np.zeros(len(new), np.bool_)
    for earlier in signatures[:-1]:
        others |= (earlier != ABSENT) & (new != ABSENT) & (earlier != new)
    return int(np.count_nonzero(others))


def _of_groups(tally: ValueCounts, numbers: dict[bytes, int]) -> Ints:
    """Number the set of values of each group, alike in all releases."""
    count = int(tally.group.max(initial=-1)) + 1
    ends = np.searchsorted(tally.group, np.arange(count + 1))
    sets = [tally.value[ends[at] : ends[at + 1]].tobytes() for at in range(count)]
    return np.array([numbers.setdefault(each, len(numbers)) for each in sets], np.int32)


def _of_people(groups: Ints, signatures: Ints) -> Ints:
    """Give people the signature of their group."""
    return np.where(groups == ABSENT, ABSENT, np.append(signatures, 0)[groups]).astype(np.int32)


def refuse_other_signatures(joined: Joined, columns: Sequence[str]) -> None:
    """Refuse a release in which people stand beside other values than before."""
    for column in columns:
        others = people_with_others(joined, column)
        if others:
            facts = {"people of this release": len(joined.who), "published": "nothing"}
            problem = f"{others:,} people would stand beside other values of '{column}' than before"
            sticky = Set("across", "sticky", "keep people in the groups they were published in")
            raise PrivacyNotMet(problem, facts, Remedy(sticky))
