from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from naive.climb import climb as naive_climb
from naive.cut import cut
from naive.exact import least_loss
from naive.peel import peel
from naive.repair import repaired
from shoal.encode.levels import levels_of
from shoal.encode.profile import profile
from shoal.encode.rows import Rows
from shoal.groups import Groups, unwatched
from shoal.kernels.costs import UNIT, among, between
from shoal.kernels.guards import NO_RULES, Rules, of_some
from shoal.partition import beginnings, vectors
from shoal.partition.beginnings import Beginnings, narrowed
from shoal.partition.climbing import climb
from shoal.partition.k_member import KMember
from shoal.partition.mondrian import Mondrian
from shoal.partition.pieces import Pieces, ordered
from shoal.partition.repair import repair
from shoal.partition.shoal import Shoal
from shoal.review.losses.loss import Evidence
from shoal.review.losses.lower_bound import LowerBound
from shoal.review.losses.total_information_loss import TotalInformationLoss
from tables import AtLeast, Column, ManyValues, adult, encoded, labels_of, sample, samples, table
from tries import telling, tries

EFFORTS = ["low", "default", "high"]


def divided(rows: Rows, k: int, effort: str = "default", seed: int = 0) -> Groups:
    return Shoal(effort).divide(rows, k, AtLeast(k), np.random.default_rng(seed))


def loss_of(rows: Rows, groups: Groups) -> int:
    return Pieces.of(groups.labels, np.arange(rows.count), rows.count).loss(rows.costs, rows.codes)


def contents(rows: Rows, groups: Groups) -> list[list[tuple[int, ...]]]:
    """What the groups hold, whoever of several equal rows stands where."""
    held = [
        sorted(map(tuple, rows.codes[:, groups.labels == g].T.tolist()))
        for g in range(groups.count)
    ]
    return sorted(held)


def peeled_labels(rows: Rows, k: int, rules: Rules = NO_RULES) -> np.ndarray:
    """A label for each row, from the walk alone."""
    tuples = ordered(rows, apart=len(rules.kind) > 0)
    labels = np.empty(rows.count, np.int32)
    beginnings = Beginnings(rows, tuples, k, np.random.default_rng(0), rules=rules)
    labels[tuples.order] = beginnings.quick()
    return labels


def test_every_label_of_the_walk_is_that_of_the_plain_reading():
    for case in samples(1000):
        labels = peeled_labels(case.rows, case.k)
        naive = peel(case.columns, case.k, ordered(case.rows).order.tolist())
        assert Groups.of(labels).labels.tolist() == labels_of(naive), f"sample {case.seed}"


def guarded(case) -> tuple[Rows, ManyValues]:
    """The table with a sensitive column of three values, of which two must stand in every group."""
    ill = np.random.default_rng(case.seed).choice(3, case.rows.count, p=[0.7, 0.2, 0.1])
    column = profile(pa.array(ill), "ill")
    return encoded(case.columns, sensitive=[column]), ManyValues(
        case.k, column.codes, 2, ruled=True
    )


def test_every_label_of_the_walk_under_rules_is_that_of_the_plain_reading():
    passed_over = 0
    for case in samples(400):
        rows, guard = guarded(case)

        def safe(some, ill=guard.codes):
            return len({ill[row] for row in some}) >= 2

        walked = peeled_labels(rows, case.k, guard.rules)
        groups = repair(Groups(walked, int(walked.max()) + 1), rows, guard)
        groups = Groups.of(groups.labels)
        peeled = peel(case.columns, case.k, ordered(rows, apart=True).order.tolist(), safe)
        naive = repaired(case.columns, peeled, safe, safe)
        assert groups.labels.tolist() == labels_of(naive), f"sample {case.seed}"
        passed_over += labels_of(peeled) != labels_of(
            peel(case.columns, case.k, ordered(rows, apart=True).order.tolist())
        )
    assert passed_over > telling(100)


def test_every_label_of_the_climb_is_that_of_the_plain_reading():
    several = 0
    for case in samples(600):
        tuples = ordered(case.rows)
        levels = levels_of(case.rows)
        found = climb(
            tuples.codes, tuples.counts, levels, vectors.keys_of(levels), case.k, unwatched
        )
        plain = naive_climb(
            tuples.codes.T.tolist(),
            tuples.counts.tolist(),
            [axis.parts.tolist() for axis in levels],
            [axis.costs.tolist() for axis in levels],
            case.k,
        )
        labels = np.full(len(tuples.counts), -1)
        for number, group in enumerate(plain):
            labels[group] = number
        assert found.tolist() == labels.tolist(), f"sample {case.seed}"
        several += len(plain) > 2
    assert several > telling(100)


