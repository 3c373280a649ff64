"""Roles: which columns are generalized, guarded, dropped or kept. A column has one role or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from shoal.declare.column_names import column_hint
from shoal.errors import DataError, RecipeError, ShoalError
from shoal.groups import Note
from shoal.wording import Sentence, Set


@dataclass(frozen=True)
class Roles:
    """The columns by role; columns without one are dropped, and the release says so."""

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    weight: tuple[str, ...] = ()
    """For how many people each row stands, published as the mean of its group: one column or none.
    """

    @property
    def beside(self) -> tuple[str, ...]:
        """The columns that are published beside the quasi-identifiers."""
        return (*self.sensitive, *self.keep, *self.weight)

    def check(self) -> Iterator[ShoalError]:
        """Yield an error for each fault of the roles themselves, whatever the table."""
        if not self.quasi:
            example = Set("quasi", ["age", "sex", "postcode"])
            remedy = Sentence("name the columns that others may know: ", example)
            yield RecipeError("no quasi-identifier is named", remedy=remedy)
        taken: dict[str, str] = {}
        for role, names in self._by_role():
            for name in names:
                if taken.get(name) == role:
                    yield RecipeError(f"column '{name}' is named twice as {role}")
                elif name in taken:
                    yield RecipeError(
                        f"column '{name}' has two roles: {taken[name]} and {role}",
                        remedy="give each column one role",
                    )
                taken[name] = role

    def fit(self, names: Sequence[str]) -> Iterator[ShoalError]:
        """Yield an error for each role that does not fit a table with these columns."""
        asked = [name for _, wanted in self._by_role() for name in wanted]
        for name in asked:
            if name not in names:
                remedy = column_hint(name, names, asked)
                yield RecipeError(f"there is no column '{name}'", remedy=remedy)

    def without_role(self, names: Sequence[str]) -> tuple[str, ...]:
        """List the columns that nobody asked for."""
        asked = {name for _, wanted in self._by_role() for name in wanted}
        return tuple(name for name in names if name not in asked)

    def dropped(self, names: Sequence[str]) -> tuple[Note, ...]:
        """Say which columns are not published, as nobody asked for them; nothing where all are."""
        unasked = self.without_role(names)
        text = f"dropped, because they have no role: {', '.join(unasked)}"
        return (Note("dropped", text),) if unasked else ()

    def _by_role(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        yield "quasi-identifier", self.quasi
        yield "sensitive", self.sensitive
        yield "identifier", self.identifiers
        yield "kept", self.keep
        yield "weight", self.weight


def check_table(table: pa.Table) -> None:
    """Refuse a table without rows or with ambiguous columns."""
    names = table.column_names
    # Counting names is quadratic, and only worth it where some name stands twice.
    twice = []
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise DataError(
            f"column names occur twice: {', '.join(map(repr, twice))}", remedy="rename them"
        )
    if not names:
        raise DataError("the table has no columns")
    if not table.num_rows:
        raise DataError(
            "the table has no rows", {"columns": len(names)}, "there is nothing to publish"
        )
