from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tables
from conftest import data_file
from naive.nsvdist import nsvdist
from shoal.encode.costs import BOX_LOSSES, costs_of
from shoal.encode.profile import profile
from shoal.encode.rows import Rows
from shoal.errors import PrivacyNotMet, RecipeError
from shoal.kernels.costs import of_box
from shoal.overlap.nsvdist import NSVDist
from shoal.overlap.overlap import Overlap
from shoal.overlap.weighing import weighed
from shoal.registry import parameters, summary
from tables import Column, adult, encoded, samples


@cache
def small():
    """Tables of few rows, so many that ties and equal rows of every kind occur."""
    return tuple(tables.sample(seed, 14) for seed in range(10_000, 10_600))


def with_sensitive(rows, *columns):
    return replace(
        rows, sensitive=tuple(profile(pa.array(cells), f"s{i}") for i, cells in enumerate(columns))
    )


def cover(rows, k, method=None, watch=None):
    told = [] if watch is None else watch
    return (method or NSVDist()).cover(rows, k, np.random.default_rng(0), told.append)


def drawn(sample, columns, values=("a", "b", "c", "d", None), shares=(0.4, 0.25, 0.15, 0.1, 0.1)):
    """Uneven sensitive columns for a sample, some of them with missing values."""
    rng = np.random.default_rng(sample.seed)
    return [
        [values[i] for i in rng.choice(len(values), size=sample.rows.count, p=shares)]
        for _ in range(columns)
    ]


