"""TOML: how a recipe is written, and how the files it names are found beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def beside(hierarchies: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Hierarchy files named in a recipe stand beside it unless their path says otherwise."""
    return {
        name: str(folder / spec) if isinstance(spec, str) and (folder / spec).is_file() else spec
        for name, spec in hierarchies.items()
    }


def seen_from(folder: str | Path | None, spec: Any) -> Any:
    """A hierarchy file by its way from a folder; anything else as it is."""
    if folder is None or not isinstance(spec, str) or not Path(spec).is_file():
        return spec
    return Path(os.path.relpath(spec, folder)).as_posix()


def key(name: str) -> str:
    """A name as a key of TOML."""
    return (
        name
        if name.replace("_", "").replace("-", "").isalnum() and name.isascii()
        else written(name)
    )


def written(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key(str(k))} = {written(v)}" for k, v in value.items()) + " }"
    if value is None:  # nothing below a name of a nested hierarchy
        return "[]"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(written(v) for v in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
