"""Options: the declaration of one option of `anonymize`, and the table that every door reads.

An option is one field of `Recipe` (asked of the release, published with it) or of `Run` (where and
how it is carried out, never published):

    withhold: Annotated[Share, option("Share of rows that may be left out.", example=0.01)] = 0.0

The field gives name, type, limits and default; `option` gives the words. The terminal, Python's
signature, the recipe file, its schema, the studio, printed commands and refusals are made from it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from shoal.errors import RecipeError, ShoalError, did_you_mean
from shoal.wording import OneOf, Remedy, Sentence, Set

Form = Literal[
    "switch",  # a flag alone
    "choice",  # one of a few words
    "whole",
    "number",
    "text",
    "mixed",  # a number or a text
    "column",  # a name
    "columns",  # names with commas between
    "words",  # words with commas between
    "each",  # a text for each time that the flag is given
    "pairs",  # COLUMN=VALUE for each time that the flag is given
    "ways",  # VALUE for all columns, or COLUMN=VALUE for one
]

Where = Literal["disk", "spark", "overlap"]
"""Engines and flows that can't serve every option."""
DEEPEST = 50  # levels of a nested value: further ones end in the recursion of others


@dataclass(frozen=True, kw_only=True)
class DeclaredOption:
    """One option: the words of its declaration, and name, type and default of its field."""

    help: str
    """One sentence, for the terminal, Python, the schema and the studio."""
    section: str = ""
    """The section of a recipe file that holds it; a mapping without one is a section by itself."""
    flags: tuple[str, ...] = ()
    """Its spelling at the terminal, the long one last, where that is not `--the-name`."""
    metavar: str | None = None
    """The sign for a value in the help of the terminal."""
    takes: str = ""
    """What is allowed, for the remedy of a wrong value."""
    example: Any = None
    """A value that is allowed."""
    reported: str | None = None
    """Its sentence in reports, if not the help; empty where the part that it names explains it."""
    panel: bool = False
    """Whether the studio offers it in its advanced panel."""
    not_with: tuple[Where, ...] = ()
    """Engines and flows that can't serve it."""
    python: str | None = None
    """Its type in the signature of `anonymize`, if not that of the field; empty: not there."""
    form: Form | None = None
    """How a value is typed, if that does not follow from the type of the field."""
    name: str = ""
    type: Any = None
    default: Any = None

    @property
    def flag(self) -> str:
        """The spelling that is shown to people."""
        return self.flags[0] if self.flags else f"--{self.name.replace('_', '-')}"

    @property
    def choices(self) -> tuple[str, ...]:
        """The words from which one is chosen."""
        return get_args(self.type) if self.form == "choice" else ()

    @property
    def described(self) -> str:
        """The help, with the default where there is one."""
        usual = f"  [default: {self.default}]" if self.default else ""
        return f"{self.help}{usual}"

    @property
    def remedy(self) -> str | None:
        """An allowed value, for whoever gave another one."""
        named = {"column": "one column", "columns": "names of columns"}
        takes = self.takes or named.get(str(self.form), "")
        if self.choices:
            return Remedy(Set(self.name, OneOf(*self.choices)))
        if self.example is None:
            return takes or None
        return Sentence(f"{takes}: ", Set(self.name, self.example))

    def typed(self, value: Any) -> list[str]:
        """Spell the option with a value, word by word, as typed at the terminal."""
        if self.form == "switch":
            return [self.flag]
        if isinstance(value, Mapping):
            pairs = [f"{name}={_word(part)}" for name, part in value.items()]
            return [word for pair in pairs for word in (self.flag, pair)]
        if self.form == "each":
            return [word for part in value for word in (self.flag, part)]
        return [self.flag, _listed(value) if self.form in ("columns", "words") else _word(value)]

    def is_asked(self, struct: msgspec.Struct) -> bool:
        """Whether a recipe or run says anything else than the default."""
        return bool(getattr(struct, self.name) != self.default)


def option(help: str, section: str = "", **declared: Any) -> msgspec.Meta:
    """Declare an option; the words are fields of `DeclaredOption`."""
    words = DeclaredOption(help=help, section=section, **declared)
    return msgspec.Meta(description=help, extra={"option": words})


