"""Leaving out: worst whole groups, within the limit, as long as the others become more exact."""

from __future__ import annotations

import pickle
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import registry
from shoal.encode.profile import profile
from shoal.encode.rows import Rows, encode
from shoal.engines.local import LocalEngine
from shoal.flows import groups as flow
from shoal.groups import Groups, Note
from shoal.partition.beginnings import AtLeast
from shoal.partition.leaving_out import (
    CommonValues,
    LeavingGain,
    LeavingNote,
    LeavingRoom,
    notes_together,
    without_worst,
)
from shoal.partition.method import Method
from shoal.partition.repair import loss_of
from shoal.recipe import Recipe
from tables import Sample, any_sample

AGES = [20, 20, 21, 21, 22, 22, 60, 90]  # the last pair spans 30 of 70 years


def ages(values: list[int]) -> Rows:
    return encode([profile(pa.array(values), "age")], {}, loss="span")


def people(rows: int = 600) -> pa.Table:
    rng = np.random.default_rng(4)
    return pa.table(
        {
            "age": (20 + rng.exponential(12, rows)).astype(int),
            "town": [f"t{n}" for n in rng.geometric(0.4, rows).clip(max=9)],
            "ill": [f"d{n}" for n in rng.integers(0, 5, rows)],
        }
    )


def asked(**beside: Any) -> dict[str, Any]:
    return {"quasi": ["age", "town"], "sensitive": ["ill"], "k": 5, "seed": 1, **beside}


def test_the_worst_group_is_left_out_by_hand() -> None:
    groups = Groups.of(np.array([0, 0, 1, 1, 2, 2, 3, 3]))
    fewer = without_worst(groups, ages(AGES), AtLeast(2), LeavingRoom(3, groups.sizes))
    assert fewer.labels.tolist() == [0, 0, 1, 1, 2, 2, -1, -1]
    (note,) = fewer.notes
    assert note == (
        "left out 2 of 8 people: what is published is 100 % more exact "
        "(133 % less exact if they count as lost)"
    )


def test_nobody_is_left_out_where_there_is_no_room_or_no_gain() -> None:
    groups = Groups.of(np.array([0, 0, 1, 1, 2, 2, 3, 3]))
    assert without_worst(groups, ages(AGES), AtLeast(2), LeavingRoom(1, groups.sizes)) is groups
    even = ages([20, 21, 30, 31, 40, 41, 50, 51])
    assert without_worst(groups, even, AtLeast(2), LeavingRoom(8, groups.sizes)) is groups
    exact = ages([20, 20, 30, 30, 40, 40, 50, 50])
    assert without_worst(groups, exact, AtLeast(2), LeavingRoom(8, groups.sizes)) is groups


def test_fewer_are_left_out_where_the_guard_would_not_call_the_others_safe() -> None:
    class Wary(AtLeast):
        def safe(self, groups: Groups) -> np.ndarray:
            return np.full(groups.count, groups.withheld < 4)

        only_size = False  # type: ignore[assignment]

    rows = ages([20, 20, 21, 21, 40, 60, 30, 90])
    groups = Groups.of(np.array([0, 0, 1, 1, 2, 2, 3, 3]))
    fewer = without_worst(groups, rows, Wary(2), LeavingRoom(6, groups.sizes))
    assert fewer.withheld == 2 and fewer.labels[-1] == -1


