"""The examples of the metrics' own pages, and what each figure must do in plain cases."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from conftest import data_file
from shoal.encode.profile import profile
from shoal.encode.queries import drawn
from shoal.encode.rows import Rows, encode
from shoal.groups import Groups
from shoal.kernels.queries import Queries, Spread, counted, estimated
from shoal.registry import make
from shoal.review.losses.entropy_loss import EntropyLoss
from shoal.review.losses.loss import Evidence, Loss
from shoal.review.losses.lower_bound import LowerBound
from shoal.review.losses.query_error import spread
from tables import Column, encoded

CITIES = ("*", [("Norway", ["Oslo", "Bergen"]), ("Italy", ["Rome"])])
FIVE = ("*", ["Oslo", "Rome", "Paris", "Bonn", "Bern"])
AGES = Column([20.0, 30.0, 60.0])
DECADES = ("*", [("1950s", ["1950"]), ("1960s", ["1961", "1969"]), ("1990s", ["1990"])])
CODES = ("*", [("odd", ["1", "3"]), ("even", ["2", "4"])])


def figure(
    metric: str,
    columns: list[Column],
    labels: list[int],
    k: int = 1,
    classes: list[str] | None = None,
):
    rows = encoded(columns)
    sensitive = () if classes is None else (profile(pa.array(classes), "class"),)
    return make(Loss, metric).measure(
        Evidence(Rows(rows.axes, rows.codes, rows.costs, sensitive), Groups.of(labels), k)
    )


@pytest.mark.parametrize(
    ("metric", "columns", "labels", "expected"),
    [
        ("total-information-loss", [AGES], [0, 0, 1], 0.5),
        ("height-share", [AGES], [0, 0, 1], 0.5 / 3),
        ("span-share", [Column([1950, 1961, 1969, 1990], DECADES)], [1, 0, 0, 1], 0.6),
        ("span-share", [Column([1, 2, 3, 4], CODES)], [0, 1, 0, 1], 0.5),
        ("span-share", [Column(["Oslo", "Bergen", "Rome"], CITIES)], [0, 0, 1], 1 / 3),
        ("leaf-share", [Column(["Oslo", "Bergen", "Rome"], CITIES)], [0, 0, 0], 1.0),
        ("leaf-share", [Column(["Oslo", "Bergen", "Rome"], CITIES)], [0, 0, 1], 1 / 3),
        ("loss-metric", [Column(["Oslo", "Oslo", "Rome"], FIVE)], [0, 0, 0], 0.25),
        (
            "non-uniform-entropy",
            [Column(["Oslo", "Oslo", "Oslo", "Rome"], CITIES)],
            [0] * 4,
            0.8112781244591328,
        ),
        (
            "entropy-loss",
            [Column(["Oslo", "Oslo", "Oslo", "Rome"], CITIES)],
            [0] * 4,
            0.8112781244591328,
        ),
        ("discernibility", [Column([1.0] * 10)], [0] * 4 + [1] * 3 + [2] * 2 + [-1], 39),
        ("average-group-size", [Column([1.0] * 10)], [0] * 4 + [1] * 3 + [2] * 2 + [-1], 10 / 3),
        ("squared-error", [AGES], [0, 0, 1], 0.03125),
        ("squared-error", [Column(["Oslo", "Oslo", "Bergen", "Rome"], CITIES)], [0, 0, 0, 1], 0.25),
        ("squared-error-share", [AGES], [0, 0, 1], 50 / (2600 / 3)),
        ("row-loss-p95", [Column([0.0, 0.1] * 9 + [0.1, 1.0])], [0] * 18 + [1] * 2, 0.9),
        ("row-loss-p95", [Column([0.0, 0.1] * 19 + [0.1, 1.0])], [0] * 38 + [1] * 2, 0.1),
    ],
)
def test_examples_of_the_pages(metric, columns, labels, expected):
    assert figure(metric, columns, labels) == pytest.approx(expected)


def test_classes():
    classes = ["flu", "flu", "cold", "flu", "cold"]
    assert (
        figure("classification-metric", [Column([1.0] * 5)], [0, 0, 0, 1, 1], classes=classes)
        == 0.2
    )
    assert (
        figure("classification-metric", [Column([1.0] * 5)], [0, 0, 0, -1, -1], classes=classes)
        == 0.6
    )
    assert figure("classification-metric", [Column([1.0] * 5)], [0] * 5) is None


def test_lower_bound_of_three_ages():
    assert figure("lower-bound", [AGES], [0, 0, 0], k=2) == pytest.approx(1.5, abs=1e-5)
    assert figure("lower-bound", [AGES], [0, 0, 0], k=1) == 0.0


def test_lower_bound_is_left_out_for_large_tables_unless_asked(monkeypatch):
    monkeypatch.setattr("shoal.review.losses.lower_bound.MOST_TUPLES", 2)
    monkeypatch.setattr("shoal.review.losses.lower_bound.MOST_OF_A_LINE", 2)
    evidence = Evidence(encoded([AGES]), Groups.of([0, 0, 0]), 2)
    assert LowerBound().measure(evidence) is None
    assert LowerBound(thorough=True).measure(evidence) > 1


def test_the_worst_subgroup_is_the_one_that_pays():
    born = ["here"] * 900 + ["there"] * 100
    wide = Column([0.0, 0.1] * 450 + [0.0, 0.5] * 50 + [1.0], None)
    columns = [Column([*born, "here"], ("*", ["here", "there"])), wide]
    labels = [0] * 900 + [1] * 100 + [2]
    assert figure("worst-subgroup-loss", columns, labels) == pytest.approx(0.25)
    assert figure("worst-subgroup-loss", [AGES], [0, 0, 1]) is None
    assert (
        figure("worst-subgroup-loss", [Column(["here"] * 29, ("*", ["here"]))], [-1] * 29) is None
    )
    assert figure("worst-subgroup-loss", [Column(["here"] * 30, ("*", ["here"]))], [-1] * 30) == 1


def test_missing_beside_others_costs_everything():
    column = Column([1.0, 2.0, None, None])
    for metric in ("height-share", "leaf-share", "loss-metric"):
        assert figure(metric, [column], [0, 0, 0, 1]) == 0.75
    assert figure("squared-error", [column], [0, 0, 0, 1]) == pytest.approx(0.5 + 1)
    assert figure("squared-error", [column], [0, 1, 2, 2]) == 0
    assert figure("non-uniform-entropy", [column], [0, 0, 0, 1]) == pytest.approx((2 + 2 + 1) / 4)


def test_entropy_loss_falls_when_a_box_grows():
    """The reason why it is never minimized: Rome and Bari are a toss-up in Italy, but under `*`
    nearly all are in Oslo.
    """
    tree = ("*", ["Oslo", ("Italy", ["Rome", "Bari"])])
    rows = encoded([Column(["Oslo"] * 50 + ["Rome", "Bari"], tree)])
    italy = EntropyLoss().measure(Evidence(rows, Groups.of([0] * 50 + [1, 1])))
    everything = EntropyLoss().measure(Evidence(rows, Groups.of([0] * 52)))
    assert italy == pytest.approx(2 * 1 / 52)
    assert (
        everything < 0.28
    )  # bits for each row, those two among them, where Italy left them 1 bit each


def test_share_of_squared_error_is_that_of_z_scores():
    table = parquet.read_table(data_file("census.parquet"))
    matrix = np.column_stack([np.asarray(table[name], np.float64) for name in table.column_names])
    z = (matrix - matrix.mean(axis=0)) / matrix.std(axis=0, ddof=1)
    labels = np.argsort(np.argsort(matrix[:, 0], kind="stable")) // 5
    error = sum(
        ((z[labels == g] - z[labels == g].mean(axis=0)) ** 2).sum() for g in range(labels.max() + 1)
    )
    rows = encode([profile(table[name].combine_chunks(), name) for name in table.column_names], {})
    share = make(Loss, "squared-error-share").measure(Evidence(rows, Groups.of(labels)))
    assert share == pytest.approx(error / (z**2).sum(), rel=1e-9)


def test_query_of_the_page():
    ask = np.zeros((1, 1), np.int32)
    queries = Queries(ask, ask, ask + 1, ask + 18.0, ask + 22.0)
    boxes = Spread(
        np.array([20.0]), np.array([30.0]), np.ones(1), np.array([0, 1]), ask, np.array([10])
    )
    assert estimated(queries, boxes) == pytest.approx([2.0])
    assert counted(
        queries, np.array([[0, 1, 1, 2]], np.int32), np.array([1, 1, 1, 7])
    ).tolist() == [3]


def test_queries_come_out_right_when_nothing_is_generalized():
    rng = np.random.default_rng(3)
    columns = [
        Column(list(rng.normal(size=300))),
        Column(list(rng.choice(["Oslo", "Bergen", "Rome"], 300)), CITIES),
    ]
    rows = encoded([*columns, Column(list(rng.choice([1.5, None], 300)))])
    alone = Evidence(rows, Groups.of(np.arange(300)))
    queries = drawn(rows.axes)
    assert estimated(queries, spread(alone)) == pytest.approx(
        counted(queries, rows.codes, np.ones(300, np.int64))
    )
    assert make(Loss, "query-error").measure(alone) == 0
    together = make(Loss, "query-error").measure(Evidence(rows, Groups.of(np.zeros(300, np.int64))))
    assert (
        0
        < together
        < make(Loss, "query-error").measure(Evidence(rows, Groups.of(np.full(300, -1))))
        == 1
    )
