"""Key of a ledger: 32 random bytes in a file that its owner alone may read.

People stand in a ledger as HMAC-SHA256 of their identifier, 16 bytes of it. Without the key nobody
can tell who that is, nor try identifiers one after the other.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest, digest
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from shoal.errors import DataError
from shoal.ledger.published import HASH

if TYPE_CHECKING:
    from hashlib import _Hash as Hash

SIZE = 32
BEGIN = "shoal-ledger-key-1 "
WIDTH = 16
BLOCK = 64  # bytes that SHA-256 takes at a time; these masks are those of HMAC, RFC 2104
INNER = 0x36
OUTER = 0x5C


def place_of(ledger: Path) -> Path:
    """Return the place of the key of a ledger: beside it."""
    return ledger.with_name(f"{ledger.name}.key")


@dataclass(frozen=True)
class LedgerKey:
    """The key of a population."""

    secret: bytes

    @classmethod
    def new(cls) -> LedgerKey:
        """Draw a new key."""
        return cls(secrets.token_bytes(SIZE))

    def write(self, place: Path) -> None:
        """Write the key to a new file, for the eyes of its owner alone."""
        descriptor = os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{BEGIN}{self.secret.hex()}\n")
            file.flush()
            os.fsync(file.fileno())

    @classmethod
    def read(cls, place: Path) -> LedgerKey:
        """Read a key; refuse a file that is none."""
        try:
            text = place.read_bytes()[:1000].decode("ascii")
        except FileNotFoundError:
            raise _lost(place) from None
        except (OSError, UnicodeDecodeError):
            text = ""
        try:
            secret = bytes.fromhex(text.removeprefix(BEGIN).strip())
        except ValueError:
            secret = b""
        if not text.startswith(BEGIN) or len(secret) != SIZE:
            raise DataError(f"'{place}' is not the key of a ledger", remedy="restore it")
        return cls(secret)

    def hashed(self, texts: pa.Array) -> pa.Array:
        """Hash texts with HMAC-SHA256: 16 bytes each.

        Both hashes of HMAC begin with a block made from the key, which is hashed once for all.
        """
        inner = self._begun(INNER)
        outer = self._begun(OUTER)
        hashes = [_hashed(text, inner(), outer()) for text in texts.to_pylist()]
        return pa.Array.from_buffers(HASH, len(hashes), [None, pa.py_buffer(b"".join(hashes))])

    def _begun(self, mask: int) -> Callable[[], Hash]:
        """Hash the block of the key; return what makes copies of that state."""
        block = self.secret.ljust(BLOCK, b"\x00")
        return sha256(bytes(byte ^ mask for byte in block)).copy

    def sealed(self, words: bytes) -> bytes:
        """Give a mark that only who has the key can make."""
        return digest(self.secret, b"shoal ledger\x00" + words, "sha256")

    def is_sealed(self, words: bytes, mark: bytes) -> bool:
        """Tell whether a mark was made with this key."""
        return compare_digest(self.sealed(words), mark)


def _hashed(text: str, inner: Hash, outer: Hash) -> bytes:
    """Finish both hashes of HMAC for one text."""
    inner.update(text.encode())
    outer.update(inner.digest())
    return outer.digest()[:WIDTH]


def _lost(place: Path) -> DataError:
    return DataError(
        f"the key of the ledger is not there: '{place}'",
        {"without it": "nobody in the ledger can be recognised, so nothing can be compared"},
        "restore it from a backup; if it is lost for good, begin a new ledger under another name "
        "and add the old releases with their originals (shoal ledger add)",
    )
