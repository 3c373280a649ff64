"""Coded: what a recipe leaves to the table is stated in it as if it had been given."""

from __future__ import annotations

import pyarrow as pa
import pytest

from shoal import anonymize, verify
from shoal.errors import RecipeError


def test_a_ladder_without_widths_gets_round_ones_that_the_recipe_states():
    people = pa.table({"age": [17, 25, 40, 104] * 3, "sex": ["f", "m"] * 6})
    release = anonymize(
        people, quasi=["age", "sex"], k=3, hierarchies={"age": "ladder"}, top={"age": 90}
    )
    assert release.recipe.hierarchies == {"age": "ladder:widths=5-10-20-40"}
    assert "90+" in release.table["age"].to_pylist()
    # All ages are published as they are: nobody can tell which bands there were.
    assert release.certificate.public.recipe["hierarchies"] == {"age": "ladder"}
    assert verify(release.table, release.certificate).holds


def test_a_column_with_another_hierarchy_is_still_not_coded():
    with pytest.raises(RecipeError, match="is coded and has a hierarchy"):
        anonymize(
            pa.table({"age": [1, 2, 3]}),
            quasi=["age"],
            k=2,
            hierarchies={"age": "intervals:width=5"},
            top={"age": 2},
        )
