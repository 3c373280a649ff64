"""Distances to the k-th row around each, and prices on a line, as a plain reading finds them."""

import numpy as np

from naive.neighbours import kth_distances as naive_distances
from naive.neighbours import levelled_windows
from shoal.kernels.overlap.neighbours import kth_distances
from shoal.kernels.partition.cheapest import Covers, search_of, walk
from tables import Column, encoded, samples, table


def distances_of_rows(columns: list[Column], k: int, patience: int = 2**62) -> list[int]:
    rows = encoded(columns)
    tuples = rows.distinct
    found = kth_distances(rows.costs, tuples.codes, tuples.counts, k, patience)
    of_rows = np.empty(rows.count, np.int64)
    of_rows[tuples.order] = np.repeat(found, tuples.counts)
    return of_rows.tolist()


def test_every_distance_is_that_of_the_plain_reading():
    for case in samples(300):
        naive = naive_distances(case.columns, case.k)
        assert distances_of_rows(case.columns, case.k) == naive, f"sample {case.seed}"


def test_many_axes_and_boxes_of_many_tuples():
    """So many axes that boxes hold more tuples; several boxes all the same."""
    rng = np.random.default_rng(3)
    columns = table(rng, 300, 12)
    assert distances_of_rows(columns, 4) == naive_distances(columns, 4)


def test_a_search_that_is_broken_off_says_too_little_never_too_much():
    for case in samples(100):
        naive = naive_distances(case.columns, case.k)
        broken_off = distances_of_rows(case.columns, case.k, 20)
        assert all(one in (0, other) for one, other in zip(broken_off, naive, strict=True))


def test_prices_on_a_line_are_those_of_all_windows():
    """Clumps and tails, so that windows of most rows end long before those of the dearest do."""
    for seed in range(2):
        rng = np.random.default_rng(seed)
        column = Column([float(x) for x in rng.normal(size=320).round(3) ** 3], None)
        rows = encoded([column])
        codes = rows.distinct.codes
        order = np.argsort(codes[0])
        codes = np.ascontiguousarray(codes[:, order])
        counts = rows.distinct.counts[order]
        begun = rng.integers(1, 2**20, len(order))
        price = begun.copy()
        nothing = Covers(
            np.zeros(0, np.int32),
            np.zeros(0, np.int32),
            np.zeros(0, np.int64),
            np.zeros(0, np.int32),
        )
        walk(search_of(rows.costs, codes, counts, 5, price, begun), nothing, 2**62)
        positions = np.repeat(rows.costs.position[codes[0]], counts).tolist()
        naive = levelled_windows(positions, np.repeat(begun, counts).tolist(), 5)
        assert len(order) > 256
        assert np.repeat(price, counts).tolist() == naive
