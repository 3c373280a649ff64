"""Schemes: a recipe that follows an earlier release, and the scheme of a release for the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pyarrow as pa

from shoal import registry
from shoal.arrays import Counts
from shoal.declare.columns import Kind, kind_of
from shoal.errors import RecipeError
from shoal.recipe import Recipe
from shoal.recipe.scheme import Scheme
from shoal.recode.cells import Cell, Interval, Value, ends_of
from shoal.recode.reading import point
from shoal.review.losses.published import PublishedView

Seen = Callable[[Sequence[str]], Mapping[str, tuple[pa.Array, Counts]]]
"""Counts the different values of some columns, as the recipe understands them."""
SPELLED: dict[Kind, str] = {
    "number": "numbers",
    "date": "dates",
    "time": "times",
    "clock": "times of day",
    "category": "text",
}


def schemed(recipe: Recipe) -> tuple[Recipe, Scheme | None]:
    """Return the recipe with what its scheme says, and that scheme; itself where it has none."""
    if recipe.scheme is None:
        return recipe, None
    scheme = Scheme.read(recipe.scheme)
    return scheme.applied(recipe), scheme


def refuse_other_kinds(scheme: Scheme, seen: Seen) -> None:
    """Refuse a scheme that was made for columns of other kinds."""
    kinds = {name: column.kind for name, column in scheme.columns.items() if column.kind}
    if not kinds:
        return
    errors = []
    for name, (values, _) in seen(list(kinds)).items():
        kind = kind_of(values.type, name)
        if kind != kinds[name] and len(values):
            problem = (
                f"column '{name}' holds {SPELLED[kind]}, and its scheme is for "
                f"{SPELLED[kinds[name]]}"
            )
            errors.append(RecipeError(problem, remedy="name the scheme of this table"))
    if errors:
        raise RecipeError.together(errors)


def scheme_of(recipe: Recipe, view: PublishedView, levels: Sequence[int] | None = None) -> Scheme:
    """Collect the scheme of a release from its recipe and its published cells.

    `levels` are those that the method set for all rows, if it did.
    """
    cells = {name: of_column for name, (of_column, _) in view.cells.items()}
    seen = {name: _kind(recipe, name, of_column) for name, of_column in cells.items()}
    kinds = {name: kind for name, kind in seen.items() if kind is not None}
    return Scheme.of(recipe, cells, kinds, levels)


def _kind(recipe: Recipe, name: str, cells: Sequence[Cell]) -> Kind | None:
    """Tell the kind of a column from its cells; None where a hierarchy gives labels to any."""
    spec = recipe.hierarchies.get(name, "none")
    hierarchy = spec.get("kind") if isinstance(spec, Mapping) else registry.parse(spec)[0]
    if hierarchy in ("none", "listed"):
        return "category"
    if hierarchy not in ("ladder", "intervals"):
        return None
    shown = [cell for cell in cells if isinstance(cell, Interval | Value)]
    kinds: tuple[Kind, ...] = ("number", "date", "time", "clock")
    return next((kind for kind in kinds if shown and _all_are(kind, shown)), None)


def _all_are(kind: Kind, cells: Sequence[Value | Interval]) -> bool:
    """Tell whether the ends of all cells are points of a kind; dates have no time of day."""
    ends = [end for cell in cells for end in ends_of(cell)]
    if kind == "date" and any("T" in end for end in ends):
        return False
    return all(point(end, kind) == point(end, kind) for end in ends)