@settings(max_examples=80)
@given(any_sample(), st.integers(0, 20))
def test_the_limit_is_kept_and_the_loss_of_a_published_row_falls(sample: Sample, most: int) -> None:
    rows = sample.rows
    groups = Groups.of(np.arange(rows.count) // max(sample.k, 1))
    fewer = without_worst(groups, rows, AtLeast(1), LeavingRoom(most, groups.sizes))
    assert fewer.withheld <= most
    assert fewer.count >= 1 or groups.count == 0
    if fewer.withheld:
        assert mean_cost(fewer, rows) < mean_cost(groups, rows)


def mean_cost(groups: Groups, rows: Rows) -> Fraction:
    return Fraction(loss_of(groups, rows), int(groups.sizes.sum()))


@pytest.mark.parametrize("method", sorted(registry.names(Method)))
def test_every_method_leaves_the_worst_out(method: str) -> None:
    table = people(300).drop(["town"]) if method in {"mdav", "v-mdav"} else people(300)
    recipe = asked(method=method, quasi=[name for name in table.column_names if name != "ill"])
    whole = shoal.anonymize(table, **recipe)
    fewer = shoal.anonymize(table, **recipe, withhold=0.1)
    withheld = fewer.certificate.private.withheld
    assert 0 < withheld <= 30
    assert fewer.table.num_rows == 300 - withheld
    assert any(note.kind == "left-out" for note in fewer.notices)
    assert "left out" not in str(fewer.certificate.public.as_dict())
    spared = [each.certificate.public.losses["published-height-share"] for each in (fewer, whole)]
    assert spared[0] is not None and spared[1] is not None and spared[0] < spared[1]


@pytest.mark.parametrize(
    "model", ["l-diversity:l=3", "t-closeness:t=0.4", "beta-likeness:beta=3", "alpha-k:alpha=0.7"]
)
@pytest.mark.parametrize("shards", [1, 3])
def test_models_hold_for_what_is_published(model: str, shards: int) -> None:
    recipe = Recipe(**{**asked(models=(model,), withhold=0.1), "quasi": ("age", "town")})
    outcome = flow.run(people(), recipe, LocalEngine(shards))
    assert outcome.table.num_rows >= 540  # the gate has recounted it


def test_kept_values_stay_common() -> None:
    table = people().append_column("ward", pa.array([f"w{i % 100}" for i in range(600)]))
    release = shoal.anonymize(table, **asked(withhold=0.1, keep=["ward"]))
    assert 0 < release.certificate.private.withheld <= 60
    held = Counter(release.table["ward"].to_pylist())
    assert len(held) == 100 and min(held.values()) == 5  # of 6 each: some have none to spare


@pytest.mark.parametrize("shards", [2, 4])
def test_kept_values_stay_common_over_all_shards(shards: int) -> None:
    table = people().append_column("ward", pa.array([f"w{i % 20}" for i in range(600)]))
    recipe = Recipe.of(**asked(withhold=0.1, keep=["ward"]))
    outcome = flow.run(table, recipe, LocalEngine(shards))
    assert "divided in" in str(outcome.certificate.private.notes)
    assert outcome.table.num_rows < 600
    assert min(Counter(outcome.table["ward"].to_pylist()).values()) >= 5


def test_it_is_said_where_kept_values_hinder_leaving_out() -> None:
    table = people().append_column("ward", pa.array([f"w{i % 120}" for i in range(600)]))
    release = shoal.anonymize(table, **asked(withhold=0.1, keep=["ward"]))
    assert release.certificate.private.withheld == 0
    (note,) = [note for note in release.notices if note.kind == "left-out"]
    assert note == (
        "the worst groups are not left out: fewer than 5 others hold the same kept values of "
        "'ward' as someone in them; keep fewer columns, or round them"
    )
    forced = shoal.anonymize(table, **asked(withhold=0.1, keep=["ward"], force_keep=["ward"]))
    assert forced.certificate.private.withheld > 0


def test_kept_values_are_counted_by_people_by_hand() -> None:
    groups = Groups.of(np.array([0, 0, 1, 1, 2, 2, 2, -1]))
    ward = np.array([7, 7, 7, 9, 9, 9, 9, 7])
    of_rows = CommonValues(groups, ward, 2)  # 7 is held by three rows, 9 by four
    assert [of_rows.give(group) for group in (0, 2, 1)] == [False, False, True]
    assert of_rows.blocked
    of_people = CommonValues(groups, ward, 1, np.array([0, 0, 1, 2, 3, 3, 3, 4]))
    assert [of_people.give(group) for group in (2, 1, 0)] == [True, False, True]


def test_what_shards_leave_out_is_one_notice_with_the_sum() -> None:
    recipe = Recipe.of(**asked(withhold=0.1))
    outcome = flow.run(people(), recipe, LocalEngine(4))
    (note,) = [note for note in outcome.notices if note.kind == "left-out"]
    withheld = outcome.certificate.private.withheld
    assert note.startswith(f"left out {withheld} of 600 people: what is published is ")
    assert "divided in 4 shards" in outcome.certificate.private.notes


def test_parts_under_widest_cells_are_one_notice() -> None:
    release = shoal.anonymize(people(), **asked(withhold=0.2, at_most={"age": 20}))
    notes = [note for note in release.notices if note.kind == "left-out"]
    assert len(notes) == 1 and notes[0].startswith("left out ")


def test_shares_of_several_parts_add_up_by_hand() -> None:
    # Losses of 30 for 4 rows and 10 for 6; two rows that lost 20 are left out of the first.
    one = LeavingGain(out=2, rows=4, whom="people", before=30, rest=10, full=20)
    other = LeavingGain(out=0, rows=6, whom="people", before=10, rest=10, full=20)
    seen = Note("rounds", "three rounds")
    notes = notes_together([LeavingNote(one), seen, LeavingNote(other), seen])
    # 40 / 10 before and 20 / 8 now; with two rows lost in full 20 + 40 instead of 40
    assert notes == (
        seen,
        "left out 2 of 10 people: what is published is 38 % more exact "
        "(50 % less exact if they count as lost)",
    )
    assert notes_together([LeavingNote(other)]) == ()


def test_a_note_travels_with_its_numbers() -> None:
    note = LeavingNote(LeavingGain(out=2, rows=4, whom="people", before=30, rest=10, full=20))
    again = pickle.loads(pickle.dumps(note))
    assert again == note and again.gain == note.gain and again.kind == "left-out"


def test_shards_say_why_nothing_is_left_out() -> None:
    recipe = Recipe.of(**asked(withhold=0.1, models=["t-closeness:t=0.5"]))
    outcome = flow.run(people(), recipe, LocalEngine(3))
    assert "divided in 3 shards" in outcome.certificate.private.notes
    (note,) = [note for note in outcome.notices if note.kind == "left-out"]
    assert note.startswith("the worst groups are not left out: the table is divided in parts, and")
    assert "'t-closeness (t = 0.5" in note


def test_persons_are_left_out_whole() -> None:
    table = people().append_column("who", pa.array([i // 2 for i in range(600)]))
    release = shoal.anonymize(table, **asked(withhold=0.1, person="who", sensitive=[]))
    labels = np.asarray(release.groups)
    out = {i // 2 for i in np.flatnonzero(labels < 0)}
    assert out
    assert len(np.flatnonzero(labels < 0)) == 2 * len(out) <= 60


def test_the_order_of_rows_does_not_matter() -> None:
    table = people()
    order = np.random.default_rng(8).permutation(600)
    one = shoal.anonymize(table, **asked(withhold=0.05))
    other = shoal.anonymize(table.take(pa.array(order)), **asked(withhold=0.05))
    assert one.table.select(["age", "town"]).equals(other.table.select(["age", "town"]))
