"""What every kind of hierarchy promises, discovered from the registry; and what every tree
promises, on random trees.
"""

from __future__ import annotations

import datetime
import inspect
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import registry
from shoal.declare.columns import text_of
from shoal.declare.hierarchies.hierarchy import Fitted, Hierarchy
from shoal.declare.hierarchies.tree import EVERYTHING, Tree
from shoal.errors import RecipeError

DAYS = [
    datetime.date(1969, 12, 31),
    datetime.date(2019, 2, 3),
    datetime.date(2020, 2, 29),
    datetime.date(2021, 11, 1),
]
ROWS = "Oslo;Norway;*\nRome;Italy;*\nBergen;Norway;*\nItaly;Italy;*\nMoon;Moon;*\n"

# one example for each kind: parameters, values, kind of the column
EXAMPLES = {
    "dates": ({"levels": "month,year"}, DAYS, "date"),
    "file": ({"path": "hierarchy.csv"}, ["Bergen", "Italy", "Moon", "Oslo"], "category"),
    "flat": ({}, ["a", "b", "*"], "category"),
    "intervals": ({"width": "10"}, [-3, 0, 9, 10, 25, 26, 80], "number"),
    "listed": ({"values": ("a", "b", "*", "c")}, ["a", "b", "*"], "category"),
    "ladder": ({"widths": "5-10-50"}, [-3, 0, 9, 10, 25, 26, 80], "number"),
    "masks": ({"length": "5"}, ["", "1234", "12345", "99999"], "category"),
    "nested": (
        {"tree": {"Europe": {"North": ["Norway"], "Italy": None}, "Asia": ["Japan"]}},
        ["Italy", "Norway"],
        "category",
    ),
    "us-zip": ({}, ["03601", "10027", "10027-1234", "90210"], "category"),
}
KINDS = sorted(registry.names(Hierarchy))


