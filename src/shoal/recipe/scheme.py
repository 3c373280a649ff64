"""Scheme: bands, codes and levels of a release as a file, so that the next table gets the same.

    [scheme]
    format = 1
    method = "banded"
    new = "refuse"                                    # or "other", or "*"

    [columns.age]
    kind = "number"
    hierarchy = "ladder:widths=5-10-20-40,start=20"
    top = 90

    [columns.city]
    kind = "category"
    values = ["Oslo", "Rome"]

Under `full-domain` each column has its `level` too: 0 for values as they are.

It names every quasi-identifier with its hierarchy, its coding, and how coarse its cells are; a
category without a hierarchy by the values that the release shows. So it holds no value that the
release does not show: ladders are round numbers, and hierarchy files stand beside it. `[beside]`
holds the coding of sensitive and kept columns.

Following a scheme sets these options of a recipe. What the recipe asks otherwise, a scheme for
other columns or another kind of method is refused before any table is read.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from shoal import registry
from shoal.declare.columns import Kind
from shoal.declare.hierarchies.listed import New
from shoal.errors import DataError, RecipeError, ShoalError
from shoal.partition.method import Method
from shoal.recipe.plan import hierarchy_of
from shoal.recipe.recipe import Recipe
from shoal.recipe.recipe_options import End
from shoal.recipe.toml import beside, key, seen_from, written
from shoal.recode.cells import Cell, Value, ValueSet
from shoal.wording import Remedy, Set

CODES = tuple(
    name
    for name in ("top", "bottom", "round", "at_least", "at_most")
    if name in Recipe.__struct_fields__
)
"""Options of a recipe that hold one value for each column, and that a scheme carries on."""
LARGEST = 2**24  # bytes
NEW: dict[str, New | None] = {"refuse": None, "other": "other", "*": "*"}  # None as the scheme says


class SchemeCodes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The coding of a column: options of a recipe by their names."""

    top: End | None = None
    bottom: End | None = None
    round: int | float | None = None
    at_least: End | None = None
    at_most: End | None = None

    @property
    def codes(self) -> dict[str, Any]:
        """The options that are set, by name."""
        every = {name: getattr(self, name) for name in CODES}
        return {name: value for name, value in every.items() if value is not None}


