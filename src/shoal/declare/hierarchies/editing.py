"""Editing: a hierarchy while somebody works on it, and its text in ARX's form.

A draft never changes: every step gives a new one, so that going back is keeping the old one.

| step | what it does |
|---|---|
| `rename(group, label)` | another name for a group |
| `move(nodes, group)` | values and groups go under another group |
| `group(nodes, label)` | a new group above neighbours of one parent |
| `join(groups, label)` | several groups become one, which stands where the first stood |
| `dissolve(group)` | a group goes, what it held stays in its place |
| `split(nodes, label)` | part of a group becomes a group of its own beside it |
| `add_level(group, size)` | all under a group is put together, `size` neighbours at a time |

Values of the column are the leaves: none is lost, none doubled, none renamed, and the root stays.
Names of siblings differ. A group that holds nothing any more goes, and so does one that only
repeats the name of the one thing it holds, because files read that as padding. No refusal names a
leaf, as it may be somebody's value. Cost: one pass over the nodes for each step; 10,000 leaves take
about 10 ms.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import pyarrow as pa

from shoal.arrays import Counts
from shoal.declare.columns import text_of
from shoal.declare.hierarchies.file import rows_in
from shoal.declare.hierarchies.lint import HierarchyFault, LintReport, lint
from shoal.declare.hierarchies.matching import leaf_keys, uncovered, value_keys
from shoal.declare.hierarchies.tree import EVERYTHING, Tree
from shoal.errors import DataError, RecipeError

ROOT = 0
# A byte order mark too: a reader would drop it at the start of a file.
QUOTED = re.compile('[;"\r\n\ufeff]')

Labels = dict[int, str]
Children = dict[int, tuple[int, ...]]


@dataclass(frozen=True)
class Draft:
    """A tree whose nodes are numbers that stay the same from step to step; the root is 0.

    >>> draft = Draft.of_paths([("Oslo", "*"), ("Rome", "*"), ("Bergen", "*")])
    >>> norway = draft.group(draft.children[ROOT][::2], "Norway")
    >>> print(norway.written(), end="")
    Oslo;Norway;*
    Bergen;Norway;*
    Rome;Rome;*
    """

    labels: Labels
    # The children of the root and of each group, in order; a node without an entry is a leaf.
    children: Children

    @classmethod
    def of_tree(cls, tree: Tree) -> Draft:
        """Make a draft of a hierarchy that was fitted to a column or read from a file."""
        below: dict[int, dict[int, None]] = {ROOT: {}}
        for lower, upper in zip(tree.node.tolist(), tree.node[1:].tolist(), strict=False):
            for child, parent in zip(lower, upper, strict=True):
                if child != parent:
                    below.setdefault(parent, {})[child] = None
        labels = dict(enumerate(tree.labels))
        if empty := sum(not label.strip() for label in labels.values()):
            raise RecipeError(
                "an empty text can't stand in a hierarchy",
                {"empty texts": empty},
                "make them missing values",
            )
        return cls(labels, {group: tuple(nodes) for group, nodes in below.items()})

    @classmethod
    def of_paths(cls, paths: Sequence[Sequence[str]]) -> Draft:
        """Make a draft of paths from leaf to root, all of one length.

        They lint without a fatal finding.
        """
        return cls.of_tree(Tree.of_paths(paths))

    @cached_property
    def parent(self) -> Mapping[int, int]:
        """The node above each node; none above the root."""
        return {child: group for group, nodes in self.children.items() for child in nodes}

    def above(self, node: int) -> list[int]:
        """List the groups above a node, from its parent to the root."""
        groups: list[int] = []
        while node != ROOT:
            node = self.parent[node]
            groups.append(node)
        return groups

    @cached_property
    def order(self) -> list[int]:
        """The nodes from the root down, each before those under it."""
        nodes = []
        waiting = [ROOT]
        while waiting:
            node = waiting.pop()
            nodes.append(node)
            waiting.extend(reversed(self.children.get(node, ())))
        return nodes

    def paths(self) -> list[tuple[str, ...]]:
        """List each leaf with its groups up to the root, all of one length.

        A leaf that stands higher is repeated.
        """
        above: dict[int, tuple[str, ...]] = {ROOT: (self.labels[ROOT],)}
        for group in filter(self.children.__contains__, self.order):
            for child in self.children[group]:
                above[child] = (self.labels[child], *above[group])
        paths = [above[node] for node in self.order if node not in self.children]
        depth = max(map(len, paths), default=0)
        return [path[:1] * (depth - len(path)) + path for path in paths]

    def written(self) -> str:
        """Write the text of the file in ARX's form."""
        return as_text(self.paths())

    def rows_under(self, values: pa.Array, counts: Counts) -> dict[int, int]:
        """Count the rows under each node; `counts` holds the rows of each value of the column."""
        held: dict[Hashable, int] = dict(zip(value_keys(values), counts.tolist(), strict=True))
        leaves = [node for node in self.order if node not in self.children]
        under = dict.fromkeys(self.labels, 0)
        for leaf, key in zip(
            leaves, leaf_keys([self.labels[leaf] for leaf in leaves], values.type), strict=True
        ):
            # A value that is spelled in two ways counts at the first.
            under[leaf] = held.pop(key, 0)
        for node in reversed(self.order[1:]):
            under[self.parent[node]] += under[node]
        return under

    def shares(self, values: pa.Array, counts: Counts) -> dict[int, float]:
        """Compute the share of rows under each node, of all rows that hold a value."""
        total = max(int(counts.sum()), 1)
        return {node: rows / total for node, rows in self.rows_under(values, counts).items()}

    def rename(self, group: int, label: str) -> Draft:
        """Give a group another name."""
        self._refuse_unless_group(group, "renamed")
        below = self.children[group]
        if len(below) == 1 and self.labels[below[0]] == label.strip():
            raise RecipeError(
                "a group needs another name than the only thing it holds",
                remedy="choose another name",
            )
        return _made(self.labels | {group: _name(label)}, self.children)

    def move(self, nodes: Iterable[int], group: int) -> Draft:
        """Move nodes under another group, behind those that it holds already."""
        chosen = self._chosen(nodes)
        if group not in self.children:
            raise RecipeError(
                "only a group can hold values and groups", remedy="choose a group, or the root"
            )
        if not {group, *self.above(group)}.isdisjoint(chosen):
            raise RecipeError(
                "a group can't stand under itself", remedy="choose a group outside of it"
            )
        moved = tuple(node for node in chosen if self.parent[node] != group)
        children = self._without(moved)
        return _made(self.labels, children | {group: (*children[group], *moved)})

    def group(self, nodes: Iterable[int], label: str) -> Draft:
        """Put a new group above nodes of one parent, where the first of them stood."""
        chosen = self._siblings(nodes)
        name = _name(label)
        if len(chosen) == 1 and self.labels[chosen[0]] == name:
            raise RecipeError(
                "a group needs another name than the only thing it holds",
                remedy="choose another name",
            )
        parent = self.parent[chosen[0]]
        new = self._next
        apart = set(chosen)
        below = tuple(
            new if node == chosen[0] else node
            for node in self.children[parent]
            if node not in apart - {chosen[0]}
        )
        return _made(self.labels | {new: name}, self.children | {parent: below, new: chosen})

    def join(self, groups: Iterable[int], label: str) -> Draft:
        """Join several groups to one, where the first of them stood."""
        chosen = self._chosen(groups)
        if len(chosen) < 2:
            raise RecipeError(
                "joining takes two groups or more",
                remedy="choose groups of which none holds another",
            )
        for group in chosen:
            self._refuse_unless_group(group, "joined")
        held = tuple(chain.from_iterable(self.children[group] for group in chosen))
        return _made(
            self.labels | {chosen[0]: _name(label)}, self._without(chosen[1:]) | {chosen[0]: held}
        )

    def dissolve(self, group: int) -> Draft:
        """Replace a group by the nodes that it held."""
        self._refuse_unless_group(group, "dissolved")
        parent = self.parent[group]
        nodes = (
            (node,) if node != group else self.children[group] for node in self.children[parent]
        )
        return _made(self.labels, self.children | {parent: tuple(chain.from_iterable(nodes))})

    def split(self, nodes: Iterable[int], label: str) -> Draft:
        """Make part of a group a group of its own, beside it."""
        chosen = self._siblings(nodes)
        name = _name(label)
        parent = self.parent[chosen[0]]
        self._refuse_unless_part(chosen, parent)
        new = self._next
        above = self.parent[parent]
        children = self._without(chosen)
        beside = chain.from_iterable(
            (node, new) if node == parent else (node,) for node in children[above]
        )
        return _made(self.labels | {new: name}, children | {above: tuple(beside), new: chosen})

    def _refuse_unless_part(self, chosen: tuple[int, ...], parent: int) -> None:
        """Refuse to split off nodes that stand under the root, or all that a group holds."""
        if parent == ROOT:
            raise RecipeError(
                "what stands under the root can't be split off", remedy="put it into a new group"
            )
        if len(chosen) == len(self.children[parent]):
            raise RecipeError(
                "the whole of a group can't be split off",
                remedy="choose a part of it, or rename it",
            )

    def add_level(self, group: int, size: int) -> Draft:
        """Put new groups of `size` neighbours between a group and what it holds.

        Each has the names of its two ends.
        """
        self._refuse_unless_group(group, "given a level", root=True)
        below = self.children[group]
        if not 2 <= size < len(below):
            choice = f"choose from 2 to {len(below) - 1}"
            remedy = choice if len(below) > 2 else "choose a group that holds more"
            problem = f"{len(below):,} neighbours can't be put together by {size:,}"
            raise RecipeError(problem, remedy=remedy)
        runs = [below[first : first + size] for first in range(0, len(below), size)]
        taken = {self.labels[run[0]] for run in runs if len(run) == 1}
        labels = dict(self.labels)
        children = dict(self.children)
        level = []
        for new, run in enumerate(runs, self._next):
            if len(run) > 1:
                labels[new] = _apart(f"{labels[run[0]]} .. {labels[run[-1]]}", taken)
                children[new] = run
            level.append(new if len(run) > 1 else run[0])
        return _made(labels, children | {group: tuple(level)})

    @property
    def _next(self) -> int:
        return max(self.labels) + 1

    def _without(self, nodes: Iterable[int]) -> Children:
        """Return the children of all groups without the nodes given."""
        out = set(nodes)
        parents = {self.parent[node] for node in out}
        return self.children | {
            p: tuple(node for node in self.children[p] if node not in out) for p in parents
        }

    def _chosen(self, nodes: Iterable[int]) -> tuple[int, ...]:
        """Return the highest of some nodes, in the order of the tree.

        Nodes under one of them go with it.
        """
        chosen = set(nodes)
        if not chosen or not chosen <= self.labels.keys():
            raise RecipeError(
                "nothing is chosen that stands in the tree", remedy="choose values or groups first"
            )
        if ROOT in chosen:
            raise RecipeError(
                "the root stands above all and stays as it is",
                remedy="choose values or groups below it",
            )
        return tuple(
            node for node in self.order if node in chosen and chosen.isdisjoint(self.above(node))
        )

    def _siblings(self, nodes: Iterable[int]) -> tuple[int, ...]:
        chosen = self._chosen(nodes)
        if len({self.parent[node] for node in chosen}) > 1:
            raise RecipeError(
                "these stand under different groups", remedy="move them under one group first"
            )
        return chosen

    def _refuse_unless_group(self, node: int, done: str, *, root: bool = False) -> None:
        if not root or node != ROOT:
            self._chosen([node])
        if node not in self.children:
            raise RecipeError(f"a value of the column can't be {done}", remedy="choose a group")


