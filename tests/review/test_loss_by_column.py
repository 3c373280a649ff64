"""Who paid: means over columns and rows are the losses that the release reports."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.handover.before_after import aligned
from shoal.review.loss_by_column import DEAREST, STEPS, Paid, paid
from shoal.review.losses.loss import Evidence

TREE = {"north": ["Oslo", "Bergen"], "south": ["Rome", "Bari"]}


def people(rows: int = 400) -> pa.Table:
    rng = np.random.default_rng(8)
    towns = rng.choice(
        ["Oslo", "Bergen", "Rome", "Bari", None], rows, p=[0.5, 0.2, 0.15, 0.1, 0.05]
    )
    return pa.table(
        {
            "age": rng.integers(0, 90, rows),
            "town": pa.array(towns, pa.string()),
            "sex": rng.choice(["m", "f"], rows),
        }
    )


def made(**given: object) -> tuple[shoal.Release, Paid]:
    asked = {
        "quasi": ["age", "town", "sex"],
        "hierarchies": {"town": TREE},
        "k": 5,
        "seed": 1,
        **given,
    }
    release = shoal.anonymize(people(), **asked)
    found = aligned(release, people())
    assert found is not None
    return release, paid(Evidence(found.rows, found.groups, 5))


@pytest.mark.parametrize(
    "more", [{}, {"method": "mondrian"}, {"method": "threshold:small=withhold", "withhold": 0.9}]
)
def test_sums_are_the_reported_losses(more):
    release, found = made(**more)
    assert [one.name for one in found.columns] == ["age", "town", "sex"]
    assert np.mean([one.height for one in found.columns]) == pytest.approx(
        release.losses["height-share"], rel=1e-12
    )
    assert np.mean([one.leaves for one in found.columns]) == pytest.approx(
        release.losses["leaf-share"], rel=1e-12
    )
    assert found.of_rows.mean() == pytest.approx(release.losses["height-share"], rel=1e-12)
    assert np.quantile(found.of_rows, 0.95, method="inverted_cdf") == release.losses["row-loss-p95"]
    assert found.people[0].loss == release.losses["worst-subgroup-loss"]


def test_rows_and_people_stand_dearest_first():
    _, found = made()
    losses = found.of_rows[found.dearest]
    assert len(losses) == DEAREST and losses[0] == found.of_rows.max()
    assert (np.diff(losses) <= 0).all() and losses[-1] >= np.sort(found.of_rows)[-DEAREST]
    ties = [(-found.of_rows[row], row) for row in found.dearest]
    assert ties == sorted(ties)
    assert [one.loss for one in found.people] == sorted(
        (one.loss for one in found.people), reverse=True
    )
    mine = np.array([town == "Oslo" for town in people()["town"].to_pylist()])
    oslo = next(one for one in found.people if one.value == "Oslo")
    assert oslo.rows == mine.sum() and oslo.loss == pytest.approx(found.of_rows[mine].mean())


def test_the_histogram_holds_every_row_once():
    _, found = made()
    assert found.histogram.sum() == 400 and len(found.histogram) == STEPS
    assert found.histogram[0] == np.count_nonzero(found.of_rows < 1 / STEPS)
