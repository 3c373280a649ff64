"""Aligned: each input row beside what became of it; the same rows as the release, marked where
texts differ.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.declare.columns import text_of
from shoal.handover.before_after import aligned

TREE = {"north": ["Oslo", "Bergen"], "south": ["Rome", "Bari"]}
ASKED: dict[str, Any] = {
    "quasi": ["age", "town"],
    "sensitive": "ill",
    "hierarchies": {"town": TREE},
}
RNG = np.random.default_rng(4)
PEOPLE = pa.table(
    {
        "name": [f"Nr {i}" for i in range(60)],
        "age": RNG.integers(20, 60, 60),
        "town": RNG.choice([town for towns in TREE.values() for town in towns], 60),
        "ill": pa.array(RNG.choice(["flu", "cold", "gout", None], 60), pa.string()),
        "ward": RNG.choice(["a", "b"], 60),
        "stands_for": RNG.integers(1, 5, 60),
    }
)


def rows_of(table: pa.Table) -> Counter[tuple[str | None, ...]]:
    texts = [text_of(column.combine_chunks()).to_pylist() for column in table.columns]
    return Counter(zip(*texts, strict=True))


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"publish": "tight"},
        {"publish": {"age": "bounds"}},
        {"publish": "centre"},
        {"withhold": 0.9, "method": "threshold:small=withhold"},
        {"keep": "ward", "force_keep": "ward"},
        {"weight": "stands_for"},
        {"models": ["l-diversity:l=2"]},
        {"models": ["lkc:l=1,c=0.9"], "method": "top-down"},
        {"keep_order": True},
    ],
)
def test_it_is_the_release_in_another_order(more):
    release = shoal.anonymize(PEOPLE, **{"k": 3, "seed": 1, **ASKED, **more})
    found = aligned(release, PEOPLE)
    assert found is not None and found.texts.num_rows == PEOPLE.num_rows
    kept = found.texts.filter(pa.array(~found.withheld))
    assert kept.column_names == release.published.column_names and rows_of(kept) == rows_of(
        release.published
    )


def test_cells_of_one_scheme_for_all_rows_stand_at_its_levels():
    """Everyone in the north is from Oslo, and yet published as from the north."""
    people = pa.table({"town": ["Oslo"] * 4 + ["Rome"] * 2 + ["Bari"] * 2})
    asked = {"quasi": ["town"], "k": 3, "hierarchies": {"town": TREE}}
    release = shoal.anonymize(people, method="full-domain", **asked)
    found = aligned(release, people)
    assert found is not None
    assert found.texts["town"].to_pylist() == ["north"] * 4 + ["south"] * 4
    assert rows_of(found.texts) == rows_of(release.published)


def test_withheld_rows_are_empty_and_wholly_changed():
    release = shoal.anonymize(
        PEOPLE, **ASKED, k=3, withhold=0.9, method="threshold:small=withhold", seed=1
    )
    found = aligned(release, PEOPLE)
    assert found is not None
    hidden = found.texts.filter(pa.array(found.withheld))
    assert 0 < hidden.num_rows == release.certificate.private.withheld
    assert all(cell is None for row in hidden.to_pylist() for cell in row.values())
    assert all(flags[found.withheld].all() for flags in found.changed.values())


def test_changed_cells_are_those_whose_text_differs():
    release = shoal.anonymize(PEOPLE, **ASKED, k=3, publish={"age": "bounds"}, seed=1)
    found = aligned(release, PEOPLE)
    assert found is not None and found.source == {
        "age_lo": "age",
        "age_hi": "age",
        "town": "town",
        "ill": "ill",
    }
    for name, source in found.source.items():
        before = text_of(PEOPLE[source].combine_chunks()).to_pylist()
        differ = [
            one != other for one, other in zip(before, found.texts[name].to_pylist(), strict=True)
        ]
        assert found.changed[name].tolist() == differ
    assert not found.changed["ill"].any() and found.changed["age_lo"].any()


@settings(max_examples=15)
@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from(["Oslo", "Rome", None])),
        min_size=2,
        max_size=12,
    )
)
def test_any_table(cells):
    people = pa.table(
        {
            "age": [age for age, _ in cells],
            "town": pa.array([town for _, town in cells], pa.string()),
        }
    )
    release = shoal.anonymize(people, quasi=["age", "town"], k=2, method="k-member", seed=1)
    found = aligned(release, people)
    assert found is not None and rows_of(found.texts) == rows_of(release.published)


def test_rows_with_boxes_of_their_own_have_no_groups():
    release = shoal.anonymize(PEOPLE, **ASKED, k=3, method="nsvdist", seed=1)
    assert aligned(release, PEOPLE) is None
