"""A verified release, and how it becomes files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.adapters import databases, files
from shoal.adapters.atomic_files import Staged
from shoal.adapters.certificates import certificate_places
from shoal.adapters.manner import PLAIN, Manner
from shoal.adapters.papers import StagedSignature, stage_certificates, stage_signature
from shoal.adapters.signing import Signer
from shoal.adapters.tables import refuse_table
from shoal.api.ledgers import OpenLedger
from shoal.api.reporting import internal_report, public_report, report_places
from shoal.arrays import Labels
from shoal.declare.numbering import numbered_once
from shoal.encode.axes import Axis
from shoal.errors import RecipeError, ShoalError, did_you_mean
from shoal.flows.port import Engine, Outcome
from shoal.flows.schemes import scheme_of
from shoal.groups import Note
from shoal.recipe import Recipe
from shoal.recipe.scheme import Scheme, refuse_unschemed
from shoal.review.certificate import Certificate
from shoal.review.certificate_format import ReleaseCertificate, ReleasePrivate
from shoal.review.fingerprint import are_same_texts, fingerprint
from shoal.review.release_summary import ReleaseSummary, lost_notes, summary_of
from shoal.review.risks.risk import Figure
from shoal.review.what_is_left import ColumnsLeft
from shoal.screen import Screen, Shown
from shoal.wording import FILE, Remedy, Set


@dataclass(frozen=True, repr=False)
class Release(Shown):
    """A verified release: every promise was recounted from its published values.

    `shoal.anonymize` returns it. In a terminal it shows itself in a screenful, in a notebook as a
    small page.

    Examples:
        >>> from shoal.api.anonymizing import anonymize
        >>> people = pa.table({"age": [31, 33, 52, 58], "ill": ["flu", "cold"] * 2})
        >>> release = anonymize(people, quasi=["age"], sensitive=["ill"], k=2)
        >>> release.certificate.public.k, release.loss("average-group-size")
        (2, 2.0)
    """

    outcome: Outcome
    """What the flow gave."""
    recipe: Recipe
    back: Callable[[pa.Table], Any]
    """Makes an Arrow table the kind of frame that came in."""
    recount: Callable[[pa.Table], object]
    """Refuses a table that breaks a promise, whether it was read from a file or not."""
    engine: Engine[Any]
    signer: Signer | None = None
    """Signs the release when it is written; None leaves it unsigned."""
    manner: Manner = PLAIN
    """How the file that was read is written: a release of the same form is written so too."""
    ledger: OpenLedger | None = None
    """Where the release is written down; None without a ledger."""

    @cached_property
    def table(self) -> Any:
        """The published rows as the kind of frame that came in, without an index."""
        return self.back(self.outcome.table)

    @property
    def groups(self) -> Labels | None:
        """The group of each *input* row, -1 = withheld; None where rows have boxes of their own."""
        return self.outcome.groups.labels if self.outcome.groups else None

    @property
    def certificate(self) -> Certificate[ReleaseCertificate, ReleasePrivate]:
        """The certificate: `.public` goes with the release, `.private` stays at home."""
        return self.outcome.certificate

    @property
    def losses(self) -> Mapping[str, float | None]:
        """Every loss by its name; None where it means nothing for this table."""
        return self.outcome.losses

    @property
    def risks(self) -> Mapping[str, Mapping[str, Figure]]:
        """Every risk by its name, `before` and `after`."""
        return self.outcome.risks

    @property
    def notices(self) -> tuple[Note, ...]:
        """Notices about the table and the release; those of a call also come as `ShoalWarning`."""
        # A preset sets the least k: none below it can be asked for.
        k = 1 if self.recipe.preset else self.recipe.k
        lost = lost_notes(self.columns, k, self.recipe.importance)
        published = (*self.recipe.quasi, *self.recipe.roles.beside)
        read = self.manner.notes_on(published, self.recipe.na)
        ledger = self.ledger.notes if self.ledger else ()
        return (*read, *self.outcome.notices, *ledger, *lost)

    @property
    def columns(self) -> ColumnsLeft:
        """Shares of exact, widened and lost cells, for each quasi-identifier."""
        return self.outcome.columns

    @property
    def summary(self) -> ReleaseSummary:
        """The release in a few lines, for its maker."""
        certificate = self.certificate
        return summary_of(
            certificate.public, certificate.private, self.risks, self.columns, self.notices
        )

    @property
    def seconds(self) -> Mapping[str, float]:
        """The seconds that each stage took."""
        return self.outcome.seconds

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The different original values of each quasi-identifier, for the report at home."""
        return self.outcome.axes

    @property
    def published(self) -> pa.Table:
        """The release as an Arrow table."""
        return self.outcome.table

    @property
    def screen(self) -> Screen:
        """The release in a few lines, as text and as HTML."""
        return self.summary.screen

    def loss(self, name: str) -> float | None:
        """Give one loss by its name; None where it means nothing for this table.

        Args:
            name: The loss, as `shoal metrics` lists it.
        """
        if name not in self.losses:
            raise RecipeError(
                f"there is no metric '{name}'", remedy=did_you_mean(name, self.losses)
            )
        return self.losses[name]

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
        """Write the release and its two certificates as files, whole or not at all.

        It is recounted once more from the file itself.

        In a database it becomes a table, in one transaction, and the certificates are files named
        after it. A release that was made with `sign=` is signed, in a file beside its public
        certificate.

        Args:
            place: A file, whose ending says how it is written, or the address of a database.
            table: The name of the table in a database.
            certificate: The public certificate, where it is not to stand beside the release.
            recipe: A file for what was asked, without the seed.
            scheme: A file for bands, codes and levels that the next table can follow.
            report: A file (`.html` or `.md`) for the report that you keep private; the public one,
                made from the release alone, goes beside it: `report.public.html`.
            force: Replace files that exist.
            inputs: Files that must not be replaced.
        """
        places = certificate_places(place, certificate, table)
        papers = (places, recipe, scheme, report_places(report))
        if databases.is_url(place):
            with (
                self._recorded() as record,
                databases.Written(str(place), table, force=force) as target,
                Staged(force=force, inputs=inputs) as staged,
            ):
                signature = self._stage(staged, *papers)
                target.fill(self.published)
                self._recount(files.as_texts(target.read()))
                signature.fill(self.certificate.public, table or "released")
                record()
                staged.last(target.place)
            return
        refuse_table(table)
        with self._recorded() as record, Staged(force=force, inputs=inputs) as staged:
            signature = self._stage(staged, *papers)
            written = staged.file(place)
            files.write_table(self.published, written, like=place, manner=self.manner)
            self._recount(files.read(written, typed=False, like=place))
            signature.fill(self.certificate.public, place, written)
            record(place, written)

    def record(self) -> None:
        """Write the release down in its ledger, where it is handed over by other means than files.

        `write` does that by itself.
        """
        if self.ledger is None:
            raise RecipeError("this release has no ledger", remedy=Remedy(Set("ledger", FILE)))
        with self._recorded() as record:
            record()

    @contextmanager
    def _recorded(self) -> Iterator[Callable[..., None]]:
        """Hold the ledger while files take their places; the block says when they are ready."""
        if self.ledger is None:
            yield lambda *written: None
            return
        with self.ledger.recorded(self.outcome, self.recipe) as recording:
            yield recording.pending

    def scheme(self) -> Scheme:
        """Give the bands, codes and levels of this release, which the next table can follow.

        Only methods whose values nest (`full-domain`, `banded`) have such a scheme.
        """
        refuse_unschemed(self.recipe)
        assert self.outcome.view is not None, "methods with a scheme make groups"
        levels = getattr(self.outcome.groups, "levels", None)  # of a table in memory alone
        return scheme_of(self.recipe, self.outcome.view, levels)

    def report(self, place: str | Path, *, public: bool = False, force: bool = False) -> None:
        """Report what was done and what remains, for people, as `.html` page or Markdown (`.md`).

        Args:
            place: The file.
            public: Make it from the published table and the public certificate alone; else it shows
                original values, and you keep it private.
            force: Replace a file that exists.
        """
        with Staged(force=force) as staged:
            written = public_report(self, place) if public else internal_report(self, place)
            staged.file(place, private=not public).write_text(written, encoding="utf-8")

    def _stage(
        self,
        staged: Staged,
        certificates: Sequence[Path],
        recipe: str | Path | None,
        scheme: str | Path | None = None,
        reports: Sequence[Path] = (),
    ) -> StagedSignature:
        """Stage what goes with the release, and stands before it does."""
        if recipe:
            staged.file(recipe).write_text(
                self.recipe.to_toml(Path(recipe).parent), encoding="utf-8"
            )
        if scheme:
            text = self.scheme().to_toml(Path(scheme).parent)
            staged.file(scheme).write_text(text, encoding="utf-8")
        stage_certificates(staged, self.certificate, certificates)
        signature = stage_signature(staged, certificates, self.signer)
        for target, written in zip(reports, (internal_report, public_report), strict=False):
            private = written is internal_report
            staged.file(target, private=private).write_text(written(self, target), encoding="utf-8")
        return signature

    def _recount(self, written: pa.Table) -> None:
        """The gate once more, on what is really in the file or the database."""
        with numbered_once():
            self.recount(written)
            if self._is_as_recounted(written):
                return
            mark = fingerprint(written)
        if mark != self.certificate.public.hash:
            raise ShoalError("what was written does not hold the release", {"published": "nothing"})

    def _is_as_recounted(self, written: pa.Table) -> bool:
        """Tell whether cells and places are those of the very table whose hash is certified.

        Then they have its hash, and making it again would tell no more.
        """
        view = self.outcome.view
        return view is not None and are_same_texts(view.table, written)