def hopeless(rows, k, l):
    """Written anew: too few values, or too few rows where each value has its share."""
    codes = [column.codes.tolist() for column in rows.sensitive]
    few = any(
        len(set(held) - {column.size}) <= l
        for held, column in zip(codes, rows.sensitive, strict=True)
    )
    return few or any(
        sum(min(held.count(value), k // l) for value in set(held)) < k for held in codes
    )


def assert_is_the_plain_reading(sample, k, l, sensitive, loss="height"):
    """Whether there was an answer, which is then the same row for row."""
    rows = with_sensitive(under(sample.rows, loss), *sensitive)
    plain = nsvdist(sample.columns, sensitive, k, l, loss)
    if (l > 1 and hopeless(rows, k, l)) or None in plain:
        with pytest.raises((PrivacyNotMet, RecipeError)):
            cover(rows, k, NSVDist(l=l))
        return False
    found = cover(rows, k, NSVDist(l=l))
    assert found.members.tolist() == [[near[0], *sorted(near[1:])] for near in plain], (
        f"sample {sample.seed}"
    )
    assert (found.lo == rows.codes[:, found.members].min(axis=2)).all()
    assert (found.hi == rows.codes[:, found.members].max(axis=2)).all()
    return True


def under(rows, loss, importance=None):
    return replace(rows, costs=costs_of(rows.axes, loss, importance or {}), loss=loss)


def test_every_neighbourhood_is_that_of_the_plain_reading():
    for sample in (*samples(200), *small()):
        assert assert_is_the_plain_reading(sample, sample.k, 1, [])


def numbers_of(sample):
    """The numbers of a sample, if it has any."""
    columns = [column for column in sample.columns if column.tree is None]
    return replace(sample, columns=columns, rows=encoded(columns)) if columns else None


@pytest.mark.parametrize("loss", ["loss-metric", "squared-error"])
@pytest.mark.parametrize("l", [1, 2])
def test_every_neighbourhood_is_that_of_the_plain_reading_under_losses_of_sets(loss, l):
    answers = 0
    for sample in (*samples(60), *small()[:400]):
        known = sample if loss == "loss-metric" else numbers_of(sample)
        k = max(sample.k, l)
        if known and k <= sample.rows.count:
            answers += assert_is_the_plain_reading(
                known, k, l, drawn(sample, 1) if l > 1 else [], loss
            )
    assert answers >= (250 if l == 1 else 50)


@pytest.mark.parametrize(
    ("columns", "l", "least"), [(1, 2, 150), (1, 3, 50), (2, 2, 80), (2, 3, 15)]
)
def test_every_neighbourhood_is_that_of_the_plain_reading_where_values_are_bounded(
    columns, l, least
):
    answers = 0
    for sample in (*samples(80), *small()):
        k = max(sample.k, l)
        if k <= sample.rows.count:
            answers += assert_is_the_plain_reading(sample, k, l, drawn(sample, columns))
    assert answers >= least


@pytest.mark.parametrize("loss", ["height", "loss-metric", "squared-error"])
@pytest.mark.parametrize(("k", "l"), [(6, 1), (6, 2)])
def test_the_plain_reading_of_a_table_that_fills_many_boxes(k, l, loss):
    rng = np.random.default_rng(11)
    numbers = [
        Column(rng.integers(0, most, size=110).astype(float).tolist()) for most in (30, 9, 5)
    ]
    columns = numbers if loss == "squared-error" else [*tables.table(rng, 110, axes=3), numbers[0]]
    sensitive = rng.choice(list("aaaaabbc"), size=110).tolist()
    rows = with_sensitive(encoded(columns, loss), sensitive)
    assert rows.distinct.counts.size > 64
    plain = nsvdist(columns, [sensitive], k, l, loss)
    assert cover(rows, k, NSVDist(l=l)).members.tolist() == [
        [near[0], *sorted(near[1:])] for near in plain
    ]


@pytest.mark.parametrize("loss", BOX_LOSSES)
def test_each_next_row_is_a_cheapest_one_under_any_loss(loss):
    """Grown anew from integer costs of whole boxes, a row at a time."""
    for sample in samples(60):
        rows = under(sample.rows, loss, {sample.rows.axes[0].name: 3.0})
        for row, members in enumerate(cover(rows, sample.k).members.tolist()):
            near = [row]
            while len(near) < sample.k:
                near.append(
                    min(
                        price(rows, near, other) for other in range(rows.count) if other not in near
                    )[1]
                )
            assert members == [row, *sorted(near[1:])]


def price(rows, near, other):
    codes = rows.codes[:, [*near, other]]
    return of_box(rows.costs, codes.min(axis=1), codes.max(axis=1)), other


def test_known_answers_under_losses_of_sets():
    """Three towns under one node cost leaf-share alike; as a set, a town that is there already
    costs nothing.
    """
    tree = ("*", [("north", ["a", "b", "c"]), ("south", ["d", "e"])])
    columns = [Column(["a", "c", "b", "c", "d"], tree)]
    assert cover(encoded(columns, "leaf-share"), 3).members[0].tolist() == [0, 1, 2]
    assert cover(encoded(columns, "loss-metric"), 3).members[0].tolist() == [0, 1, 3]
    line = [
        Column([3.0, 4.0, 4.0, 0.0, 7.2])
    ]  # 0 stands nearer to an end of the first three, 7.2 to their mean
    assert cover(encoded(line), 4).members[0].tolist() == [0, 1, 2, 3]
    assert cover(encoded(line, "squared-error"), 4).members[0].tolist() == [0, 1, 2, 4]


def test_values_of_one_leaf_are_one_value():
    tree = ("*", list("abcdef"))
    rows = encoded([Column(list("abcdef"), tree)], "loss-metric")
    rows = replace(rows, axes=(replace(rows.axes[0], leaf=np.array([0, 0, 2, 2, 4, 4], np.int32)),))
    assert cover(rows, 2).members.tolist() == [[0, 1], [1, 0], [2, 3], [3, 2], [4, 5], [5, 4]]
    assert weighed(rows, rows.codes, 2)[1].ravel().tolist() == [0, 0, 2, 2, 4, 4]


def test_importance_multiplies_squared_distances():
    """Two steps on the axis that weighs a quarter are one on the other."""
    columns = [Column([0.0, 8.0, 0.0, 0.0]), Column([0.0, 0.0, 3.9, 8.0])]
    rows = under(encoded(columns), "squared-error", {"c0": 0.25})
    assert cover(rows, 2).members[0].tolist() == [0, 2]
    columns[1].cells[2] = 4.1
    assert cover(under(encoded(columns), "squared-error", {"c0": 0.25}), 2).members[0].tolist() == [
        0,
        1,
    ]


@pytest.mark.parametrize(("k", "bits"), [(10, 20), (2_000, 19), (100_000, 13)])
def test_positions_leave_room_for_squares(k, bits):
    rows = under(encoded([Column([0.0, 1.0, 2.0])] * 2), "squared-error")
    points = weighed(rows, rows.codes, k)[1].astype(object)
    assert points.max() == 2**bits
    assert k * k * 2 * int(points.max()) ** 2 < 2**62


def test_squared_error_is_for_numbers_alone():
    with pytest.raises(
        RecipeError,
        match=r"numbers alone, and 'c1' is none\n.*: c1\n  try: loss=\"loss-metric\", or",
    ):
        cover(
            encoded([Column([1.0, 2.0]), Column(["a", "b"], ("*", ["a", "b"]))], "squared-error"), 2
        )


def test_large_blocks_of_equal_rows():
    """Rows of one tuple share neighbourhoods; those beyond the first k grow their own."""
    rng = np.random.default_rng(5)
    columns = [
        Column(rng.choice([0.0, 1.0, 5.0], size=36).tolist()),
        Column(rng.choice([0.0, 1.0], size=36).tolist()),
    ]
    sensitive = rng.choice(list("aaabbc"), size=36).tolist()
    for k, l in ((2, 1), (7, 1), (20, 1), (36, 1), (4, 2), (8, 2), (13, 2)):
        plain = nsvdist(columns, [sensitive], k, l)
        found = cover(with_sensitive(encoded(columns), sensitive), k, NSVDist(l=l))
        assert found.members.tolist() == [[near[0], *sorted(near[1:])] for near in plain]


def test_a_known_answer():
    columns = [Column([0.0, 1.0, 2.0, 10.0, 11.0])]
    assert cover(encoded(columns), 2).members.tolist() == [[0, 1], [1, 0], [2, 1], [3, 4], [4, 3]]
    bounded = cover(with_sensitive(encoded(columns), list("aabcc")), 2, NSVDist(l=2))
    assert bounded.members.tolist() == [[0, 2], [1, 2], [2, 1], [3, 2], [4, 2]]


@given(st.integers(0, 599), st.integers(2, 8))
def test_a_larger_k_only_adds_rows(seed, k):
    sample = small()[seed]
    if k <= sample.rows.count:
        less = cover(sample.rows, k - 1)
        more = cover(sample.rows, k)
        assert all(
            set(few) < set(many)
            for few, many in zip(less.members.tolist(), more.members.tolist(), strict=True)
        )
        assert (more.lo <= less.lo).all() and (more.hi >= less.hi).all()


@given(st.integers(0, 599), st.integers(2, 3), st.integers(1, 2))
def test_no_value_has_more_than_its_share(seed, l, columns):
    sample = small()[seed]
    rows = with_sensitive(sample.rows, *drawn(sample, columns))
    k = max(sample.k, l)
    try:
        found = cover(rows, k, NSVDist(l=l))
    except (PrivacyNotMet, RecipeError):
        return
    for column in rows.sensitive:
        assert max(np.bincount(near).max() for near in column.codes[found.members]) <= k // l


def numbers(count):
    return encoded([Column([float(i) for i in range(count)])])


@pytest.mark.parametrize(
    ("values", "k", "l"),
    [
        ("ab" * 10, 5, 1),
        ("abc" * 7, 10, 2),
        ("abcd" * 5, 11, 3),
        ("a" * 18 + "bc", 4, 2),
        ("a" * 20, 4, 1),
    ],
)
def test_what_can_be_is_done(values, k, l):
    assert cover(
        with_sensitive(numbers(len(values)), list(values)), k, NSVDist(l=l)
    ).members.shape == (len(values), k)


@pytest.mark.parametrize(
    ("values", "k", "l", "facts"),
    [
        (
            "ab" * 10,
            5,
            2,
            r"can be found: 4\n.*\n  try: method=\"nsvdist\(l=1\)\"",
        ),  # two classes and an odd k
        ("abcd" * 5, 5, 3, r"can be found: 4\n.*\n  try: k=6, or method=\"nsvdist\(l=2\)\""),
        ("abcdef" * 4, 7, 4, r"share one: 1\n.* found: 6\n.*\n  try: k=8, or .*l=3\)\""),
        ("abcd" * 5, 10, 5, r"  values: 4\n"),
        ("a" * 20, 4, 2, r"  values: 1\n"),
        ("a" * 19 + "b", 4, 3, r"  values: 2\n"),
        ("a" * 18 + "bc", 6, 2, r"can be found: 5\n.*\n  try: method=\"nsvdist\(l=1\)\""),
        ("abcdef" * 4, 3, 5, r"share one: 0\n"),
        ("abcdef" * 4, 3, 10**12, r"  try: method=\"nsvdist\(l=3\)\""),
    ],
)
def test_values_too_few_or_too_rare_are_refused(values, k, l, facts):
    with pytest.raises(
        PrivacyNotMet, match=rf"values of 's0' are too few or too rare(.*\n)*.*{facts}"
    ):
        cover(with_sensitive(numbers(len(values)), list(values)), k, NSVDist(l=l))


@pytest.mark.parametrize(
    ("values", "k", "l"), [("ab" * 10, 10, 2), ("abc" * 7, 9, 3), ("abcd" * 5, 4, 4)]
)
def test_as_many_values_as_l_are_refused(values, k, l):
    with pytest.raises(
        RecipeError, match=rf"is the number of values of 's0'.*nothing(.*\n)*.*l={l - 1}"
    ):
        cover(with_sensitive(numbers(len(values)), list(values)), k, NSVDist(l=l))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(1, 12), st.integers(2, 5))
def test_the_remedy_works(counts, k, l):
    """What a refusal of one column says to type is not refused."""
    values = [chr(97 + i) for i, count in enumerate(counts) for _ in range(count)]
    rows = with_sensitive(numbers(len(values)), values)
    try:
        cover(rows, min(k, len(values)), NSVDist(l=l))
    except (PrivacyNotMet, RecipeError) as refusal:
        helps = {setting.option: setting.value for setting in refusal.remedy.settings}
        lower = int(helps["method"].removeprefix("nsvdist:l="))
        assert cover(rows, min(k, len(values)), NSVDist(l=lower)).members.size
        if "k" in helps:
            assert cover(rows, helps["k"], NSVDist(l=l)).members.size


def test_as_many_classes_as_l_would_make_all_distributions_alike():
    """Why it is refused: with two values, l = 2 and k = 10 the plain reading gives 5 of each to
    everybody.
    """
    rng = np.random.default_rng(3)
    columns = [Column(rng.normal(size=40).tolist())]
    classes = rng.permutation(list("a" * 25 + "b" * 15)).tolist()
    assert {
        sum(classes[row] == "a" for row in near) for near in nsvdist(columns, [classes], 10, 2)
    } == {5}
    assert (
        len(
            {
                sum(classes[row] == "a" for row in near)
                for near in nsvdist(columns, [classes], 10, 1)
            }
        )
        > 3
    )


def test_columns_that_work_alone_may_not_together():
    together = with_sensitive(numbers(6), list("aaabbc"), list("xxyzyz"))
    for column in together.sensitive:
        assert cover(replace(together, sensitive=(column,)), 4, NSVDist(l=2)).members.shape == (
            6,
            4,
        )
    rows = with_sensitive(numbers(6), list("aabbcc"), list("xxyyzz"))
    assert cover(rows, 3, NSVDist(l=2)).members.shape == (6, 3)
    stuck = with_sensitive(numbers(6), list("aaaabc"), list("xyzwxx"))
    with pytest.raises(
        PrivacyNotMet, match=r"leave every sensitive column its l = 2(.*\n)*  first such row: \d\n"
    ):
        cover(stuck, 4, NSVDist(l=2))


def test_an_l_without_a_sensitive_column_is_refused():
    with pytest.raises(RecipeError, match=r"needs a sensitive column(.*\n)*  try: sensitive="):
        cover(numbers(9), 3, NSVDist(l=2))


def test_a_missing_value_has_its_share_and_is_no_value():
    rows = with_sensitive(numbers(9), ["a", "a", "a", "b", "b", "b", None, None, None])
    with pytest.raises(PrivacyNotMet, match="values: 2\n  rows without one: 3\n"):
        cover(rows, 4, NSVDist(l=2))
    rows = with_sensitive(numbers(8), ["a", "b", "c", None, None, None, None, None])
    assert cover(rows, 4, NSVDist(l=2)).members[7].tolist() == [7, 1, 2, 6]
    with pytest.raises(PrivacyNotMet, match="can be found: 6"):
        cover(
            with_sensitive(numbers(8), ["a", "b", "c", "d", None, None, None, None]),
            7,
            NSVDist(l=3),
        )


def test_fewer_rows_than_k_are_refused():
    with pytest.raises(PrivacyNotMet, match="neighbourhood of 6"):
        cover(numbers(5), 6)


def test_some_of_a_table_s_rows_are_counted_anew():
    rows = with_sensitive(numbers(12), list("abcabc" + "a" * 6)).some(np.arange(6, 12))
    with pytest.raises(PrivacyNotMet, match="values: 1\n"):
        cover(rows, 4, NSVDist(l=2))


def test_a_column_of_own_values_meets_any_l_and_is_said_to_tell_nothing():
    rows = with_sensitive(numbers(12), list(range(12)))
    found = cover(rows, 5, NSVDist(l=5))
    assert found.members.tolist() == cover(numbers(12), 5).members.tolist()
    assert found.notes == (
        "every row has a value of its own in 's0': its distributions tell nothing",
    )
    assert cover(with_sensitive(numbers(4), list("abca")), 2).notes == ()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"l": 0}, "at least 1"),
        ({"l": -2}, "at least 1"),
        ({"l": 2, "values": "noisy"}, "l = 1 alone"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(given, message):
    with pytest.raises(RecipeError, match=message):
        NSVDist(**given)


def test_the_watch_sees_it_through():
    told: list[float] = []
    cover(adult().some(np.arange(2000)), 60, watch=told)
    assert len(told) > 1
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_parameters_are_what_users_type():
    assert issubclass(NSVDist, Overlap)
    assert (
        parameters(NSVDist) == "l=1, match=ring, values=sampled, write=columns, epsilon=1.0, cap=20"
    )
    assert "Last et al. 2014" in summary(NSVDist)


def test_boxes_on_adult_are_those_measured_before():
    rows = adult()
    assert loss(rows, cover(rows, 10)) == pytest.approx(13_221.6, abs=0.1)
    jobs = parquet.read_table(data_file("adult.parquet"), columns=["occupation"])[
        "occupation"
    ].combine_chunks()
    others = rows.axes[:-1]
    rows = Rows(
        others,
        np.ascontiguousarray(rows.codes[:-1]),
        costs_of(others, "height", {}),
        (profile(jobs, "occupation"),),
    )
    assert loss(rows, cover(rows, 10, NSVDist(l=3))) == pytest.approx(7_545.1, abs=0.1)


def loss(rows, found):
    return sum(axis.heights(found.lo[a], found.hi[a]).sum() for a, axis in enumerate(rows.axes))