class SchemeColumn(SchemeCodes, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The hierarchy, level and coding of a quasi-identifier."""

    kind: Kind | None = None
    level: int | None = None
    """The level of the hierarchy in all rows, where the method sets one; 0 is the value."""
    hierarchy: str | dict[str, Any] | None = None
    values: tuple[str, ...] | None = None
    new: New | None = None


class SchemeHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The form of a scheme, and the method that it was made by."""

    format: Literal[1]
    method: str
    new: New = "refuse"


class Scheme(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bands, codes and levels for a table with these columns."""

    scheme: SchemeHead
    columns: dict[str, SchemeColumn]
    beside: dict[str, SchemeCodes] = {}

    @classmethod
    def read(cls, path: str | Path) -> Scheme:
        """Read a scheme from a TOML file; hierarchy files are found beside it."""
        asked = _parsed(Path(path))
        try:
            scheme = msgspec.convert(asked, cls)
        except msgspec.ValidationError as wrong:
            problem = f"'{path}' is no scheme: {str(wrong)[:1].lower()}{str(wrong)[1:]}"
            raise RecipeError(problem, remedy="name a file that was saved as a scheme") from None
        trees = {name: column.hierarchy for name, column in scheme.columns.items()}
        placed = beside(trees, Path(path).parent)
        columns = {
            name: msgspec.structs.replace(column, hierarchy=placed[name])
            for name, column in scheme.columns.items()
        }
        return msgspec.structs.replace(scheme, columns=columns)

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        cells: Mapping[str, Sequence[Cell]],
        kinds: Mapping[str, Kind],
        levels: Sequence[int] | None = None,
    ) -> Scheme:
        """Collect the scheme of a release from its recipe and the cells that it shows.

        `levels` of its quasi-identifiers are there where the method sets one for all rows.
        """
        level = dict(zip(recipe.quasi, levels or (), strict=False))
        refuse_unschemed(recipe)
        columns = {
            name: SchemeColumn(
                **_hierarchy_of(recipe, name, cells.get(name, ())),
                **_codes_of(recipe, name),
                kind=kinds.get(name),
                level=level.get(name),
            )
            for name in recipe.quasi
        }
        coded = {name: _codes_of(recipe, name) for name in (*recipe.sensitive, *recipe.keep)}
        others = {name: SchemeCodes(**codes) for name, codes in coded.items() if codes}
        head = SchemeHead(format=1, method=registry.parse(recipe.method)[0])
        return cls(scheme=head, columns=columns, beside=others)

    def to_toml(self, folder: str | Path | None = None) -> str:
        """Write the scheme; hierarchy files are named as they are seen from its folder."""
        sections = {"scheme": msgspec.to_builtins(self.scheme)}
        for name, column in self.columns.items():
            plain = msgspec.to_builtins(column)
            plain["hierarchy"] = seen_from(folder, plain["hierarchy"])
            sections[f"columns.{key(name)}"] = plain
        for name, codes in self.beside.items():
            sections[f"beside.{key(name)}"] = msgspec.to_builtins(codes)
        texts = [_section(title, values) for title, values in sections.items()]
        return "\n\n".join(["# A scheme of Shoal: bands, codes and levels.", *texts]) + "\n"

    def applied(self, recipe: Recipe) -> Recipe:
        """Return the recipe with what the scheme says; refuse one that it does not fit."""
        errors = [*self._misfits(recipe), *self._contradictions(recipe)]
        if errors:
            raise RecipeError.together(errors)
        hierarchies = {**recipe.hierarchies, **self._hierarchies()}
        codes = {name: {**getattr(recipe, name), **self._codes(name)} for name in CODES}
        method = self._method(recipe)
        return msgspec.structs.replace(recipe, hierarchies=hierarchies, method=method, **codes)

    def _method(self, recipe: Recipe) -> str:
        """Return the method, at the levels of the scheme where it sets one for all rows."""
        levels = {n: column.level for n, column in self.columns.items() if column.level is not None}
        return at_levels(recipe.method, levels)

    def _hierarchies(self) -> dict[str, str | dict[str, Any]]:
        """Return the hierarchies as a recipe holds them; `listed` where values are listed."""
        specs: dict[str, str | dict[str, Any]] = {}
        for name, column in self.columns.items():
            if column.values is not None:
                new = column.new or self.scheme.new
                specs[name] = {"kind": "listed", "values": list(column.values), "new": new}
            elif column.hierarchy is not None:
                specs[name] = column.hierarchy
        return specs

    def _codes(self, option: str) -> dict[str, Any]:
        every: dict[str, SchemeCodes] = {**self.columns, **self.beside}
        return {name: each.codes[option] for name, each in every.items() if option in each.codes}

    def _misfits(self, recipe: Recipe) -> Iterator[ShoalError]:
        """Yield why the recipe is for other columns or another kind of method."""
        try:
            refuse_unschemed(recipe, self.scheme.method)
        except ShoalError as error:
            yield error
        other = sorted({*self.columns} ^ {*recipe.quasi})
        if other:
            facts = {"in one of them alone": ", ".join(map(repr, other))}
            yield RecipeError(
                "the scheme is for other quasi-identifiers than the recipe",
                facts,
                Remedy(Set("quasi", list(self.columns))),
            )
        unknown = sorted({*self.beside} - {*recipe.sensitive, *recipe.keep})
        if unknown:
            facts = {"columns": ", ".join(map(repr, unknown))}
            yield RecipeError("the scheme codes columns that are not published", facts)

    def _contradictions(self, recipe: Recipe) -> Iterator[ShoalError]:
        """Yield what the recipe asks of a column otherwise than the scheme."""
        trees = {n: spec for n, spec in recipe.hierarchies.items() if spec != "none"}
        said = {"hierarchies": (trees, self._hierarchies())}
        said |= {name: (getattr(recipe, name), self._codes(name)) for name in CODES}
        for option, (asked, schemed) in said.items():
            for name in asked:
                here = name in self.columns or name in self.beside
                if here and not _agree(asked[name], schemed.get(name)):
                    yield RecipeError(
                        f"'{option}' of column '{name}' is not that of the scheme",
                        remedy="leave it out, or change the scheme",
                    )


def at_levels(method: str, levels: Mapping[str, int]) -> str:
    """Spell a method so that each column stands at its level, where it sets one for all rows."""
    chosen = registry.make(Method, method)
    if not levels or not chosen.sets_levels:
        return method
    limits = tuple(f"{name}={level}" for name, level in levels.items())
    fixed = chosen.with_parameters(at_least=limits, at_most=limits)
    spelled = registry.spell(fixed)
    if not _spells(spelled, fixed):
        facts = {"columns": ", ".join(map(repr, levels))}
        problem = "levels can't be fixed for columns with brackets, commas or semicolons"
        raise RecipeError(problem, facts, "rename them")
    return spelled


def _spells(spelled: str, method: Method) -> bool:
    try:
        return registry.make(Method, spelled) == method
    except RecipeError:
        return False


def without_levels(method: str) -> str:
    """Spell a method without the levels that `at_levels` fixed; another one as it is.

    >>> without_levels("full-domain(at_least=[age=2],at_most=[age=2],charge=level)")
    'full-domain(charge=level)'
    >>> without_levels("full-domain(at_least=[age=2])")
    'full-domain(at_least=[age=2])'
    """
    _, given = registry.parse(method)
    if "at_least" not in given or given["at_least"] != given.get("at_most"):
        return method
    free = registry.make(Method, method).with_parameters(at_least=(), at_most=())
    return registry.spell(free)


def refuse_unschemed(recipe: Recipe, instead: str = "banded") -> None:
    """Refuse a method that has no scheme: only those have one whose values nest."""
    name = registry.parse(recipe.method)[0]
    method = registry.names(Method).get(name)
    if method is None or not method.nests:
        able = [each for each, other in registry.names(Method).items() if other.nests]
        raise RecipeError(
            f"method '{name}' has no scheme: its bands follow each table",
            {"methods with a scheme": ", ".join(able)},
            Remedy(Set("method", instead)),
        )


def _agree(asked: Any, schemed: Any) -> bool:
    """Tell whether two values of an option mean the same; texts of numbers are numbers."""
    if isinstance(asked, Mapping) or isinstance(schemed, Mapping):
        return bool(msgspec.to_builtins(asked) == msgspec.to_builtins(schemed))
    return str(asked).removesuffix(".0") == str(schemed).removesuffix(".0")


def _hierarchy_of(recipe: Recipe, name: str, cells: Sequence[Cell]) -> dict[str, Any]:
    """Describe how a quasi-identifier is generalized, without a value that is not shown."""
    spec = recipe.hierarchies.get(name, "none")
    hierarchy = hierarchy_of(spec)
    if hierarchy is None:
        named = {cell.text for cell in cells if isinstance(cell, Value)}
        named |= {text for cell in cells if isinstance(cell, ValueSet) for text in cell.texts}
        return {"values": tuple(sorted(named))}
    if isinstance(spec, Mapping) and spec.get("kind") == "listed":
        return {"values": tuple(spec["values"]), "new": NEW[spec.get("new", "refuse")]}
    if hierarchy.lists_values or hierarchy.from_data:
        why = (
            "its values stand in the recipe alone" if hierarchy.lists_values else "it follows data"
        )
        raise RecipeError(
            f"the hierarchy of column '{name}' can't be part of a scheme: {why}",
            remedy="save it as a file, and name that",
        )
    return {"hierarchy": spec}


def _codes_of(recipe: Recipe, name: str) -> dict[str, Any]:
    every = {option: getattr(recipe, option) for option in CODES}
    return {option: of[name] for option, of in every.items() if name in of}


def _section(title: str, values: Mapping[str, Any]) -> str:
    lines = [f"{name} = {written(value)}" for name, value in values.items() if value is not None]
    return "\n".join([f"[{title}]", *lines])


def _parsed(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise RecipeError(f"'{path}' is too large for a scheme")
        return tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise DataError(f"the scheme '{path}' can't be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecipeError(f"the scheme '{path}' is not TOML: {error}") from None
