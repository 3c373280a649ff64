"""Lint: everything that is wrong or odd about a written-down hierarchy, in one report.

| kind | what | then |
|---|---|---|
| `uncovered` | values of the column that are not in the file | refused |
| `two-parents` | a leaf that is listed again with another path | refused |
| `ragged` | a row of another length than most | refused |
| `empty-label` | a row with an empty field | refused |
| `duplicate` | a row that is listed again | counted once |
| `shared-label` | a label of a leaf and a group above leaves | the group becomes `label (group)` |
| `two-places` | a label that names groups at two places | the second becomes `label (group)` |
| `several-roots` | rows that end differently | `*` is put above |
| `one-level` | nothing above the leaves | `*` is put above |

Labels of a file are configuration, so a finding names the first five; values of the column are only
counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts
from shoal.declare.hierarchies.matching import leaf_keys, uncovered
from shoal.declare.hierarchies.tree import Tree

SHOWN = 5
LONGEST = 40  # characters of a label that are shown

Row = Sequence[str]


@dataclass(frozen=True)
class HierarchyFault:
    """A kind of fault, how often it occurs, and where it occurs first."""

    kind: str
    fatal: bool
    count: int
    what: str
    labels: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    @property
    def where(self) -> str:
        """The first labels and lines."""
        labels = ", ".join(f"'{label}'" for label in self.labels)
        lines = f"line {', '.join(f'{line:,}' for line in self.lines)}" if self.lines else ""
        return ", ".join(filter(None, (labels, lines))) + (
            " ..." if self.count > max(len(self.labels), len(self.lines)) else ""
        )

    def __str__(self) -> str:
        where = f" ({self.where})" if self.labels or self.lines else ""
        return f"{self.count:,} {self.what}{where}"


@dataclass(frozen=True)
class LintReport:
    """The findings about a hierarchy, the fatal ones first."""

    findings: tuple[HierarchyFault, ...]

    @property
    def fatal(self) -> tuple[HierarchyFault, ...]:
        """The findings that keep the hierarchy from being used."""
        return tuple(finding for finding in self.findings if finding.fatal)

    @property
    def notices(self) -> tuple[str, ...]:
        """The findings that the user should know, in words."""
        return tuple(str(finding) for finding in self.findings if not finding.fatal)


def lint(
    rows: Sequence[Row],
    values: pa.Array | None = None,
    *,
    counts: Counts | None = None,
    lines: Sequence[int] | None = None,
) -> LintReport:
    """Find all faults of rows in ARX's form, and the values of a column that they lack.

    >>> print(lint([["Oslo", "Norway", "*"], ["Rome", "*"], ["Oslo", "Sweden", "*"]]).findings[0])
    1 leaf with two parents ('Oslo', line 1, 3)
    """
    numbers = list(lines) if lines is not None else list(range(1, len(rows) + 1))
    width = Counter(len(row) for row in rows).most_common(1)[0][0] if rows else 0
    ragged = [i for i, row in enumerate(rows) if len(row) != width]
    empty = [i for i, row in enumerate(rows) if not all(map(str.strip, row))]
    keys = leaf_keys(
        [row[0] if row else "" for row in rows], pa.string() if values is None else values.type
    )
    apart = set(ragged) | set(empty)
    sound = [i for i in range(len(rows)) if i not in apart]
    twins, repeats = _listed_again(rows, sound, keys)
    fatal = [
        *(_coverage(rows, values, counts) if values is not None else ()),
        *_finding(
            "two-parents", "leaf with two parents|leaves with two parents", twins, rows, numbers
        ),
        *_finding(
            "ragged",
            f"row without {width:,} fields|rows without {width:,} fields",
            ragged,
            rows,
            numbers,
        ),
        *_finding(
            "empty-label", "row with an empty label|rows with an empty label", empty, None, numbers
        ),
    ]
    firsts = {keys[i]: i for i in reversed(sound)}.values()
    odd = [
        *_finding(
            "duplicate", "row listed again|rows listed again", repeats, rows, numbers, fatal=False
        ),
        *_odd_labels([rows[i] for i in sorted(firsts)]),
    ]
    return LintReport((*fatal, *odd))


def _listed_again(
    rows: Sequence[Row], sound: Iterable[int], keys: Sequence[Hashable]
) -> tuple[list[int], list[int]]:
    """Find rows of leaves that have two parents, and exact repeats.

    Of a leaf with two parents, its first row and the first that differs.
    """
    first: dict[Hashable, int] = {}
    parents: dict[Hashable, list[int]] = {}
    repeats: list[int] = []
    for i in sound:
        before = first.setdefault(keys[i], i)
        if before == i:
            continue
        if list(rows[before][1:]) == list(rows[i][1:]):
            repeats.append(i)
        else:
            parents.setdefault(keys[i], [before, i])
    return [i for pair in parents.values() for i in pair], repeats


def _coverage(
    rows: Sequence[Row], values: pa.Array, counts: Counts | None
) -> Iterator[HierarchyFault]:
    missing = uncovered([row[0] for row in rows if row], values)
    if number := int(missing.sum()):
        held = f", in {int(np.asarray(counts)[missing].sum()):,} rows" if counts is not None else ""
        yield HierarchyFault(
            "uncovered",
            True,
            number,
            f"of {len(values):,} values of the column are not in it{held}",
        )


def _finding(
    kind: str,
    what: str,
    places: Sequence[int],
    rows: Sequence[Row] | None,
    lines: Sequence[int],
    *,
    fatal: bool = True,
) -> Iterator[HierarchyFault]:
    """Yield a finding about some rows; `what` is singular|plural."""
    if rows is not None:
        labels = tuple(dict.fromkeys(_short(rows[i][0]) for i in places if rows[i]))
    else:
        labels = ()
    # Leaves with two parents come in pairs of rows.
    count = len(places) // 2 if kind == "two-parents" else len(places)
    if count:
        shown = tuple(lines[i] for i in places[:SHOWN])
        yield HierarchyFault(kind, fatal, count, what.split("|")[count > 1], labels[:SHOWN], shown)


def _odd_labels(paths: Sequence[Row]) -> Iterator[HierarchyFault]:
    """Find faults that only the tree shows: shared labels, several roots, no levels."""
    if not paths:
        return
    yield from _shared_labels(paths)
    roots = tuple(dict.fromkeys(path[-1] for path in paths))
    if len(paths[0]) == 1:
        yield HierarchyFault(
            "one-level", False, len(paths), "leaves with nothing above them: '*' is put there"
        )
    elif len(roots) > 1:
        yield _labelled(
            "several-roots", "roots: '*' is put above them|roots: '*' is put above them", roots
        )


def _shared_labels(paths: Sequence[Row]) -> Iterator[HierarchyFault]:
    """Find labels that a leaf and a group share, or two groups."""
    leaves = {path[0] for path in paths}
    tree = Tree.of_paths(paths)
    leaf_nodes = set(tree.node[0].tolist())
    inner = Counter(label for node, label in enumerate(tree.labels) if node not in leaf_nodes)
    shared = [label for label in inner if label in leaves]
    places = [label for label, number in inner.items() if number > 1]
    if shared:
        yield _labelled(
            "shared-label",
            "label of both a leaf and a group|labels of both a leaf and a group",
            shared,
        )
    if places:
        yield _labelled(
            "two-places", "label of groups at two places|labels of groups at two places", places
        )


def _labelled(kind: str, what: str, labels: Sequence[str]) -> HierarchyFault:
    shown = tuple(_short(label) for label in labels[:SHOWN])
    return HierarchyFault(kind, False, len(labels), what.split("|")[len(labels) > 1], shown)


def _short(label: str) -> str:
    return label if len(label) <= LONGEST else label[: LONGEST - 3] + "..."
