from __future__ import annotations

from typing import get_args, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.genetic import genetic
from shoal.errors import RecipeError
from shoal.kernels.partition.genetic import rank_of
from shoal.partition.genetic import Genetic
from shoal.partition.hybrid import Hybrid
from shoal.review.losses.loss import Evidence
from shoal.review.losses.total_information_loss import TotalInformationLoss
from tables import AtLeast, Column, Sample, adult, any_sample, encoded, labels_of, samples

CROSSOVERS, REPLACEMENTS = (
    get_args(get_type_hints(Genetic)[name]) for name in ("crossover", "replacement")
)


def divided(method, sample):
    return method.divide(
        sample.rows, sample.k, AtLeast(sample.k), np.random.default_rng(sample.seed)
    )


def plain(method, sample):
    naive = genetic(sample.columns, sample.k, np.random.default_rng(sample.seed), **vars(method))
    return labels_of(naive)


def loss_of(sample, groups):
    return TotalInformationLoss().measure(Evidence(sample.rows, groups))


def test_every_label_is_that_of_the_plain_reading():
    for sample in samples(300):
        assert divided(Genetic(), sample).labels.tolist() == plain(Genetic(), sample), (
            f"sample {sample.seed}"
        )


@pytest.mark.parametrize("replacement", REPLACEMENTS)
@pytest.mark.parametrize("crossover", CROSSOVERS)
def test_every_label_is_that_of_the_plain_reading_for_each_policy(crossover, replacement):
    method = Genetic(crossover, 2, replacement, q=0.3, generations=13)
    for sample in samples(30):
        assert divided(method, sample).labels.tolist() == plain(method, sample), (
            f"sample {sample.seed}"
        )


def test_every_label_is_that_of_the_plain_reading_where_groups_are_many():
    columns = [Column(numbers.tolist()) for numbers in np.random.default_rng(3).random((3, 420))]
    sample = Sample(columns, encoded(columns), 4, 3)
    method = Genetic(q=0.01, generations=1)
    assert (
        divided(method, sample).labels.tolist()
        == plain(method, sample)
        != divided(Hybrid(), sample).labels.tolist()
    )


@settings(max_examples=80, deadline=None)
@given(
    any_sample(60),
    st.sampled_from(CROSSOVERS),
    st.sampled_from(REPLACEMENTS),
    st.sampled_from([0.01, 0.1, 1.0]),
)
def test_no_policy_is_worse_than_its_start_and_none_changes_sizes(
    sample, crossover, replacement, q
):
    before = divided(Hybrid(), sample)
    after = divided(Genetic(crossover, replacement=replacement, q=q, generations=6), sample)
    assert (
        loss_of(sample, after) <= loss_of(sample, before) * (1 + 1e-6) + 1e-6
    )  # integers choose, floats report
    assert sorted(after.sizes.tolist()) == sorted(before.sizes.tolist())


def test_policies_differ():
    found = {
        method: [divided(method, s).labels.tolist() for s in samples(60)]
        for method in map(Genetic, CROSSOVERS)
    }
    kept = [
        crossover for crossover in CROSSOVERS if crossover != "best"
    ]  # groups are smaller than ten neighbours
    assert len({str(found[Genetic(crossover)]) for crossover in kept}) == len(kept)
    assert any(
        divided(Genetic(q=1.0), s).labels.tolist() != divided(Genetic(), s).labels.tolist()
        for s in samples(60)
    )


def test_the_best_exchange_is_found():
    # any start that mixes the heaps is mended by one exchange
    rows = encoded([Column([0.0, 1.0, 2.0, 50.0, 51.0, 52.0])])
    for seed in range(10):
        groups = Genetic("best").divide(rows, 3, AtLeast(3), np.random.default_rng(seed))
        assert groups.labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_ranks_are_geometric():
    tails = np.cumprod([1.0, 0.5, 0.5, 0.5])
    assert [rank_of(draw, tails, 2) for draw in (0.0, 0.66, 0.67, 0.999)] == [0, 0, 1, 1]
    assert [rank_of(draw, tails, 3) for draw in (0.57, 0.58, 0.85, 0.86)] == [0, 1, 1, 2]
    assert [rank_of(draw, np.array([1.0, 0.0, 0.0]), 2) for draw in (0.0, 0.999)] == [0, 0]


def test_the_search_says_why_it_stopped():
    def notes(columns, k, **parameters):
        return (
            Genetic(**parameters)
            .divide(encoded(columns), k, AtLeast(k), np.random.default_rng(0))
            .notes
        )

    numbers = [Column([float(x) for x in range(9)])]
    assert notes([Column([1.0] * 8)], 2) == ("stopped after 0 generations: nothing is lost",)
    assert notes(numbers, 2, replacement="always", generations=3) == (
        "stopped after 3 generations: no more were allowed",
    )
    assert "nothing was exchanged any more" in notes(numbers, 2)[0]
    assert notes(numbers, 9) == ("stopped after 0 generations: nothing to exchange",)


@pytest.mark.parametrize(
    "wrong", [{"q": 0.0}, {"q": 1.1}, {"q": float("nan")}, {"neighbours": 0}, {"generations": 0}]
)
def test_parameters_outside_their_range_are_refused(wrong):
    with pytest.raises(RecipeError, match=next(iter(wrong))):
        Genetic(**wrong)


def test_adult_loses_less_than_its_start():
    rows = adult()
    groups = Genetic(generations=10).divide(rows, 10, AtLeast(10), np.random.default_rng(1))
    assert TotalInformationLoss().measure(Evidence(rows, groups)) < 27_900  # hybrid: 30,000
    assert groups.count == 3016 and groups.sizes.min() == 10
