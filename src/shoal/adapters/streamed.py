"""Streamed files: from a Parquet or CSV file larger than memory to a verified release, whole or not
at all.
"""

from __future__ import annotations

from pathlib import Path, PurePath

from shoal import streaming
from shoal.adapters.atomic_files import STANDARD, Staged
from shoal.adapters.certificates import certificate_places
from shoal.adapters.databases import is_url
from shoal.adapters.part_writer import Growing
from shoal.adapters.parts import parts_of, refuse_whole, texts_of
from shoal.errors import RecipeError
from shoal.groups import unwatched
from shoal.pipeline import Stage
from shoal.recipe import Recipe
from shoal.review.certificate import as_json
from shoal.streaming.spill import Folder
from shoal.wording import Option, Remedy, Sentence, Set


def write_streamed(
    source: str,
    place: str,
    recipe: Recipe,
    memory: int,
    *,
    certificate: str | None = None,
    saved: str | None = None,
    force: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    stage: Stage = lambda name: unwatched,
) -> streaming.Outcome:
    """The release and its two certificates as files; what was written is recounted before they take
    their places.
    """
    if STANDARD in (source, place) or is_url(source) or is_url(place):
        raise RecipeError(
            Sentence(Option("memory"), " reads and writes files"),
            remedy="name a file for IN and for OUT",
        )
    if recipe.overlaps:
        raise RecipeError(
            Sentence(Option("memory"), " can't be used with ", Set("method", recipe.method)),
            remedy="leave one of them out",
        )
    if PurePath(place).suffix.lower() in (".arrow", ".feather"):
        problem = Sentence(Option("memory"), " writes Parquet or CSV")
        raise RecipeError(problem, remedy=Remedy(Set("output", "released.parquet")))
    refuse_whole(source)
    with Staged(force=force, inputs=[source]) as staged:
        if saved:
            staged.file(saved).write_text(recipe.to_toml(Path(saved).parent), encoding="utf-8")
        hidden = [
            staged.file(each, private=i == 1)
            for i, each in enumerate(certificate_places(place, certificate))
        ]
        written = staged.file(place)
        with Folder(written) as folder:
            parts = parts_of(source, delimiter, encoding, watch=stage("reading"))
            with Growing(written, like=place) as growing:
                work = streaming.through(parts, recipe, memory, folder, growing, stage)
            outcome = work.certified(texts_of(str(written), place), folder)
        for path, part in zip(
            hidden, (outcome.certificate.public, outcome.certificate.private), strict=True
        ):
            path.write_text(as_json(part), encoding="utf-8")
    return outcome
