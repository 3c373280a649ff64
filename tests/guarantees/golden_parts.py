"""What a golden case gives, as parts with one hash each, and chance that repeats.

Numbers that protect people are drawn from the operating system, so that nobody can repeat them.
`repeatable` replaces that source for as long as a case runs. It does so below every library, and
no module of Shoal is named: modules may move and the hashes stay comparable.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.random as chance
import pyarrow as pa

DIGITS = 12  # of a float: the last bits of a logarithm differ between processors
LENGTH = 16  # characters of a hash
PROSE = ("not promised", "persons")  # entries of the public certificate that are sentences
SPOKEN = ("stops_it", "note")  # advice inside findings and checks, which each door words itself

GENUINE = os.urandom

Parts = dict[str, Any]

assert chance  # NumPy loads it late, and it draws bytes then: not in the midst of a case


class Streams:
    """Bytes in place of the operating system's: for each length asked for, a stream of its own.

    A name of a temporary file that is drawn or no longer drawn (6 bytes) then leaves the noise
    (8 bytes a number) as it was.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn: dict[int, int] = defaultdict(int)

    def __call__(self, length: int) -> bytes:
        self._drawn[length] += 1
        key = f"{self._seed} {length} {self._drawn[length]}"
        return hashlib.shake_256(key.encode()).digest(length)


@contextmanager
def repeatable(seed: int = 1) -> Iterator[None]:
    """Replace the operating system's random bytes, which `secrets` and NumPy draw from, too."""
    streams = Streams(seed)
    with patch.object(os, "urandom", streams), patch.object(random, "_urandom", streams):
        yield


@contextmanager
def unrepeatable() -> Iterator[None]:
    """Give the operating system's bytes back, where names are drawn that must never be the same."""
    with patch.object(os, "urandom", GENUINE), patch.object(random, "_urandom", GENUINE):
        yield


def digest(part: Any) -> str:
    """Hash a part by its canonical text."""
    return hashlib.sha256(canonical(part).encode()).hexdigest()[:LENGTH]


def canonical(part: Any, indent: int | None = None) -> str:
    """Write a part as JSON: sorted names, floats to twelve digits."""
    return json.dumps(_plain(part), sort_keys=True, ensure_ascii=False, indent=indent)


def table_part(table: Any, *, ordered: bool = True) -> Parts:
    """Take a published frame apart: its kind, its columns with their types, its rows in order.

    Spark promises no order: there, rows are sorted by their texts.
    """
    frame = type(table).__module__.partition(".")[0]
    arrow = _arrow(table)
    columns = [[field.name, str(field.type)] for field in arrow.schema]
    rows = [canonical(list(row.values())) for row in arrow.to_pylist()]
    return {"frame": frame, "columns": columns, "rows": rows if ordered else sorted(rows)}


def certificate_parts(public: Mapping[str, Any], private: Mapping[str, Any]) -> Parts:
    """Split two certificates into figures and prose; leave out the version and the seed."""
    left_out = ["shoal", *PROSE]
    if "k" not in public:  # the hash is of distorted numbers, whose last bits processors differ by
        left_out.append("hash")
    figures = {name: value for name, value in public.items() if name not in left_out}
    secret = {name: value for name, value in private.items() if name not in ("seed", "notes")}
    prose = {name: public[name] for name in PROSE if name in public}
    return {"public": figures, "private": secret, "notes": prose | {"notes": private.get("notes")}}


def _arrow(table: Any) -> pa.Table:
    for way in ("toArrow", "to_arrow"):
        if hasattr(table, way):
            return getattr(table, way)()
    if isinstance(table, pa.Table):
        return table
    return pa.Table.from_pandas(table, preserve_index=False)


def _plain(value: Any) -> Any:
    """Turn what a part may hold into what JSON knows."""
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items() if name not in SPOKEN}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return {"type": str(value.dtype), "values": _plain(value.tolist())}
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float):
        return f"{value + 0.0:.{DIGITS}g}"  # -0.0 is 0: which of them it is differs, too
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return value