def checked(
    text: str, values: pa.Array | None = None, *, counts: Counts | None = None
) -> tuple[list[list[str]], LintReport]:
    """Read the rows of a text in ARX's form, and report all that is wrong or odd about them.

    Whatever the text is, this refuses nothing: no CSV at all and an empty text are findings too.
    """
    try:
        rows, lines = rows_in(text.removeprefix("\ufeff"), "text")
    except DataError as fault:
        line = fault.facts.get("line")
        if line:
            what = f"place where this is no CSV: {fault.facts['reason']}"
        else:
            what = "text without a row: write one for each value"
        finding = HierarchyFault(
            "no-csv" if line else "no-rows", True, 1, what, lines=(int(str(line)),) if line else ()
        )
        return [], LintReport((finding,))
    return rows, lint(rows, values, counts=counts, lines=lines)


def lacking(rows: Sequence[Sequence[str]], values: pa.Array) -> list[list[str]]:
    """Make rows for the values that rows in ARX's form lack, each straight under the root."""
    width, root = (len(rows[0]), rows[0][-1]) if rows and len(rows[0]) > 1 else (2, EVERYTHING)
    texts = text_of(
        values.filter(pa.array(uncovered([row[0] for row in rows], values)))
    ).to_pylist()
    return [[*[text] * (width - 1), root] for text in texts]


