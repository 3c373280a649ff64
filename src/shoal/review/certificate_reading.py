"""Reading certificates: from JSON-like data to the structs of their format, or a refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

import msgspec

from shoal.errors import DataError
from shoal.review.certificate_format import (
    FORMAT,
    DistortionCertificate,
    GroupsCertificate,
    OverlapCertificate,
)
from shoal.review.certificate_format_1 import (
    FORMAT_1,
    DistortionCertificate1,
    GroupsCertificate1,
    OverlapCertificate1,
)
from shoal.review.measured_model import MeasuredModel

# Public certificates of each kind, in any format that is read.
AnyGroups: TypeAlias = GroupsCertificate | GroupsCertificate1
AnyOverlap: TypeAlias = OverlapCertificate | OverlapCertificate1
AnyDistortion: TypeAlias = DistortionCertificate | DistortionCertificate1
AnyRelease: TypeAlias = AnyGroups | AnyOverlap
AnyCertificate: TypeAlias = AnyGroups | AnyOverlap | AnyDistortion
# By `kind`, which certificates of groups do not have: its struct.
Kinds: TypeAlias = Mapping[str, type[AnyCertificate]]
GROUPS = "groups"
CALLED = {
    GROUPS: "a release",
    "overlap": "a release with overlapping boxes",
    "distortion": "a perturbed table",
}
KINDS_1: Kinds = {
    GROUPS: GroupsCertificate1,
    "overlap": OverlapCertificate1,
    "distortion": DistortionCertificate1,
}
KINDS_2: Kinds = {
    GROUPS: GroupsCertificate,
    "overlap": OverlapCertificate,
    "distortion": DistortionCertificate,
}


def read_public(stated: Mapping[str, Any]) -> AnyCertificate:
    """Return the public certificate that JSON-like data state; DataError if they state none.

    Fields that are not known are refused: nobody could tell whether they are true.

    >>> read_public({"kind": "distortion", "format": 99})
    Traceback (most recent call last):
    shoal.errors.DataError: this format of certificate is not known here
      known: 1, 2
      try: update shoal
    """
    kind = _kind(stated)
    # Format 1 of groups is taken without a number too; all others must have one.
    number = stated.get("format", FORMAT_1 if kind == GROUPS else None)
    reader = READERS.get(number) if isinstance(number, int) else None
    if reader is None:
        problem = "this format of certificate is not known here"
        raise DataError(problem, {"known": ", ".join(map(str, READERS))}, "update shoal")
    return reader(stated)


def _kind(stated: Mapping[str, Any]) -> str:
    kind = stated.get("kind")
    return kind if isinstance(kind, str) and kind in CALLED else GROUPS


def _read(kinds: Kinds, stated: Mapping[str, Any]) -> AnyCertificate:
    kind = _kind(stated)
    try:
        return msgspec.convert(dict(stated), kinds[kind], dec_hook=_decoded)
    except msgspec.ValidationError as wrong:
        raise DataError(
            f"this is not the public certificate of {CALLED[kind]}", {"reason": str(wrong)}
        ) from None


def _decoded(kind: type, stated: Any) -> Any:
    """Return an entry of a certificate that is no struct."""
    if kind is MeasuredModel and isinstance(stated, Mapping):
        return MeasuredModel.of(stated)
    raise ValueError(f"Expected `object`, got `{type(stated).__name__}`")


READERS: Mapping[int, Callable[[Mapping[str, Any]], AnyCertificate]] = {
    FORMAT_1: partial(_read, KINDS_1),
    FORMAT: partial(_read, KINDS_2),
}
