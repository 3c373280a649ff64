"""Papers of a release: its certificates and its signature, staged so that they stand before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from shoal.adapters.atomic_files import Staged
from shoal.adapters.certificates import signature_place
from shoal.adapters.signing import Signer
from shoal.errors import RecipeError
from shoal.review.certificate import Certificate, as_json
from shoal.review.certificate_format import PrivateCertificate, PublicCertificate
from shoal.review.certificate_reading import AnyCertificate as ReadCertificate
from shoal.wording import Remedy, Set

AnyCertificate = Certificate[PublicCertificate, PrivateCertificate]


@dataclass(frozen=True)
class StagedSignature:
    """A place for a signature, taken before that of the release, and filled when it is written."""

    signer: Signer | None
    hidden: Path | None

    def fill(self, public: ReadCertificate, place: str | Path, written: Path | None = None) -> None:
        """Sign a release; `written` is its file, and None for databases and folders."""
        if self.signer is not None and self.hidden is not None:
            name = PurePath(str(place)).name
            self.hidden.write_text(self.signer.sign(public, name, written), encoding="utf-8")


def stage_certificates(staged: Staged, certificate: AnyCertificate, places: Sequence[Path]) -> None:
    """Stage the public and the private certificate at their places."""
    for target, part in zip(places, (certificate.public, certificate.private), strict=False):
        private = part is certificate.private
        staged.file(target, private=private).write_text(as_json(part), encoding="utf-8")


def stage_signature(
    staged: Staged, places: Sequence[Path], signer: Signer | None
) -> StagedSignature:
    """Stage the signature beside the public certificate.

    Without a signer an old signature is taken away: it would speak of another release. No output
    may replace the key.
    """
    refuse_unplaced(places, signed=signer is not None)
    if not places:
        return StagedSignature(None, None)
    place = signature_place(places[0])
    if signer is None:
        staged.absent(place)
        return StagedSignature(None, None)
    if signer.place is not None:
        staged.inputs.append(signer.place)
    return StagedSignature(signer, staged.file(place))


def refuse_unplaced(places: Sequence[Path], *, signed: bool) -> None:
    """Refuse to sign a release that goes without a certificate to sign it beside."""
    if signed and not places:
        remedy = Remedy(Set("certificate", "released.certificate.json"))
        raise RecipeError("a signature stands beside a certificate", remedy=remedy)


def signature_places(places: Sequence[Path]) -> tuple[Path, ...]:
    """Return the place that a signature takes, or from which an old one is taken away."""
    return (signature_place(places[0]),) if places else ()
