"""`listed`: a category whose values are listed; nothing between a value and `*`.

A scheme holds it for a category without a hierarchy: the values that an earlier release shows. A
value that is not listed is

| new | becomes |
|---|---|
| `refuse` | nothing: the table is refused, with the number of values and rows |
| `other` | `other`, one value for all of them |
| `*` | `*` |

A public certificate says `listed` and does not list the values: this release need not show all.

When to use it: for next month's table under a scheme: only values that were published before are
shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa

from shoal.arrays import Counts
from shoal.declare.columns import Kind, text_of
from shoal.declare.hierarchies.hierarchy import Fitted, Hierarchy
from shoal.declare.hierarchies.tree import EVERYTHING, Tree
from shoal.errors import DataError, RecipeError
from shoal.groups import Note

New = Literal["refuse", "other", "*"]
OTHER = "other"


@dataclass(frozen=True)
class Listed(Hierarchy):
    """A single step from a listed value to `*`; others are refused, or become one value."""

    name = "listed"

    values: tuple[str, ...] | None = None
    """None in the recipe of a public certificate, which does not list them."""
    new: New = "refuse"

    def __post_init__(self) -> None:
        if self.values is not None and len(set(self.values)) < len(self.values):
            raise RecipeError("values of 'listed' must be listed once each")

    @property
    def lists_values(self) -> bool:
        """True: it lists values of the column."""
        return True

    @property
    def listed_paths(self) -> list[tuple[str, ...]]:
        """Paths from each value to the root."""
        also = [OTHER] if self.new == OTHER else []
        leaves = dict.fromkeys([*(self.values or ()), *also])
        return [(value, EVERYTHING) for value in leaves]

    def fit(
        self, values: pa.Array, kind: Kind, column: str, counts: Counts | None = None
    ) -> Fitted:
        """Put every listed value straight under the root, and all others as `new` says."""
        if self.values is None:
            raise RecipeError("a 'listed' hierarchy lists values", remedy="give it values")
        texts = text_of(values).to_pylist()
        listed = dict.fromkeys(self.values)
        strange = np.array([text not in listed for text in texts], np.bool_)
        if not strange.any():
            return self._laid([*listed], texts)
        if self.new == "refuse":
            facts = {"values concerned": int(strange.sum()), "published": "nothing"}
            if counts is not None:
                facts["rows concerned"] = int(counts[strange].sum())
            raise DataError(
                f"column '{column}' holds values that its scheme does not list",
                facts,
                'write new = "other" or new = "*" in the scheme, or add them to its values',
            )
        said = f"{int(strange.sum()):,} values of '{column}' are new to its scheme"
        if counts is not None:
            said += f", in {int(counts[strange].sum()):,} rows"
        note = Note("hierarchy", f"{said}: published as {self.new}")
        hidden = None
        label = OTHER
        if self.new == EVERYTHING:
            hidden = label = _unlike(listed)
        leaves = [*dict.fromkeys([*listed, label])]
        placed = np.where(strange, label, np.array(texts, object)).tolist()
        fitted = self._laid(leaves, placed, hidden)
        return replace(fitted, notices=(note,))

    def _laid(self, leaves: list[str], texts: list[str], hidden: str | None = None) -> Fitted:
        """Lay a flat tree over texts that are all leaves; a hidden leaf is published as `*`."""
        tree = Tree.flat(leaves)
        place = {leaf: i for i, leaf in enumerate(tree.leaves)}
        if hidden is not None:
            node = int(tree.node[0, place[hidden]])
            tree = replace(tree, hidden=frozenset({node}))
        return Fitted(tree, np.array([place[text] for text in texts], np.int32))


def _unlike(listed: dict[str, None]) -> str:
    """Choose a label that none of the listed values has; it is never printed."""
    label = "(new)"
    while label in listed:
        label += "'"
    return label
