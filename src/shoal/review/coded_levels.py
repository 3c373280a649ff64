"""Coded levels: checks that no cell of a hierarchy is finer or coarser than its recipe allows.

Cells are read as texts, by the hierarchy as its owner wrote it and by nothing of the data. `*` is
finer than nothing; where there is a coarsest cell, it is never published. All-missing cells are
neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pyarrow as pa

from shoal.declare.columns import text_of, whole
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.declare.within_levels import WithinLevels
from shoal.errors import PrivacyNotMet
from shoal.recode.cells import Everything, Interval, Value, ValueSet, read

Hierarchies = Mapping[str, Hierarchy | None]


def refuse_beyond_levels(table: pa.Table, hierarchies: Hierarchies) -> None:
    """Refuse a release in which some column is finer or coarser than its recipe allows."""
    for name in table.column_names:
        refuse_column_beyond_levels(whole(table[name]), name, hierarchies)


def refuse_column_beyond_levels(published: pa.Array, name: str, hierarchies: Hierarchies) -> None:
    """Refuse a published column that is finer or coarser than its recipe allows."""
    hierarchy = hierarchies.get(name)
    if isinstance(hierarchy, WithinLevels) and not is_within_levels(published, hierarchy):
        facts = {"column": repr(name), "published": "nothing"}
        raise PrivacyNotMet("the release shows cells finer or coarser than it may", facts)


def is_within_levels(published: pa.Array, hierarchy: WithinLevels) -> bool:
    """Tell whether every different cell of a column is as coarse as it must and may be."""
    return _are_within(text_of(_plain(published).unique()).to_pylist(), hierarchy)


def _plain(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _are_within(texts: Iterable[str | None], hierarchy: WithinLevels) -> bool:
    labels = []
    for text in texts:
        cell = read(text)
        if isinstance(cell, Everything) and hierarchy.most is not None:
            return False
        if isinstance(cell, Interval):
            labels.append(f"[{cell.lo}, {cell.hi}]")
        elif isinstance(cell, Value):
            labels.append(cell.text)
        elif isinstance(cell, ValueSet):
            labels.extend(cell.texts)
    return hierarchy.allows(labels)
