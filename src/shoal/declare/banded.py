"""Banded: a column that came in bands or with open ends, such as `7+`, `<1` or `10-19`.

    cell       0     <1     5     7+    10-19
    value      0      0     5     7        10
    ends at    0      -     5     -        19
    published  0     <1     5     7+    [10, 19]

Its cells become numbers: where a band begins, or the last number of one that is open below. What is
printed of a group ends where its last band ends, and is open where a band is. Nothing of this is
asked in the recipe, so no promise is checked about it: cells are as true as they came.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal

import pyarrow as pa

from shoal.declare.coding import Coding
from shoal.declare.columns import text_of
from shoal.declare.open_ends import at_least
from shoal.declare.places import place_of, reaches, typed
from shoal.errors import RecipeError
from shoal.wording import Remedy, Set

KEY = b"shoal.banded"


@dataclass(frozen=True)
class BandCoding(Coding):
    """The open ends of a column that came with them, and where its bands end."""

    below: str = ""
    """How the band that is open below is spelled: `<1`, `<=5`."""
    ends: tuple[tuple[str, str], ...] = ()
    """Where each band begins and ends; none where all others are single numbers."""

    def written_ends(self, lower: str, upper: str) -> tuple[str, str]:
        """Write the ends of an interval; one that reaches an open band is open there."""
        first, last = super().written_ends(lower, upper)
        if self.reaches_bottom(lower):
            first = self.below
        return first, last

    @property
    def open_values(self) -> tuple[str, ...]:
        """The bands that are open, as they are published."""
        above = [at_least(end) for end in (self.top,) if end is not None]
        return (*above, *filter(None, (self.below,)))

    def upper(self, coded: pa.Array) -> pa.Array | None:
        """Find where the band of each value ends; None where values are single numbers."""
        if not self.ends:
            return None
        last = {place_of(first): end for first, end in self.ends}
        texts = text_of(coded).to_pylist()
        places = [Decimal(last.get(place_of(text), text)) for text in texts]
        return typed(places, coded.type)


def with_asked(came: Coding | None, asked: Coding | None) -> Coding | None:
    """Join the open ends with which a column came and the coding that a recipe asks for.

    Refuses what would tell apart again what came as one.
    """
    if came is None or asked is None or not isinstance(came, BandCoding):
        return asked or came
    if came.ends or asked.least is not None or asked.most is not None or asked.step is not None:
        raise RecipeError(
            f"column '{asked.name}' came in bands or with open ends, and is published in these",
            remedy=Remedy("leave its coding out", Set("read_as", {asked.name: "text"})),
        )
    if came.top and (asked.top is None or not reaches(came.top, asked.top)):
        raise _beyond(asked.name, "top")
    if came.bottom and (asked.bottom is None or not reaches(asked.bottom, came.bottom)):
        raise _beyond(asked.name, "bottom")
    return asked


def no_steps_over(name: str) -> RecipeError:
    """Refuse steps of numbers over bands: `10-19` would be published as the number at its begin."""
    return RecipeError(
        f"column '{name}' came in bands or with open ends: no steps can be laid over them",
        remedy=Remedy(
            Set("hierarchies", {name: "none"}, "publish intervals of its bands"),
            Set("hierarchies", {name: "flat"}, "publish each band as it is, or as *"),
            "a hierarchy file that names its bands",
        ),
    )


def _beyond(name: str, option: str) -> RecipeError:
    inward = {"top": "at or below", "bottom": "at or above"}[option]
    return RecipeError(
        f"column '{name}' came with an open end, beyond which nothing is known",
        remedy=f"give a {option} {inward} this end, or leave its coding out",
    )


def marked(table: pa.Table, codings: Mapping[str, BandCoding]) -> pa.Table:
    """Write into a table in memory which of its columns came in bands."""
    if not codings:
        return table
    known = {**banded_in(table), **codings}
    plain = {name: asdict(each) for name, each in known.items()}
    metadata = {**(table.schema.metadata or {}), KEY: json.dumps(plain).encode()}
    return table.replace_schema_metadata(metadata)


def banded_in(table: pa.Table) -> dict[str, BandCoding]:
    """Read from a table in memory which of its columns came in bands."""
    written = (table.schema.metadata or {}).get(KEY)
    if written is None:
        return {}
    return {
        name: BandCoding(**{**each, "ends": tuple(tuple(pair) for pair in each["ends"])})
        for name, each in json.loads(written).items()
    }
