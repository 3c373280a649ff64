"""What groups hold, counted pair by pair, whichever way is cheaper."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.groups import Groups
from shoal.review.losses import held as module
from shoal.review.losses.held import held, held_by_all
from tables import Column, encoded

ROWS = st.lists(
    st.tuples(st.integers(-1, 3), st.sampled_from([1.0, 2.0, 5.0, None])), min_size=1, max_size=30
)


@given(ROWS, st.sampled_from([0, 8]))
def test_pairs_are_those_of_a_counter(people: list[tuple[int, float | None]], sparse: int) -> None:
    rows = encoded([Column([value for _, value in people])])
    groups = Groups.of([label for label, _ in people])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SPARSE", sparse)
        found = held(rows.axes[0], rows.codes[0], groups)
    literal = Counter(
        (int(g), int(c)) for g, c in zip(groups.labels, rows.codes[0], strict=True) if g >= 0
    )
    pairs = list(zip(found.group.tolist(), found.code.tolist(), strict=True))
    assert pairs == sorted(literal)
    assert found.times.tolist() == [literal[pair] for pair in pairs]


@given(ROWS)
def test_the_table_as_one_group(people: list[tuple[int, float | None]]) -> None:
    rows = encoded([Column([value for _, value in people])])
    together = held(rows.axes[0], rows.codes[0], Groups(np.zeros(len(people), np.int32), 1))
    for one, other in zip(held_by_all(rows.axes[0], len(people)), together, strict=True):
        assert one.tolist() == other.tolist()
