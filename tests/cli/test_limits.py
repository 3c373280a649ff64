"""What `shoal anonymize` says of how far its search went: a time limit, and a bound on what any
grouping loses.
"""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

import shoal as library
from shoal.partition.pieces import Pieces
from shoal.partition.shoal import Shoal
from tables import AtLeast, sample
from terminal import in_house_form, shoal


@pytest.fixture
def people(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    table = pa.table({"age": rng.integers(20, 90, 300), "town": rng.choice(list("abcdef"), 300)})
    arrow_csv.write_csv(table, tmp_path / "people.csv")
    return tmp_path / "people.csv"


def parts(name: str) -> tuple[dict, dict]:
    return tuple(
        json.loads(Path(f"{name}.{part}.json").read_text()) for part in ("certificate", "private")
    )


@pytest.mark.parametrize("how", [(), ("--method", "mondrian", "--refine")])
def test_refinement_stops_at_the_time_limit_and_says_so(people, how):
    said = shoal(
        "anonymize", people, "-o", "out.csv", "-q", "age,town", "--time-limit", "0.000001", *how
    )
    assert said.code == 0
    public, private = parts("out.csv")
    assert public["recipe"]["time_limit"] == 0.000001 and public["k"] >= 5
    assert "stopped by the time limit in round 1 of" in said.err
    assert "not repeatable: a time limit was set" in private["notes"]


def test_a_limit_that_is_not_reached_changes_nothing_but_the_note():
    for seed in range(20):
        case = sample(seed, 60)
        plain, limited = (
            Shoal(time_limit=limit).divide(
                case.rows, case.k, AtLeast(case.k), np.random.default_rng(1)
            )
            for limit in (None, 1e6)
        )
        assert limited.labels.tolist() == plain.labels.tolist()
        assert limited.notes == (*plain.notes, "not repeatable: a time limit was set")


def test_what_was_reached_in_time_is_kept():
    for seed in range(20):
        case = sample(seed, 60)
        loss = {}
        for limit in (None, 1e-9):
            groups = Shoal(time_limit=limit, balance=0).divide(
                case.rows, case.k, AtLeast(case.k), np.random.default_rng(1)
            )
            assert groups.sizes.min() >= case.k
            loss[limit] = Pieces.of(
                groups.labels, np.arange(case.rows.count), case.rows.count
            ).loss(case.rows.costs, case.rows.codes)
        assert loss[1e-9] >= loss[None]


@pytest.mark.parametrize(
    "wrong", [("--time-limit", "30", "--method", "k-member"), ("--time-limit", "0")]
)
def test_who_can_not_stop_is_refused(people, wrong):
    said = shoal("anonymize", people, "-o", "out.csv", "-q", "age,town", *wrong)
    assert said.code == 2 and in_house_form(said)
    assert "--method shoal" in said.err or "--time-limit 30" in said.err
    assert not Path("out.csv").exists()


def test_a_recipe_keeps_the_limit():
    recipe = library.Recipe.of(quasi=["age"], time_limit=2.5)
    assert "time_limit = 2.5" in recipe.to_toml()
    assert recipe.plan().method == Shoal(time_limit=2.5)


def test_the_bound_is_printed_and_stays_at_home(people):
    said = shoal("anonymize", people, "-o", "out.csv", "-q", "age,town", "-k", "10", "--verbose")
    public, private = parts("out.csv")
    bound = private["bound"]
    assert "no grouping loses less than" in said.err and "than the best grouping" in said.err
    assert bound["loss"] == "total-information-loss"
    assert bound["no grouping loses less than"] == private["losses"]["lower-bound"]
    assert (
        bound["gap"] == pytest.approx(bound["lost"] / bound["no grouping loses less than"] - 1)
        and bound["gap"] > 0
    )
    assert "bound" not in public


def test_a_bound_that_is_asked_for_is_proven_for_tables_of_any_size(people, monkeypatch):
    monkeypatch.setattr("shoal.review.losses.lower_bound.MOST_TUPLES", 10)
    plain = library.anonymize(people, quasi=["age", "town"], k=10, seed=1)
    asked = library.anonymize(people, quasi=["age", "town"], k=10, seed=1, bound=True)
    assert plain.certificate.private.bound is None and plain.loss("lower-bound") is None
    assert 0 < asked.loss("lower-bound") < asked.loss("total-information-loss")
    assert asked.certificate.public.recipe == plain.certificate.public.recipe
