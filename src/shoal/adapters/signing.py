"""Signatures: who made a release, provable by anyone who has the maker's public key.

`OUT.certificate.sig` is a DSSE envelope in JSON around an in-toto statement (version 1). The
subjects of the statement are the hash of the rows and, where the release is one file, the SHA-256
of that file; its predicate is the public certificate. What is signed is the pre-authentication
encoding of DSSE, `DSSEv1 28 application/vnd.in-toto+json LENGTH PAYLOAD`, by Ed25519.

The signature is checked before the payload is read, and nothing of an envelope is believed that is
not signed: the name of the key must be that of the key at hand.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from shoal.adapters.keys import asked_passphrase, key_id, read_private
from shoal.adapters.strict_json import strict_loads
from shoal.errors import DataError, RecipeError
from shoal.review.certificate_reading import AnyCertificate

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

PAYLOAD = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:shoal:certificate"
ROWS = "shoal-rows-sha256"  # the hash of the rows as a set, whatever file they stand in
BYTES = "sha256"
LARGEST = 64 * 2**20  # bytes of an envelope
BLOCK = 2**20


class BrokenSignature(Exception):
    """An envelope that does not hold what a key signed; the text says why."""


class EnvelopeSignature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One signature in an envelope: the name of its key, and the signature in base64."""

    keyid: str
    sig: str


class Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A DSSE envelope: what was signed, its kind, and by whom."""

    payload: str
    payloadType: str  # noqa: N815
    signatures: list[EnvelopeSignature]


class Subject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A thing that a statement is about: its name, and its hashes by algorithm."""

    name: str
    digest: dict[str, str]


class Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An in-toto statement: subjects, and the public certificate as what is said of them."""

    kind: str = msgspec.field(name="_type")
    subject: list[Subject]
    predicate_type: str = msgspec.field(name="predicateType")
    predicate: dict[str, Any]

    def digest(self, algorithm: str) -> str | None:
        """Return the hash of the subject that has one by this algorithm; None if there is none."""
        hashes = (each.digest[algorithm] for each in self.subject if algorithm in each.digest)
        return next(hashes, None)


@dataclass(frozen=True)
class Signer:
    """A private key, ready to sign releases."""

    key: Ed25519PrivateKey
    place: Path | None = None
    """The file of the key, which no output may replace."""

    @classmethod
    def of(cls, place: str | Path | Signer | None, passphrase: str | None = None) -> Signer | None:
        """Read the key in a file; None without one, and a signer as it is."""
        if place is None or isinstance(place, Signer):
            return place
        if not isinstance(place, str | Path):
            raise RecipeError("a key is given by the name of its file")
        asked = asked_passphrase if passphrase is None else lambda _: passphrase
        return cls(read_private(place, asked), Path(place))

    @property
    def key_id(self) -> str:
        """The name of the key."""
        return key_id(self.key.public_key())

    def sign(self, public: AnyCertificate, name: str, file: Path | None = None) -> str:
        """Return the envelope for a release of this name; `file` holds its bytes, if it is one."""
        return self.envelope(statement(public, name, file))

    def envelope(self, said: Mapping[str, Any]) -> str:
        """Return the envelope around a statement."""
        payload = json.dumps(said, ensure_ascii=False).encode()
        signature = self.key.sign(pre_authentication(PAYLOAD, payload))
        signed = {"keyid": self.key_id, "sig": _coded(signature)}
        envelope = {"payload": _coded(payload), "payloadType": PAYLOAD, "signatures": [signed]}
        return json.dumps(envelope, indent=2) + "\n"


def statement(public: AnyCertificate, name: str, file: Path | None) -> dict[str, Any]:
    """State what a release is: the hash of its rows, that of its file, and its certificate."""
    subjects = []
    if public.hash is not None:
        subjects.append({"name": f"{name} (rows)", "digest": {ROWS: public.hash}})
    if file is not None:
        subjects.append({"name": name, "digest": {BYTES: file_hash(file)}})
    if not subjects:
        problem = "this release has no hash of its rows, and is no single file: it can't be signed"
        raise RecipeError(problem, {"published": "nothing"}, "write it to one file")
    return statement_about(subjects, public.as_dict())


def statement_about(
    subjects: Sequence[Mapping[str, Any]], certificate: Mapping[str, Any]
) -> dict[str, Any]:
    """State a certificate of some subjects, each with a name and hashes."""
    return {
        "_type": STATEMENT,
        "subject": list(subjects),
        "predicateType": PREDICATE,
        "predicate": dict(certificate),
    }


def opened(text: str | bytes, key: Ed25519PublicKey) -> Statement:
    """Return the statement in an envelope that this key signed; BrokenSignature for any other."""
    from cryptography.exceptions import InvalidSignature

    envelope = _decoded(text, Envelope, "the signature file is no envelope")
    if envelope.payloadType != PAYLOAD or len(envelope.signatures) != 1:
        raise BrokenSignature("the signature file is no envelope of one signed statement")
    signed = envelope.signatures[0]
    if signed.keyid != key_id(key):
        raise BrokenSignature("another key signed it")
    payload = _bytes(envelope.payload)
    try:
        key.verify(_bytes(signed.sig), pre_authentication(PAYLOAD, payload))
    except InvalidSignature:
        raise BrokenSignature("the signature is not that of this key") from None
    said = _decoded(payload, Statement, "what was signed is no statement")
    if said.kind != STATEMENT or said.predicate_type != PREDICATE:
        raise BrokenSignature("what was signed is no statement about a release")
    return said


def pre_authentication(kind: str, payload: bytes) -> bytes:
    """Return the bytes that DSSE signs for a payload of this kind.

    >>> pre_authentication("http://example.com/HelloWorld", b"hello world")
    b'DSSEv1 29 http://example.com/HelloWorld 11 hello world'
    """
    spelled = kind.encode()
    return b"DSSEv1 %d %b %d %b" % (len(spelled), spelled, len(payload), payload)


def file_hash(file: str | Path) -> str:
    """Return the SHA-256 of the bytes of a file."""
    digest = hashlib.sha256()
    with Path(file).open("rb") as opened_file:
        while block := opened_file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def read_signature(place: str | Path) -> str:
    """Read the envelope of a release; DataError where the file can't be read."""
    path = Path(place)
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            raise DataError(f"the signature '{place}' is no plain file of its size")
        return path.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise DataError(f"the signature '{place}' can't be read: {error.strerror}") from None


def _decoded(text: str | bytes, struct: type[Any], problem: str) -> Any:
    try:
        data = strict_loads(text)
        if not isinstance(data, Mapping):
            raise BrokenSignature(problem)
        return msgspec.convert(data, struct)
    except (ValueError, RecursionError, msgspec.ValidationError):
        raise BrokenSignature(problem) from None


def _coded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    """Decode base64, of which there must be one spelling only."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise BrokenSignature("the signature file is not in base64") from None
    if _coded(data) != text:
        raise BrokenSignature("the signature file is not in base64")
    return data
