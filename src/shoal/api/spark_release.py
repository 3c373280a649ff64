"""A release that stays on a Spark cluster, and how it becomes a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters.atomic_files import Staged
from shoal.adapters.certificates import certificate_places
from shoal.adapters.tables import refuse_table
from shoal.api.release import Release
from shoal.api.reporting import absent
from shoal.engines.spark import engine as spark
from shoal.errors import RecipeError
from shoal.flows.groups import Stage
from shoal.recipe import Recipe


@dataclass(frozen=True, repr=False, kw_only=True)
class SparkRelease(Release):
    """A verified release as Spark DataFrames: `groups` holds the input rows and, as the last
    column, their group.
    """

    written: spark.Published

    def write(
        self,
        place: str | Path,
        *,
        table: str | None = None,
        certificate: str | Path | None = None,
        recipe: str | Path | None = None,
        report: str | Path | None = None,
        force: bool = False,
        inputs: Sequence[str] = (),
    ) -> None:
        """The release as a folder of Parquet files beside its two certificates, recounted on Spark
        from these files.

        Spark must see the folder, and so must this process. An existing folder is never replaced.
        """
        refuse_table(table)
        if report is not None:
            raise absent()
        target = Path(place).absolute()
        if target.exists() or not target.parent.is_dir():
            problem = (
                f"'{place}' exists"
                if target.exists()
                else f"there is no folder '{Path(place).parent}'"
            )
            raise RecipeError(
                problem, remedy="name a new folder in one that exists; Spark's are never replaced"
            )
        with self.written.folder(target) as hidden, Staged(force=force, inputs=inputs) as staged:
            self._stage(staged, certificate_places(place, certificate), recipe)
            staged.last(partial(os.rename, hidden, target))


def released(
    people: Any, recipe: Recipe, progress: Stage, *, table: str | None, population: Any, bound: bool
) -> SparkRelease:
    """The release that a recipe makes of a Spark DataFrame."""
    refuse_table(table)
    asked = {
        f"method {recipe.method}": recipe.overlaps,
        "population": population is not None,
        "bound": bound,
    }
    for name, given in asked.items():
        if given:
            raise RecipeError(
                f"Spark can't do {name}",
                remedy="leave it out, or collect the table: people.toArrow()",
            )
    found = spark.anonymized(people, recipe, stage=progress)
    measured = {
        field.name: getattr(found, field.name) for field in fields(found) if field.name != "plan"
    }
    return SparkRelease(
        **measured,
        recipe=recipe,
        published=pa.table({}),
        recount=lambda table: spark.recounted(table, found.plan),
        written=found,
    )
