"""Matching: find the leaf of a written-down hierarchy for each value of a column.

| column | a leaf stands for a value if |
|---|---|
| text | both are the same text, character by character |
| number | both are the same number: `39`, `39.0` and `3.9e1` are |
| boolean | both say true or both say false, in any case |
| date, time | the leaf is the value's ISO text (a blank may stand for the T) |

A leaf that is found takes the spelling of its value, so that one value is always published as that
value.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from decimal import Decimal

import numpy as np
import pyarrow as pa

from shoal.arrays import Flags
from shoal.declare.columns import text_of
from shoal.declare.hierarchies.hierarchy import Fitted
from shoal.groups import Note

Path = tuple[str, ...]
NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\s*", re.ASCII)


def leaf_keys(labels: Sequence[str], kind: pa.DataType) -> list[Hashable]:
    """Return a key for each leaf in a column of this type; equal keys are one value."""
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return [Decimal(label.strip()) if NUMBER.fullmatch(label) else label for label in labels]
    if pa.types.is_floating(kind):
        cast = kind.to_pandas_dtype()
        return [float(cast(label)) if NUMBER.fullmatch(label) else label for label in labels]
    if pa.types.is_boolean(kind):
        return [label.strip().lower() for label in labels]
    if pa.types.is_timestamp(kind):
        return [f"{label[:10]}T{label[11:]}" if label[10:11] == " " else label for label in labels]
    return list(labels)


def value_keys(values: pa.Array) -> list[Hashable]:
    """Return the key of each value, to be compared with the keys of leaves."""
    kind = values.type
    if pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return list(values.to_pylist())
    if pa.types.is_floating(kind):
        return [float(value) for value in values.to_pylist()]
    return list(text_of(values).to_pylist())


def uncovered(labels: Sequence[str], values: pa.Array) -> Flags:
    """Mark values that have no leaf."""
    known = set(leaf_keys(labels, values.type))
    return np.array([key not in known for key in value_keys(values)], np.bool_)


def laid_over(paths: Sequence[Path], values: pa.Array, notices: tuple[Note, ...] = ()) -> Fitted:
    """Lay the tree of paths over values that all have a leaf.

    Of two leaves for one value the first is taken.
    """
    first: dict[Hashable, Path] = {}
    for key, path in zip(leaf_keys([path[0] for path in paths], values.type), paths, strict=True):
        first.setdefault(key, path)
    keys = value_keys(values)
    texts = text_of(values).to_pylist()
    for key, text in zip(keys, texts, strict=True):
        first[key] = _spelled(first[key], text)
    fitted = Fitted.of_paths(list(first.values()))
    leaf = dict(zip(first, fitted.leaf.tolist(), strict=True))
    return Fitted(fitted.tree, np.array([leaf[key] for key in keys], np.int32), notices)


def _spelled(path: Path, text: str) -> Path:
    """Spell the leaf of a path in another way, and the levels above that only repeat it."""
    if path[0] == text:
        return path
    repeats = next((level for level, label in enumerate(path) if label != path[0]), len(path))
    return (text,) * repeats + path[repeats:]
