"""Signatures: the sensitive values among which a person stands, which have to stay the same.

Where every group holds its values equally often, and a person stands beside the same values in
every release, values can change places in all releases at once: none is likelier than another.
That takes everybody who was ever in a group with one of these people, and so on: where a value of
theirs is likelier, those of the others are too.

Xiao & Tao 2007, doi:10.1145/1247480.1247556.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from shoal.arrays import Flags, Ints
from shoal.errors import PrivacyNotMet
from shoal.ledger.candidates import ValueCounts
from shoal.ledger.company import ABSENT
from shoal.ledger.past import Joined
from shoal.wording import Remedy, Set

UNBALANCED = -2


def people_with_others(joined: Joined, column: str) -> int:
    """Count people of the new release whose values could not change places in all releases."""
    having, tallies = joined.tallies(column)
    return int(np.count_nonzero(unexchangeable(joined.labels[having], tallies)[joined.who]))


def unexchangeable(labels: Ints, tallies: Sequence[ValueCounts]) -> Flags:
    """Mark people whose values can't change places; `labels` are [releases, people].

    They, or people who are linked to them by groups, stand beside other values in one release than
    in another, or in a group in which some values are more frequent than others.
    """
    numbers: dict[bytes, int] = {}
    signature = np.full(labels.shape[1], ABSENT, np.int32)
    others = np.zeros(labels.shape[1], np.bool_)
    for groups, tally in zip(labels, tallies, strict=True):
        of_groups = _of_groups(tally, int(groups.max(initial=-1)) + 1, numbers)
        here = np.append(of_groups, np.int32(ABSENT))[groups]
        changed = (signature != ABSENT) & (here != ABSENT) & (here != signature)
        others |= changed | (here == UNBALANCED)
        signature = np.where(here == ABSENT, signature, here)
    return _with_linked(others, labels)


def _of_groups(tally: ValueCounts, groups: int, numbers: dict[bytes, int]) -> Ints:
    """Number the set of values of each group, alike in all releases; some may be likelier."""
    ends = np.searchsorted(tally.group, np.arange(groups + 1))
    signatures = np.full(groups, UNBALANCED, np.int32)
    for group, (first, end) in enumerate(pairwise(ends)):
        counts = tally.count[first:end]
        if len(counts) and (counts == counts[0]).all():
            values = tally.value[first:end].tobytes()
            signatures[group] = numbers.setdefault(values, len(numbers))
    return signatures


def _with_linked(some: Flags, labels: Ints) -> Flags:
    """Add to some people all who were in a group with one of them in some release, and so on."""
    while True:
        linked = some.copy()
        for groups in labels:
            there = groups != ABSENT
            touched = np.zeros(int(groups.max(initial=-1)) + 1, np.bool_)
            touched[groups[there & linked]] = True
            linked[there] |= touched[groups[there]]
        if np.array_equal(linked, some):
            return some
        some = linked


def refuse_other_signatures(joined: Joined, columns: Sequence[str]) -> None:
    """Refuse a release in which people stand beside other values than before."""
    for column in columns:
        _refuse_other_roles(joined, column)
        others = people_with_others(joined, column)
        if others:
            facts = {"people of this release": len(joined.who), "published": "nothing"}
            problem = (
                f"{others:,} people would stand beside other values of '{column}' than before, or "
                "stood where some were likelier"
            )
            sticky = Set("across", "sticky", "keep people in the groups they were published in")
            leave = "leave the model out: it has to be asked for from the first release on"
            raise PrivacyNotMet(problem, facts, Remedy(sticky, leave))


def _refuse_other_roles(joined: Joined, column: str) -> None:
    """Refuse a column that an earlier release shows without counting its values in groups."""
    for release in joined.past.releases:
        shown = column in (*release.quasi, *release.plain)
        if shown and column not in release.values():
            facts = {"that release": release.called, "published": "nothing"}
            problem = f"an earlier release shows '{column}' in another role than a sensitive column"
            raise PrivacyNotMet(problem, facts, "leave the model out: it could promise nothing")
