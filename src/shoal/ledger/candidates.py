"""Candidates: the sensitive values that a person can have, once several releases are compared.

Everybody knows who is in which group of which release, and how often each value stands in each
group. A value is a candidate of a person if values can be given to all people, one each for good,
so that every group of every release has the values that were published, and this person that one.

    people who are connected by groups, directly or through others, are one component
    a component of one history (the same people every time) is decided by its counts
    a small component is searched for one way to give out the values, for each candidate
    in a large one, all values are candidates that stand in each of the person's groups. There may
    be fewer: to decide that is as hard as filling a table of three ways from its margins.

Where no way exists, values have changed. Then an earlier release says nothing for certain, and the
candidates are the values of the newest group. People with several rows are never searched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Counts, Flags, Floats, Ints, Longs
from shoal.ledger.company import ABSENT, Histories

SEARCHED = 12  # people of a component that is searched
COMPONENTS = 2_000  # searched at most
ROUNDS = 8  # after which components that still grow count as large


@dataclass(frozen=True)
class ValueCounts:
    """Counts of each value of a sensitive column in each group of a release."""

    group: Ints
    value: Ints
    count: Counts

    def of_group(self, group: int) -> dict[int, int]:
        """Count the values of one group."""
        there = slice(*np.searchsorted(self.group, [group, group + 1]))
        return dict(zip(self.value[there].tolist(), self.count[there].tolist(), strict=True))


@dataclass(frozen=True)
class Candidates:
    """Values that are left for people of the newest release: how many, and how sure one is."""

    values: Longs
    """How many values each history can have; 0 for who is not in the newest release."""
    surest: Floats
    """The share of the most frequent candidate."""
    searched: Flags
    """Where the number of candidates is exact."""
    changed: Flags
    """Where releases contradict each other, since values have changed."""


@dataclass(frozen=True)
class _Votes:
    """For pairs of a history and a value, in how many rows of each of its groups it stands."""

    history: Ints
    value: Ints
    least: Counts


def candidates(histories: Histories, tallies: Sequence[ValueCounts]) -> Candidates:
    """Find what is left for the people of the newest release; tallies are sorted by group."""
    count = len(histories.people)
    votes = _voted(histories, tallies)
    left = np.bincount(votes.history, minlength=count)
    newest = histories.labels[-1]
    own = _counts_of(newest, tallies[-1])
    changed = (newest != ABSENT) & (left == 0) & (own[0] > 0)
    searched = np.zeros(count, np.bool_)
    values = left.astype(np.int64)
    surest = _surest(votes, count)
    component_of = _connected(histories.labels)
    alone = _single_rows(histories, tallies) & _single(component_of)
    searched |= alone
    # The least counts add up to all people where every group has the same values.
    changed |= alone & (np.bincount(votes.history, votes.least, count) < histories.people)
    for component in _small(histories, component_of):
        feasible = _searched(histories, tallies, component)
        if feasible is None:
            continue
        searched[component] = True
        changed[component] = not feasible
        for history, some in feasible.items():
            values[history] = len(some)
            surest[history] = max(some.values()) / sum(some.values())
    changed &= newest != ABSENT
    values = np.where(changed, own[0], values)
    surest = np.where(changed, own[1], surest)
    values[newest == ABSENT] = 0
    return Candidates(values, surest, searched, changed)


def _voted(histories: Histories, tallies: Sequence[ValueCounts]) -> _Votes:
    """Count votes: of each value in the newest group, its least number over all of the groups."""
    newest = histories.labels[-1]
    here = np.flatnonzero(newest != ABSENT).astype(np.int32)
    history, place = _expanded(here, newest[here], tallies[-1].group)
    value = tallies[-1].value[place]
    least = tallies[-1].count[place]
    for labels, tally in zip(histories.labels[:-1], tallies[:-1], strict=True):
        width = int(max(tally.value.max(initial=0), value.max(initial=0))) + 1
        keys = tally.group.astype(np.int64) * width + tally.value
        wanted = labels[history].astype(np.int64) * width + value
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        present = labels[history] != ABSENT
        there = np.zeros(len(history), np.bool_)
        if len(keys):
            there = keys[at] == wanted
            least = np.where(present & there, np.minimum(least, tally.count[at]), least)
        keep = ~present | there
        history = history[keep]
        value = value[keep]
        least = least[keep]
    return _Votes(history, value, least)


def _expanded(rows: Ints, groups: Ints, sorted_groups: Ints) -> tuple[Ints, Longs]:
    """Pair each row with all places of its group in a sorted list."""
    first = np.searchsorted(sorted_groups, groups)
    length = np.searchsorted(sorted_groups, groups, "right") - first
    ends = np.cumsum(length)
    place = np.arange(int(length.sum())) - np.repeat(ends - length, length)
    return np.repeat(rows, length).astype(np.int32), place + np.repeat(first, length)


def _surest(votes: _Votes, count: int) -> Floats:
    """Give the share of the most frequent candidate of each history."""
    total = np.bincount(votes.history, votes.least, minlength=count)
    most = np.zeros(count)
    np.maximum.at(most, votes.history, votes.least)
    return np.divide(most, total, out=np.zeros(count), where=total > 0)


def _counts_of(groups: Ints, tally: ValueCounts) -> tuple[Longs, Floats]:
    """Count the different values of each group, and give the share of the most frequent one."""
    highest = int(max(groups.max(initial=0), tally.group.max(initial=0))) + 1
    different = np.bincount(tally.group, minlength=highest).astype(np.int64)
    total = np.bincount(tally.group, tally.count, minlength=highest)
    most = np.zeros(highest)
    np.maximum.at(most, tally.group, tally.count)
    share = np.divide(most, total, out=np.zeros(highest), where=total > 0)
    there = groups != ABSENT
    return np.where(there, different[groups], 0), np.where(there, share[groups], 0.0)


def _single(component: Ints) -> Flags:
    """Mark histories that are a component by themselves."""
    there = component != ABSENT
    several = np.bincount(component[there], minlength=1)
    return np.asarray(there & (several[component] == 1), np.bool_)


def _single_rows(histories: Histories, tallies: Sequence[ValueCounts]) -> Flags:
    """Mark histories in whose groups there are as many values as people of this history."""
    right = np.asarray(histories.present.any(axis=0), np.bool_)
    for groups, tally in zip(histories.labels, tallies, strict=True):
        rows = np.bincount(tally.group, tally.count, int(groups.max(initial=0)) + 1)
        right &= (groups == ABSENT) | (rows[groups] == histories.people)
    return right


def _small(histories: Histories, component: Ints) -> Iterator[list[int]]:
    """Yield the histories of each component of few people, but for those of one history."""
    there = np.flatnonzero(component != ABSENT)
    people = np.bincount(component[there], histories.people[there], minlength=1)
    several = np.bincount(component[there], minlength=1)
    small = np.flatnonzero((several > 1) & (people <= SEARCHED))[:COMPONENTS]
    order = np.argsort(component, kind="stable")
    starts = np.searchsorted(component[order], small)
    for number, start in zip(small, starts, strict=True):
        yield order[start : start + several[number]].tolist()


def _connected(labels: Ints) -> Ints:
    """Number the component of each history by its lowest history; -1 where it is a large one."""
    count = labels.shape[1]
    component = np.arange(count, dtype=np.int32)
    for _ in range(ROUNDS):
        before = component
        for groups in labels:
            component = _joined(component, groups)
        if np.array_equal(before, component):
            return component
    unfinished = np.unique(component[before != component])
    for groups in labels:  # and what shares a group with those
        mixed = _joined(component, groups) != component
        unfinished = np.union1d(unfinished, component[mixed])
    return np.where(np.isin(component, unfinished), ABSENT, component).astype(np.int32)


def _joined(component: Ints, groups: Ints) -> Ints:
    """Give all histories of a group the lowest component among them."""
    there = groups != ABSENT
    lowest = np.full(int(groups.max(initial=0)) + 1, len(component), np.int32)
    np.minimum.at(lowest, groups[there], component[there])
    joined = component.copy()
    joined[there] = lowest[groups[there]]
    return joined


Left = dict[tuple[int, int], dict[int, int]]
"""The values that are left to be given out, for each release and group."""


def _searched(
    histories: Histories, tallies: Sequence[ValueCounts], component: list[int]
) -> dict[int, dict[int, int]] | None:
    """Find the candidates of a component with their votes; none where values have changed.

    None where it can't be searched, since somebody has several rows or none.
    """
    left: Left = {}
    people: dict[tuple[int, int], int] = {}
    for history in component:
        for place in _places(histories, history):
            left.setdefault(place, tallies[place[0]].of_group(place[1]))
            people[place] = people.get(place, 0) + int(histories.people[history])
    if any(sum(left[place].values()) != number for place, number in people.items()):
        return None
    return _search(histories, component, left)


def _places(histories: Histories, history: int) -> list[tuple[int, int]]:
    """List the releases and groups of a history."""
    labels = histories.labels[:, history].tolist()
    return [(release, group) for release, group in enumerate(labels) if group != ABSENT]


def _search(histories: Histories, component: list[int], left: Left) -> dict[int, dict[int, int]]:
    """Try every value of every history."""
    places = {history: _places(histories, history) for history in component}
    turns = [history for history in component for _ in range(int(histories.people[history]))]
    last = histories.labels.shape[0] - 1
    result: dict[int, dict[int, int]] = {}
    for history in component:
        if histories.labels[last, history] == ABSENT:
            continue
        others = list(turns)
        others.remove(history)
        votes = {
            value: min(left[place].get(value, 0) for place in places[history])
            for value in left[places[history][-1]]
        }
        result[history] = {
            value: number
            for value, number in votes.items()
            if number and _fits([history, *others], places, left, value)
        }
    return {history: some for history, some in result.items() if some}


def _fits(
    turns: list[int], places: dict[int, list[tuple[int, int]]], left: Left, value: int | None
) -> bool:
    """Tell whether values can be given out, one to each in turn, the first one being given."""
    if not turns:
        return True
    of_first = places[turns[0]]
    for choice in [value] if value is not None else list(left[of_first[0]]):
        if all(left[place].get(choice, 0) > 0 for place in of_first):
            for place in of_first:
                left[place][choice] -= 1
            done = _fits(turns[1:], places, left, None)
            for place in of_first:
                left[place][choice] += 1
            if done:
                return True
    return False
