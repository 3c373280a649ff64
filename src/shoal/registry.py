"""Registry: name -> class, discovered from the plug-in folders.

A new plug-in is a new file; nothing here changes.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import cache
from importlib import import_module, metadata
from pkgutil import iter_modules
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from shoal import attacks, distortions, mining, overlap, partition, privacy, recode
from shoal.attacks.attack import Attack
from shoal.declare import hierarchies
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.distortions.distortion import Distortion
from shoal.errors import RecipeError, did_you_mean
from shoal.mining.task import Task
from shoal.overlap.overlap import Overlap
from shoal.partition.method import Method
from shoal.privacy.model import Model
from shoal.recode.recoder import Recoder
from shoal.review import effects, losses, risks
from shoal.review.effects.effect import Effect
from shoal.review.losses.loss import Loss
from shoal.review.losses.published import PublishedLoss
from shoal.review.risks.risk import Risk

Plugin = TypeVar("Plugin")

ROOMS: Mapping[type, Any] = {
    Method: partition,
    Overlap: overlap,
    Model: privacy,
    Recoder: recode,
    Loss: losses,
    PublishedLoss: losses,
    Risk: risks,
    Hierarchy: hierarchies,
    Distortion: distortions,
    Effect: effects,
    Task: mining,
    Attack: attacks,
}
WORDS: Mapping[type, str] = {
    Method: "method",
    Overlap: "method",
    Model: "model",
    Recoder: "way to publish",
    Loss: "metric",
    PublishedLoss: "metric",
    Risk: "risk",
    Hierarchy: "kind of hierarchy",
    Distortion: "distortion",
    Effect: "metric",
    Task: "task",
    Attack: "attack",
}


@cache  # it stands in the metadata of the package, a file that is parsed as a whole
def version() -> str:
    """The version of this software."""
    return metadata.version("shoal")


@cache
def names(base: type[Plugin]) -> Mapping[str, type[Plugin]]:
    """Every plug-in of a room by the name that users type, in alphabetical order."""
    room = ROOMS[base]
    plugins: dict[str, type[Plugin]] = {}
    for module in iter_modules(room.__path__):
        imported = import_module(f"{room.__name__}.{module.name}")
        for _, thing in inspect.getmembers(imported, inspect.isclass):
            if issubclass(thing, base) and not inspect.isabstract(thing) and "name" in vars(thing):
                plugins[vars(thing)["name"]] = thing
    return dict(sorted(plugins.items()))


def summary(plugin: type) -> str:
    """Say in one line what a plug-in is, from its docstring and without code marks."""
    paragraph = (inspect.getdoc(plugin) or "").split("\n\n")[0]
    return " ".join(paragraph.replace("`", "").split())


def example(plugin: type) -> list[list[str]]:
    """The first table on the page of a plug-in, its head first; nothing where there is none.

    >>> example(names(Model)["k-anonymity"])[1]
    ['[20, 29], Oslo', '4', 'safe']
    """
    page = inspect.getdoc(inspect.getmodule(plugin)) or ""
    lines = (re.search(r"(?:^\|.*\n?)+", page, re.MULTILINE) or [""])[0].splitlines()
    cells = [
        [cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in lines
    ]
    return [row for row in cells if not all(set(cell) <= set(":-") for cell in row)]


def parameters(plugin: type) -> str:
    """The parameters of a plug-in as users would type them."""
    shown = []
    every = fields(plugin) if hasattr(plugin, "__dataclass_fields__") else ()
    for field in sorted(every, key=lambda each: each.name == "on"):
        if field.name == "on" and not getattr(plugin, "needs_sensitive", False):
            continue
        shown.append(field.name if field.default is MISSING else f"{field.name}={field.default}")
    return ", ".join(shown)


def spell(plugin: object) -> str:
    """A plug-in as users would type it; the inverse of `make`.

    >>> spell(make(Model, "l-diversity:l=3"))
    'l-diversity(l=3)'
    """
    usual = {
        field.name: field.default for field in getattr(plugin, "__dataclass_fields__", {}).values()
    }
    odd = {
        name: value
        for name, value in vars(plugin).items()
        if value is not None and value != usual.get(name, MISSING)
    }
    in_order = sorted(odd.items(), key=lambda pair: pair[0] == "on")
    given = ", ".join(f"{name}={_spelled(value)}" for name, value in in_order)
    name = str(type(plugin).name)  # type: ignore[attr-defined]
    return f"{name}({given})" if given else name


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, tuple | list):
        return str(value)
    parts = list(map(_spelled, value))
    # Spaces divide a list without any other sign: one name with spaces is still one.
    end = ";" if len(parts) == 1 and " " in parts[0] else ""
    return "[" + ";".join(parts) + end + "]"


def _listed(text: str) -> list[str]:
    """Split a list at its semicolons and commas, or else at spaces: names may hold spaces.

    >>> _listed("birth year=2; sex=0"), _listed("a b"), _listed("birth year=2;")
    (['birth year=2', 'sex=0'], ['a', 'b'], ['birth year=2'])
    """
    signs = r"[;,]" if re.search(r"[;,]", text) else r"\s+"
    return [part.strip() for part in re.split(signs, text) if part.strip()]


def make(base: type[Plugin], text: str) -> Plugin:
    """A plug-in from what users type: `k-member`, `l-diversity(l=3)` or `l-diversity:l=3`."""
    name, given = parse(text)
    return create(base, name, given)


def parse(text: str) -> tuple[str, dict[str, str]]:
    """Split `name(a=1, b=2)` or `name:a=1,b=2` into the name and its parameters."""
    match = re.fullmatch(r"\s*([^\s(:]+)\s*(?:\((.*)\)|:(.*))?\s*", text, re.DOTALL)
    if not match:
        raise RecipeError(
            f"'{text}' is no name with parameters", remedy="write name or name:parameter=value"
        )
    given: dict[str, str] = {}
    for part in filter(None, re.split(r",(?![^\[]*\])", match[2] or match[3] or "")):
        key, equals, value = part.partition("=")
        if not equals:
            raise RecipeError(
                f"'{part.strip()}' in '{text}' has no value", remedy=f"write {part.strip()}=value"
            )
        given[key.strip()] = value.strip()
    return match[1], given


def create(base: type[Plugin], name: str, given: Mapping[str, Any]) -> Plugin:
    """A plug-in by name and parameters, which may be text; refuses unknown names and bad values."""
    known = names(base)  # type: ignore[arg-type]
    if name not in known:
        raise RecipeError(f"there is no {WORDS[base]} '{name}'", remedy=did_you_mean(name, known))
    plugin = known[name]
    wanted = {}
    if hasattr(plugin, "__dataclass_fields__"):
        wanted = {f.name: f for f in fields(plugin) if f.init}
    hints = _hints(plugin)  # type: ignore[arg-type]
    values = {}
    for key, value in given.items():
        if key not in wanted:
            remedy = did_you_mean(key, wanted) if wanted else f"'{name}' has no parameters"
            raise RecipeError(f"'{name}' has no parameter '{key}'", remedy=remedy)
        if key == "on" and isinstance(value, str):  # names of columns may hold blanks
            value = [
                part.strip() for part in re.split("[;,]", value.strip("[]() ")) if part.strip()
            ]
        values[key] = _typed(value, hints[key], f"{key} of '{name}'")
    lacking = [
        key
        for key, f in wanted.items()
        if key not in values and f.default is MISSING and f.default_factory is MISSING
    ]
    if lacking:
        raise RecipeError(
            f"'{name}' needs {', '.join(lacking)}", remedy=f"write {name}:{lacking[0]}=..."
        )
    return plugin(**values)


@cache
def _hints(plugin: type) -> Mapping[str, Any]:
    """Return the declared types of a plug-in's parameters."""
    return get_type_hints(plugin)


