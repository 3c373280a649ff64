"""Signatures: known answers, an independent reading of DSSE, and tampering by a generator."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pcsv
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import shoal
from shoal.adapters.keys import make_keys, read_private, read_public
from shoal.adapters.signing import BrokenSignature, Signer, opened, pre_authentication
from shoal.errors import DataError, PrivacyNotMet, RecipeError
from terminal import shoal as run

PEOPLE = pa.table(
    {
        "age": [20 + 3 * (i % 17) for i in range(60)],
        "city": [("Oslo", "Rome", "Bern")[i % 3] for i in range(60)],
        "ill": [("flu", "gout", "cold", "acne")[i % 4] for i in range(60)],
    }
)
ROLES = {"quasi": ["age", "city"], "sensitive": ["ill"], "k": 4, "seed": 1}
TYPED = ("-q", "age,city", "-s", "ill", "-k", "4")
OUT = "out.csv"
STATED = "out.csv.certificate.json"
SIGNATURE = "out.csv.certificate.sig"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SHOAL_PASSPHRASE", raising=False)
    make_keys("my.key")
    pcsv.write_csv(PEOPLE, "people.csv")
    return tmp_path


@pytest.fixture
def signed() -> shoal.Release:
    release = shoal.anonymize(PEOPLE, **ROLES, sign="my.key")
    release.write(OUT)
    return release


def states(key: str | None = "my.key.pub") -> dict[str, str]:
    return {item.what: item.status for item in shoal.verify(OUT, STATED, key=key).items}


# Known answers


def test_what_is_signed_is_the_example_of_the_specification() -> None:
    # DSSE protocol, test vectors: payload "hello world", type http://example.com/HelloWorld
    pae = "DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert pre_authentication("http://example.com/HelloWorld", b"hello world") == pae.encode()
    assert pre_authentication("", b"") == b"DSSEv1 0  0 "
    # lengths count bytes, not letters
    assert pre_authentication("é", "ü".encode()) == b"DSSEv1 2 \xc3\xa9 2 \xc3\xbc"


@pytest.mark.parametrize(
    ("secret", "public", "message", "signature"),
    [
        (  # RFC 8032, section 7.1, test 2
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
        (  # RFC 8032, section 7.1, test 3
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
            "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        ),
    ],
)
def test_keys_sign_as_the_standard_says(
    secret: str, public: str, message: str, signature: str
) -> None:
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret))
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    Path("rfc.key").write_bytes(pem)
    read = read_private("rfc.key")
    assert read.public_key().public_bytes_raw().hex() == public
    assert read.sign(bytes.fromhex(message)).hex() == signature


def test_an_envelope_is_what_others_read(signed: shoal.Release) -> None:
    """Read by the letter of DSSE and in-toto, with nothing of Shoal's."""
    envelope = json.loads(Path(SIGNATURE).read_text())
    assert sorted(envelope) == ["payload", "payloadType", "signatures"]
    payload = base64.b64decode(envelope["payload"])
    kind = envelope["payloadType"].encode()
    said = b" ".join(
        [b"DSSEv1", str(len(kind)).encode(), kind, str(len(payload)).encode(), payload]
    )
    key = serialization.load_pem_public_key(Path("my.key.pub").read_bytes())
    key.verify(base64.b64decode(envelope["signatures"][0]["sig"]), said)  # type: ignore
    statement = json.loads(payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    digests = [subject["digest"] for subject in statement["subject"]]
    assert digests == [
        {"shoal-rows-sha256": signed.certificate.public.hash},
        {"sha256": hashlib.sha256(Path(OUT).read_bytes()).hexdigest()},
    ]
    assert statement["predicate"] == json.loads(Path(STATED).read_text())


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_openssl_agrees(signed: shoal.Release) -> None:
    envelope = json.loads(Path(SIGNATURE).read_text())
    payload = base64.b64decode(envelope["payload"])
    Path("pae").write_bytes(pre_authentication(envelope["payloadType"], payload))
    Path("sig").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    typed = "openssl pkeyutl -verify -pubin -inkey my.key.pub -rawin -in pae -sigfile sig"
    checked = subprocess.run(typed.split(), capture_output=True)
    assert checked.returncode == 0, checked


# Signing and verifying


def test_a_signed_release_is_verified_by_its_key(signed: shoal.Release) -> None:
    verified = shoal.verify(OUT, STATED, key="my.key.pub")
    assert verified.holds
    assert verified.signed_by == signed.signer.key_id
    said = run("verify", OUT, STATED, "--key", "my.key.pub")
    assert said.code == 0 and "Signed by key" in said.out and "UNSIGNED" not in said.out
    state = run("verify", OUT, STATED, "--key", "my.key.pub", "--json").json
    assert state["signature"]["signed"] and state["signature"]["key"] == verified.signed_by
    assert stat.S_IMODE(Path(SIGNATURE).stat().st_mode) & 0o044  # for everyone


def test_without_a_key_a_release_counts_as_unsigned(signed: shoal.Release) -> None:
    said = run("verify", OUT, STATED)
    assert said.code == 0 and "UNSIGNED" in said.out and "--key FILE.pub" in said.out
    Path(SIGNATURE).unlink()
    assert run("verify", OUT, STATED).out.splitlines()[0].endswith("UNSIGNED.")
    state = run("verify", OUT, STATED, "--json").json["signature"]
    assert state == {"state": "UNSIGNED", "signed": False, "key": None}
    assert run("verify", OUT, STATED, "--key", "my.key.pub").code == 4


def test_another_key_is_no_proof(signed: shoal.Release) -> None:
    make_keys("other.key")
    said = run("verify", OUT, STATED, "--key", "other.key.pub")
    assert said.code == 4 and "NOT verified" in said.out
    assert shoal.verify(OUT, STATED, key="other.key.pub").signed_by is None


def test_a_name_of_a_key_is_not_believed(signed: shoal.Release) -> None:
    make_keys("other.key")
    envelope = json.loads(Path(SIGNATURE).read_text())
    envelope["signatures"][0]["keyid"] = Signer.of("other.key").key_id
    with pytest.raises(BrokenSignature, match="not that of this key"):
        opened(json.dumps(envelope), read_public("other.key.pub"))


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_every_form_of_file_is_signed(suffix: str) -> None:
    shoal.anonymize(PEOPLE, **ROLES, sign="my.key").write(f"out.{suffix}")
    place = f"out.{suffix}.certificate.json"
    assert shoal.verify(f"out.{suffix}", place, key="my.key.pub").signed_by


def test_releases_on_disk_in_databases_and_with_boxes_are_signed() -> None:
    shoal.anonymize("people.csv", **ROLES, memory="2GB", sign="my.key").write("disk.csv")
    assert shoal.verify("disk.csv", "disk.csv.certificate.json", key="my.key.pub").signed_by
    shoal.anonymize(PEOPLE, **ROLES, sign="my.key").write("sqlite:///out.db", table="rows")
    stated = "rows.certificate.json"
    found = shoal.verify("sqlite:///out.db", stated, table="rows", key="my.key.pub")
    assert found.signed_by and "signed file" not in {item.what for item in found.items}
    boxes = shoal.anonymize(PEOPLE, **ROLES, method="nsvdist", sign="my.key")
    boxes.write("boxes.csv")
    found = shoal.verify("boxes.csv", "boxes.csv.certificate.json", key="my.key.pub")
    assert found.signed_by


def test_perturbed_tables_are_signed() -> None:
    numbers = pa.table({"pay": [100.0 + (i * 37) % 101 for i in range(101)]})
    pcsv.write_csv(numbers, "numbers.csv")
    done = run(
        *("distort", "numbers.csv", "-o", OUT, "--columns", "pay", "--as-published"),
        *("--sign", "my.key"),
    )
    assert done.code == 0, done.err
    assert shoal.verify(OUT, STATED, key="my.key.pub").signed_by
    shoal.distort(numbers, as_published=True, sign="my.key").write(OUT, force=True)
    assert shoal.verify(OUT, STATED, key="my.key.pub").signed_by


def test_rows_in_memory_are_checked_by_their_hash(signed: shoal.Release) -> None:
    found = shoal.verify(signed.table, signed.certificate, key="my.key.pub", signature=SIGNATURE)
    assert found.signed_by
    unseen = [
        item.what for item in found.items if item.note == "not checkable without the file itself"
    ]
    assert unseen == ["signed file"]


# Files


def test_a_signature_that_nothing_at_hand_can_be_compared_with_is_no_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shoal.adapters.distorted.goes_in_parts", lambda *_: True)
    call = ("--columns", "age", "--as-published", "--sign", "my.key")
    assert run("distort", "people.csv", "-o", OUT, *call).code == 0
    stated = json.loads(Path(STATED).read_text())
    assert stated.get("hash") is None, "published part by part"
    assert shoal.verify(OUT, STATED, key="my.key.pub").holds
    forged = pcsv.read_csv(OUT)
    place = forged.column_names.index("age")
    forged = forged.set_column(place, "age", pa.array([1.5] * forged.num_rows))
    verified = shoal.verify(forged, STATED, key="my.key.pub")
    assert not verified.holds
    assert verified.signed_by is None


def test_a_replaced_release_does_not_keep_an_old_signature(signed: shoal.Release) -> None:
    unsigned = shoal.anonymize(PEOPLE, **ROLES)
    with pytest.raises(RecipeError, match="exists"):
        unsigned.write(OUT)
    assert Path(SIGNATURE).exists()
    unsigned.write(OUT, force=True)
    assert not Path(SIGNATURE).exists()
    signed.write(OUT, force=True)
    assert shoal.verify(OUT, STATED, key="my.key.pub").signed_by


def test_a_signature_alone_is_not_overwritten(signed: shoal.Release) -> None:
    for name in (OUT, STATED, "out.csv.private.json"):
        Path(name).unlink()
    before = Path(SIGNATURE).read_bytes()
    said = run("anonymize", "people.csv", "-o", OUT, *TYPED, "--sign", "my.key")
    assert said.code == 2 and SIGNATURE in said.err
    said = run("anonymize", "people.csv", "-o", "new.csv", *TYPED, "--sign", "my.key")
    assert said.code == 0 and "new.csv.certificate.sig" in said.err
    assert run("anonymize", "people.csv", "-o", OUT, *TYPED).code == 2
    assert Path(SIGNATURE).read_bytes() == before and not Path(OUT).exists()


def test_all_files_come_or_none_does(
    signed: shoal.Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = (OUT, STATED, SIGNATURE, "out.csv.private.json")
    before = {name: Path(name).read_bytes() for name in names}
    replace = os.replace
    places = []

    def failing(old: Any, new: Any) -> None:
        places.append(Path(new).name)
        if Path(new).name == OUT and Path(old).suffix == ".csv":
            raise OSError(5, "no such luck")
        replace(old, new)

    monkeypatch.setattr(os, "replace", failing)
    for release in (
        shoal.anonymize(PEOPLE, **ROLES, sign="my.key"),
        shoal.anonymize(PEOPLE, **ROLES),
    ):
        with pytest.raises(DataError):
            release.write(OUT, force=True)
        assert {name: Path(name).read_bytes() for name in names} == before
        assert sorted(os.listdir()) == sorted([*names, "my.key", "my.key.pub", "people.csv"])
    assert places.index(SIGNATURE) < places.index(OUT)


def test_a_signature_needs_a_certificate_beside_it() -> None:
    said = run("anonymize", "people.csv", "-o", "-", *TYPED, "--sign", "my.key")
    assert said.code == 2 and "beside a certificate" in said.err and not said.out
    said = run(
        *("anonymize", "people.csv", "-o", "-", *TYPED, "--sign", "my.key"),
        *("--certificate", "named.json"),
    )
    assert said.code == 0, said.err
    Path("named.csv").write_text(said.out)
    assert shoal.verify("named.csv", "named.json", key="my.key.pub").signed_by


# Tampering, by a generator


def tampered(text: bytes) -> Iterator[bytes]:
    """Every text in which one byte is another one, was left out, or stands twice."""
    for place, byte in enumerate(text):
        yield text[:place] + bytes([byte ^ 1]) + text[place + 1 :]
        yield text[:place] + text[place + 1 :]
        yield text[:place] + text[place : place + 1] + text[place:]


def _same_json(one: bytes, other: bytes) -> bool:
    try:
        pairs = (lambda found: sorted(found), lambda found: sorted(found))
        return json.loads(one, object_pairs_hook=pairs[0]) == json.loads(
            other, object_pairs_hook=pairs[1]
        )
    except ValueError:
        return False


def test_no_byte_of_an_envelope_can_be_changed(signed: shoal.Release) -> None:
    text = Path(SIGNATURE).read_bytes()
    key = read_public("my.key.pub")
    opened(text, key)
    tried = 0
    for other in tampered(text):
        if _same_json(other, text):  # spaces between fields say nothing
            continue
        tried += 1
        with pytest.raises(BrokenSignature):
            opened(other, key)
    assert tried > 5_000


def test_no_byte_of_a_file_can_be_changed(signed: shoal.Release) -> None:
    text = Path(OUT).read_bytes()
    for other in list(tampered(text))[:: len(text) // 20]:
        if other == text:  # one of two equal letters
            continue
        Path(OUT).write_bytes(other)
        said = run("verify", OUT, STATED, "--key", "my.key.pub")
        assert said.code in (3, 4), said
    Path(OUT).write_bytes(text)
    assert run("verify", OUT, STATED, "--key", "my.key.pub").code == 0


def test_no_field_of_a_certificate_can_be_changed(signed: shoal.Release) -> None:
    stated = json.loads(Path(STATED).read_text())
    changes = [
        {"shoal": "0.1.1"},
        {"attacks": stated["attacks"][1:]},
        {"recipe": {**stated["recipe"], "seed": 3}},
        {"recipe": {**stated["recipe"], "effort": "high"}},
    ]
    for change in changes:
        Path(STATED).write_text(json.dumps({**stated, **change}))
        assert run("verify", OUT, STATED, "--key", "my.key.pub").code == 4, change
    Path(STATED).write_text(json.dumps(stated, indent=7))
    assert run("verify", OUT, STATED, "--key", "my.key.pub").code == 0
    twice = json.dumps(stated)[:-1] + ', "k": 4}'
    Path(STATED).write_text(twice)
    assert run("verify", OUT, STATED, "--key", "my.key.pub").code == 3


def test_a_signature_of_another_release_is_none(signed: shoal.Release) -> None:
    kept = Path(SIGNATURE).read_bytes()
    shoal.anonymize(PEOPLE, **{**ROLES, "k": 7}, sign="my.key").write(OUT, force=True)
    Path(SIGNATURE).write_bytes(kept)
    found = shoal.verify(OUT, STATED, key="my.key.pub")
    wrong = {item.what for item in found.items if item.status == "differs"}
    assert wrong == {"signed certificate", "signed rows", "signed file"}
    with pytest.raises(PrivacyNotMet):
        found.require()


# Keys


def test_keys_are_made_and_never_overwritten() -> None:
    said = run("keygen", "new.key")
    assert said.code == 0 and "no passphrase" in said.err
    assert stat.S_IMODE(Path("new.key").stat().st_mode) == 0o600
    assert b"BEGIN PRIVATE KEY" in Path("new.key").read_bytes()
    assert b"BEGIN PUBLIC KEY" in Path("new.key.pub").read_bytes()
    before = Path("new.key").read_bytes()
    assert run("keygen", "new.key").code == 2
    Path("new.key").unlink()
    assert run("keygen", "new.key").code == 2  # the public one is still there
    assert run("keygen", "new.key", "--force").code == 0
    assert Path("new.key").read_bytes() != before
    assert run("keygen", "-").code == 2
    assert run("keygen", "no/such/folder.key").code == 3


def test_a_passphrase_locks_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOAL_PASSPHRASE", "correct horse")
    said = run("keygen", "locked.key")
    assert said.code == 0 and "no passphrase" not in said.err and "horse" not in said.out
    assert b"ENCRYPTED" in Path("locked.key").read_bytes()
    assert run("anonymize", "people.csv", "-o", OUT, *TYPED, "--sign", "locked.key").code == 0
    monkeypatch.setenv("SHOAL_PASSPHRASE", "wrong")
    said = run("anonymize", "people.csv", "-o", "b.csv", *TYPED, "--sign", "locked.key")
    assert said.code == 2 and "does not open" in said.err and "wrong" not in said.err
    monkeypatch.delenv("SHOAL_PASSPHRASE")
    said = run("anonymize", "people.csv", "-o", "b.csv", *TYPED, "--sign", "locked.key")
    assert said.code == 2 and "locked by a passphrase" in said.err
    assert not Path("b.csv").exists()


@pytest.mark.parametrize("word", ["x" * 2000, "\udcff\udcfe"])
def test_a_passphrase_that_no_key_can_have_is_refused(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOAL_PASSPHRASE", word)
    said = run("keygen", "odd.key")
    assert said.code == 2 and "the passphrase is" in said.err, said.err
    assert not Path("odd.key").exists()


@pytest.mark.parametrize("option", ["-o", "--certificate", "--save-recipe"])
def test_no_output_replaces_the_key_that_signs(option: str) -> None:
    before = Path("my.key").read_bytes()
    places = {"-o": OUT, option: "my.key"}
    given = [word for item in places.items() for word in item]
    said = run("anonymize", "people.csv", *TYPED, *given, "--sign", "my.key", "--force")
    assert said.code == 2 and "'my.key' is the input" in said.err, said.err
    assert Path("my.key").read_bytes() == before
    assert not Path(OUT).exists()


def test_a_certificate_has_a_size(signed: shoal.Release) -> None:
    said = run("verify", OUT, "/dev/zero")
    assert said.code == 3 and "too large for a certificate" in said.err


def _pem(key: Any) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


@pytest.mark.parametrize(
    ("made", "code", "words"),
    [
        (lambda: _pem(ec.generate_private_key(ec.SECP256R1())), 2, "another kind"),
        (lambda: _pem(rsa.generate_private_key(65537, 2048)), 2, "another kind"),
        (lambda: Path("my.key.pub").read_bytes(), 2, "is a public key"),
        (lambda: Path("my.key").read_bytes()[:60], 2, "damaged"),
        (lambda: b"", 2, "no private key"),
        (lambda: b"\xff" * 99, 2, "no private key"),
        (lambda: b"x" * 70_000, 3, "too large"),
    ],
    ids=["curve", "rsa", "public", "cut off", "empty", "bytes", "large"],
)
def test_what_is_no_key_is_refused_in_one_sentence(made: Any, code: int, words: str) -> None:
    Path("odd.key").write_bytes(made())
    said = run("anonymize", "people.csv", "-o", OUT, *TYPED, "--sign", "odd.key")
    assert (said.code, words in said.err) == (code, True), said.err
    assert not Path(OUT).exists()


def test_public_keys_are_read_as_closely(signed: shoal.Release) -> None:
    said = run("verify", OUT, STATED, "--key", "my.key")
    assert said.code == 2 and "is a private key" in said.err
    assert run("verify", OUT, STATED, "--key", "people.csv").code == 2
    assert run("verify", OUT, STATED, "--key", "none.pub").code == 3
    assert run("verify", OUT, STATED, "--key", ".").code == 3
    os.mkfifo("pipe.pub")
    assert run("verify", OUT, STATED, "--key", "pipe.pub").code == 3
    pem = ec.generate_private_key(ec.SECP256R1()).public_key()
    form = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    Path("curve.pub").write_bytes(pem.public_bytes(*form))
    said = run("verify", OUT, STATED, "--key", "curve.pub")
    assert said.code == 2 and "another kind" in said.err


def test_without_the_extra_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives", None)  # type: ignore
    for typed in (
        ("keygen", "new.key"),
        ("anonymize", "people.csv", "-o", OUT, *TYPED, "--sign", "my.key"),
    ):
        said = run(*typed)
        assert said.code == 2 and "pip install 'shoal[sign]'" in said.err, said
    assert run("anonymize", "people.csv", "-o", OUT, *TYPED).code == 0
    assert run("verify", OUT, STATED).code == 0


def test_a_key_is_in_no_recipe_and_no_certificate(signed: shoal.Release) -> None:
    signed.write("again.csv", recipe="saved.toml")
    for name in ("saved.toml", "again.csv.certificate.json", "again.csv.private.json"):
        assert "my.key" not in Path(name).read_text()
