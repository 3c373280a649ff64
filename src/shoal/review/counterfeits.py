"""Counterfeits: rows of nobody, counted group by group in the public certificate.

A release tells nobody which of its rows they are. So their number is published beside it, and k is
counted without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
import pyarrow as pa
from msgspec import Meta

from shoal.errors import PrivacyNotMet


class CounterfeitsOfGroup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A group with counterfeits, by its cells."""

    cells: Annotated[
        dict[str, str | None], Meta(description="The cells of the group, by quasi-identifier.")
    ]
    rows: Annotated[int, Meta(ge=1, description="How many of its rows are about nobody.")]


StatedCounterfeits = Annotated[
    list[CounterfeitsOfGroup],
    Meta(
        description="Groups that hold rows about nobody, and how many; k counts rows, and each "
        "group holds as many people as the recipe asks for beside them."
    ),
]


def fewest_people(
    table: pa.Table, quasi: Sequence[str], stated: Sequence[CounterfeitsOfGroup]
) -> int | None:
    """Count the people of the smallest group, counterfeits left out.

    None where counterfeits are stated of a group that is not there, or twice of one.
    """
    counted = table.select(quasi).group_by(list(quasi)).aggregate([([], "count_all")])
    cells = zip(*(counted[name].to_pylist() for name in quasi), strict=True)
    numbers: list[int] = counted["count_all"].to_pylist()
    sizes = dict(zip(cells, numbers, strict=True))
    for each in stated:
        group = tuple(each.cells.get(name) for name in quasi)
        if set(each.cells) != set(quasi) or group not in sizes:
            return None
        sizes[group] -= each.rows
    twice = len({tuple(sorted(each.cells.items(), key=str)) for each in stated}) < len(stated)
    return None if twice else min(sizes.values(), default=0)


def refuse_few_people_beside(
    table: pa.Table, quasi: Sequence[str], stated: Sequence[CounterfeitsOfGroup], k: int
) -> None:
    """Refuse a release in which fewer than k people stand in a group beside its counterfeits."""
    fewest = fewest_people(table, quasi, stated)
    if fewest is None or fewest < k:
        facts = {"people of the smallest group": fewest, "k": k, "published": "nothing"}
        raise PrivacyNotMet("too few people stand beside counterfeits", facts)
