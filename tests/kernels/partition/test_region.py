from __future__ import annotations

import numpy as np

from naive import region as naive
from naive.costs import Costs
from shoal.groups import Groups
from shoal.kernels.costs import boxes
from shoal.kernels.partition.region import gather
from tables import samples
from tries import telling


def test_regions_are_those_of_the_plain_reading():
    several = 0
    for case in samples(150):
        rng = np.random.default_rng(case.seed)
        groups = Groups.of(rng.integers(0, 1 + case.rows.count // 2, size=case.rows.count))
        members = [np.flatnonzero(groups.labels == g).tolist() for g in range(groups.count)]
        lo, hi = (
            np.ascontiguousarray(ends.T)
            for ends in boxes(case.rows.codes, groups.labels, groups.count)
        )
        order = rng.permutation(groups.count)
        most = int(rng.integers(1, 5))
        found = np.empty(groups.count, np.int64)
        count = gather(case.rows.costs, lo, hi, order, most, found)
        assert found.tolist() == naive.gather(Costs(case.columns), members, order.tolist(), most)
        assert count == found.max() + 1
        assert np.bincount(found).max() <= most
        several += count > 2
    assert several > telling(50)