def test_many_columns_are_climbed_step_by_step(monkeypatch):
    """Sixteen columns, most of them the same for most people: cheap vectors free nobody, steps
    chosen one by one do.
    """
    monkeypatch.setattr(
        beginnings, "_in_parts", lambda rows, k, rng, watch: np.zeros(rows.count, np.int32)
    )
    rng = np.random.default_rng(3)
    columns = [
        Column(
            [float(x) for x in np.where(rng.random(3000) < 0.85, 0, rng.integers(0, 40, size=3000))]
        )
        for _ in range(16)
    ]
    rows = encoded(columns)
    rng = np.random.default_rng(0)
    _, notes = Beginnings(rows, ordered(rows), 5, rng, others=False).best()
    assert notes[0].startswith("begun with climbing") and "more ways than can be tried" in notes[1]


def test_wide_groups_are_cut_as_in_the_plain_reading():
    """All rows as one group, with and without rules."""
    cuts = 0
    for case in samples(150):
        for rows, guard in ((case.rows, None), guarded(case)):
            ill = np.zeros(rows.count) if guard is None else guard.codes
            tuples = ordered(rows, apart=guard is not None)
            rules = () if guard is None else (of_some(guard.rules, tuples.first),)
            whole = np.zeros(len(tuples.counts), np.int32)
            found, _ = narrowed(rows.costs, tuples.codes, tuples.counts, whole, case.k, *rules)
            labels = np.empty(rows.count, np.int32)
            labels[tuples.order] = np.repeat(found, tuples.counts)

            def safe(some, ill=ill, needed=1 if guard is None else 2):
                return len({ill[row] for row in some}) >= needed

            naive = cut(
                case.columns, tuples.order.tolist(), case.k, safe, lambda row, ill=ill: ill[row]
            )
            assert Groups.of(labels).labels.tolist() == labels_of(naive), f"sample {case.seed}"
            cuts += len(naive) > 1
    assert cuts > telling(75)


@pytest.mark.parametrize(("effort", "columns"), [("low", 1), ("low", 3), ("default", 1)])
def test_numbers_much_finer_than_any_level(effort, columns):
    """Of 4,000 different numbers the narrowest intervals hold hundreds."""
    rng = np.random.default_rng(5)
    rows = encoded([Column(rng.lognormal(sigma=2, size=4000).tolist()) for _ in range(columns)])
    groups = divided(rows, 3, effort)
    assert loss_of(rows, groups) <= loss_of(rows, Mondrian().divide(rows, 3, AtLeast(3), rng))
    assert groups.notes[0].startswith("begun with")


def test_a_short_table_never_loses_more_than_what_it_may_begin_with():
    for seed in range(60):
        case = sample(seed, 60)
        plain, other = (
            loss_of(
                case.rows,
                method.divide(case.rows, case.k, AtLeast(case.k), np.random.default_rng(1)),
            )
            for method in (Shoal(balance=0), Mondrian())
        )
        assert plain <= other, f"sample {seed}"


def test_few_rows_on_shorter_lines_cost_the_same():
    for case in samples(100):
        rows = case.rows
        some = np.arange(case.rows.count)[:: 1 + case.seed % 3]
        costs, codes = among(rows.costs, rows.codes[:, some])
        for axis, (long, short) in enumerate(
            zip(rows.codes[:, some].tolist(), codes.tolist(), strict=True)
        ):
            pairs = [
                (i, j) for i in range(len(some)) for j in range(len(some)) if long[i] <= long[j]
            ]
            paid = [between(rows.costs, axis, long[i], long[j]) for i, j in pairs]
            assert paid == [between(costs, axis, short[i], short[j]) for i, j in pairs]
            assert rows.axes[axis].tree is not None or costs.size[axis] <= len(some)


@pytest.mark.parametrize("effort", EFFORTS)
def test_groups_are_safe_under_rules(effort):
    for case in samples(60):
        rows, guard = guarded(case)
        groups = Shoal(effort).divide(rows, case.k, guard, np.random.default_rng(0))
        assert guard.safe(groups).all() or groups.count == 1


@pytest.mark.parametrize("effort", EFFORTS)
def test_the_order_of_the_rows_does_not_matter(effort):
    for seed in range(12 if effort == "high" else tries(100)):
        case = sample(seed, 60)
        shuffled = np.random.default_rng(seed).permutation(case.rows.count)
        columns = [Column([c.cells[row] for row in shuffled], c.tree) for c in case.columns]
        other = encoded(columns)
        assert contents(case.rows, divided(case.rows, case.k, effort)) == contents(
            other, divided(other, case.k, effort)
        )


def test_no_grouping_is_below_the_optimum_and_the_bound_is_never_above_it():
    reached = 0
    for seed in range(tries(300)):
        rng = np.random.default_rng(seed)
        columns = table(rng, int(rng.integers(2, 9)))
        k = int(rng.integers(1, 4))
        rows = encoded(columns)
        k = min(k, rows.count)
        best = least_loss(columns, k)
        groups = divided(rows, k)
        assert loss_of(rows, groups) >= best
        assert LowerBound().measure(Evidence(rows, groups, k)) <= best / UNIT + 1e-9
        reached += loss_of(rows, groups) == best
    assert reached > telling(250)


