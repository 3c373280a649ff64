"""A table in shards: every promise kept, nothing hanging on the order of rows, little lost, shards
that can't do it joined.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import data_file
from shoal.arrays import Labels
from shoal.encode.rows import Rows
from shoal.engines.local import LocalEngine
from shoal.engines.local.dividing import groups_of
from shoal.engines.promises import promises_of
from shoal.engines.sharding import Countable, ShardTally, cut_table
from shoal.errors import PrivacyNotMet
from shoal.flows.declared import declared
from shoal.flows.groups import run
from shoal.groups import Groups, unwatched
from shoal.partition.method import Method
from shoal.partition.repair import loss_of
from shoal.recipe import Plan, Recipe

RNG = np.random.default_rng(5)
AGE = RNG.integers(20, 80, 2000)
PEOPLE = pa.table(
    {
        "age": pa.array(AGE),
        "city": pa.array(RNG.choice(["Oslo", "Rome", "Bonn", None], 2000, p=[0.4, 0.3, 0.2, 0.1])),
        "ill": pa.array(RNG.choice(["flu", "gout", "cold", None], 2000)),
        "person": pa.array(RNG.integers(0, 900, 2000)),
    }
)
ASKED = {"quasi": ["age", "city"], "sensitive": ["ill"], "k": 5, "seed": 3}
MODELS = [
    "t-closeness:t=0.35",
    "beta-likeness:beta=3",
    "delta-disclosure:delta=4",
    "l-diversity:l=2",
]


def divided(table: pa.Table, shards: int, **asked: object) -> tuple[Rows, Groups, Plan]:
    """The rows of a table, and its groups."""
    plan = Recipe.of(**{**ASKED, **asked}).plan()
    rows, _ = declared(table, plan)
    return (rows, groups_of(rows, plan, np.random.default_rng(3), unwatched, shards), plan)


def contents(rows: Rows, labels: Labels) -> Counter[tuple[tuple[int, ...], ...]]:
    """Each group as its rows' codes, sorted: what can be told without row numbers."""
    full = np.array([*rows.codes, *(column.codes for column in rows.sensitive)]).T
    members: dict[int, list[tuple[int, ...]]] = {}
    for label, row in zip(labels.tolist(), full.tolist(), strict=True):
        members.setdefault(label, []).append(tuple(row))
    return Counter(tuple(sorted(group)) for group in members.values())


@pytest.mark.parametrize("models", [[], MODELS, ["t-closeness:t=0.2", "k-anonymity:k=7"]])
def test_promises_are_kept_and_recounted_in_shards(models: list[str]) -> None:
    recipe = Recipe.of(**ASKED, models=models, rows_are_persons=True)
    outcome = run(PEOPLE, recipe, LocalEngine(shards=4))
    assert outcome.certificate.public.k >= 5 and outcome.table.num_rows == 2000
    assert "divided in 4 shards" in outcome.certificate.private.notes
    assert (
        outcome.groups.count
        == outcome.groups.labels.max() + 1
        == len(np.unique(outcome.groups.labels))
    )


@pytest.mark.parametrize("models", [[], ["l-diversity:l=3"]])
def test_groups_in_shards_do_not_depend_on_the_order_of_rows(models: list[str]) -> None:
    rows, groups, _ = divided(PEOPLE, 4, models=models)
    shuffled = np.random.default_rng(1).permutation(2000)
    others, again, _ = divided(PEOPLE.take(pa.array(shuffled)), 4, models=models)
    if not models:  # rows with equal quasi-identifiers are equal then, whatever their other values
        rows = replace(rows, sensitive=())
        others = replace(others, sensitive=())
    assert contents(rows, groups.labels) == contents(others, again.labels)
    assert groups.count == again.count > 100


def test_labels_run_from_shard_to_shard_and_inside_by_first_row() -> None:
    _, groups, _ = divided(PEOPLE, 3)
    first = np.full(groups.count, 2000)
    np.minimum.at(first, groups.labels, np.arange(2000))
    assert np.count_nonzero(np.diff(first) < 0) == 2  # where the second and the third shard begin


def test_batches_of_a_table_change_nothing() -> None:
    parted = pa.concat_tables([PEOPLE.slice(at, 130) for at in range(0, 2000, 130)])
    assert np.array_equal(divided(PEOPLE, 4)[1].labels, divided(parted, 4)[1].labels)


def test_one_shard_is_the_table_itself() -> None:
    few = PEOPLE.slice(0, 90)  # too few for two shards
    assert np.array_equal(divided(few, 8)[1].labels, divided(few, 1)[1].labels)


def _rows() -> tuple[Rows, Plan]:
    plan = Recipe.of(**ASKED).plan()
    return declared(PEOPLE, plan)[0], plan


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_shard_judges_with_the_counts_of_the_whole_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    plan = Recipe.of(**ASKED, models=MODELS).plan()
    rows, _ = declared(PEOPLE.slice(0, 300), plan)
    shard = rng.integers(0, 3, 300)
    groups = rng.integers(0, 4, 300)
    whole = Groups((shard * 4 + groups).astype(np.int32), 12)
    verdicts = promises_of(rows, plan).safe(whole)
    tally = ShardTally.of(shard, 3, rows.sensitive)
    for number in range(3):
        members = np.flatnonzero(shard == number)
        part = promises_of(rows.shard(members), plan, tally.elsewhere(number).values)
        found = part.safe(Groups(groups[members].astype(np.int32), 4))
        assert found.tolist() == verdicts[number * 4 : number * 4 + 4].tolist()
        totals = promises_of(rows, plan).sensitive[0].column.totals
        assert part.sensitive[0].column.totals.tolist() == totals.tolist()


