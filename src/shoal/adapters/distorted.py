"""Distorted tables at the door: what a call gives back, and how it becomes files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters import databases, files
from shoal.adapters.atomic_files import Staged
from shoal.adapters.certificates import certificate_places
from shoal.adapters.manner import PLAIN, Manner
from shoal.adapters.papers import stage_certificates, stage_signature
from shoal.adapters.part_writer import WHOLE, PartWriter, format_of
from shoal.adapters.parts import long, parts_of, rows_in
from shoal.adapters.signing import Signer
from shoal.adapters.tables import refuse_table
from shoal.attacks.findings import Findings
from shoal.distortions.parts import TableParts
from shoal.errors import ShoalError
from shoal.flows import distortion
from shoal.flows.clock import Stage
from shoal.flows.distortion import DistortionOutcome, DistortionRequest, PerturbedCertificate
from shoal.groups import Note, unwatched
from shoal.review.certificate import as_json
from shoal.review.fingerprint import fingerprint
from shoal.screen import Screen, Shown

LOST = "the file that was written does not hold the table"


@dataclass(frozen=True, repr=False)
class Distorted(Shown):
    """A perturbed table, with what our own attacks found in it."""

    table: Any
    """The same kind of frame as came in; rows in the same order unless they were shuffled."""
    certificate: PerturbedCertificate
    """`.public` goes with the table, `.private` stays at home."""
    findings: Findings
    """What each attack regained over guessing; `.holds` where none that gates succeeded."""
    effects: Mapping[str, float | None]
    """What noise did to values and clusters, by name."""
    notices: tuple[Note, ...]
    seconds: Mapping[str, float]
    published: pa.Table
    signer: Signer | None = None
    """Signs the table when it is written; None leaves it unsigned."""
    manner: Manner = PLAIN
    """How the file that was read is written."""

    @property
    def screen(self) -> Screen:
        """The columns that were perturbed, and what our own attacks regain."""
        public = self.certificate.public
        count = len(public.columns.perturbed)
        columns = f"{count} column{'s' * (count != 1)}"
        done = f"{public.rows:,} rows, {columns} perturbed by {public.method}."
        attacked = self.findings.screen
        notices = (*self.notices, *attacked.notices)
        return replace(attacked, headline=f"{done} {attacked.headline}", notices=notices)

    def write(
        self,
        place: str | Path,
        *,
        table: str | None = None,
        certificate: str | Path | None = None,
        force: bool = False,
        inputs: Sequence[str] = (),
    ) -> None:
        """Write the table and its two certificates as files, whole or not at all.

        They are read again and compared before they appear.

        In a database it becomes the table of that name, in one transaction, and the certificates
        are files named after it. A table that was made with `sign=` is signed, in a file beside its
        public certificate.
        """
        papers = certificate_places(place, certificate, table)
        if databases.is_url(place):
            with (
                databases.Written(str(place), table, force=force) as target,
                Staged(force=force, inputs=inputs) as staged,
            ):
                stage_certificates(staged, self.certificate, papers)
                signature = stage_signature(staged, papers, self.signer)
                target.fill(self.published)
                self._compare(files.as_texts(target.read()))
                signature.fill(self.certificate.public, table or "released")
                staged.last(target.place)
            return
        refuse_table(table)
        with Staged(force=force, inputs=inputs) as staged:
            stage_certificates(staged, self.certificate, papers)
            signature = stage_signature(staged, papers, self.signer)
            written = staged.file(place)
            if self.manner.decimal_comma:
                files.write_table(self.published, written, like=place, manner=self.manner)
            else:
                parts = TableParts.of(self.published).read()
                files.write_parts(parts, written, like=place, manner=self.manner)
            self._compare(files.read(written, typed=False, like=place))
            signature.fill(self.certificate.public, place, written)

    def _compare(self, written: pa.Table) -> None:
        """Refuses what is not the table that was to be written."""
        if fingerprint(written) != self.certificate.public.hash:
            raise ShoalError(LOST, {"published": "nothing"})


def goes_in_parts(source: str, place: str, asked: DistortionRequest) -> bool:
    """Whether a file is so long that it had better be perturbed part by part, and can be."""
    whole = (
        asked.shuffled
        or source == files.STANDARD
        or format_of(place)[1] in (".arrow", ".feather", *WHOLE)
    )
    return not whole and not databases.is_url(place) and long(source)


def write_in_parts(
    source: str,
    place: str,
    asked: DistortionRequest,
    *,
    certificate: str | None = None,
    force: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    signer: Signer | None = None,
    stage: Stage = lambda name: unwatched,
) -> DistortionOutcome:
    """From a Parquet or CSV file to another, part by part, whole or not at all."""
    with Staged(force=force, inputs=[source]) as staged:
        places = certificate_places(place, certificate)
        hidden = [staged.file(each, private=i == 1) for i, each in enumerate(places)]
        signature = stage_signature(staged, places, signer)
        written = staged.file(place)
        parts = parts_of(source, delimiter, encoding, watch=stage("reading"))
        with PartWriter(written, like=place) as growing:
            outcome = distortion.through(parts, asked, growing, stage)
        stage("reading again what was written")
        if not rows_in(str(written), place) == growing.rows == parts.rows:
            raise ShoalError(LOST, {"published": "nothing"})
        for path, part in zip(
            hidden, (outcome.certificate.public, outcome.certificate.private), strict=True
        ):
            path.write_text(as_json(part), encoding="utf-8")
        signature.fill(outcome.certificate.public, place, written)
    return outcome
