"""Reading certificates: from JSON-like data to the structs of their format, or a refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from shoal.errors import DataError
from shoal.review.certificate_format import (
    FORMAT,
    DistortionCertificate,
    GroupsCertificate,
    OverlapCertificate,
    PublicCertificate,
)
from shoal.review.measured_model import MeasuredModel

# By `kind`, which certificates of groups do not have: the struct, and what it is called in errors.
KINDS: Mapping[str, tuple[type[PublicCertificate], str]] = {
    "overlap": (OverlapCertificate, "a release with overlapping boxes"),
    "distortion": (DistortionCertificate, "a perturbed table"),
}
OF_GROUPS = (GroupsCertificate, "a release")


def read_public(stated: Mapping[str, Any]) -> PublicCertificate:
    """Return the public certificate that JSON-like data state; DataError if they state none.

    Fields that are not known are refused: nobody could tell whether they are true.

    >>> read_public({"kind": "distortion", "format": 99})
    Traceback (most recent call last):
    shoal.errors.DataError: this format of certificate is not known here
      known: 1
      try: update shoal
    """
    kind = stated.get("kind")
    # Certificates of groups are taken without a format too; those of other kinds must have one.
    assumed = None if isinstance(kind, str) and kind in KINDS else FORMAT
    number = stated.get("format", assumed)
    reader = READERS.get(number) if isinstance(number, int) else None
    if reader is None:
        problem = "this format of certificate is not known here"
        raise DataError(problem, {"known": FORMAT}, "update shoal")
    return reader(stated)


def _read_format_1(stated: Mapping[str, Any]) -> PublicCertificate:
    kind = stated.get("kind")
    struct, called = KINDS.get(kind, OF_GROUPS) if isinstance(kind, str) else OF_GROUPS
    try:
        return msgspec.convert(dict(stated), struct, dec_hook=_decoded)
    except msgspec.ValidationError as wrong:
        raise DataError(
            f"this is not the public certificate of {called}", {"reason": str(wrong)}
        ) from None


def _decoded(kind: type, stated: Any) -> Any:
    """Return an entry of a certificate that is no struct."""
    if kind is MeasuredModel and isinstance(stated, Mapping):
        return MeasuredModel.of(stated)
    raise ValueError(f"Expected `object`, got `{type(stated).__name__}`")


READERS: Mapping[int, Callable[[Mapping[str, Any]], PublicCertificate]] = {FORMAT: _read_format_1}
