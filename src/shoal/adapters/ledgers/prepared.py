"""Prepared: what a ledger is to keep of a release that another process hands over later.

It is a file of its maker's, beside the release. As in the ledger itself, people and sensitive
values are keyed hashes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa

from shoal.adapters.ledgers.ledger_key import LedgerKey
from shoal.adapters.ledgers.packed import table_bytes, table_of, values_of
from shoal.arrays import Ints
from shoal.ledger.published import Published


class _Kept(msgspec.Struct):
    """The file: what an entry says, and tables as bytes."""

    says: dict[str, Any]
    recipient: str
    compared: tuple[int, ...]
    mark: bytes
    parts: dict[str, bytes]


@dataclass(frozen=True)
class Prepared:
    """A release as a ledger will keep it, and the earlier releases that it was compared with."""

    published: Published
    says: Mapping[str, Any]
    recipient: str
    compared: tuple[int, ...]
    """Numbers of the earlier releases."""
    mark: bytes
    """Made with the key that people are hashed with: with another one nobody is recognized."""

    @classmethod
    def of(
        cls,
        published: Published,
        says: Mapping[str, Any],
        recipient: str,
        compared: tuple[int, ...],
        key: LedgerKey,
    ) -> Prepared:
        """Prepare a release whose people are hashed with a key."""
        return cls(published, says, recipient, compared, key.sealed(_marked(published)))

    def is_for(self, key: LedgerKey) -> bool:
        """Tell whether people are hashed with this key, and nothing was changed since."""
        return key.is_sealed(_marked(self.published), self.mark)

    def write(self, place: Path) -> None:
        """Write it to a file."""
        says = msgspec.to_builtins(dict(self.says))
        kept = _Kept(says, self.recipient, self.compared, self.mark, _parts(self.published))
        place.write_bytes(msgspec.msgpack.encode(kept))

    @classmethod
    def read(cls, place: Path) -> Prepared:
        """Read it from a file."""
        kept = msgspec.msgpack.decode(place.read_bytes(), type=_Kept)
        published = _published(kept.parts)
        return cls(published, kept.says, kept.recipient, kept.compared, kept.mark)


def _marked(published: Published) -> bytes:
    return f"prepared {published.fingerprint}".encode()


def _parts(published: Published) -> dict[str, bytes]:
    people = {"who": published.people, "group": pa.array(published.group, pa.int32())}
    waiting = {"who": published.waiting, "waited": pa.array(published.waited, pa.int32())}
    values = {f"values {name}": table_bytes(table) for name, table in published.values.items()}
    return {
        "people": table_bytes(pa.table(people)),
        "waiting": table_bytes(pa.table(waiting)),
        "cells": table_bytes(published.cells),
        **values,
    }


def _published(parts: Mapping[str, bytes]) -> Published:
    people = table_of(parts["people"])
    waiting = table_of(parts["waiting"])
    values = {name: part for name, part in parts.items() if name.startswith("values ")}
    return Published(
        people["who"].combine_chunks(),
        _numbers(people["group"]),
        table_of(parts["cells"]),
        values_of(values),
        waiting["who"].combine_chunks(),
        _numbers(waiting["waited"]),
    )


def _numbers(column: pa.ChunkedArray) -> Ints:
    return np.asarray(column, np.int32)
