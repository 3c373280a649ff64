from __future__ import annotations

import numpy as np

from naive import renew as naive
from naive.costs import Costs
from shoal.encode.levels import levels_of
from shoal.kernels.partition.renew import TOO_MANY, Attempts, BoxMembers, Region, list_boxes, renew
from shoal.partition.pieces import ordered
from shoal.partition.vectors import keys_of
from tables import samples
from tries import telling


class Case:
    """A small table as one region, for the kernel and for the plain reading."""

    def __init__(self, sample):
        rows = sample.rows
        tuples = ordered(sample.rows)
        self.k = sample.k
        self.rng = np.random.default_rng(sample.seed)
        self.costs = rows.costs
        worth = self.rng.integers(1, 9, size=len(tuples.counts)).astype(np.int32)
        self.region = Region(tuples.codes, tuples.counts, worth)
        levels = levels_of(rows)
        self.keys = keys_of(levels)
        self.levels = np.array([len(some) for some in levels], np.int64)
        self.parts = [
            [part[line].tolist() for part in some.parts]
            for some, line in zip(levels, tuples.codes, strict=True)
        ]
        first = tuples.first.tolist()
        plain = Costs(sample.columns)
        self.on = lambda axis, some: plain.on(axis, [first[t] for t in some])
        self.cost = lambda some: plain.of([first[t] for t in some])

    def listed(self, least, most=20_000, members=1_000_000):
        paid = np.empty((most, len(self.levels)), np.int32)
        boxes = BoxMembers(np.empty(most + 1, np.int64), np.empty(members, np.int32), paid)
        return boxes, list_boxes(self.costs, self.region, self.keys, self.levels, least, boxes)


def members_of(boxes, count):
    return [boxes.members[boxes.starts[b] : boxes.starts[b + 1]].tolist() for b in range(count)]


def test_boxes_are_those_of_the_plain_reading_each_once():
    many = 0
    for case in map(Case, samples(60)):
        boxes, count = case.listed(case.k)
        members = members_of(boxes, count)
        assert len(set(map(frozenset, members))) == count
        assert set(map(frozenset, members)) == naive.boxes(
            case.parts, case.region.counts.tolist(), case.k
        )
        for b, some in enumerate(members):
            assert boxes.paid[b].tolist() == [
                case.on(axis, some) for axis in range(len(case.levels))
            ]
        many += count > 10
    assert many > telling(20)


def test_groups_are_those_of_the_plain_reading():
    borrowed = 0
    for case in map(Case, samples(120)):
        counts = case.region.counts.tolist()
        worth = case.region.worth.tolist()
        k = case.k
        leasts = np.array([k, max(1, k - k // 2), max(1, k - k // 3)])
        boxes, count = case.listed(int(leasts.min()))
        orders = np.stack([case.rng.permutation(count) for _ in leasts])
        labels = np.empty(len(counts), np.int32)
        members = members_of(boxes, count)
        renew(case.costs, case.region, boxes, Attempts(orders, leasts), k, labels)
        found = [
            naive.groups([members[b] for b in order], counts, worth, case.cost, k, least)
            for order, least in zip(orders.tolist(), leasts.tolist(), strict=True)
        ]
        assert labels.tolist() == min(found, key=lambda some: some[1])[0]
        assert np.bincount(labels, case.region.counts).min() >= k
        borrowed += (
            found[1][0]
            != naive.groups([members[b] for b in orders[1]], counts, worth, case.cost, k, k)[0]
        )
    assert borrowed > telling(10)


def test_too_many_boxes_are_refused():
    full = 0
    for case in map(Case, samples(40)):
        _, count = case.listed(case.k)
        assert case.listed(case.k, most=count)[1] == count
        if count > 1:
            assert (
                case.listed(case.k, most=count - 1)[1]
                == case.listed(case.k, members=1)[1]
                == TOO_MANY
            )
            full += 1
    assert full > telling(10)
