"""A release that stays on a Spark cluster, and how it becomes a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from shoal.adapters.atomic_files import Staged
from shoal.adapters.certificates import certificate_places
from shoal.adapters.tables import refuse_table
from shoal.api.release import Release
from shoal.api.reporting import absent
from shoal.engines.spark.writing import folder
from shoal.errors import RecipeError


@dataclass(frozen=True, repr=False)
class SparkRelease(Release):
    """A verified release as Spark DataFrames."""

    @property
    def table(self) -> Any:
        """The release as a DataFrame, sorted by what is published; a plan until it is used."""
        return self.outcome.table.table

    @property
    def groups(self) -> Any:
        """The input rows as a DataFrame, with the number of their group as the last column."""
        return self.outcome.groups

    @property
    def published(self) -> Any:
        """Refuse: the rows are on the cluster."""
        raise RecipeError("the rows are on the cluster", remedy="release.table.toArrow()")

    def write(
        self,
        place: str | Path,
        *,
        table: str | None = None,
        certificate: str | Path | None = None,
        recipe: str | Path | None = None,
        scheme: str | Path | None = None,
        report: str | Path | None = None,
        force: bool = False,
        inputs: Sequence[str] = (),
    ) -> None:
        """Write a folder of Parquet files beside its two certificates, recounted from these files.

        Spark must see the folder, and so must this process. An existing folder is never replaced.
        """
        refuse_table(table)
        if report is not None:
            raise absent()
        target = Path(place).absolute()
        if target.exists() or not target.parent.is_dir():
            problem = f"there is no folder '{Path(place).parent}'"
            if target.exists():
                problem = f"'{place}' exists"
            raise RecipeError(
                problem, remedy="name a new folder in one that exists; Spark's are never replaced"
            )
        certified = self.certificate.public
        written = folder(self.table, self.recipe.plan(), certified, target)
        with written as hidden, Staged(force=force, inputs=inputs) as staged:
            papers = certificate_places(place, certificate)
            signature = self._stage(staged, papers, recipe, scheme)
            signature.fill(certified, target.name)
            staged.last(partial(os.rename, hidden, target))
