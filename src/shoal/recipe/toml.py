"""TOML: how a recipe is written, and how the files it names are found beside it."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import DataError, RecipeError, ShoalError, did_you_mean

FILES = ("population", "scheme")  # options that may name a file
OWN = "hierarchies"  # the section that is one option by itself
DOTTED = re.compile(r"(?:[\w\"'-]+[ \t]*\.[ \t]*){100}")  # a key of a hundred parts


def read_sections(
    path: Path, sections: Mapping[str, Sequence[str]], errors: list[ShoalError]
) -> dict[str, Any]:
    """Return what a recipe file asks, by name; what stands where it can't joins the errors."""
    asked = _parsed(path)
    flat: dict[str, Any] = {OWN: beside(_table(asked, OWN, errors), path.parent)}
    for section in (section for section in asked if section != OWN):
        if section not in sections:
            hint = did_you_mean(section, [*sections, OWN])
            errors.append(RecipeError(f"a recipe has no section '{section}'", remedy=hint))
            continue
        given = _table(asked, section, errors)
        flat |= {name: value for name, value in given.items() if name in sections[section]}
        for name in (name for name in given if name not in sections[section]):
            hint = did_you_mean(name, sections[section])
            errors.append(RecipeError(f"section '{section}' has no '{name}'", remedy=hint))
    named = {name: flat.pop(name, None) for name in FILES if name in flat}
    return {**flat, **beside(named, path.parent)}


def _parsed(path: Path) -> dict[str, Any]:
    """Parse a recipe file."""
    try:
        text = path.read_text(encoding="utf-8")
        if DOTTED.search(text):  # parsed in a time and memory that grow with their square
            raise _too_deep(path)
        return tomllib.loads(text)
    except OSError as error:
        raise DataError(f"the recipe '{path}' can't be read: {error.strerror}") from None
    except RecursionError:
        raise _too_deep(path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"the recipe '{path}' is not TOML: {error}") from None


def _too_deep(path: Path) -> RecipeError:
    remedy = "write trees of that depth as a hierarchy file"
    return RecipeError(f"the recipe '{path}' is nested too deep", remedy=remedy)


def _table(asked: Mapping[str, Any], section: str, errors: list[ShoalError]) -> Mapping[str, Any]:
    """Return one section of a recipe file."""
    values = asked.get(section, {})
    if isinstance(values, Mapping):
        return values
    problem = f"'{section}' must be a section of the recipe"
    errors.append(RecipeError(problem, remedy=f"write [{section}] on a line of its own"))
    return {}


def beside(hierarchies: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Hierarchy files named in a recipe stand beside it unless their path says otherwise."""
    return {name: _beside(name, spec, folder) for name, spec in hierarchies.items()}


def _beside(name: str, spec: Any, folder: Path) -> Any:
    if isinstance(spec, str) and "\0" in spec:
        raise RecipeError(f"what a recipe says of '{name}' holds a null, and is no name of a file")
    if isinstance(spec, str) and os.path.isfile(folder / spec):
        return str(folder / spec)
    return spec


def seen_from(folder: str | Path | None, spec: Any) -> Any:
    """A hierarchy file by its way from a folder; anything else as it is."""
    if folder is None or not isinstance(spec, str) or not os.path.isfile(spec):
        return spec
    return Path(os.path.relpath(spec, folder)).as_posix()


def key(name: str) -> str:
    """A name as a key of TOML."""
    if name.replace("_", "").replace("-", "").isalnum() and name.isascii():
        return name
    return written(name)


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
