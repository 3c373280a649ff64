"""Survey weights: published as means of groups, used for risks among everyone, refused where they
are none.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError, ShoalError
from shoal.groups import Groups
from shoal.review.prechecks.population import Population
from shoal.review.risks.exposure import Exposure
from shoal.review.risks.individual_risk import IndividualRisk
from shoal.review.weights import means, refuse_uneven
from terminal import shoal as terminal
from terminal import snapshot, write

ASKED = {"quasi": ["age", "sex"], "sensitive": "ill", "k": 3, "weight": "w", "seed": 1}


def survey(rows: int = 120) -> pa.Table:
    rng = np.random.default_rng(4)
    ages = rng.integers(20, 60, rows)
    sexes = rng.choice(["f", "m"], rows)
    return pa.table(
        {
            "age": ages,
            "sex": sexes,
            "ill": rng.choice(list("abc"), rows),
            "w": rng.uniform(1, 90, rows),
        }
    )


def test_by_hand():
    groups = Groups.of(np.array([0, 1, 0, 1, 1]))
    found = means(groups, np.array([1.0, 2.0, 2.0, 2.5, 1 / 3]))
    assert found.to_pylist() == [1.5, 1.61111, 1.5, 1.61111, 1.61111]


def test_a_group_publishes_its_mean():
    table = survey()
    release = shoal.anonymize(table, **ASKED)
    published = release.table
    assert published.column_names == ["age", "sex", "ill", "w"]
    exact: dict[int, list[float]] = {}
    for group, weight in zip(release.groups.tolist(), table["w"].to_pylist(), strict=True):
        exact.setdefault(group, []).append(weight)
    by_cells: dict[tuple[str, str], set[float]] = {}
    for age, sex, weight in zip(
        *(published[name].to_pylist() for name in ("age", "sex", "w")), strict=True
    ):
        by_cells.setdefault((age, sex), set()).add(weight)
    assert all(len(found) == 1 for found in by_cells.values())
    assert not set(published["w"].to_pylist()) & set(table["w"].to_pylist())
    if len(exact) == len(by_cells):
        assert {weight for found in by_cells.values() for weight in found} == {
            float(f"{math.fsum(weights) / len(weights):.6g}") for weights in exact.values()
        }
    assert sum(published["w"].to_pylist()) == pytest.approx(sum(table["w"].to_pylist()), rel=1e-5)


def test_risks_come_from_the_weights_and_can_be_recounted(tmp_path):
    table = survey()
    release = shoal.anonymize(table, **ASKED)
    cells = list(zip(*(release.table[name].to_pylist() for name in ("age", "sex")), strict=True))
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(cells))}
    groups = Groups.of(np.array([numbers[pair] for pair in cells]))
    weighted = Population.weighted(groups, np.array(release.table["w"].to_pylist()))
    expected = IndividualRisk().measure(Exposure(groups, population=weighted))
    assert release.risks["after"]["individual-risk"] == pytest.approx(expected)
    assert release.risks["before"]["individual-risk"] > expected
    release.write(tmp_path / "out.csv")
    verified = shoal.verify(tmp_path / "out.csv", tmp_path / "out.csv.certificate.json")
    found = {item.what: item.status for item in verified.items}
    assert (
        verified.holds
        and found["individual-risk"] == "recounted"
        and found["'w' is the same in a group"] == "recounted"
    )


def test_a_population_goes_before_weights():
    table = survey()
    release = shoal.anonymize(table, **ASKED, population=table)
    assert (
        release.risks["after"]["individual-risk"] == release.risks["after"]["marketer-risk"]
    )  # as they were counted
    checked = shoal.verify(release.table, release.certificate)
    assert (
        checked.holds
        and {i.what: i.status for i in checked.items}["individual-risk"] == "not checkable"
    )


def test_weights_that_tell_rows_apart_are_refused():
    told = pa.table({"age": ["[20, 29]"] * 2, "w": [1.5, 1.25]})
    with pytest.raises(ShoalError, match="tell rows of a group apart"):
        refuse_uneven(told, ["age"], "w")
    release = shoal.anonymize(survey(), **ASKED)
    other = release.table.set_column(3, "w", pa.array(np.arange(120) + 0.5))
    found = {item.what: item.status for item in shoal.verify(other, release.certificate).items}
    assert found["'w' is the same in a group"] == "differs"


@pytest.mark.parametrize(
    "column",
    [["a", "b"], [1.0, None], [1, -1], [1.0, math.nan], [1.0, math.inf], [True, False]],
    ids=str,
)
def test_what_is_no_weight(column):
    table = survey().set_column(3, "w", pa.array(column * 60))
    with pytest.raises(DataError, match="weights in 'w'"):
        shoal.anonymize(table, **ASKED)


@pytest.mark.parametrize(
    ("weights", "more", "code", "words"),
    [
        ("x", ("--weight", "w"), 3, "are no numbers"),
        ("-2", ("--weight", "w"), 3, "missing, negative or infinite"),
        ("", ("--weight", "w"), 3, "are no numbers"),
        ("3", ("--weight", "v"), 2, "no column 'v'"),
        ("3", ("--weight", "age"), 2, "two roles"),
        ("3", ("--weight", "w", "--keep", "w"), 2, "two roles"),
        ("3", ("--weight", "w"), 0, ""),
    ],
)
def test_at_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weights, more, code, words
):
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path / "in.csv",
        "age,ill,w\n" + "".join(f"{20 + i % 5},{'ab'[i % 2]},{weights}\n" for i in range(30)),
    )
    before = snapshot(tmp_path)
    said = terminal(
        "anonymize", "in.csv", "-o", "out.csv", "-q", "age", "-s", "ill", "-k", 2, *more
    )
    assert said.code == code and words in said.err
    assert (snapshot(tmp_path) == before) == (code != 0)