def test_shard_without_diversity_joins_its_neighbour() -> None:
    ill = np.where(AGE < 50, "flu", PEOPLE["ill"].to_pandas().fillna("cold"))
    table = pa.table({"age": PEOPLE["age"], "ill": ill})
    rows, groups, plan = divided(table, 4, quasi=["age"], models=["l-diversity:l=2"])
    assert promises_of(rows, plan).safe(groups).all() and groups.withheld == 0
    assert (
        "divided in 2 shards" in groups.notes
    )  # those below 35 and below 50 join, and then those below 65


def test_what_no_shard_can_keep_is_refused_as_for_the_table() -> None:
    with pytest.raises(PrivacyNotMet, match="all rows together"):
        divided(PEOPLE, 4, models=["l-diversity:l=5"])


def test_model_of_the_release_keeps_the_table_in_one_piece() -> None:
    asked = {"models": ["lkc:l=1,c=0.9"], "method": "top-down"}
    assert np.array_equal(
        divided(PEOPLE, 4, **asked)[1].labels, divided(PEOPLE, 1, **asked)[1].labels
    )


def test_all_rows_of_a_person_stand_in_one_group_of_one_shard() -> None:
    rows, groups, _ = divided(PEOPLE, 3, person="person")
    assert rows.person is not None and "divided in 3 shards" in groups.notes
    of_person = np.full(rows.person.max() + 1, -1)
    of_person[rows.person] = groups.labels
    assert np.array_equal(of_person[rows.person], groups.labels)
    assert min(len(set(rows.person[groups.labels == group])) for group in range(groups.count)) >= 5


@dataclass(frozen=True)
class Careless(Method):
    """One group, without the first five rows."""

    name = "careless"

    def _divide(self, rows, k, guard, rng, watch):
        return Groups(np.where(np.arange(rows.count) < 5, -1, 0).astype(np.int32), 1)


@pytest.mark.parametrize(("allowed", "refused"), [(0.01, False), (0.009, True)])
def test_rows_withheld_in_all_shards_are_counted_together(allowed: float, refused: bool) -> None:
    rows, plan = _rows()
    plan = replace(plan, method=Careless(), recipe=Recipe.of(**ASKED, withhold=allowed))
    divide = partial(groups_of, rows, plan, np.random.default_rng(3), unwatched, 4)
    if refused:
        with pytest.raises(PrivacyNotMet, match="left 20 of 2,000 rows"):
            divide()
    else:
        assert divide().withheld == 20


def test_interrupting_one_shard_hurries_the_others() -> None:
    rows, plan = _rows()
    calls: list[float] = []

    def watch(share: float, loss: float | None = None) -> None:
        calls.append(share)
        if len(calls) == 3:
            raise KeyboardInterrupt

    groups = groups_of(rows, plan, np.random.default_rng(3), watch, 4)
    assert groups.sizes.min() >= 5
    assert sum(note.startswith("refinement was interrupted") for note in groups.notes) == 1
    assert calls == sorted(calls) and max(calls) < 0.95  # no other shard was refined


def test_interrupting_one_shard_hurries_the_others_whatever_is_searched() -> None:
    """Squared error is lowered by another search, which says in other words that it stopped."""
    asked = {**ASKED, "quasi": ["age", "height"], "loss": "squared-error"}
    heights = pa.array(RNG.normal(170, 10, 2000))
    plan = Recipe.of(**asked).plan()
    rows, _ = declared(PEOPLE.append_column("height", heights), plan)
    watched: list[float] = []

    def watch(share: float, loss: float | None = None) -> None:
        watched.append(share)
        if loss is not None and sum(share > 0 for share in watched) == 3:
            raise KeyboardInterrupt

    groups = groups_of(rows, plan, np.random.default_rng(3), watch, 4)
    # a shard that is not annealed tells its watch where it begins, and nothing in between
    assert len({share for share in watched if share > 0.5}) <= 4
    assert groups.sizes.min() >= 5 and groups.interrupted


def test_adult_loses_little_in_shards() -> None:
    table = parquet.read_table(data_file("adult.parquet"))
    quasi = [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "occupation",
    ]
    trees = {
        name: str(data_file(f"hierarchies/adult_arx/{name}.csv")) for name in quasi if name != "age"
    }
    recipe = Recipe.of(quasi=quasi, k=10, hierarchies=trees, effort="low")
    plan = recipe.plan()
    rows, _ = declared(table, plan)

    def lost(shards: int) -> int:
        return loss_of(groups_of(rows, plan, np.random.default_rng(1), unwatched, shards), rows)

    assert lost(4) < 1.02 * lost(1)


@pytest.mark.parametrize(
    ("t", "most", "shards"), [(0.45, None, 2), (0.25, None, 1), (0.25, 1100, 2), (0.15, 1100, 1)]
)
def test_shard_that_only_just_keeps_a_promise_joins_too_where_there_is_room(
    t: float, most: int | None, shards: int
) -> None:
    ill = np.where(
        np.arange(1000) % 10 < 7, "flu", "gout"
    )  # 0.2 away from the table, in which both are as frequent
    other = np.where(ill == "flu", "gout", "flu")
    table = pa.table(
        {"city": ["Oslo"] * 1000 + ["Rome"] * 1000, "ill": np.concatenate((ill, other))}
    )
    plan = Recipe.of(quasi=["city"], sensitive=["ill"], k=5, models=[f"t-closeness:t={t}"]).plan()
    rows, _ = declared(table, plan)
    countable = Countable(
        rows.axes,
        rows.costs,
        rows.sensitive,
        lambda grid, cuts: grid.counted(cuts, rows.codes),
        lambda cut: ShardTally.of(cut.shard_of(rows.codes), cut.count, rows.sensitive),
    )
    found, tally = cut_table(countable, plan, 2, most)
    assert found.count == len(tally.sizes) == shards
