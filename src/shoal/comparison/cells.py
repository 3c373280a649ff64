"""Cells: one method at one k each; what is measured of it, and the table of all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal import registry
from shoal.comparison.accuracy import NAMES, accuracies, refuse_unlearnt
from shoal.declare.columns import text_of
from shoal.engines.local import LocalEngine
from shoal.errors import RecipeError, ShoalError
from shoal.flows import groups
from shoal.flows.declared import declared
from shoal.flows.port import Outcome
from shoal.flows.repeated import refuse_repeated_people
from shoal.groups import DIVIDING, Watch, unwatched
from shoal.partition.method import Method
from shoal.recipe import Recipe
from shoal.recipe.checks import grouping
from shoal.review.losses.loss import Loss
from shoal.review.losses.published import PublishedLoss
from shoal.review.risks.risk import Risk, worst
from shoal.wording import Remedy, Set

Row = dict[str, Any]

WHOLE = ("k", "seed", "groups", "smallest-group", "largest-group", "withheld")
FIRST = (
    "method",
    "k",
    "seed",
    "seconds",
    "groups",
    "smallest-group",
    "median-group",
    "largest-group",
    "withheld",
    "exact-cells",
    "lost-cells",
)
LAST = "refused"
REFINED = "+refine"
SEED = 1
# Rows of a first run that nobody times: it compiles the method, or loads what was compiled.
FEW = 200


@dataclass(frozen=True, eq=False)
class Cell:
    """A method at a k: a recipe, and the method as people call it."""

    method: str
    recipe: Recipe
    target: str | None = None
    """The column that a classifier is to predict; None where none learns."""

    @property
    def row(self) -> Row:
        """The facts that are known before anything is measured."""
        return {"method": self.method, "k": self.recipe.k, "seed": self.recipe.seed}

    def key(self, table: str) -> str:
        """Compute a name for the result.

        Equal only for the same table (by its digest), recipe, hierarchies and software.
        """
        asked = self.recipe.as_dict()
        asked["method"] = registry.spell(registry.make(Method, self.recipe.method))
        asked["hierarchies"] = {
            name: _content(spec) for name, spec in self.recipe.hierarchies.items()
        }
        parts = [table, asked, registry.version()]
        if self.target is not None:
            parts.append(self.target)
        told = json.dumps(parts, sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()


@dataclass(frozen=True)
class CellRow:
    """A cell's row; a lasting one would come out the same if it were measured again."""

    row: Row
    lasting: bool = True


@dataclass
class Bench:
    """A table on which cells are measured."""

    table: pa.Table
    _warm: set[str] = field(default_factory=set)

    def measure(self, cell: Cell) -> CellRow:
        """Measure the figures of a cell, or return why there are none."""
        self._warm_up(cell.recipe)
        cpu = CpuSeconds()
        try:
            outcome = groups.run(self.table, cell.recipe, LocalEngine(), stage=cpu)
        except ShoalError as error:
            return CellRow(cell.row | {LAST: str(error.problem).splitlines()[0]})
        except MemoryError:
            return lost(cell, "it did not fit into memory")
        # A fault of one method must not cost the figures of all others. Its text may quote a value
        # of the table, so only its type is told.
        except Exception as error:
            return lost(cell, f"a fault of ours: {type(error).__name__}")
        learnt = {}
        if cell.target is not None:
            learnt = accuracies(self.table, cell.recipe, cell.target)
        return CellRow(cell.row | _figures(outcome, cpu.of(DIVIDING)) | learnt)

    def _warm_up(self, recipe: Recipe) -> None:
        """Run each method once on a few rows, so that no figure holds compilation."""
        name = f"{registry.parse(recipe.method)[0]} {recipe.refine}"
        if name not in self._warm:
            self._warm.add(name)
            few = Recipe.of(**recipe.as_dict() | {"k": min(recipe.k, 5)})
            try:
                groups.run(self.table.slice(0, FEW), few, LocalEngine())
            except Exception:  # whatever is wrong, the real run says it better
                return


def lost(cell: Cell, reason: str) -> CellRow:
    """Return a cell without figures for a reason that may not come again."""
    return CellRow(cell.row | {LAST: reason}, lasting=False)


class CpuSeconds:
    """The processor seconds of each stage, all threads counted; called when a stage begins."""

    def __init__(self) -> None:
        self._begun: list[tuple[str, float]] = []

    def __call__(self, name: str) -> Watch:
        """Note that a stage begins."""
        self._begun.append((name, time.process_time()))
        return unwatched

    def of(self, stage: str) -> float:
        """Return the seconds of the stages whose name begins with `stage`."""
        pairs = zip(self._begun, self._begun[1:], strict=False)
        return sum(after - begun for (name, begun), (_, after) in pairs if name == stage)


