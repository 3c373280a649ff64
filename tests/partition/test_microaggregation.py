from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from conftest import data_file
from naive import squares as naive
from shoal.api import anonymize
from shoal.encode.profile import profile
from shoal.encode.rows import Rows, encode
from shoal.errors import RecipeError
from shoal.groups import Groups
from shoal.kernels.partition import squares
from shoal.partition import microaggregation
from shoal.partition.mdav import Mdav
from shoal.partition.microaggregation import Annealing, AnnealingEffort, microaggregate, points_of
from shoal.partition.shoal import Shoal
from shoal.review.losses.loss import Evidence
from shoal.review.losses.squared_error_share import SquaredErrorShare
from tables import AtLeast, Column, encoded, labels_of
from tries import telling, tries


@pytest.fixture(autouse=True)
def little_effort(monkeypatch):
    """Few steps, so that the suite stays quick."""
    monkeypatch.setitem(
        microaggregation.EFFORTS, "default", AnnealingEffort(each=300, all=3_000_000)
    )
    monkeypatch.setitem(
        microaggregation.EFFORTS, "high", AnnealingEffort(each=1_000, all=10_000_000)
    )


def numbers(seed: int, most: int = 60) -> tuple[Rows, int]:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, most))
    lines = int(rng.integers(1, 4))
    columns = [Column([float(x) for x in rng.integers(0, 30, size=count)]) for _ in range(lines)]
    if seed % 3 == 0:
        columns[0] = Column([None if rng.random() < 0.3 else cell for cell in columns[0].cells])
    return encoded(columns, "squared-error"), int(
        rng.integers(1, count + 1) if seed % 5 == 0 else rng.integers(1, 6)
    )


def divided(rows: Rows, k: int, effort: str = "default", seed: int = 0) -> Groups:
    k = min(k, rows.count)
    return Shoal(effort).divide(rows, k, AtLeast(k), np.random.default_rng(seed))


def error_of(rows: Rows, groups: Groups) -> float:
    return squares.squared_error(points_of(rows), groups.labels)