def as_text(rows: Iterable[Sequence[str]]) -> str:
    """Write rows as the text of a file, quoted where that is needed."""
    return "".join(";".join(map(_field, row)) + "\n" for row in rows)


def _made(labels: Labels, children: Children) -> Draft:
    """Make a draft without empty groups and groups that only repeat what they hold.

    Refuses siblings of one name.
    """
    kept: Children = {}
    instead: Children = {}
    for group in filter(children.__contains__, reversed(Draft(labels, children).order)):
        below = tuple(chain.from_iterable(instead.get(node, (node,)) for node in children[group]))
        repeats = len(below) == 1 and labels[below[0]] == labels[group]
        if group == ROOT:
            kept[ROOT] = kept.pop(below[0]) if repeats and below[0] in kept else below
        elif repeats or not below:
            instead[group] = below
        else:
            kept[group] = below
    _refuse_equal_siblings(labels, kept)
    return Draft({node: labels[node] for node in chain((ROOT,), *kept.values())}, kept)


def _refuse_equal_siblings(labels: Labels, children: Children) -> None:
    """Refuse two nodes of one name under one group."""
    twice = sum(len(below) - len({labels[node] for node in below}) for below in children.values())
    if twice:
        facts = {"names concerned": twice}
        raise RecipeError(
            "two things of one name can't stand under one group", facts, "choose another name"
        )


def _name(label: str) -> str:
    if not label.strip():
        raise RecipeError("a group needs a name", remedy="type one")
    return label.strip()


def _apart(label: str, taken: set[str]) -> str:
    """Return a label that is not taken, and mark it as taken."""
    number = 1
    free = label
    while free in taken:
        number += 1
        free = f"{label} ({number})"
    taken.add(free)
    return free


def _field(label: str) -> str:
    return '"' + label.replace('"', '""') + '"' if QUOTED.search(label) else label