def test_more_effort_never_loses_more():
    for seed in range(30):
        case = sample(seed, 80)
        low, default, high = (
            loss_of(case.rows, divided(case.rows, case.k, effort, seed)) for effort in EFFORTS
        )
        assert high <= default <= low, f"sample {seed}"


def test_more_effort_never_loses_more_under_rules():
    for case in samples(60):
        rows, guard = guarded(case)
        low, default = (
            loss_of(rows, Shoal(effort).divide(rows, case.k, guard, np.random.default_rng(1)))
            for effort in ("low", "default")
        )
        assert default <= low, f"sample {case.seed}"


@pytest.mark.parametrize("most", [8, 30, 60])
def test_no_effort_loses_to_a_method_that_costs_less(most):
    """Low effort beside `mondrian`; default also beside `k-member`, which hangs on chance."""
    for seed in range(60):
        case = sample(seed, most)

        def lost(method, case=case, seed=seed):
            guard = AtLeast(case.k)
            groups = method.divide(case.rows, case.k, guard, np.random.default_rng(seed))
            return loss_of(case.rows, groups)

        low = lost(Shoal("low"))
        assert low <= min(lost(Mondrian()), lost(Mondrian(relaxed=True))), f"sample {seed}"
        assert lost(Shoal()) <= min(low, lost(KMember())), f"sample {seed}"


def test_one_column_at_low_effort_loses_no_more_than_by_mondrian():
    """500 values at k = 40: the narrowest intervals of peeling hold too many rows."""
    rng = np.random.default_rng(5)
    rows = encoded([Column(rng.permutation(500).astype(float).tolist())])
    low = loss_of(rows, divided(rows, 40, "low"))
    assert low <= loss_of(rows, Mondrian().divide(rows, 40, AtLeast(40), rng))


def test_too_many_vectors_are_walked_cheapest_first():
    for case in samples(100):
        levels = levels_of(case.rows)
        listed = vectors.Vectors.of(levels).levels
        lazy = vectors.Vectors.of(levels, most=0, most_lazy=len(listed)).levels
        assert sorted(map(tuple, lazy.tolist())) == sorted(map(tuple, listed.tolist()))
        costs = [
            sum(some.costs[level] for some, level in zip(levels, vector, strict=True))
            for vector in lazy
        ]
        assert costs == sorted(costs)


def test_with_too_many_vectors_the_best_beginning_is_taken(monkeypatch):
    of = vectors.Vectors.of
    monkeypatch.setattr(
        "shoal.partition.vectors.Vectors.of", lambda levels: of(levels, most=0, most_lazy=3)
    )
    for case in samples(150):
        tuples = ordered(case.rows)
        labels, notes = Beginnings(case.rows, tuples, case.k, np.random.default_rng(0)).best()
        assert np.bincount(labels).min() >= case.k
        assert "begun with" in notes[0]


def test_forty_columns():
    rng = np.random.default_rng(4)
    columns = [Column([float(x) for x in rng.integers(0, 9, size=200)]) for _ in range(40)]
    rows = encoded(columns)
    groups = divided(rows, 5)
    assert groups.sizes.min() >= 5
    assert len(groups.notes) == 2


def test_a_constant_table_loses_nothing():
    rows = encoded([Column([1.0] * 50), Column(["a"] * 50, ("*", ["a", "b"]))])
    assert loss_of(rows, divided(rows, 7)) == 0


def test_missing_values_are_grouped_together():
    cells = [None, 1.0, None, 2.0, None, 1.0, 2.0]
    assert divided(encoded([Column(cells)]), 3).labels.tolist() == [0, 1, 0, 1, 0, 1, 1]


def test_an_interrupted_refinement_keeps_what_it_has():
    case = next(
        s
        for s in samples(400)
        if s.rows.count > 25 and s.k in (2, 3) and divided(s.rows, s.k).count > 4
    )

    def impatient(share: float) -> None:
        if share > 0.2:
            raise KeyboardInterrupt

    groups = Shoal().divide(case.rows, case.k, AtLeast(case.k), np.random.default_rng(0), impatient)
    assert groups.sizes.min() >= case.k
    assert any("interrupted" in note for note in groups.notes)


@pytest.mark.parametrize(
    ("effort", "k", "most"),
    [
        ("low", 2, 5300),
        ("low", 10, 19750),
        ("low", 100, 49300),
        ("default", 2, 4900),
        ("default", 10, 19350),
        ("default", 50, 38600),
    ],
)
def test_adult(effort, k, most):
    rows = adult()
    groups = divided(rows, k, effort)
    assert groups.sizes.min() >= k
    assert TotalInformationLoss().measure(Evidence(rows, groups)) <= most