@pytest.fixture(params=KINDS)
def hierarchy(request, tmp_path, monkeypatch) -> Hierarchy:
    assert request.param in EXAMPLES, (
        f"give '{request.param}' an example here, so that the contract can be checked"
    )
    (tmp_path / "hierarchy.csv").write_text(ROWS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return registry.create(Hierarchy, request.param, EXAMPLES[request.param][0])


@pytest.fixture
def fitted(hierarchy) -> tuple[Fitted, pa.Array]:
    _, values, kind = EXAMPLES[hierarchy.name]
    array = pa.array(values)
    return hierarchy.fit(array, kind, "column"), array


def test_every_value_has_its_leaf(fitted):
    fit, values = fitted
    assert [fit.tree.leaves[leaf] for leaf in fit.leaf] == text_of(values).to_pylist()


def test_the_root_stands_above_all_and_is_written_as_everything(fitted):
    tree = fitted[0].tree
    assert (tree.node[-1] == tree.root).all()
    assert tree.written[tree.root] == EVERYTHING
    assert tree.height[tree.root] == tree.height.max() >= 1
    assert tree.leaf_count[tree.root] == len(tree.leaves)


def test_texts_of_nodes_differ(fitted):
    tree = fitted[0].tree
    texts = [text for node, text in enumerate(tree.written) if node != tree.root]
    assert len(set(texts)) == len(texts)


def test_values_are_published_as_themselves(fitted):
    fit, values = fitted
    leaves = fit.tree.node[0][fit.leaf]
    assert [fit.tree.written[node] for node in leaves] == text_of(values).to_pylist()


def test_a_printed_node_leaves_something_open(hierarchy, fitted):
    tree = fitted[0].tree
    inner = [
        n
        for n in range(len(tree.labels))
        if tree.height[n] > 0 and n != tree.root and n not in tree.ends
    ]
    heights, leaves = hierarchy.public_shares([tree.written[node] for node in inner])
    assert (heights > 0).all() and (heights < 1).all()
    for shares in (heights, leaves):
        assert (shares >= 0).all() and (shares <= 1).all()


def test_a_column_of_missing_values_fits(hierarchy):
    _, values, kind = EXAMPLES[hierarchy.name]
    fit = hierarchy.fit(pa.array([], pa.array(values).type), kind, "column")
    assert len(fit.leaf) == 0 and fit.tree.written[fit.tree.root] == EVERYTHING


def test_public_shares_are_the_heights_of_nodes_that_are_no_intervals(hierarchy, fitted):
    tree = fitted[0].tree
    nodes = [
        node for node in range(len(tree.labels)) if node != tree.root and node not in tree.ends
    ]
    nodes = [node for node in nodes if not tree.written[node].endswith("(group)")]
    heights, leaves = hierarchy.public_shares([tree.written[node] for node in nodes])
    assert np.allclose(heights, tree.height[nodes] / tree.height[tree.root])
    assert ((leaves >= 0) & (leaves <= 1)).all() and len(leaves) == len(nodes)


def test_a_hierarchy_is_spelled_and_made_again(hierarchy):
    if not any(
        isinstance(value, dict) for value in vars(hierarchy).values()
    ):  # dicts travel as they are
        assert registry.make(Hierarchy, registry.spell(hierarchy)) == hierarchy
    assert registry.create(Hierarchy, hierarchy.name, vars(hierarchy)) == hierarchy


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_can_be_made_from_the_base_class(name):
    makers = {
        n
        for n, m in inspect.getmembers(Hierarchy)
        if isinstance(inspect.getattr_static(Hierarchy, n), staticmethod)
    }
    assert {"file": "read"}.get(name, name.replace("-", "_")) in makers


def test_an_unknown_kind_is_refused_with_a_hint():
    with pytest.raises(RecipeError, match="did you mean 'masks'"):
        registry.make(Hierarchy, "mask")


# --- every tree, against the slow and literal reading of its paths ---


@st.composite
def path_lists(draw) -> list[tuple[str, ...]]:
    """Paths of one length with few labels, so that labels are shared, repeated and equal to leaves
    and roots.
    """
    depth = draw(st.integers(1, 4))
    leaves = draw(
        st.lists(
            st.sampled_from([*"abcdefgh", "*", "é", "日本", "a (group)"]),
            min_size=1,
            max_size=10,
            unique=True,
        )
    )
    label = st.sampled_from(["a", "b", "x", "*", "é"])
    tops = draw(st.sampled_from([["*"], ["*", "x"], ["a"]]))
    paths = []
    for leaf in leaves:
        middle = tuple(draw(label) if draw(st.integers(0, 3)) else leaf for _ in range(depth - 1))
        paths.append((leaf, *middle, draw(st.sampled_from(tops))))
    return paths


def literal(paths: list[tuple[str, ...]], label: str, *, root: bool) -> tuple[str, list]:
    """(label, children) of the node above paths that have lost their upper end; padding is taken
    out.
    """
    if not paths[0]:
        return label, []
    names = list(dict.fromkeys(path[-1] for path in paths))
    below = [
        literal([path[:-1] for path in paths if path[-1] == name], name, root=False)
        for name in names
    ]
    if len(below) == 1 and below[0][0] == label and (below[0][1] or not root):
        return below[0]
    return label, below


def nodes_of(node: tuple[str, list]) -> tuple[list[tuple[str, int, int]], int, int]:
    """(label, height, leaves under it) of every node below and including this one, its height and
    its leaves.
    """
    label, children = node
    found = []
    height = 0
    leaves = 0 if children else 1
    for child in children:
        inside, high, count = nodes_of(child)
        found += inside
        height = max(height, high + 1)
        leaves = leaves + count
    return [*found, (label, height, leaves)], height, leaves


def with_root(paths: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    several = len({path[-1] for path in paths}) > 1 or len(paths[0]) == 1
    return [(*path, EVERYTHING) for path in paths] if several else paths


@given(path_lists())
@settings(deadline=None)
def test_heights_and_leaf_counts_are_the_literal_ones(paths):
    tree = Tree.of_paths(paths)
    rooted = with_root(paths)
    expected, _, _ = nodes_of(literal([path[:-1] for path in rooted], rooted[0][-1], root=True))
    found = zip(tree.labels, tree.height.tolist(), tree.leaf_count.tolist(), strict=True)
    assert sorted(found) == sorted(expected)


@given(path_lists())
@settings(deadline=None)
def test_the_ancestor_of_first_and_last_is_the_lowest_above_all(paths):
    tree = Tree.of_paths(paths)
    path_of = {path[0]: path for path in with_root(paths)}
    places = range(len(tree.leaves))
    for size in (1, 2, 3):
        for chosen in list(combinations(places, min(size, len(places))))[:60]:
            node = tree.ancestor(chosen[0], chosen[-1])
            under = {
                leaf
                for leaf, column in zip(tree.leaves, tree.node.T, strict=True)
                if node in column
            }
            suffixes = [path_of[tree.leaves[i]][::-1] for i in chosen]
            shared = next(
                (d for d in range(len(suffixes[0])) if len({s[d] for s in suffixes}) > 1),
                len(suffixes[0]),
            )
            above = suffixes[0][:shared]
            assert under == {leaf for leaf, path in path_of.items() if path[::-1][:shared] == above}
            assert tree.labels[node] == above[-1]


@given(path_lists())
@settings(deadline=None)
def test_heights_grow_strictly_upward(paths):
    tree = Tree.of_paths(paths)
    for lower, upper in zip(tree.node, tree.node[1:], strict=False):
        assert (tree.height[upper] > tree.height[lower])[upper != lower].all()
        assert (tree.height[tree.node[0]] == 0).all()


@given(path_lists())
@settings(deadline=None)
def test_all_nodes_but_the_root_have_texts_of_their_own(paths):
    tree = Tree.of_paths(paths)
    texts = [text for node, text in enumerate(tree.written) if node != tree.root]
    assert len(set(texts)) == len(texts)
    leaf_nodes = set(tree.node[0].tolist())
    assert all(
        tree.written[n] != EVERYTHING
        for n in range(len(texts) + 1)
        if n not in leaf_nodes and n != tree.root
    )
    assert [tree.written[node] for node in tree.node[0]] == list(tree.leaves)


@given(path_lists())
@settings(deadline=None)
def test_paths_lead_back_to_the_same_tree(paths):
    tree = Tree.of_paths(paths)
    again = Tree.of_paths(tree.paths())
    assert again.leaves == tree.leaves and again.paths() == tree.paths()
    for one, two in zip(
        tree.node, again.node, strict=True
    ):  # the same nodes, though perhaps numbered in another order
        assert np.array_equal(one[:, None] == one, two[:, None] == two)


@given(path_lists(), st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_order_and_repetition_of_paths_change_no_ancestor(paths, random):
    tree = Tree.of_paths(paths)
    shuffled = [*paths, *paths]
    random.shuffle(shuffled)
    other = Tree.of_paths(shuffled)
    assert sorted(other.leaves) == sorted(tree.leaves)
    for a, b in combinations(tree.leaves, 2):
        first, last = sorted((tree.leaves.index(a), tree.leaves.index(b)))
        lo, hi = sorted((other.leaves.index(a), other.leaves.index(b)))
        one = tree.ancestor(first, last)
        two = other.ancestor(lo, hi)
        assert (tree.labels[one], tree.height[one], tree.leaf_count[one]) == (
            other.labels[two],
            other.height[two],
            other.leaf_count[two],
        )
