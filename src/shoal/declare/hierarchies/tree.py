"""Tree: a hierarchy over leaves that stand in depth-first order, as arrays.

A node is a path, not a label. Trees are padded to equal depth, so `node[level, leaf]` is the
ancestor of a leaf at a level: the leaf itself at level 0, the root at the last. Because leaves
stand in depth-first order, the lowest common ancestor of any set of leaves is that of its first and
last one. A label repeated straight above itself, where nothing else stands under it, is padding and
makes no node of its own. The root is never a leaf.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property

import numpy as np

from shoal.arrays import Flags, Floats, Ints, Longs
from shoal.declare.coarseness import Measure

EVERYTHING = "*"


@dataclass(frozen=True)
class Tree:
    """Leaves in depth-first order, and for each level the node above each leaf.

    >>> paths = [("Oslo", "Norway", "*"), ("Rome", "Italy", "*"), ("Bergen", "Norway", "*")]
    >>> tree = Tree.of_paths(paths)
    >>> tree.leaves
    ('Oslo', 'Bergen', 'Rome')
    >>> tree.written[tree.ancestor(0, 1)], tree.written[tree.ancestor(0, 2)]
    ('Norway', '*')
    """

    leaves: tuple[str, ...]
    node: Ints  # [levels, leaves]
    labels: tuple[str, ...]  # of each node
    # The ends of nodes that are intervals, as text.
    ends: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    whole: Tree | None = None  # the tree of which this one has the upper levels alone
    hidden: frozenset[int] = frozenset()  # nodes below the root that are published as `*`

    @cached_property
    def starred(self) -> Flags:
        """Mark the nodes that are published as `*`; a root that is a leaf is its value."""
        stars = np.zeros(len(self.labels), np.bool_)
        stars[self.root] = self.height[self.root] > 0
        stars[list(self.hidden)] = True
        return stars

    @classmethod
    def of_paths(
        cls, paths: Sequence[Sequence[str]], ends: Mapping[str, tuple[str, str]] | None = None
    ) -> Tree:
        """Build a tree from paths from leaf to root, all of one length.

        Children keep the order in which they come.

        A path that comes twice counts once; a leaf stands at one place only. `ends` tells which
        labels above the leaves are intervals, and from where to where they reach.
        """
        different = list(dict.fromkeys(tuple(path) for path in paths))
        if len({path[0] for path in different}) < len(different):
            raise ValueError("a leaf stands at two places of the tree")
        if len({len(path) for path in different}) > 1:
            raise ValueError("paths of a tree have one length")
        tree = _build(different)
        if not ends:
            return tree
        return cls(tree.leaves, tree.node, tree.labels, tree._inner_ends(ends))

    def _inner_ends(self, ends: Mapping[str, tuple[str, str]]) -> dict[int, tuple[str, str]]:
        """Look up the ends of each node above the leaves whose label is an interval."""
        leaf_nodes = set(self.node[0].tolist())
        return {
            node: ends[label]
            for node, label in enumerate(self.labels)
            if label in ends and node not in leaf_nodes
        }

    @classmethod
    def flat(cls, leaves: Sequence[str]) -> Tree:
        """Build a tree of a root and its leaves."""
        return cls.of_paths([(leaf, EVERYTHING) for leaf in leaves])

    def above(self, level: int) -> Tree:
        """Take the levels from this one on; nodes keep their numbers, heights and leaves."""
        return replace(self, node=self.node[level:], whole=self.whole or self) if level else self

    @property
    def root(self) -> int:
        """The node above all."""
        return int(self.node[-1, 0]) if self.leaves else 0

    @cached_property
    def height(self) -> Ints:
        """The height of each node: 0 for a leaf, else one more than the highest child."""
        if self.whole is not None:
            return self.whole.height
        height = np.zeros(len(self.labels), np.int32)
        for lower, upper in zip(self.node, self.node[1:], strict=False):
            inner = lower != upper
            np.maximum.at(height, upper[inner], height[lower[inner]] + 1)
        return height

    @cached_property
    def leaf_count(self) -> Ints:
        """The number of leaves under each node."""
        if self.whole is not None:
            return self.whole.leaf_count
        count = np.zeros(len(self.labels), np.int32)
        for level, nodes in enumerate(self.node):
            new = np.ones(len(nodes), np.bool_) if level == 0 else nodes != self.node[level - 1]
            np.add.at(count, nodes[new], 1)
        return count

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The published label of each node, the root as `*`.

        Where two nodes share a label, they are told apart.

        A leaf keeps its label, the lowest inner node comes next; the others become `label (group)`,
        `label (group 2)`. All texts differ, but for a leaf that is itself called `*`: cells quote
        that one.
        """
        if self.whole is not None:
            return self.whole.written
        texts = list(self.labels)
        used = {EVERYTHING, *self.leaves}
        tried = Counter[str]()
        inner = set(range(len(texts))) - set(self.node[0].tolist()) - {self.root}
        for node in sorted(inner, key=lambda node: (int(self.height[node]), node)):
            while texts[node] in used:
                tried[self.labels[node]] += 1
                texts[node] = _numbered(self.labels[node], tried[self.labels[node]])
            used.add(texts[node])
        texts[self.root] = EVERYTHING
        return tuple(texts)

    def ancestor(self, first: int, last: int) -> int:
        """Find the lowest node above all leaves from the first to the last."""
        level = int(np.argmax(self.node[:, first] == self.node[:, last]))
        return int(self.node[level, first])

    def shares(self, texts: Sequence[str]) -> tuple[Floats, Floats]:
        """Compute the shares in [0, 1] that published texts leave open, by height and by leaves.

        By leaves: (leaves under the node - 1) / (leaves - 1).

        A leaf may be spelled otherwise than in the file (`39` for `39.0`); NaN for a text that is
        no node at all.
        """
        at = {_key(text): node for node, text in enumerate(self.written) if self.height[node] == 0}
        at |= {text: node for node, text in enumerate(self.written) if node != self.root}
        nodes = np.array([at.get(text, at.get(_key(text), -1)) for text in texts], np.int64)
        heights = self.height[nodes] / max(int(self.height[self.root]), 1)
        leaves = (np.maximum(self.leaf_count[nodes], 1) - 1) / max(len(self.leaves) - 1, 1)
        return np.where(nodes < 0, np.nan, heights), np.where(nodes < 0, np.nan, leaves)

    def level_of(self, text: str) -> int | None:
        """Find the highest level on which a published text stands; None for one that is no node.

        A value that stands high in a ragged tree is on several levels: it is repeated below.
        """
        return self._levels.get(text, self._levels.get(str(_key(text))))

    @cached_property
    def _levels(self) -> dict[str, int]:
        levels: dict[str, int] = {}
        for level, nodes in enumerate(self.node):
            for node in set(nodes.tolist()):
                levels[self.written[node]] = level
                if level == 0:
                    levels.setdefault(str(_key(self.written[node])), level)
        return levels

    def coarseness(self, labels: Sequence[str], measure: Measure) -> list[Decimal | None]:
        """Measure labels by their levels; a tree has no other measure."""
        if measure != "level":
            return [None] * len(labels)
        levels = map(self.level_of, labels)
        return [None if level is None else Decimal(level) for level in levels]

    def level_said(self, text: str) -> str:
        """Say on which level a published text stands: `level 1 of 3`, of which the last is `*`."""
        top = int(self.height[self.root])
        return f"level {round(self.shares([text])[0][0] * top)} of {top}"

    def paths(self) -> list[tuple[str, ...]]:
        """List each leaf with its ancestors up to the root: the inverse of `of_paths`.

        These are the rows of a file in ARX's form.
        """
        levels = [[self.labels[n] for n in nodes] for nodes in self.node.tolist()]
        return list(zip(*levels, strict=True))