def grid(
    recipe: Recipe, methods: Sequence[str], ks: Sequence[int], target: str | None = None
) -> list[Cell]:
    """List every method at every k, `all` being every method.

    Unknown methods are refused, all together. `target` is a column to be predicted.

    `mondrian+refine` is the method and refinement after it. The seed is 1 unless the recipe has
    another, so that a comparison can be repeated.
    """
    chosen = named(methods)
    errors = list[ShoalError]()
    for method in chosen:
        try:
            grouping(method.removesuffix(REFINED))
        except ShoalError as error:
            errors.append(error)
    if not chosen:
        errors.append(RecipeError("no method is named", remedy=Remedy(Set("methods", "all"))))
    if not ks:
        errors.append(RecipeError("no k is named", remedy=Remedy(Set("k", [2, 5, 10]))))
    if errors:
        raise RecipeError.together(errors)
    asked = {"seed": SEED} | recipe.as_dict()
    pairs = [(method, k) for method in dict.fromkeys(chosen) for k in dict.fromkeys(ks)]
    return [
        Cell(label(method), Recipe.of(**asked | _part(method) | {"k": k}), target)
        for method, k in pairs
    ]


def _part(method: str) -> Row:
    """Return the part of a recipe about a method that may be refined."""
    refined = {"refine": True} if method.endswith(REFINED) else {}
    return {"method": method.removesuffix(REFINED), **refined}


def named(methods: Iterable[str]) -> list[str]:
    """Split what users type into methods.

    `all`, or names with commas between, each with parameters behind a colon.

    >>> named(["k-member:class_weight=0.5,seed_rule=last-added,mondrian"])
    ['k-member:class_weight=0.5,seed_rule=last-added', 'mondrian']
    """
    parts: list[str] = []
    for text in methods:
        for part in filter(str.strip, re.split(r",(?![^(\[]*[)\]])", text)):
            if parts and re.match(r"\s*\w+\s*=", part):
                parts[-1] += f",{part.strip()}"
            else:
                parts += list(registry.names(Method)) if part.strip() == "all" else [part.strip()]
    return parts


def label(method: str) -> str:
    """Name a method as in tables and charts: with the parameters that were given."""
    name, given = registry.parse(method.removesuffix(REFINED))
    refined = REFINED if method.endswith(REFINED) else ""
    if given:
        return f"{name}({', '.join(f'{key}={value}' for key, value in given.items())}){refined}"
    return name + refined


def refuse_hopeless(table: pa.Table, cells: Iterable[Cell]) -> None:
    """Refuse at once what would be refused in every cell.

    For example a column that is not there, or data that can't be used.
    """
    cells = list(cells)
    for target in {cell.target for cell in cells if cell.target is not None}:
        refuse_unlearnt(cells[0].recipe, target)
    plans = []
    errors = []
    for recipe in {cell.recipe.method: cell.recipe for cell in cells}.values():
        try:
            plans.append(recipe.plan())
        except ShoalError as error:
            errors.append(error)
    if not plans:
        raise errors[0]
    refuse_repeated_people(table, plans[0].recipe)
    declared(table, plans[0])


def digest(table: pa.Table, names: Iterable[str]) -> str:
    """Hash some columns, with the order of rows: methods break ties by it."""
    hasher = hashlib.sha256()
    for name in names:
        column = pc.dictionary_encode(table[name].combine_chunks())
        values = json.dumps([name, str(table[name].type), text_of(column.dictionary).to_pylist()])
        hasher.update(hashlib.sha256(values.encode()).digest())
        hasher.update(np.asarray(pc.fill_null(column.indices, -1), "<i4").tobytes())
    return hasher.hexdigest()


def measures() -> list[str]:
    """List the names of all losses and risks."""
    return [*registry.names(Loss), *registry.names(PublishedLoss), *registry.names(Risk)]


def as_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Convert rows of figures to a table.

    Losses and risks that mean nothing are null, and so are all in a refused cell.
    """
    kinds = {"method": pa.string(), LAST: pa.string()} | dict.fromkeys(WHOLE, pa.int64())
    learnt = [name for name in NAMES if any(name in row for row in rows)]
    names = [*FIRST, *learnt, *measures(), LAST]
    return pa.table(
        {
            name: pa.array([row.get(name) for row in rows], kinds.get(name, pa.float64()))
            for name in names
        }
    )


def _figures(outcome: Outcome, seconds: float) -> Row:
    assert outcome.groups is not None
    sizes = outcome.groups.sizes
    return {
        "seconds": seconds,
        "groups": outcome.groups.count,
        "smallest-group": int(sizes.min()) if len(sizes) else None,
        "median-group": float(np.median(sizes)) if len(sizes) else None,
        "largest-group": int(sizes.max()) if len(sizes) else None,
        "withheld": outcome.groups.withheld,
        "exact-cells": _share([column.exact for column in outcome.columns.values()]),
        "lost-cells": _share([column.lost for column in outcome.columns.values()]),
        **outcome.losses,
        **{name: worst(figure) for name, figure in outcome.risks["after"].items()},
    }


def _share(of_columns: Sequence[float | None]) -> float | None:
    """Average over quasi-identifiers; None where some have no figure, as averages have none."""
    known = [share for share in of_columns if share is not None]
    return sum(known) / len(known) if known and len(known) == len(of_columns) else None


def _content(spec: Any) -> Any:
    """Return the content of a hierarchy: a file may move without a change, or change in place."""
    if isinstance(spec, str) and os.path.isfile(spec):
        return hashlib.sha256(Path(spec).read_bytes()).hexdigest()
    return spec
