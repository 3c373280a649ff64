"""A verified release, and how it becomes files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters import files
from shoal.adapters.certificates import certificate_places
from shoal.adapters.staged import Staged
from shoal.arrays import Labels
from shoal.engine import LocalEngine
from shoal.errors import RecipeError, ShoalError, did_you_mean
from shoal.pipeline import Outcome
from shoal.recipe import Recipe
from shoal.review.certificate import Certificate, as_json
from shoal.review.fingerprint import fingerprint
from shoal.review.risks.risk import Figure
from shoal.review.sources import Source


@dataclass(frozen=True, repr=False)
class Release:
    """A verified release: every promise was recounted from its published values."""

    table: Any
    """The same kind of frame as came in, in published order, without an index."""
    groups: Labels
    """The group of each *input* row, -1 = withheld."""
    certificate: Certificate
    """`.public` goes with the release, `.private` stays at home."""
    losses: Mapping[str, float | None]
    risks: Mapping[str, Mapping[str, Figure]]
    notices: tuple[str, ...]
    seconds: Mapping[str, float]
    recipe: Recipe
    published: pa.Table
    population: Source = None
    """Everyone, as far as known: promises beside a population are recounted with it."""

    def __repr__(self) -> str:
        public = self.certificate.public
        return f"<Release: rows={public['rows']}, groups={public['groups']}, k={public['k']}>"

    def loss(self, name: str) -> float | None:
        """One loss by its name; None where it means nothing for this table."""
        if name not in self.losses:
            raise RecipeError(f"there is no metric '{name}'", remedy=did_you_mean(name, self.losses))
        return self.losses[name]

    def write(
        self,
        place: str | Path,
        *,
        certificate: str | Path | None = None,
        recipe: str | Path | None = None,
        force: bool = False,
        inputs: Sequence[str] = (),
    ) -> None:
        """The release and its two certificates as files, whole or not at all; recounted once more from the file itself.

        `recipe` names a file for what was asked, without the seed.
        """
        with Staged(force=force, inputs=inputs) as staged:
            if recipe:
                staged.file(recipe).write_text(self.recipe.to_toml(Path(recipe).parent), encoding="utf-8")
            parts = (self.certificate.public, self.certificate.private)
            for target, part in zip(certificate_places(place, certificate), parts, strict=False):  # before the release
                private = part is self.certificate.private
                staged.file(target, private=private).write_text(as_json(part), encoding="utf-8")
            written = staged.file(place)
            files.write_table(self.published, written, like=place)
            self._recount(files.read(written, typed=False, like=place))

    def _recount(self, written: pa.Table) -> None:
        """The gate once more, on what is really in the file."""
        LocalEngine().counts(written, self.recipe.plan().among(self.population))
        if fingerprint(written) != self.certificate.public["hash"]:
            raise ShoalError("the file that was written does not hold the release", {"published": "nothing"})


def release_of(outcome: Outcome, recipe: Recipe, back: Callable[[pa.Table], Any], population: Source) -> Release:
    """What a run gave, in the kind of frame that came in."""
    return Release(
        table=back(outcome.table),
        groups=outcome.groups.labels,
        certificate=outcome.certificate,
        losses=outcome.losses,
        risks=outcome.risks,
        notices=outcome.notices,
        seconds=outcome.seconds,
        recipe=recipe,
        published=outcome.table,
        population=population,
    )
