"""JSON Schemas of certificates, made from the structs of `certificate_format`.

They are published as docs/reference/certificate.schema.json (public parts) and
docs/reference/certificate.private.schema.json (private parts); `make schema` writes them.
"""

from __future__ import annotations

from typing import Any

import msgspec

from shoal.review.certificate_format import (
    CertificatePart,
    DistortionCertificate,
    DistortionPrivate,
    GroupsCertificate,
    GroupsPrivate,
    OverlapCertificate,
    OverlapPrivate,
)
from shoal.review.measured_model import MeasuredModel

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PUBLIC = (GroupsCertificate, OverlapCertificate, DistortionCertificate)
PRIVATE = (GroupsPrivate, OverlapPrivate, DistortionPrivate)


def public_schema() -> dict[str, Any]:
    """Return the JSON Schema of public certificates, format 2: one of three kinds.

    >>> [kind["$ref"] for kind in public_schema()["oneOf"]][0]
    '#/$defs/GroupsCertificate'
    """
    return _schema("Public certificate of Shoal, format 2", PUBLIC)


def private_schema() -> dict[str, Any]:
    """Return the JSON Schema of private certificates, format 2: one of three kinds."""
    return _schema("Private certificate of Shoal, format 2", PRIVATE)


def _schema(title: str, kinds: tuple[type[CertificatePart], ...]) -> dict[str, Any]:
    refs, parts = msgspec.json.schema_components(kinds, schema_hook=_entry)
    return {"$schema": DIALECT, "title": title, "oneOf": list(refs), "$defs": parts}


def _entry(kind: type) -> dict[str, Any]:
    """Return the schema of an entry that is no struct."""
    if kind is MeasuredModel:
        return dict(MeasuredModel.SCHEMA)
    raise NotImplementedError
