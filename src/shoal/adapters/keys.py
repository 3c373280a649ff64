"""Keys for signatures: makes pairs of Ed25519 keys, and reads them from PEM files.

The private key is a file that its owner alone may read (mode 600), under a passphrase if there is
one; the public key stands beside it as `FILE.pub`, for everyone. `cryptography` does the work; it
is the extra `sign`, and is loaded when a key is first asked for.
"""

from __future__ import annotations

import getpass
import hashlib
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.adapters.atomic_files import Staged
from shoal.errors import DataError, RecipeError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

VARIABLE = "SHOAL_PASSPHRASE"
LARGEST = 65_536  # bytes: a file above this is no key
LONGEST = 1023  # bytes of a passphrase
MARK_PRIVATE = b"PRIVATE KEY-----"
MARK_PUBLIC = b"-----BEGIN PUBLIC KEY-----"
MARK_ENCRYPTED = b"ENCRYPTED"


def make_keys(place: str | Path, passphrase: str | None = None, *, force: bool = False) -> Path:
    """Write a new private key to a file and its public key beside it; return the public place.

    Both appear or neither does, and no file is replaced without `force`.
    """
    serialization = _serialization()
    key = _ed25519().Ed25519PrivateKey.generate()
    locked: Any = serialization.NoEncryption()
    if passphrase:
        locked = serialization.BestAvailableEncryption(_bytes_of(passphrase))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    beside = Path(f"{place}.pub")
    with Staged(force=force) as staged:
        staged.file(place, private=True).write_bytes(private)
        staged.file(beside).write_bytes(public)
    return beside


def _bytes_of(passphrase: str) -> bytes:
    """Encode a passphrase for a new key; refuse one that no key can be locked by."""
    try:
        spelled = passphrase.encode()
    except UnicodeEncodeError:
        raise RecipeError("the passphrase is no text in UTF-8", remedy="choose another") from None
    if len(spelled) > LONGEST:
        facts = {"bytes": len(spelled), "at most": LONGEST}
        raise RecipeError("the passphrase is too long", facts, "choose a shorter one")
    return spelled


def given_passphrase() -> str | None:
    """Return the passphrase that the environment holds (SHOAL_PASSPHRASE); None without one."""
    return os.environ.get(VARIABLE) or None


def asked_passphrase(place: str | Path) -> str | None:
    """Return the passphrase of a key: from the environment, or typed; None without a terminal."""
    given = given_passphrase()
    if given is None and sys.stdin is not None and sys.stdin.isatty():
        return getpass.getpass(f"Passphrase of {place}: ") or None
    return given


def read_private(
    place: str | Path, passphrase: Callable[[str | Path], str | None] = asked_passphrase
) -> Ed25519PrivateKey:
    """Read a private key; `passphrase` is asked where the file is locked by one."""
    text = _read(place)
    if MARK_PUBLIC in text:
        remedy = f"name the private key, which lies beside '{Path(place).name}' where it was made"
        raise RecipeError(f"'{place}' is a public key: it can't sign", remedy=remedy)
    if MARK_PRIVATE not in text:
        raise RecipeError(f"'{place}' is no private key in PEM form", remedy=_made_anew())
    serialization = _serialization()
    word = passphrase(place) if MARK_ENCRYPTED in text else None
    if MARK_ENCRYPTED in text and not word:
        remedy = f"set the variable {VARIABLE}, or call it from a terminal, which asks for it"
        raise RecipeError(f"the key '{place}' is locked by a passphrase", remedy=remedy)
    try:
        key = serialization.load_pem_private_key(text, word.encode() if word else None)
    except Exception as error:  # of several kinds, and of others with each version
        if word:
            remedy = "type it again; a lost passphrase can't be found, only a new key made"
            raise RecipeError(f"the passphrase does not open '{place}'", remedy=remedy) from None
        raise _unreadable(place, error) from None
    if not isinstance(key, _ed25519().Ed25519PrivateKey):
        raise _other_kind(place)
    return key


def read_public(place: str | Path) -> Ed25519PublicKey:
    """Read a public key; a private one is refused, as nobody should hand it around."""
    text = _read(place)
    if MARK_PRIVATE in text:
        problem = f"'{place}' is a private key: signatures are checked with the public one"
        raise RecipeError(problem, remedy=f"name '{Path(place).name}.pub'")
    if MARK_PUBLIC not in text:
        raise RecipeError(f"'{place}' is no public key in PEM form", remedy=_made_anew())
    try:
        key = _serialization().load_pem_public_key(text)
    except Exception as error:
        raise _unreadable(place, error) from None
    if not isinstance(key, _ed25519().Ed25519PublicKey):
        raise _other_kind(place)
    return key


def key_id(key: Ed25519PublicKey) -> str:
    """Return the name of a key: the SHA-256 of its public half as DER."""
    serialization = _serialization()
    der = key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return hashlib.sha256(der).hexdigest()


def _read(place: str | Path) -> bytes:
    """Read a small plain file; anything else can't be a key."""
    try:
        with open(place, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise DataError(f"'{place}' is no plain file", remedy=_made_anew())
            text = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no name of a file"
        problem = f"the key '{place}' can't be read: {reason}"
        raise DataError(problem, remedy=_made_anew()) from None
    if len(text) > LARGEST:
        raise DataError(f"'{place}' is too large for a key", remedy=_made_anew())
    return text


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe without a writer does not keep anyone waiting."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _unreadable(place: str | Path, error: Exception) -> RecipeError:
    return RecipeError(
        f"the key '{place}' is damaged", {"reason": type(error).__name__}, _made_anew()
    )


def _other_kind(place: str | Path) -> RecipeError:
    return RecipeError(f"'{place}' is a key of another kind than Ed25519", remedy=_made_anew())


def _made_anew() -> str:
    return "make a pair of keys: shoal keygen FILE"


def _serialization() -> Any:
    """Load the forms of keys; one refusal where the extra is not installed."""
    try:
        from cryptography.hazmat.primitives import serialization
    except ImportError:
        raise RecipeError(
            "signatures need a package that is not installed", remedy="pip install 'shoal[sign]'"
        ) from None
    return serialization


def _ed25519() -> Any:
    from cryptography.hazmat.primitives.asymmetric import ed25519

    return ed25519
