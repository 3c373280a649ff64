"""Chosen ladders: what a public certificate tells of bands that were chosen by the table.

Widths follow the range of a column, and under `banded` the start follows its median. A release may
show less of that: all ages as `*`, or no band of 40 years. So the public recipe states the rungs of
the published bands alone, and the start below the widest of them; both follow from the cells. The
whole ladder stands in the notes of the private certificate. A ladder that was typed, or that came
with a scheme, is stated as it is, and so is one by whose levels the recipe sets a limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import msgspec

from shoal import registry
from shoal.declare.hierarchies.flat import Flat
from shoal.declare.hierarchies.ladder import Ladder
from shoal.flows.port import Request
from shoal.groups import Note
from shoal.partition.method import Method
from shoal.recipe import Recipe, hierarchy_of
from shoal.recode.cells import Everything, Interval, Value, is_open, write
from shoal.review.losses.published import PublishedView


def as_shown(request: Request, view: PublishedView) -> Recipe:
    """Return the recipe with chosen ladders as far as the published cells tell of them."""
    recipe = request.recipe
    specs = dict(recipe.hierarchies)
    for name, ladder in _chosen(request):
        cells = view.cells[name][0] if name in view.cells else []
        # From an open band alone nobody can tell its width. Values tell whether all are whole.
        told = [cell for cell in cells if isinstance(cell, Interval | Value)]
        closed = [str(write(cell)) for cell in told if not any(is_open(cell))]
        bands = [cell for cell in told if isinstance(cell, Interval)]
        reaching = [str(write(cell)) for cell in bands if any(is_open(cell))]
        shown = ladder.within(recipe.coding.get(name)).shown(closed, reaching)
        typed = None if request.typed is None else request.typed.hierarchies.get(name)
        if shown is not None:
            specs[name] = shown.spec
        elif typed is not None:
            specs[name] = typed
        else:
            del specs[name]
    for name in _kept_in_bands(request):
        if all(isinstance(cell, Everything) for cell in view.cells.get(name, ([], None))[0]):
            del specs[name]
    return msgspec.structs.replace(recipe, hierarchies=specs)


def ladder_notes(request: Request) -> list[Note]:
    """State the chosen ladders in full, for the private certificate."""
    said = [f"'{name}' {ladder.spec}" for name, ladder in _chosen(request)]
    return [Note("ladders", f"bands chosen by the table: {'; '.join(said)}")] if said else []


def _chosen(request: Request) -> Iterator[tuple[str, Ladder]]:
    """Yield the columns whose ladder was chosen by the table, unless levels of it are asked for."""
    if request.typed is None:
        return
    recipe = request.recipe
    leveled = _leveled(recipe)
    for name, spec in recipe.hierarchies.items():
        stated = spec == request.typed.hierarchies.get(name) or recipe.scheme is not None
        if not stated and str(spec).startswith(f"{Ladder.name}:") and name not in leveled:
            yield name, cast(Ladder, hierarchy_of(spec))


def _kept_in_bands(request: Request) -> list[str]:
    """List the columns that have no ladder because they came in bands."""
    if request.typed is None or request.recipe.scheme is not None:
        return []
    typed = request.typed.hierarchies
    specs = request.recipe.hierarchies
    return [name for name, spec in specs.items() if spec == Flat.name and name not in typed]


def _leveled(recipe: Recipe) -> set[str]:
    """Name the columns of which a least or a most level is asked for."""
    limits = {**recipe.at_least, **recipe.at_most}
    method = registry.make(Method, recipe.method)
    by_method = [*getattr(method, "at_least", ()), *getattr(method, "at_most", ())]
    return {
        *(name for name, limit in limits.items() if str(limit).startswith("level")),
        *(limit.rpartition("=")[0] for limit in by_method),
    }
