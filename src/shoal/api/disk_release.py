"""A release that was made part by part and lies in a temporary file, and how it takes its place."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from shoal.adapters.atomic_files import STANDARD, Staged
from shoal.adapters.certificates import certificate_places
from shoal.adapters.databases import is_url
from shoal.adapters.json_lines import ENDINGS as JSON_ENDINGS
from shoal.adapters.part_writer import WHOLE, PartWriter, format_of
from shoal.adapters.parts import texts_of
from shoal.adapters.tables import refuse_table
from shoal.api.release import Release
from shoal.api.reporting import absent
from shoal.engines.disk import DiskEngine
from shoal.engines.disk.engine import DiskStore
from shoal.engines.disk.release_file import ReleaseFile
from shoal.engines.row_files import Folder
from shoal.errors import RecipeError, ShoalError
from shoal.flows import limits
from shoal.flows.port import Request
from shoal.groups import unwatched
from shoal.wording import Option, Sentence


@dataclass(frozen=True, repr=False)
class DiskRelease(Release):
    """A verified release in a temporary file, which is gone with the release."""

    @cached_property
    def published(self) -> pa.Table:
        """The release as an Arrow table, read from disk; for those who have room for it."""
        schema = self._file.parts().schema
        parts = list(self._file.parts().read())
        return pa.concat_tables(parts) if parts else schema.empty_table()

    @cached_property
    def table(self) -> Any:
        """The release as the kind of frame that came in, read from disk."""
        return self.back(self.published)

    @property
    def groups(self) -> Any:
        """Refuse: labels of input rows are not kept where rows are worked on part by part."""
        raise limits.refused(DiskEngine, "release.groups")

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
        """Place the release and its two certificates as files, whole or not at all.

        The file that was recounted takes its place as it is where the format is the same. Another
        format, and every further copy, is written part by part and recounted once more: whoever
        has the first file may have changed it.
        """
        refuse_table(table)
        if report is not None:
            raise absent()
        refuse_place(place)
        with Staged(force=force, inputs=inputs) as staged:
            papers = certificate_places(place, certificate)
            signature = self._stage(staged, papers, recipe, scheme)
            written = staged.file(place)
            if self._file.is_untouched and format_of(place) == format_of(self._file.like):
                _second_name(self._file.path, written)
            else:
                self._converted(written, place)
            signature.fill(self.certificate.public, place, written)

    @property
    def _engine(self) -> DiskEngine:
        return cast(DiskEngine, self.engine)

    @property
    def _file(self) -> ReleaseFile:
        file: ReleaseFile = self.outcome.table
        return file

    def _converted(self, written: Path, place: str | Path) -> None:
        """Write the release in another format, and recount what was written."""
        with PartWriter(written, like=place) as growing:
            for part in self._file.parts().read():
                growing(part)
        request = Request(self.recipe.plan(), seed=0)
        with Folder(written) as folder:
            texts = texts_of(str(written), str(place))
            counted = DiskStore(self._engine, folder).recount_parts(texts, request, unwatched)
        if counted.hash != self.certificate.public.hash:
            raise ShoalError("what was written does not hold the release", {"published": "nothing"})


def refuse_place(place: str | Path) -> None:
    """Refuse a place where no file can be written part by part."""
    if str(place) == STANDARD or is_url(place):
        raise RecipeError(Sentence(Option("memory"), " writes files"), remedy="name a file")
    if format_of(place)[1] in (".arrow", ".feather", *WHOLE, *JSON_ENDINGS):
        raise RecipeError(
            Sentence(Option("memory"), " writes Parquet or CSV"), remedy="released.parquet"
        )


def _second_name(file: Path, other: Path) -> None:
    """Give a file a second name, or copy it where there are no links."""
    other.unlink()
    try:
        os.link(file, other)
    except OSError:  # another disk, or a file system without links
        shutil.copyfile(file, other)
        os.chmod(other, 0o600)