def test_every_label_after_the_descent_is_that_of_the_plain_reading():
    changed = 0
    for seed in range(tries(600)):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(1, 5))
        count = int(rng.integers(2 * k, 22))
        lines = int(rng.integers(1, 4))
        points = rng.integers(0, 8, size=(count, lines))
        groups = np.array_split(
            rng.permutation(count), int(rng.integers(-(-count // (2 * k - 1)), count // k + 1))
        )
        begun = sorted((sorted(group.tolist()) for group in groups), key=min)
        labels = np.array(labels_of(begun), np.int32)
        before = labels.copy()
        near = squares.neighbours(points.astype(np.float64), 6)
        assert near.tolist() == naive.neighbours(points.tolist(), 6)
        squares.descend(points.astype(np.float64), near, labels, k, 100)
        found = naive.descend(points.tolist(), begun, k, 6)
        assert Groups.of(labels).labels.tolist() == labels_of(
            [group for group in found if group]
        ), f"table {seed}"
        changed += not np.array_equal(before, labels)
    assert changed > telling(400)


@pytest.mark.parametrize("effort", ["low", "default"])
def test_k_holds_no_group_is_needlessly_large_and_no_effort_is_worse_than_mdav(effort):
    for seed in range(80):
        rows, k = numbers(seed)
        k = min(k, rows.count)
        groups = divided(rows, k, effort)
        assert groups.sizes.min() >= k
        assert groups.sizes.max() < 2 * k or groups.count == 1
        if seed % 3:  # where some are missing, the two see distances a little differently
            mdav = Mdav().divide(rows, k, AtLeast(k), np.random.default_rng(0))
            assert error_of(rows, groups) <= error_of(rows, mdav) + 1e-9


def test_more_effort_never_loses_more():
    errors = []
    for seed in range(40):
        rows, k = numbers(seed)
        errors.append([error_of(rows, divided(rows, k, effort)) for effort in ("low", "default")])
        assert errors[-1][1] <= errors[-1][0] + 1e-9
    assert sum(default < low - 1e-9 for low, default in errors) > 5


def test_annealing_alone_keeps_k_and_every_row():
    for seed in range(tries(200)):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(1, 6))
        count = int(rng.integers(12, 40))
        points = rng.normal(size=(count, 2))
        labels = (np.arange(count) // k).astype(np.int32)
        labels[labels == count // k] = count // k - 1
        squares.anneal(points, squares.neighbours(points, 5), labels, k, 3_000, 1.0, seed)
        sizes = np.bincount(labels)
        assert set(sizes[sizes > 0].tolist()) <= set(range(k, max(2 * k, 2)))


def test_a_seed_repeats_and_neither_threads_nor_the_order_of_rows_matter(monkeypatch):
    monkeypatch.setattr(microaggregation, "BLOCK", 64)
    rng = np.random.default_rng(5)
    cells = rng.normal(size=(3, 700)).round(3)
    shuffled = rng.permutation(700)
    rows = encoded([Column(line.tolist()) for line in cells], "squared-error")
    other = encoded([Column(line[shuffled].tolist()) for line in cells], "squared-error")
    one, two = (
        microaggregate(rows, 3, np.random.default_rng(1), threads=threads).labels
        for threads in (1, 2)
    )
    assert np.array_equal(one, two)
    again = microaggregate(other, 3, np.random.default_rng(1)).labels
    assert Groups.of(one[shuffled]).labels.tolist() == again.tolist()
    assert not np.array_equal(one, microaggregate(rows, 3, np.random.default_rng(2)).labels)


def test_a_second_round_heals_what_blocks_cut_apart(monkeypatch):
    errors = []
    a_round = Annealing._round

    def watched(self, *args):
        labels, notes = a_round(self, *args)
        errors.append(squares.squared_error(self.points, labels))
        return labels, notes

    monkeypatch.setattr(Annealing, "_round", watched)
    monkeypatch.setattr(microaggregation, "BLOCK", 100)
    for seed in range(5):
        lines = np.random.default_rng(seed).normal(size=(2, 1500))
        divided(encoded([Column(line.tolist()) for line in lines], "squared-error"), 3)
    assert len(errors) == 10
    assert all(second < first for first, second in zip(errors[::2], errors[1::2], strict=True))


def test_census_within_one_percent_of_the_best_known(monkeypatch):
    monkeypatch.setitem(
        microaggregation.EFFORTS, "default", AnnealingEffort(each=2_500, all=30_000_000)
    )
    table = parquet.read_table(data_file("census.parquet"))
    rows = encode(
        [profile(table[c].combine_chunks(), c) for c in table.column_names],
        {},
        loss="squared-error",
    )
    for effort, most in (("low", 5.3), ("default", 4.927 * 1.01)):
        share = SquaredErrorShare().measure(Evidence(rows, divided(rows, 3, effort), 3))
        assert share is not None and 100 * share < most


def test_missing_values_are_grouped_together():
    rows = encoded([Column([None, 1.0, None, 2.0, None, 1.0, 2.0])], "squared-error")
    assert divided(rows, 3).labels.tolist() == [0, 1, 0, 1, 0, 1, 1]


def test_importance_decides_which_column_is_kept_together():
    profiles = [profile(pa.array([0, 0, 1, 1]), "a"), profile(pa.array([0, 1, 0, 1]), "b")]
    for name, expected in (("a", [0, 0, 1, 1]), ("b", [0, 1, 0, 1])):
        rows = encode(profiles, {}, loss="squared-error", importance={name: 5.0})
        assert divided(rows, 2).labels.tolist() == expected


def test_whoever_interrupts_gets_what_has_been_reached():
    rows = numbers(8, 200)[0]

    def impatient(share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    groups = Shoal().divide(rows, 2, AtLeast(2), np.random.default_rng(0), impatient)
    assert groups.notes == ("annealing was interrupted",)
    assert error_of(rows, groups) <= error_of(rows, divided(rows, 2, "low")) + 1e-9


def test_the_watch_is_told_rising_shares():
    shares: list[float] = []
    Shoal().divide(numbers(8, 200)[0], 2, AtLeast(2), np.random.default_rng(0), shares.append)
    assert shares == sorted(shares) and shares[0] >= 0 and 0.9 < shares[-1] <= 1


def test_groups_of_whoever_lose_no_more_and_mostly_less():
    better = 0
    for seed in range(tries(120)):
        rng = np.random.default_rng(seed)
        rows, k = numbers(seed)
        k = min(k, rows.count)
        labels = rng.integers(0, max(rows.count // (3 * k), 1), size=rows.count)
        labels[rng.random(rows.count) < 0.1] = -1
        labels[
            np.isin(
                labels, [group for group in range(labels.max() + 1) if np.sum(labels == group) < k]
            )
        ] = -1
        groups = Groups.of(labels)
        if not groups.count:
            continue
        found = microaggregate(
            rows, k, np.random.default_rng(1), effort="low" if seed % 2 else "default", begun=groups
        )
        assert np.array_equal(found.labels < 0, labels < 0)
        there = labels >= 0
        points = points_of(rows)
        if there.any():
            assert found.sizes.min() >= k and found.sizes.max() < 2 * k
            now, then = (
                squares.squared_error(points[there], Groups.of(of.labels[there]).labels)
                for of in (found, groups)
            )
            assert now <= then + 1e-9
            better += now < then - 1e-9
    assert better > telling(60)


@pytest.mark.parametrize("method", ["mdav", "v-mdav"])
def test_refinement_lowers_what_mdav_leaves(method):
    table = parquet.read_table(data_file("census.parquet")).slice(0, 400)
    plain, better = (
        anonymize(
            table,
            quasi=table.column_names[:4],
            k=3,
            method=method,
            seed=1,
            refine=refine,
            publish="centre",
        )
        for refine in (False, True)
    )
    assert better.loss("squared-error") < plain.loss("squared-error")


def test_the_order_of_rows_does_not_matter_for_what_is_lowered():
    rows, k = numbers(7)
    groups = Mdav().divide(rows, k, AtLeast(k), np.random.default_rng(0))
    there = np.random.default_rng(2).permutation(rows.count)
    others = replace(rows, codes=np.ascontiguousarray(rows.codes[:, there]))
    turned = microaggregate(
        others, k, np.random.default_rng(1), begun=Groups.of(groups.labels[there])
    )
    straight = microaggregate(rows, k, np.random.default_rng(1), begun=groups)
    assert error_of(others, turned) == pytest.approx(error_of(rows, straight))


def test_categories_are_refused_with_a_way_out():
    table = pa.table({"age": [1, 2, 3, 4], "city": ["a", "b", "a", "b"]})
    with pytest.raises(RecipeError, match="on numbers alone, and 'city' is none") as refusal:
        anonymize(table, quasi=["age", "city"], k=2, loss="squared-error")
    assert 'method="mdav"' in str(refusal.value)


def test_the_door_publishes_centres():
    table = pa.table({"age": [2, 3, 3, 20, 21], "pay": [1, 2, 2, 19, 20]})
    release = anonymize(
        table, quasi=["age", "pay"], k=2, loss="squared-error", publish="centre", seed=1
    )
    assert release.losses["squared-error-share"] < 0.01
