"""Plan: a recipe whose names have become parts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from shoal import registry
from shoal.declare.coding import Coding, coded_table
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.overlap.overlap import Overlap
from shoal.partition.method import Method
from shoal.privacy.model import Model
from shoal.recode.recoder import Recoder

if TYPE_CHECKING:
    from shoal.recipe.recipe import Recipe


@dataclass(frozen=True, kw_only=True)
class PlanParts:
    """The parts of every plan: how columns are generalized, published and weighed."""

    recipe: Recipe
    recoders: Mapping[str, Recoder]
    hierarchies: Mapping[str, Hierarchy | None]
    loss: str

    @property
    def coding(self) -> Mapping[str, Coding]:
        """The rounding and the ends of columns that are coded before rows are grouped, by name."""
        return self.recipe.coding


@dataclass(frozen=True, kw_only=True)
class OverlapPlan(PlanParts):
    """A recipe that gives each row a box of its own."""

    method: Overlap

    @property
    def tells_values(self) -> bool:
        """Tell whether rows hold a value of each sensitive and kept column, not shares of them."""
        return self.method.values == "sampled" and not self.recipe.as_published


@dataclass(frozen=True, kw_only=True)
class Plan(PlanParts):
    """A recipe that divides rows into groups."""

    method: Method
    models: tuple[Model, ...]
    everyone: pa.Table | None = None
    """The population, where a model judges groups beside it."""

    def among(self, population: object) -> Plan:
        """Put the plan beside a population, if some model needs one that is a table."""
        needed = isinstance(population, pa.Table) and any(
            model.judges == "population" for model in self.models
        )
        return replace(self, everyone=coded_table(population, self.coding)) if needed else self


def hierarchy_of(spec: str | Mapping[str, Any] | Path | Hierarchy | None) -> Hierarchy | None:
    """Make a hierarchy from what users write.

    That is `masks:length=5`, a file, a nested dict, `none`, or a hierarchy itself.
    """
    if spec is None or spec == "none" or isinstance(spec, Hierarchy):
        return spec if isinstance(spec, Hierarchy) else None
    if isinstance(spec, Mapping):
        if isinstance(spec.get("kind"), str):
            return registry.create(
                Hierarchy, spec["kind"], {k: v for k, v in spec.items() if k != "kind"}
            )
        return registry.create(Hierarchy, "nested", {"tree": spec})
    name = str(spec).split(":")[0].split("(")[0]
    if name in registry.names(Hierarchy) and not os.path.exists(str(spec)):
        return registry.make(Hierarchy, str(spec))
    return registry.create(Hierarchy, "file", {"path": str(spec)})
