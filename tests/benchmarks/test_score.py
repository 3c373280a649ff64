"""The scorer of the benchmarks knows nothing of Shoal, so it is checked by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from benchmarks import published, score

TREE = (
    "Oslo;Norway;Europe;*\nBergen;Norway;Europe;*\nRome;Italy;Europe;*\n"
    "Lima;Peru;Peru;*\nQuito;Quito;Quito;*\n"
)


@pytest.fixture
def trees(tmp_path: Path) -> dict[str, str | None]:
    (tmp_path / "city.csv").write_text(TREE)
    return {"city": str(tmp_path / "city.csv"), "age": None}


CITIES = ["Oslo", "Bergen", "Rome", "Lima", "Quito", "Oslo"]
PEOPLE = pa.table({"city": CITIES, "age": [20, 30, 40, 60, 60, 60]})


@pytest.mark.parametrize(
    ("labels", "loss"),
    [
        pytest.param([0, 1, 2, 3, 4, 5], 0.0, id="everyone alone"),
        pytest.param([0, 0, 1, 2, 3, 4], 2 * (1 / 3 + 10 / 40), id="one step up"),
        pytest.param([0, 0, 0, 1, 2, 3], 3 * (2 / 3 + 20 / 40), id="two steps up"),
        pytest.param([0, 1, 2, 3, 3, 3], 3 * (1 + 0), id="the root"),
        pytest.param([0, 0, 0, 0, 0, 0], 6 * 2, id="one group"),
        pytest.param([0, 0, -1, 1, 2, 3], 2 * (1 / 3 + 10 / 40) + 2, id="withheld in full"),
    ],
)
def test_information_loss_by_hand(
    trees: dict[str, str | None], labels: list[int], loss: float
) -> None:
    assert score.information_loss(PEOPLE, np.array(labels, np.int32), trees) == pytest.approx(loss)


def test_padding_makes_no_step(tmp_path: Path) -> None:
    (tmp_path / "city.csv").write_text("a;A;A;*\nb;A;A;*\nc;c;c;*\n")
    table = pa.table({"city": ["a", "b", "c"]})
    assert (
        score.information_loss(
            table, np.array([0, 0, 1], np.int32), {"city": str(tmp_path / "city.csv")}
        )
        == 2 * 1 / 2
    )


def test_squared_error_share_by_hand() -> None:
    points = np.array([[2, 1], [3, 2], [3, 2], [20, 19], [21, 20]], float)
    assert score.squared_error_share(points, np.array([0, 0, 0, 0, 0], np.int32)) == pytest.approx(
        1
    )
    assert score.squared_error_share(points, np.arange(5, dtype=np.int32)) == pytest.approx(0)
    inside = 2 / 3 + 1 / 2  # of the two groups {2, 3, 3} and {20, 21}, the same in both columns
    total = float(((points[:, 0] - points[:, 0].mean()) ** 2).sum())
    assert score.squared_error_share(points, np.array([0, 0, 0, 1, 1], np.int32)) == pytest.approx(
        inside / total
    )


def test_reference_rows_have_a_source() -> None:
    assert all(reference.source for reference in published.ADULT)


def test_groups_are_rows_with_equal_published_cells() -> None:
    cells = pa.table({"city": ["Norway", "*", "Norway", "*"], "age": ["20-30", "*", "20-30", "*"]})
    labels = score.groups_of(cells, pa.chunked_array([[0, 3, 1, 5]]), 6)
    assert labels[0] == labels[1] != labels[3] == labels[5] and {*labels[[2, 4]]} == {-1}
    assert score.smallest(labels) == 2
    assert score.smallest(np.array([0, 0, -1, 1, -1, -1])) == 1


def test_cells_that_only_look_equal_when_joined_are_different() -> None:
    cells = pa.table({"a": ["1", "1,2"], "b": ["2,3", "3"]})
    assert score.smallest(score.groups_of(cells, pa.chunked_array([[0, 1]]), 2)) == 1