def _key(leaf: str) -> str | float:
    """Return the meaning of a leaf, however it is spelled: a number, or lower-case text."""
    try:
        return float(leaf)
    except ValueError:
        return leaf.casefold()


def _numbered(label: str, number: int) -> str:
    return f"{label} (group)" if number == 1 else f"{label} (group {number})"


def _build(paths: list[tuple[str, ...]]) -> Tree:
    """Number nodes from the root downward; then lay the leaves out depth first."""
    if not paths:
        return Tree((), np.zeros((1, 0), np.int32), (EVERYTHING,))
    depth = len(paths[0])
    labels: list[str] = []
    above = np.zeros(len(paths), np.int64)
    if len({path[-1] for path in paths}) > 1 or depth == 1:
        paths = [(*path, EVERYTHING) for path in paths]
        depth += 1
    labels.append(paths[0][-1])
    levels = [above]
    for level in range(depth - 2, -1, -1):
        above = _number_children(above, [path[level] for path in paths], labels, leaves=level == 0)
        levels.append(above)
    node = np.array(levels[::-1], np.int32)
    # The root decides first; numbers grow in the order of appearance.
    order = np.lexsort(node)
    node = np.ascontiguousarray(node[:, order])
    return Tree(tuple(paths[i][0] for i in order), node, tuple(labels))


def _number_children(above: Longs, names: list[str], labels: list[str], *, leaves: bool) -> Longs:
    """Number the node of each row one level down.

    A new one for each new (parent, label), the parent itself for padding.
    """
    pairs = list(zip(above.tolist(), names, strict=True))
    child = dict.fromkeys(pairs, 0)
    siblings = Counter(parent for parent, _ in child)
    for parent, name in child:
        padding = siblings[parent] == 1 and name == labels[parent] and not (leaves and parent == 0)
        child[parent, name] = parent if padding else len(labels)
        if not padding:
            labels.append(name)
    return np.array([child[pair] for pair in pairs], np.int64)
