"""docs/concepts/privacy-models.md: what it says about its twelve rows is what the models say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from shoal.privacy.column import Column
from shoal.privacy.model import Model
from shoal.registry import make, names

PAGE = (Path(__file__).parents[2] / "docs" / "concepts" / "privacy-models.md").read_text(
    encoding="utf-8"
)
VALUES = ["HIV", "cold", "flu", "gout"]
COUNTS = np.array(
    [[0, 0, 4, 0, 0], [1, 1, 2, 0, 0], [0, 2, 0, 2, 0]]
)  # groups A, B and C; nothing is missing
COLUMN = Column("ill", pa.array(VALUES), COUNTS.sum(axis=0))


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("k-anonymity:k=4", "ABC"),
        ("l-diversity:l=2", "BC"),
        ("p-sensitive:p=2", "BC"),
        ("frequency-l-diversity:l=2", "BC"),
        ("alpha-k:alpha=0.5", "BC"),
        ("entropy-l-diversity:l=2.5", "B"),
        ("recursive-l-diversity:c=2,l=2", "BC"),
        ("t-closeness:t=0.2", "B"),
        ("beta-likeness:beta=1", "A"),
        ("delta-disclosure:delta=1", ""),
    ],
)
def test_verdicts_of_the_page(text: str, safe: str):
    found = "".join(
        group
        for group, fine in zip("ABC", make(Model, text).safe(COUNTS, COLUMN), strict=True)
        if fine
    )
    assert found == safe
    assert f"**`{text.partition(':')[0]}`**" in PAGE


def test_figures_of_the_page():
    entropies = make(Model, "entropy-l-diversity:l=1").measures(COUNTS, COLUMN)
    distances = make(Model, "t-closeness:t=1").measures(COUNTS, COLUMN)
    for group, different, most, entropy, distance in zip(
        "ABC", (1, 3, 2), (4, 2, 2), entropies, distances, strict=True
    ):
        assert any(
            line.startswith(f"| {group} |")
            and line.endswith(f"| {different} | {most}/4 | {entropy:.3g} | {distance:.2f} |")
            for line in PAGE.splitlines()
        )
    whole = make(Model, "entropy-l-diversity:l=1").measures(COLUMN.totals[None, :], COLUMN)
    assert f"(here {whole[0]:.2g})" in PAGE


def test_every_model_has_its_place_on_the_page():
    assert [
        name for name in names(Model) if f"`{name}`" not in PAGE and name != "k-anonymity"
    ] == []
