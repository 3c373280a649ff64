"""Rules as a classifier: by hand, and on real rows."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from conftest import data_file
from shoal.errors import DataError
from shoal.mining.class_rules import ClassRules
from shoal.mining.task import MiningMaterial


def test_a_rule_and_its_exception_by_hand() -> None:
    """Old smokers are ill: one rule, and well for all others. Rules of one item need two, and ill
    for all others.
    """
    rows = (
        [("yes", "old", "ill")] * 6
        + [("yes", "young", "well")] * 2
        + [("no", "old", "well")] * 2
        + [("no", "young", "well")] * 2
    )
    table = pa.table(
        dict(zip(("smokes", "age", "state"), map(list, zip(*rows, strict=True)), strict=True))
    )
    known = MiningMaterial(table, table, ("smokes", "age"), ("state",), target="state", test=table)
    found = ClassRules(support=0.1, confidence=0.5).measure(known)
    assert {name: figure.value for name, figure in found.items()} == {
        "accuracy": 1.0,
        "accuracy of the commonest class": 0.5,
        "rules used": 1,
    }
    short = ClassRules(support=0.1, confidence=0.5, longest=2).measure(known)
    assert (
        short["accuracy"].value == 1.0 and short["rules used"].value == 2
    )  # no -> well, young -> well
    assert all(figure.value == figure.unchanged for figure in found.values())


def test_where_no_rule_helps_the_commonest_class_is_all() -> None:
    table = pa.table({"x": ["a", "b"] * 4, "y": ["u", "u", "u", "u", "u", "u", "v", "v"]})
    found = ClassRules(support=0.1).measure(
        MiningMaterial(table, table, ("x",), ("y",), target="y", test=table)
    )
    assert (found["accuracy"].value, found["rules used"].value) == (0.75, 0)


def test_a_blind_release_predicts_no_better_than_the_commonest_class() -> None:
    table = parquet.read_table(data_file("adult.parquet")).select(
        ["age", "education", "marital-status", "income"]
    )
    original = table.slice(0, 2000)
    test = table.slice(2000, 2000)
    blind = original
    for place, name in enumerate(("age", "education", "marital-status")):
        blind = blind.set_column(place, name, pa.array(["*"] * 2000))
    known = MiningMaterial(
        original,
        blind,
        ("age", "education", "marital-status"),
        ("income",),
        target="income",
        test=test,
        tables=2,
    )
    found = ClassRules().measure(known)
    assert (
        found["accuracy"].unchanged > 0.78 > 0.77 > found["accuracy of the commonest class"].value
    )
    assert found["accuracy"].value == pytest.approx(
        found["accuracy of the commonest class"].value, abs=0.02
    )


def test_what_is_lacking_is_told_and_refused() -> None:
    table = pa.table({"x": ["a", "b"], "y": ["u", None]})
    known = MiningMaterial(table, table, ("x",), ("y",), target="y")
    assert "test=..." in (ClassRules().lacks(known) or "")
    with pytest.raises(DataError, match=r"test=\.\.\."):
        ClassRules().measure(known)
    several = pa.table({"x": ["a", "b", "b"], "y": ["u", "v", None]})
    nobody = MiningMaterial(several, several, ("x",), ("y",), target="y", test=several.slice(2))
    with pytest.raises(DataError, match="has a class"):
        ClassRules().measure(nobody)
