"""Drafts: each step on a known tree, what is refused, and what no step may ever change."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.declare.hierarchies.editing import ROOT, Draft, as_text, checked, lacking
from shoal.declare.hierarchies.file import File
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.hierarchies.lint import lint
from shoal.errors import RecipeError

CITIES = [
    ("Oslo", "Norway", "Europe", "*"),
    ("Bergen", "Norway", "Europe", "*"),
    ("Rome", "Italy", "Europe", "*"),
    ("Milan", "Italy", "Europe", "*"),
    ("Kyoto", "Kyoto", "Asia", "*"),
]


@pytest.fixture
def cities() -> Draft:
    return Draft.of_paths(CITIES)


def at(draft: Draft, *labels: str) -> list[int]:
    """The nodes of these labels; each stands at one place."""
    where = {label: node for node, label in draft.labels.items()}
    return [where[label] for label in labels]


def nested(draft: Draft, node: int = ROOT) -> object:
    """What stands where, whatever the nodes are numbered."""
    if node not in draft.children:
        return draft.labels[node]
    return draft.labels[node], [nested(draft, child) for child in draft.children[node]]


def leaves(draft: Draft) -> Counter[str]:
    return Counter(draft.labels[node] for node in draft.labels if node not in draft.children)


NORTH = ("Norway", ["Oslo", "Bergen"])
SOUTH = ("Italy", ["Rome", "Milan"])


def test_a_draft_of_a_file(cities):
    assert nested(cities) == ("*", [("Europe", [NORTH, SOUTH]), ("Asia", ["Kyoto"])])
    assert cities.paths() == CITIES


def test_a_leaf_that_stands_higher_is_repeated():
    draft = Draft.of_paths([("a", "x", "y", "*"), ("b", "b", "b", "*")])
    assert draft.written() == "a;x;y;*\nb;b;b;*\n"


def test_rename(cities):
    assert nested(cities.rename(*at(cities, "Asia"), " Far East "))[1][1] == ("Far East", ["Kyoto"])


def test_move_takes_the_highest_of_what_is_chosen_and_drops_what_is_left_empty(cities):
    moved = cities.move(at(cities, "Kyoto", "Norway", "Oslo"), *at(cities, "Italy"))
    assert nested(moved) == ("*", [("Europe", [("Italy", ["Rome", "Milan", NORTH, "Kyoto"])])])
    assert nested(cities.move(at(cities, "Oslo"), *at(cities, "Norway"))) == nested(cities)


def test_group(cities):
    grouped = cities.group(at(cities, "Italy", "Norway"), "EU and EEA")
    assert nested(grouped)[1][0] == ("Europe", [("EU and EEA", [NORTH, SOUTH])])
    assert nested(cities.group(at(cities, "Milan"), "North"))[1][0][1][1] == (
        "Italy",
        ["Rome", ("North", ["Milan"])],
    )


def test_join(cities):
    joined = cities.join(at(cities, "Asia", "Norway"), "Cold")
    assert nested(joined) == ("*", [("Europe", [("Cold", ["Oslo", "Bergen", "Kyoto"]), SOUTH])])


def test_dissolve(cities):
    assert nested(cities.dissolve(*at(cities, "Norway")))[1][0] == (
        "Europe",
        ["Oslo", "Bergen", SOUTH],
    )


def test_split(cities):
    assert nested(cities.split(at(cities, "Rome"), "Lazio"))[1][0] == (
        "Europe",
        [NORTH, ("Italy", ["Milan"]), ("Lazio", ["Rome"])],
    )


def test_add_level():
    draft = Draft.of_paths([(letter, "*") for letter in "abcde"]).add_level(ROOT, 2)
    assert nested(draft) == ("*", [("a .. b", ["a", "b"]), ("c .. d", ["c", "d"]), "e"])
    twins = Draft.of_paths([(leaf, "*") for leaf in ("a", "b .. c", "a .. b", "c")]).add_level(
        ROOT, 2
    )
    assert [twins.labels[node] for node in twins.children[ROOT]] == [
        "a .. b .. c",
        "a .. b .. c (2)",
    ]


def test_a_group_that_only_repeats_what_it_holds_goes():
    draft = Draft.of_paths(
        [("ham", "sausage", "*"), ("sausage", "sausage", "*"), ("beer", "drinks", "*")]
    )
    (ham,) = at(draft, "ham")
    assert nested(draft.move([ham], ROOT)) == ("*", ["sausage", ("drinks", ["beer"]), "ham"])
    star = Draft.of_paths([("a", "x", "*"), ("b", "y", "*")])
    assert nested(star.join(at(star, "x", "y"), "*")) == ("*", ["a", "b"])


REFUSED = {
    "root renamed": (lambda d: d.rename(ROOT, "all"), "stays"),
    "root moved": (lambda d: d.move([ROOT], *at(d, "Asia")), "stays"),
    "root dissolved": (lambda d: d.dissolve(ROOT), "stays"),
    "leaf renamed": (
        lambda d: d.rename(*at(d, "Oslo"), "Kristiania"),
        "value of the column can't be renamed",
    ),
    "leaf dissolved": (
        lambda d: d.dissolve(*at(d, "Oslo")),
        "value of the column can't be dissolved",
    ),
    "leaf joined": (
        lambda d: d.join(at(d, "Oslo", "Asia"), "x"),
        "value of the column can't be joined",
    ),
    "one joined": (lambda d: d.join(at(d, "Europe", "Italy"), "x"), "two groups or more"),
    "under a leaf": (lambda d: d.move(at(d, "Rome"), *at(d, "Oslo")), "only a group"),
    "under itself": (lambda d: d.move(at(d, "Italy"), *at(d, "Italy")), "under itself"),
    "under its own": (lambda d: d.move(at(d, "Europe"), *at(d, "Italy")), "under itself"),
    "no name": (lambda d: d.rename(*at(d, "Asia"), " "), "needs a name"),
    "sibling's name": (lambda d: d.rename(*at(d, "Asia"), "Europe"), "two things of one name"),
    "its own child's name": (lambda d: d.rename(*at(d, "Asia"), "Kyoto"), "another name"),
    "a group of one by its name": (lambda d: d.group(at(d, "Rome"), "Rome"), "another name"),
    "moved beside its name": (
        lambda d: d.rename(*at(d, "Italy"), "Asia").move([at(d, "Italy")[0]], ROOT),
        "two things of one",
    ),
    "not siblings": (lambda d: d.group(at(d, "Oslo", "Rome"), "x"), "different groups"),
    "split whole": (lambda d: d.split(at(d, "Rome", "Milan"), "x"), "whole of a group"),
    "split root": (lambda d: d.split(at(d, "Asia"), "x"), "under the root"),
    "level of one": (lambda d: d.add_level(ROOT, 2), "can't be put together"),
    "nothing": (lambda d: d.move([], ROOT), "nothing is chosen"),
    "unknown": (lambda d: d.move([99], ROOT), "nothing is chosen"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_refused(case, cities):
    step, words = REFUSED[case]
    with pytest.raises(RecipeError, match=words) as refusal:
        step(cities)
    assert refusal.value.remedy and not any(leaf in str(refusal.value) for leaf in leaves(cities))


LABEL = st.one_of(
    st.sampled_from(["a", "b", "c", "*", "a;b", '"', "\ufeffa", "x\ry", "x\n", " a"]),
    st.text(min_size=1, max_size=3),
)
NAME = LABEL.filter(str.strip)


@st.composite
def drafts(draw):
    names = draw(st.lists(NAME, min_size=1, max_size=8, unique=True))
    depth = draw(st.integers(0, 3))
    return Draft.of_paths([(name, *draw(st.tuples(*[NAME] * depth)), "*") for name in names])


STEPS = {
    "rename": lambda d, nodes, node, label: d.rename(node, label),
    "move": lambda d, nodes, node, label: d.move(nodes, node),
    "group": lambda d, nodes, node, label: d.group(nodes, label),
    "join": lambda d, nodes, node, label: d.join(nodes, label),
    "dissolve": lambda d, nodes, node, label: d.dissolve(node),
    "split": lambda d, nodes, node, label: d.split(nodes, label),
    "add_level": lambda d, nodes, node, label: d.add_level(node, len(nodes)),
}


@given(drafts(), st.data())
def test_no_step_loses_a_leaf_or_makes_a_faulty_file(draft, data):
    before = leaves(draft)
    taken = 0
    for _ in range(6):
        step = data.draw(st.sampled_from(sorted(STEPS)))
        nodes = data.draw(st.lists(st.sampled_from(draft.order), min_size=1, max_size=4))
        try:
            after = STEPS[step](
                draft, nodes, data.draw(st.sampled_from(draft.order)), data.draw(LABEL)
            )
        except RecipeError:
            continue
        draft = after
        taken = taken + 1
        assert leaves(draft) == before
        assert not lint(draft.paths()).fatal
        assert nested(Draft.of_paths(draft.paths())) == nested(draft)
        rows, report = checked(draft.written())
        assert not report.fatal and [tuple(row) for row in rows] == draft.paths()
    assert leaves(draft) == before


@given(st.text(alphabet=st.sampled_from(list('ab1.;,"\n\r\ufeff *\0')), max_size=40), st.booleans())
@example("", False)
@example('a;"b', True)
def test_any_text_is_checked(text, number):
    rows, report = checked(
        text, pa.array([1, 2]) if number else None, counts=np.array([3, 4]) if number else None
    )
    assert report.fatal or Draft.of_paths(rows).order
    assert rows or report.fatal


def test_a_text_that_is_no_csv_and_one_without_rows():
    _, broken = checked('a;x;*\nb;"x;*')
    assert [(f.kind, f.lines) for f in broken.fatal] == [("no-csv", (2,))]
    assert [f.kind for f in checked("\n\n")[1].fatal] == ["no-rows"]


def test_values_that_a_text_lacks_can_be_added():
    values = pa.array(["Milan", "Oslo", "a;b"])
    rows, report = checked("Oslo,Norway,*\n", values)
    text = as_text([*rows, *lacking(rows, values)])
    assert report.fatal and text == 'Oslo;Norway;*\nMilan;Milan;*\n"a;b";"a;b";*\n'
    assert checked(text, values)[1].findings == ()
    assert as_text(lacking([], values)) == 'Milan;*\nOslo;*\n"a;b";*\n'


def test_written_drafts_are_read_as_files(tmp_path, cities):
    path = tmp_path / "cities.csv"
    path.write_text(cities.written(), "utf-8")
    values = pa.array(["Milan", "Oslo"])
    assert Draft.of_tree(File(str(path)).fit(values, "category", "city").tree).paths() == CITIES


@pytest.mark.parametrize(
    ("hierarchy", "values", "kind"),
    [
        (Hierarchy.intervals(10), pa.array([1, 5, 17, 33]), "number"),
        (Hierarchy.masks(), pa.array(["1010", "1020", "9999"]), "category"),
        (Hierarchy.dates(), pa.array(["2020-01-01", "2021-05-05"]), "category"),
        (Hierarchy.flat(), pa.array([False, True]), "category"),
    ],
)
def test_every_kind_can_be_edited_and_covers_its_column_still(hierarchy, values, kind):
    draft = Draft.of_tree(hierarchy.fit(values, kind, "c").tree)
    grown = draft.group(draft.children[ROOT][:1], "new")
    assert nested(grown)[1][0][0] == "new" and not checked(grown.written(), values)[1].fatal


def test_an_empty_text_has_no_place_in_a_file():
    with pytest.raises(RecipeError, match="empty text"):
        Draft.of_tree(Hierarchy.flat().fit(pa.array(["", "a"]), "category", "c").tree)


def test_shares_count_each_row_once_however_its_value_is_spelled():
    draft = Draft.of_paths(
        [("39.0", "old", "*"), ("39", "old", "*"), ("7", "young", "*"), ("8", "young", "*")]
    )
    shares = draft.shares(pa.array([7, 39]), np.array([1, 3]))
    assert {draft.labels[node]: share for node, share in shares.items()} == {
        "*": 1.0,
        "old": 0.75,
        "young": 0.25,
        "39.0": 0.75,
        "39": 0.0,
        "7": 0.25,
        "8": 0.0,
    }


def test_ten_thousand_leaves_are_edited_at_once():
    draft = Draft.of_paths([(f"v{i}", f"g{i // 10}", f"h{i // 100}", "*") for i in range(10_000)])
    (first, second), (g7,) = at(draft, "h0", "h1"), at(draft, "g7")
    half = [node for node in draft.order if node not in draft.children][::20]
    for step in (
        lambda: draft.rename(first, "x"),
        lambda: draft.move(half, second),
        lambda: draft.group(draft.children[ROOT], "x"),
        lambda: draft.join([first, second], "x"),
        lambda: draft.dissolve(g7),
        lambda: draft.add_level(ROOT, 10),
    ):
        assert sum(leaves(step()).values()) == 10_000
