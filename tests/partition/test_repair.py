from __future__ import annotations

import numpy as np
import pytest

from naive.repair import repaired
from shoal.groups import Groups
from shoal.partition.repair import repair
from tables import AtLeast, ManyValues, labels_of, samples


def random_groups(sample) -> Groups:
    rng = np.random.default_rng(sample.seed)
    return Groups.of(rng.integers(0, int(rng.integers(1, 9)), size=sample.rows.count))


@pytest.mark.parametrize("ruled", [False, True])
def test_every_merge_is_that_of_the_plain_reading(ruled):
    for sample in samples(700):
        sensitive = np.random.default_rng(sample.seed + 1).integers(0, 4, size=sample.rows.count)
        groups = random_groups(sample)
        least = 1 + sample.seed % 5
        values = 1 + sample.seed % 3
        guard = ManyValues(least, sensitive, values, sample.seed % 2 == 0, ruled)

        def follows(rows, values=values, sensitive=sensitive):
            return len({sensitive[row] for row in rows}) >= values

        def safe(rows, least=least, follows=follows):
            return len(rows) >= least and follows(rows)

        parts = [np.flatnonzero(groups.labels == g).tolist() for g in range(groups.count)]
        naive = repaired(sample.columns, parts, safe, *[follows] * ruled)
        assert repair(groups, sample.rows, guard).labels.tolist() == labels_of(naive), (
            f"sample {sample.seed}"
        )


def test_safe_groups_are_left_alone():
    sample = samples(10)[3]
    groups = random_groups(sample)
    assert repair(groups, sample.rows, AtLeast(1)) is groups


def test_what_no_merge_can_mend_ends_in_one_group():
    sample = next(s for s in samples(50) if s.rows.count > 10)
    guard = ManyValues(1, np.zeros(sample.rows.count, np.int64), 2)
    assert repair(random_groups(sample), sample.rows, guard).count == 1


def test_withheld_rows_stay_withheld():
    for sample in samples(100):
        labels = random_groups(sample).labels
        labels[::4] = -1
        groups = Groups.of(labels)
        mended = repair(groups, sample.rows, AtLeast(3))
        assert np.array_equal(mended.labels < 0, groups.labels < 0)
        assert mended.count <= 1 or mended.sizes.min() >= 3


def test_a_guard_that_merging_can_break_is_asked_until_all_is_well():
    """No group may hold an odd number of rows: merging two odd groups mends both, an odd with an
    even one neither.
    """

    class Even:
        least = 1
        survives_merging = False
        only_size = False
        rules = None

        def safe(self, groups):
            return groups.sizes % 2 == 0

    for sample in samples(200):
        groups = random_groups(sample)
        mended = repair(groups, sample.rows, Even())
        assert mended.count == 1 or (mended.sizes % 2 == 0).all()