def _typed(value: Any, hint: Any, what: str) -> Any:
    """A parameter as its declared type."""
    if get_origin(hint) is Literal:
        if value in get_args(hint):
            return value
        raise RecipeError(
            f"{what} can't be '{value}'",
            remedy=did_you_mean(str(value), [str(a) for a in get_args(hint)]),
        )
    if isinstance(hint, UnionType):
        options = [option for option in get_args(hint) if option is not type(None)]
        return None if value in (None, "none") else _typed(value, options[0], what)
    if get_origin(hint) is tuple:
        parts = value
        if isinstance(value, str):
            parts = _listed(value.strip("[]() "))
        if not isinstance(parts, list | tuple):
            raise RecipeError(f"{what} must be a list")
        return tuple(_typed(part, get_args(hint)[0], what) for part in parts)
    try:
        return _cast(value, hint)
    except (TypeError, ValueError, OverflowError):
        word = {int: "a whole number", float: "a number", bool: "true or false"}.get(
            hint, f"a {hint}"
        )
        raise RecipeError(f"{what} must be {word}, not '{value}'") from None


def _cast(value: Any, hint: Any) -> Any:
    if hint is bool:
        word = str(value).lower()
        if word not in ("true", "yes", "false", "no"):
            raise ValueError
        return word in ("true", "yes")
    if hint is int and (
        isinstance(value, bool) or (isinstance(value, float) and value != int(value))
    ):
        raise ValueError
    cast = hint(value) if isinstance(hint, type) else value
    if isinstance(cast, float) and not math.isfinite(cast):
        raise ValueError
    return cast
