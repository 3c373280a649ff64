"""Sets: values of a group by name, whatever the hierarchy, and a gate that reads them exactly."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from naive.sets import cells as naive_cells
from shoal.attacks.reading import boxes_of
from shoal.declare.hierarchies.nested import Nested
from shoal.encode.axes import axis_of
from shoal.encode.profile import profile
from shoal.errors import RecipeError, ShoalError
from shoal.groups import Groups
from shoal.kernels.costs import boxes as boxes_of_groups
from shoal.mining.concrete import column_of
from shoal.mining.features import features_of
from shoal.recode.cells import Value, ValueSet, read
from shoal.recode.reading import members, runs
from shoal.recode.recoder import Boxes
from shoal.recode.sets import Sets
from shoal.review.coverage import refuse_untrue
from shoal.review.losses.published import HEIGHT, shares_of

TREE = {
    "north": {"Norway": ["Oslo", "Bergen"], "Sweden": ["Umea", "Lund"]},
    "south": ["Rome", "Bari"],
}
PATHS = {
    **{city: (city, "Norway", "north", "*") for city in ("Oslo", "Bergen")},
    **{city: (city, "Sweden", "north", "*") for city in ("Umea", "Lund")},
    **{city: (city, "south", "*") for city in ("Rome", "Bari")},
}


def boxes(values: list[str | None], labels: list[int], tree: bool = True) -> Boxes:
    hierarchy = Nested(tree=TREE) if tree else None
    axis, codes = axis_of(profile(pa.array(values, pa.string()), "city"), hierarchy)
    groups = Groups.of(np.array(labels))
    lo, hi = boxes_of_groups(codes[None], groups.labels, groups.count)
    return Boxes(axis, codes, groups, lo[0], hi[0])


def published(
    values: list[str | None], labels: list[int], most: int = 12, tree: bool = True
) -> list:
    return Sets(most=most).publish(boxes(values, labels, tree))["city"].to_pylist()


def test_by_hand():
    values = ["Oslo", "Umea", "Oslo", "Bergen", "Rome", "Rome", "Oslo", "Bari"]
    assert published(values, [0, 0, 1, 1, 2, 2, 3, 3]) == [
        "{Oslo, Umea}",
        "Norway",  # all of Norway
        "Rome",
        "{Oslo, Bari}",
    ]


def test_a_set_of_too_many_values_is_the_node_above():
    values = ["Oslo", "Bergen", "Umea"]
    assert published(values, [0, 0, 0], most=3) == ["{Oslo, Bergen, Umea}"]
    assert published(values, [0, 0, 0], most=2) == ["north"]


def test_without_a_hierarchy_all_values_are_everything():
    assert published(["a", "b", "a", "c"], [0, 0, 1, 1], tree=False) == ["{a, b}", "{a, c}"]
    assert published(["a", "b", "a", "b"], [0, 0, 1, 1], tree=False) == ["*", "*"]


@pytest.mark.parametrize("seed", range(40))
def test_as_the_literal_version(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 25))
    known: list[str | None] = [*PATHS, None]
    values = [known[place] for place in rng.integers(0, len(known), rows)]
    labels = (rng.permutation(rows) // 2 % max(rows // 2, 1) - (rng.random() < 0.3)).tolist()
    most = int(rng.integers(2, 7))
    box = boxes(values, labels)
    written = Sets(most=most).publish(box)["city"].to_pylist()
    cells = [read(text) for text in written]
    said = [
        frozenset(cell.texts) if isinstance(cell, ValueSet) else getattr(cell, "text", text)
        for cell, text in zip(cells, written, strict=True)
    ]
    expected = naive_cells(values, box.groups.labels.tolist(), PATHS, most)
    assert said == [expected[group] for group in range(box.groups.count)]
    refuse_untrue(box, {"city": pa.array(written, pa.string())}, "sets")


@pytest.mark.parametrize(
    "wrong", ["{Oslo, Rome}", "{Rome, Bari}", "{Oslo, Nowhere}", "{south, Oslo}"]
)
def test_the_gate_refuses_a_set_that_leaves_somebody_out(wrong):
    box = boxes(["Oslo", "Bergen", "Umea"], [0, 0, 0])
    with pytest.raises(ShoalError, match="do not cover"):
        refuse_untrue(box, {"city": pa.array([wrong])}, "sets")
    refuse_untrue(box, {"city": pa.array(["{Norway, Umea}"])}, "sets")


def test_numbers_stay_intervals():
    table = pa.table({"age": [20, 21, 30, 31], "city": ["Oslo", "Rome", "Oslo", "Bari"]})
    release = shoal.anonymize(table, quasi=["age", "city"], k=2, publish="sets")
    assert all(text.startswith("[") for text in release.table["age"].to_pylist())


def test_what_is_read_back():
    axis = boxes(["Oslo", "Bergen", "Umea", "Rome"], [0, 0, 0, 0]).axis
    cells = [
        ValueSet(("Oslo", "Rome")),
        ValueSet(("Nowhere", "Umea")),
        ValueSet(("x", "y")),
        Value("Oslo"),
    ]
    codes = {text: code for code, text in enumerate(axis.values.to_pylist())}
    held = {place: sorted(of) for place, of in members(axis, cells).items()}
    assert held == {0: sorted([codes["Oslo"], codes["Rome"]]), 1: [codes["Umea"]], 2: []}
    assert runs(axis, cells).unread.tolist() == [False, False, True, False]


def test_an_attacker_rules_out_what_a_set_leaves_out():
    released = pa.table({"city": ["{Oslo, Umea}"] * 2 + ["{Bergen, Rome}"] * 3})
    known = pa.table({"city": ["Oslo", "Bergen", "Umea", "Rome"]})
    findings = shoal.attack(
        released,
        quasi=["city"],
        register=known,
        attacks=["record-linkage"],
        hierarchies={"city": TREE},
    )
    # Bergen stands between Oslo and Umea: the ends of boxes alone would leave it five rows.
    assert findings.tried[0].attack == pytest.approx((1 / 2 + 1 / 3 + 1 / 2 + 1 / 3) / 4)


def test_boxes_of_sets():
    axis, _ = axis_of(profile(pa.array(["Oslo", "Bergen", "Umea"]), "city"), Nested(tree=TREE))
    table = pa.table({"city": ["{Oslo, Umea}"]})
    read_boxes = boxes_of(table, [axis], ["city"])
    codes = np.array([[0], [1], [2], [3], [-1]], np.int32)
    fits = read_boxes.hold(np.zeros(5, np.int32), codes)
    assert fits.tolist() == [True, False, True, False, True]  # missing does not, unknown does


def test_a_miner_draws_from_the_set_alone():
    original = pa.table({"city": ["Oslo", "Bergen", "Umea", "Rome"]})
    feature = features_of(original, ["city"], {"city": Nested(tree=TREE)})[0]
    column = column_of(pa.table({"city": ["{Oslo, Umea}", "north", "*", None]}), feature, ["city"])
    chances = column.shares[column.cell]
    places = feature.axis.values.to_pylist()
    assert chances[0][[places.index("Oslo"), places.index("Umea")]].tolist() == [0.5, 0.5]
    assert chances[1][places.index("Rome")] == 0 and chances[1][:3].sum() == pytest.approx(1)
    assert chances[2][:4].tolist() == [0.25] * 4
    assert chances[3][-1] == 1


def test_open_shares_are_counted_by_values():
    cells = [ValueSet(("a", "b")), Value("c"), ValueSet(("a", "b", "d"))]
    assert shares_of(cells, None, HEIGHT).tolist() == pytest.approx([1 / 3, 0, 2 / 3])
    of_tree = shares_of([ValueSet(("Oslo", "Rome"))], Nested(tree=TREE), HEIGHT)
    assert of_tree.tolist() == pytest.approx([1 / 5])


@pytest.mark.parametrize(
    "call",
    [
        {"method": "nsvdist"},
        {"method": "full-domain"},
        {"method": "banded"},
        {"models": ["lkc:l=1,c=0.9"], "method": "top-down"},
        {"models": ["k-map:k=3"], "method": "mondrian"},
        {"publish": "sets:most=1"},
    ],
)
def test_refused_where_boxes_are_needed(call):
    table = pa.table({"city": ["a", "b", "c", "d"] * 5, "ill": ["x", "y"] * 10})
    asked = {"publish": "sets", "quasi": ["city"], "sensitive": ["ill"], "k": 2} | call
    with pytest.raises(RecipeError):
        shoal.anonymize(table, **asked)


def test_a_release_of_sets_is_verified(tmp_path):
    rng = np.random.default_rng(5)
    city = rng.choice(["Oslo", "Bern, city", "Rome", "Ulm"], 60)
    table = pa.table(
        {"city": city, "job": rng.choice(list("abcde"), 60), "ill": rng.choice(["x", "y"], 60)}
    )
    release = shoal.anonymize(
        table, quasi=["city", "job"], sensitive=["ill"], k=4, publish="sets", rows_are_persons=True
    )
    assert any(text.startswith("{") for text in release.table["job"].to_pylist())
    release.write(tmp_path / "out.csv")
    certificate = tmp_path / "out.csv.certificate.json"
    verdict = shoal.verify(tmp_path / "out.csv", certificate, original=table)
    assert verdict.holds
    told = (tmp_path / "out.csv").read_text()
    torn = told.replace("{", "{never, ", 1)
    (tmp_path / "torn.csv").write_text(torn)
    assert not shoal.verify(tmp_path / "torn.csv", certificate).holds
