"""JSON that can be read in one way only: no key twice, no number that JSON does not have."""

from __future__ import annotations

import json
from typing import Any


def strict_loads(text: str | bytes) -> Any:
    """Read JSON; ValueError where a key stands twice or a number is not finite.

    Readers disagree on which of two equal keys counts, so a text with both says two things.

    >>> strict_loads('{"k": 5}')
    {'k': 5}
    """
    return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_constant)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a key stands twice")
    return fields


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