@cache
def options_of(*structs: type[msgspec.Struct]) -> Mapping[str, DeclaredOption]:
    """Return the options that structs declare, by name and in the order of their fields.

    A field without a declaration is no option.
    """
    table = {}
    for field in (field for struct in structs for field in msgspec.structs.fields(struct)):
        metas = getattr(field.type, "__metadata__", ())
        for declared in (meta.extra["option"] for meta in metas if meta.extra):
            kind = _without_none(field.type)
            form = declared.form or _form(kind)
            default = _default(field)
            table[field.name] = replace(
                declared, name=field.name, type=kind, default=default, form=form
            )
    return table


def sections_of(options: Iterable[DeclaredOption]) -> dict[str, tuple[str, ...]]:
    """Return the names of options by the section of a recipe file that holds them."""
    sections: dict[str, tuple[str, ...]] = {}
    for each in options:
        if each.section:
            sections[each.section] = (*sections.get(each.section, ()), each.name)
    return sections


@cache
def _types_of(struct: type[msgspec.Struct]) -> Mapping[str, Any]:
    """Return the types of a struct's fields, by name; reading annotations takes milliseconds."""
    return {field.name: field.type for field in msgspec.structs.fields(struct)}


def checked_values(
    struct: type[msgspec.Struct], asked: Mapping[str, Any], errors: list[ShoalError]
) -> dict[str, Any]:
    """Return the values that fit the fields of a struct; refusals of the others join the errors."""
    known = _types_of(struct)
    called = struct.__name__.lower()
    values: dict[str, Any] = {}
    for name, value in asked.items():
        if name not in known:
            hint = did_you_mean(name, known)
            errors.append(RecipeError(f"a {called} has no '{name}'", remedy=hint))
            continue
        if _is_deep(value):
            remedy = "write trees of that depth as a hierarchy file"
            errors.append(RecipeError(f"{name} is nested too deep", {"limit": DEEPEST}, remedy))
            continue
        try:
            values[name] = msgspec.convert(_plain(value), known[name])
        except msgspec.ValidationError as wrong:
            problem = f"{name} is not right: {_in_words(str(wrong))}"
            declared = options_of(struct).get(name)
            errors.append(RecipeError(problem, remedy=declared.remedy if declared else None))
    return values


def _is_deep(value: Any) -> bool:
    """Tell whether a value holds others in more levels than `DEEPEST`; asks without recursion."""
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    if isinstance(value, list | tuple):
        return value
    return ()


def _word(value: Any) -> str:
    """Spell a value as people type it: a number without a tail of zeros."""
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _listed(names: Iterable[str]) -> str:
    """Spell names with commas between; a name that holds a comma or quote stands in quotes."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return None if field.default is msgspec.NODEFAULT else field.default


def _without_none(kind: Any) -> Any:
    """Return a type without its annotations and without None."""
    if get_origin(kind) is Annotated:
        return _without_none(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        kinds = [_without_none(part) for part in get_args(kind) if part is not NoneType]
        return kinds[0] if len(kinds) == 1 else Union[tuple(kinds)]  # noqa: UP007
    return kind


def _form(kind: Any) -> Form:
    """Return how values of a type are typed."""
    forms: dict[Any, Form] = {bool: "switch", int: "whole", float: "number", str: "text"}
    shapes: dict[Any, Form] = {Literal: "choice", tuple: "columns", dict: "pairs"}
    if get_origin(kind) is Union:
        return "ways" if any(get_origin(part) is dict for part in get_args(kind)) else "mixed"
    return forms.get(kind) or shapes[get_origin(kind)]


def _plain(value: Any) -> Any:
    """Return a number of NumPy as one of Python."""
    scalar = type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0
    return value.item() if scalar else value


def _in_words(message: str) -> str:
    """Return a message of the validator in the words of users."""
    words = {
        "int": "a whole number",
        "str": "text",
        "float": "a number",
        "bool": "true or false",
        "array": "a list",
        "object": "a table",
        "null": "nothing",
        "|": "or",
    }
    message = message.partition(" - at `$")[0]
    message = re.sub(
        r"`([^`]*)`",
        lambda kinds: " ".join(words.get(kind, kind) for kind in kinds[1].split()),
        message,
    )
    return message[:1].lower() + message[1:]
