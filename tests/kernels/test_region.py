from __future__ import annotations

import numpy as np

from naive import region as naive
from naive.costs import Costs
from shoal.encode.levels import levels_of
from shoal.groups import Groups
from shoal.kernels.costs import boxes
from shoal.kernels.region import gather, levels_here
from tables import samples


def test_regions_are_those_of_the_plain_reading():
    several = 0
    for case in samples(150):
        rng = np.random.default_rng(case.seed)
        groups = Groups.of(rng.integers(0, 1 + case.rows.count // 2, size=case.rows.count))
        members = [np.flatnonzero(groups.labels == g).tolist() for g in range(groups.count)]
        lo, hi = (np.ascontiguousarray(ends.T) for ends in boxes(case.rows.codes, groups.labels, groups.count))
        order, most, found = rng.permutation(groups.count), int(rng.integers(1, 5)), np.empty(groups.count, np.int64)
        count = gather(case.rows.costs, lo, hi, order, most, found)
        assert found.tolist() == naive.gather(Costs(case.columns), members, order.tolist(), most)
        assert count == found.max() + 1
        assert np.bincount(found).max() <= most
        several += count > 2
    assert several > 50


def test_levels_of_a_region_are_those_of_the_plain_reading():
    fewer = 0
    for case in samples(150):
        rows, rng = case.rows, np.random.default_rng(case.seed)
        some = np.sort(rng.choice(rows.count, size=1 + rows.count // 3, replace=False))
        for a, axis in enumerate(rows.axes):
            levels = levels_of(axis, a, rows.costs, rows.count)
            codes, counts = np.unique(rows.codes[a, some], return_counts=True)
            kept, paid = np.empty(len(levels), np.int32), np.empty(len(levels), np.int64)
            count = levels_here(rows.costs, a, levels.parts, codes, counts, kept, paid)
            parts = [part[rows.codes[a]].tolist() for part in levels.parts]
            expected = naive.levels_here(Costs(case.columns), a, parts, some.tolist())
            assert list(zip(kept[:count].tolist(), paid[:count].tolist(), strict=True)) == expected
            fewer += count < len(levels)
    assert fewer > 50
