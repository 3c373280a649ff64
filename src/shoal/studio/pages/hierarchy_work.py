"""Work on the hierarchy of one column: its place in the recipe, its tree, and what is chosen.

The recipe alone says which hierarchy a column has. A tree that was edited is a new file in the
desk's folder, so going back to an older recipe goes back to an older tree.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal import registry
from shoal.declare.columns import whole
from shoal.declare.hierarchies.editing import ROOT, Draft, checked
from shoal.declare.hierarchies.file import File
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.hierarchies.intervals import Intervals
from shoal.declare.hierarchies.lint import LintReport
from shoal.declare.hierarchies.suggesting import round_width, suggested
from shoal.declare.hierarchies.tree import Tree
from shoal.declare.understanding.table import ColumnsAsked, understood
from shoal.encode.profile import Profile, profile
from shoal.errors import RecipeError, ShoalError
from shoal.handover.folder import file_stem
from shoal.recipe.plan import hierarchy_of
from shoal.studio.desk import Desk
from shoal.studio.words import in_words

MOST = 30_000  # different values of a column whose tree is drawn
AT_A_NODE = 200  # children that are shown
LONGEST = 120  # characters of a label that are shown
REMEMBERED = 30  # trees that need not be read again

WORDS = {
    "file": "edited or imported",
    "nested": "from the recipe",
    "flat": "all or nothing",
    "masks": "digit by digit",
    "dates": "day, month, year",
}
Spec = str | dict[str, Any] | None


def profile_of(table: pa.Table, column: str, read_as: str | None = None) -> Profile:
    """Return the different values of a column as they are understood, and the rows of each."""
    said = {} if read_as is None else {column: read_as}
    read, _ = understood(table.select([column]), ColumnsAsked(free=(column,), read_as=said))
    values = whole(read[column])
    return profile(
        values.dictionary_decode() if pa.types.is_dictionary(values.type) else values, column
    )


def shown_spec(spec: Spec) -> str:
    """Describe a hierarchy in a few words."""
    if spec is None or spec == "none":
        return "none"
    try:
        hierarchy = hierarchy_of(spec)
    except ShoalError:
        return "can't be used"
    return "none" if hierarchy is None else _spoken(hierarchy)


def _spoken(hierarchy: Hierarchy) -> str:
    """Describe a kind of hierarchy in words that need no manual.

    >>> shown_spec("masks:length=5"), _spoken(Intervals(width=5.0))
    ('digit by digit', 'steps of 5')
    """
    if width := getattr(hierarchy, "width", None):
        return f"steps of {width:,g}"
    if steps := getattr(hierarchy, "quantiles", None):
        return f"{steps:,} steps of about as many people"
    return WORDS.get(hierarchy.name) or registry.spell(hierarchy)


class Work:
    """Keep one column: its values, its hierarchy as a draft, and what is open and chosen."""

    def __init__(self, desk: Desk, column: Profile) -> None:
        self.desk = desk
        self.column = column
        self.draft: Draft | None = None
        self.problem: str | None = None
        """The reason why there is no tree to be seen, if there should be one."""
        self.opened = {ROOT}
        self.chosen = set[int]()
        self.wanted = ""
        self.rows_under: dict[int, int] = {}
        self._spec: object = ...  # not looked at yet
        self._drafts: dict[str, Draft] = {}
        self.follow()

    @property
    def spec(self) -> Spec:
        """Return what the recipe says about this column."""
        return self.desk.recipe.hierarchies.get(self.column.name)

    @cached_property
    def suggestion(self) -> Hierarchy:
        """Return the hierarchy that suits the column."""
        return suggested(self.column.values, self.column.kind)

    @property
    def hierarchy(self) -> Hierarchy | None:
        """Return the hierarchy as the recipe has it."""
        try:
            return hierarchy_of(self.spec)
        except ShoalError:
            return None

    def usual(self, name: str) -> Hierarchy:
        """Return a kind of hierarchy with parameters that suit the column."""
        if name == self.suggestion.name:
            return self.suggestion
        if name == Intervals.name:
            given = {"width": round_width(self.column.values, self.column.kind)}
        else:
            given = {}
        return registry.create(Hierarchy, name, given)

    def follow(self) -> bool:
        """Take up what the recipe says, and tell whether that is anything new."""
        if self.spec == self._spec:
            return False
        self._spec = self.spec
        try:
            self._lay(self._drafts.get(str(self.spec)) or self._read())
        except ShoalError as refusal:
            self._lay(None, in_words(refusal))
        return True

    def build(self, hierarchy: Hierarchy | None) -> None:
        """Give the column this hierarchy; refuses one that does not fit."""
        if hierarchy is None:
            return self._name(None)
        spec = registry.spell(hierarchy)
        if hierarchy_of(spec) != hierarchy:
            raise RecipeError(
                "these parameters can't be written down in a recipe",
                remedy="choose another character",
            )
        if self.column.size <= MOST:
            self._fit(hierarchy)
        return self._name(spec)

    def take(self, draft: Draft) -> None:
        """Give the column an edited tree; a new group in it is open and chosen."""
        new = draft.labels.keys() - (self.draft.labels.keys() if self.draft else set())
        if len(new) == 1:
            self.opened = self.opened | new
            self.chosen = set(new)
        place = self._stored(draft.written())
        self._drafts[str(place)] = draft
        self._name(str(place))

    def take_text(self, text: str) -> LintReport:
        """Give the column the tree of a text in ARX's form, unless something is wrong with it."""
        report, place, draft = self.prepared(text)
        if place is not None:
            self.take_prepared(place, draft)
        return report

    def prepared(self, text: str) -> tuple[LintReport, str | None, Draft | None]:
        """Check a text, and build its file and tree if nothing is wrong.

        This takes long and changes nothing here, so it can be done aside.
        """
        _, report = checked(text, self.column.values, counts=self.column.counts)
        if report.fatal:
            return report, None, None
        place = str(self._stored(text))
        if self.column.size > MOST:
            return report, place, None
        try:
            return report, place, Draft.of_tree(self._fit(File(place)))
        except ShoalError:  # said again when it is followed
            return report, place, None

    def take_prepared(self, place: str, draft: Draft | None) -> None:
        """Give the column a tree that was prepared."""
        if draft is not None:
            self._drafts[place] = draft
        self._name(place)

    @property
    def text(self) -> str:
        """Return the tree as a text in ARX's form; a file as it was written."""
        path = None if self.hierarchy is None else self.hierarchy.file_path
        if path is not None:
            if Path(path).is_file():
                return Path(path).read_bytes().decode("utf-8-sig")
            return ""
        return self.draft.written() if self.draft else ""

    def rows(self) -> list[dict[str, Any]]:
        """List what is seen of the tree, from the root down: open nodes, or those searched for."""
        if self.draft is None:
            return []
        matching = self._matching() if self.wanted.strip() else None
        seen: list[dict[str, Any]] = []
        waiting: list[tuple[int, int, int]] = [(ROOT, 1, 0)]
        while waiting:
            node, level, more = waiting.pop()
            if more:
                seen.append({"id": -node - 1, "level": level, "more": f"{more:,}"})
                continue
            seen.append(self._row(node, level, matching))
            if seen[-1]["open"]:
                children = self.draft.children[node]
                below = [each for each in children if matching is None or each in matching]
                if len(below) > AT_A_NODE:
                    waiting.append((node, level + 1, len(below) - AT_A_NODE))
                waiting += [(child, level + 1, 0) for child in reversed(below[:AT_A_NODE])]
        return seen

    def _row(self, node: int, level: int, matching: set[int] | None) -> dict[str, Any]:
        assert self.draft is not None
        label = self.draft.labels[node]
        rows = self.rows_under[node]
        group = node in self.draft.children
        return {
            "id": node,
            "level": level,
            "label": label if len(label) <= LONGEST else f"{label[:LONGEST]}…",
            "group": group,
            "open": group and (node in self.opened or matching is not None),
            "rows": f"{rows:,}",
            "share": rows / max(self.rows_under[ROOT], 1),
        }

    def _matching(self) -> set[int]:
        """Find the first nodes whose label holds the searched text, and all nodes above them."""
        assert self.draft is not None
        part = self.wanted.strip().casefold()
        labels = self.draft.labels
        hits = [node for node in self.draft.order if part in labels[node].casefold()]
        first = hits[:AT_A_NODE]
        return {ROOT, *first, *(above for node in first for above in self.draft.above(node))}

    def groups(self, part: str, most: int = 30) -> list[tuple[int, str]]:
        """Find groups whose name holds a text, each with the path from the root to it."""
        if self.draft is None:
            return []
        wanted = part.casefold()
        labels = self.draft.labels
        groups = [node for node in self.draft.order if node in self.draft.children]
        hits = [group for group in groups if wanted in labels[group].casefold()]
        ways = ((node, (node, *self.draft.above(node))) for node in hits[:most])
        return [(node, " › ".join(labels[above] for above in reversed(way))) for node, way in ways]

    def choose(self, nodes: Iterable[int]) -> None:
        """Choose these nodes and no others, as far as the tree holds them."""
        self.chosen = set(nodes) & (self.draft.labels.keys() if self.draft else set())

    def fold(self, node: int) -> None:
        """Open a closed group, close an open one."""
        self.opened ^= {node}

    def _fit(self, hierarchy: Hierarchy) -> Tree:
        column = self.column
        return hierarchy.fit(column.values, column.kind, column.name, column.counts).tree

    def _read(self) -> Draft | None:
        hierarchy = hierarchy_of(self.spec)
        if hierarchy is not None and self.column.size > MOST:
            raise RecipeError(
                f"{self.column.size:,} different values are too many to be drawn; the hierarchy "
                "works all the same"
            )
        return Draft.of_tree(self._fit(hierarchy)) if hierarchy is not None else None

    def _lay(self, draft: Draft | None, problem: str | None = None) -> None:
        self.draft = draft
        self.problem = problem
        self.rows_under = draft.rows_under(self.column.values, self.column.counts) if draft else {}
        self.choose(self.chosen)
        if draft is not None:
            self._drafts[str(self._spec)] = draft
            while len(self._drafts) > REMEMBERED:
                del self._drafts[next(iter(self._drafts))]

    def _stored(self, text: str) -> Path:
        folder = self.desk.new_place()
        folder.mkdir(mode=0o700)
        place = folder / f"{file_stem(self.column.name)}.csv"  # certificates name it
        place.write_text(text, "utf-8", newline="")
        return place

    def _name(self, spec: str | None) -> None:
        others = {
            name: kept
            for name, kept in self.desk.recipe.hierarchies.items()
            if name != self.column.name
        }
        self.desk.change(hierarchies=others if spec is None else {**others, self.column.name: spec})
