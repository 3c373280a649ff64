"""Promised: prepares what the models judge in a published table, read off its cells alone.

Groups are recounted, sensitive values stand in ascending order, hierarchies are laid over them
where a model measures along one, and models of the release are told how each group looks on each
quasi-identifier.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from shoal.arrays import Codes
from shoal.declare.columns import whole
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import PrivacyNotMet
from shoal.groups import Groups
from shoal.privacy.column import Sensitive
from shoal.privacy.model import Model
from shoal.privacy.population import Crowd
from shoal.privacy.promises import Others, Promises
from shoal.review.recount import encoded, recount

Hierarchies = Mapping[str, Hierarchy | None]


def promised(
    table: pa.Table,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    models: Sequence[Model],
    *,
    hierarchies: Hierarchies | None = None,
    others: Others = "separate",
    people: Callable[[Groups], Crowd] | None = None,
) -> tuple[Groups, Promises]:
    """Recount the groups as published, and return what is promised about them.

    `people` counts those of a population behind each.
    """
    groups = recount([whole(table[name]) for name in quasi_columns(table, quasi)])
    asked = (hierarchies or {}) if any(model.needs_hierarchy for model in models) else {}
    cells = {name: encoded(whole(table[name])) for name in sensitive}
    columns = tuple(Sensitive.of(name, *cells[name], asked.get(name)) for name in sensitive)
    looks = partial(_looks, table, quasi)
    return groups, Promises(tuple(models), columns, others, looks, people)


def quasi_columns(table: pa.Table, quasi: Sequence[str]) -> list[str]:
    """List the columns that publish the quasi-identifiers.

    They stand under their own name, or as `<name>_lo` and `<name>_hi`.
    """
    names = set(table.column_names)
    present = list[str]()
    lacking = list[str]()
    for name in quasi:
        bounds = [f"{name}_lo", f"{name}_hi"]
        if name in names:
            present.append(name)
        elif names.issuperset(bounds):
            present += bounds
        else:
            lacking.append(name)
    if lacking or not present:
        facts = {"lacking": ", ".join(f"'{name}'" for name in lacking) or "all"}
        raise PrivacyNotMet("the release lacks columns of its quasi-identifiers", facts)
    return present


def _looks(table: pa.Table, quasi: Sequence[str], groups: Groups) -> Codes:
    """Number how each group is printed on each quasi-identifier."""
    order, starts = groups.by_group
    first = pa.array(order[starts[:-1]])
    printed = [
        [whole(table[part]).take(first) for part in quasi_columns(table, [name])] for name in quasi
    ]
    return np.array([recount(columns).labels for columns in printed], np.int32)
