"""Work side by side: what one thread gives, in its order, with its errors and its surroundings."""

from __future__ import annotations

import threading
from contextvars import ContextVar

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.declare.numbering import dictionary_of, numbered_once
from shoal.kernels import threads
from shoal.kernels.threads import side_by_side
from terminal import PATIENCE

COLUMN = pa.array(["b", "a", "b"])


@pytest.mark.parametrize("number", [1, 2, 5])
def test_results_stand_in_the_order_of_the_items_whoever_ends_first(number: int) -> None:
    second_is_done = threading.Event()

    def work(item: int) -> int:
        if item == 0 and number > 1:
            assert second_is_done.wait(PATIENCE)
        if item == 1:
            second_is_done.set()
        return item * item

    assert side_by_side(work, range(6), rows=1, threads=number) == [0, 1, 4, 9, 16, 25]


@pytest.mark.parametrize("number", [1, 2])
def test_the_first_item_that_fails_has_its_error_raised(number: int) -> None:
    def work(item: int) -> int:
        if item:
            raise ValueError(item)
        return item

    with pytest.raises(ValueError, match="1"):
        side_by_side(work, range(4), rows=1, threads=number)


def test_threads_see_what_was_set_for_their_caller_alone() -> None:
    known = ContextVar("known", default="nothing")
    known.set("something")
    assert side_by_side(lambda _: known.get(), range(3), rows=1, threads=2) == ["something"] * 3
    with numbered_once():
        first = dictionary_of(COLUMN)
        both = side_by_side(lambda _: dictionary_of(COLUMN), range(2), rows=1, threads=2)
    assert both[0] is both[1] is first


def test_few_rows_are_worth_no_thread() -> None:
    def names(rows: int) -> set[str]:
        return set(side_by_side(lambda _: threading.current_thread().name, range(3), rows=rows))

    assert names(threads.WORTH_THREADS - 1) == {threading.current_thread().name}


@pytest.mark.parametrize("effort", ["low", "default"])
def test_a_release_does_not_depend_on_the_number_of_threads(monkeypatch, effort: str) -> None:
    rng = np.random.default_rng(11)
    count = 400
    people = pa.table(
        {
            "age": rng.integers(18, 90, count),
            "city": [f"c{city}" for city in rng.integers(0, 9, count)],
            "pay": rng.normal(30, 9, count).round(1),
            "ill": [f"i{ill}" for ill in rng.integers(0, 5, count)],
        }
    )
    monkeypatch.setattr(threads, "WORTH_THREADS", 1)
    made = []
    for number in (1, 2):
        monkeypatch.setattr(threads, "processors", lambda number=number: number)
        release = shoal.anonymize(
            people, quasi=["age", "city", "pay"], sensitive=["ill"], k=5, seed=3, effort=effort
        )
        public = {**release.certificate.public.as_dict(), "made": None}
        made.append((release.table, release.groups.tolist(), release.losses, release.risks, public))
    one, two = made
    assert one[0].equals(two[0])
    assert one[1:4] == two[1:4]
    assert one[4]["hash"] == two[4]["hash"] and one[4]["attacks"] == two[4]["attacks"]
