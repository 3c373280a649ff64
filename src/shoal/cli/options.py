"""Options at the terminal: made from the table in `shoal.recipe`, and how what is typed is read."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args

import click
from msgspec import Struct

from shoal.errors import DataError, RecipeError
from shoal.recipe import DeclaredOption, Recipe, Run, options_of
from shoal.review.prechecks.population import read as number_or_text

Command = TypeVar("Command", bound=Callable[..., Any])


def take(*names: str, **changed: Any) -> Callable[[Command], Command]:
    """Give a command the options of these names; `changed` is said otherwise than in the table."""
    table = options_of(Recipe, Run)
    return declared(*(table[name] for name in names), **changed)


def declared(*options: DeclaredOption, **changed: Any) -> Callable[[Command], Command]:
    """Give a command the options that are declared so."""

    def decorate(command: Command) -> Command:
        for each in reversed(options):
            flags = each.flags or (each.flag,)
            settings = {"help": each.described, "metavar": each.metavar, **_typed(each), **changed}
            command = click.option(*flags, each.name, **settings)(command)
        return command

    return decorate


def _typed(option: DeclaredOption) -> dict[str, Any]:
    """Return how click reads the values of an option."""
    by_form: dict[Any, dict[str, Any]] = {
        "switch": {"is_flag": True},
        "choice": {"type": click.Choice(option.choices)},
        "whole": {"type": int},
        "number": {"type": float},
        "mixed": {"callback": lambda _, __, text: None if text is None else number_or_text(text)},
        "column": {"metavar": "COLUMN"},
        "columns": {"multiple": True, "callback": columns, "metavar": option.metavar or "A,B"},
        "words": {"multiple": True, "callback": columns},
        "each": {"multiple": True},
        "pairs": {"multiple": True, "callback": partial(pairs, declared=option)},
        "ways": {"multiple": True},
    }
    return by_form.get(option.form, {})


def given_values(struct: type[Struct], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was typed of the options of a struct; what was not is left out."""
    values = {name: given[name] for name in options_of(struct)}
    return {
        name: value
        for name, value in values.items()
        if value not in (None, (), {}) and value is not False
    }


def columns(_: click.Context, __: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
    """Names separated by commas; a name that holds a comma stands in double quotes."""
    return tuple(
        name.strip()
        for text in given
        for name in next(csv.reader([text], skipinitialspace=True), [])
    )


def pairs(
    ctx: click.Context, shown: click.Parameter, given: Sequence[str], *, declared: DeclaredOption
) -> dict[str, Any]:
    """Read `column=value`, as often as needed.

    A quasi-identifier whose own name holds `=` is recognised by -q.
    """
    named = sorted(ctx.params.get("quasi") or (), key=len, reverse=True)
    values: dict[str, Any] = {}
    for text in given:
        known = next((name for name in named if text.startswith(f"{name}=")), None)
        name, equals, value = (known, "=", text[len(known) + 1 :]) if known else text.partition("=")
        if not equals:
            raise RecipeError(
                f"{shown.opts[0]} takes COLUMN=VALUE, not '{text}'",
                remedy=f"{shown.opts[0]} age=...",
            )
        values[name] = _valued(value, name, declared)
    return values


def ways(given: Sequence[str], names: Sequence[str], usual: str) -> str | dict[str, str]:
    """Return one value for all columns, or where `column=value` was typed, one for each.

    A value may hold `=` itself, as in `born=snapped:last=2026-12-31`.
    """
    everywhere = next((text for text in reversed(given) if "=" not in text), usual)
    single: dict[str, str] = {}
    for text in given:
        known = [name for name in names if text.startswith(f"{name}=")]
        if known:
            name = max(known, key=len)
            single[name] = text[len(name) + 1 :]
        elif "=" in text:
            name, value = text.rsplit("=", 1)
            single[name] = value
    return {**dict.fromkeys(names, everywhere), **single} if single else everywhere


def _valued(text: str, column: str, option: DeclaredOption) -> int | float | str:
    """Read the value of a pair as the option takes it: a text, a number, or either."""
    kind = get_args(option.type)[1]
    kinds = {*get_args(kind)} if isinstance(kind, UnionType) else {kind, *get_args(kind)}
    if float not in kinds:
        return text
    value = number_or_text(text) if int in kinds else _number(text, column, option)
    if isinstance(value, str) and str not in kinds:
        return _number(text, column, option)
    return value


def _number(text: str, column: str, option: DeclaredOption) -> float:
    try:
        return float(text)
    except ValueError:
        raise RecipeError(f"the {option.name} of '{column}' must be a number") from None


def on_spark(engine: str | None, remote: str | None, **beside: object) -> bool:
    """Whether Spark is asked for; refuses half of it, and what can't be used with it."""
    if engine != "spark":
        if remote:
            raise RecipeError("--remote is the address of a Spark server", remedy="--engine spark")
        return False
    if not remote:
        raise RecipeError(
            "--engine spark needs the address of a server", remedy="--remote sc://localhost:15002"
        )
    for name in [name for name, given in beside.items() if given]:
        raise RecipeError(
            f"--engine spark can't be used with --{name}", remedy="leave one of them out"
        )
    return True


def hierarchies_in(
    folder: str | None,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    models: Sequence[str] = (),
) -> dict[str, str]:
    """Find `DIR/<column>.csv` of quasi-identifiers, and of sensitive columns if a model asks."""
    if folder is None:
        return {}
    if not Path(folder).is_dir():
        remedy = "name the folder that holds <column>.csv files"
        raise DataError(f"there is no folder '{folder}'", remedy=remedy)
    wanted = [*quasi, *(sensitive if any("hierarchical" in model for model in models) else ())]
    files = {name: Path(folder) / f"{name}.csv" for name in wanted}
    trees = {name: str(path) for name, path in files.items() if path.is_file()}
    if not trees:
        problem = f"the folder '{folder}' holds no hierarchy of a quasi-identifier"
        raise DataError(problem, remedy="files are named <column>.csv")
    return trees
