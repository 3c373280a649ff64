"""Wording: sentences in which options are data, until a door spells them for its readers.

The core knows three doors and speaks none of their languages. It says `Set("withhold", 0.01,
"leave these rows out")`, and

    the terminal prints   leave these rows out (--withhold 0.01)
    Python shows          withhold=0.01
    the studio says       let some rows be left out (Protection)

Options have their names in Python, as in `shoal.anonymize`. How a door spells an option is known
to the door alone: `Python` stands here, because `str(error)` is Python's; that of the terminal is
`cli/spelling.py`, that of the studio `studio/words.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self


@dataclass(frozen=True)
class Blank:
    """A value that the reader has to fill in: `FILE`."""

    name: str


FILE = Blank("FILE")
COLUMN = Blank("COLUMN")
FOLDER = Blank("DIR")


class OneOf:
    """Several values, of which an option takes one: `OneOf("own", "refuse")`."""

    def __init__(self, *values: object) -> None:
        self.values = values


@dataclass(frozen=True)
class Option:
    """An option of which a sentence speaks, without a value."""

    name: str


@dataclass(frozen=True)
class Set:
    """An option, the value to set it to, and what that is good for.

    `None` and `False` mean that the option is to be left out, a `Blank` that the reader knows the
    value, a mapping one value for each column.
    """

    option: str
    value: object
    why: str = ""


@dataclass(frozen=True)
class Call:
    """A call of Shoal with some options, where another command than the present one helps."""

    function: str
    settings: tuple[Set, ...] = ()


Part = str | Option | Set | Call


class Door(Protocol):
    """A place where people meet Shoal, and how it spells what is data to the core."""

    def option(self, option: Option) -> str:
        """Spell the name of an option."""

    def setting(self, setting: Set) -> str:
        """Spell an option with its value, and what it is good for if the reader needs that."""

    def call(self, call: Call) -> str:
        """Spell a call of Shoal."""


class Python:
    """The door of programs: options are arguments.

    >>> print(Python().setting(Set("models", ["l-diversity:l=2"], "ask for less")))
    models=["l-diversity(l=2)"]
    >>> print(Python().setting(Set("original", FILE, "the original table")))
    the original table (original=...)
    """

    def option(self, option: Option) -> str:
        """Spell the name of an option, which is that of the argument."""
        return option.name

    def setting(self, setting: Set) -> str:
        """Spell an argument; say what it is good for where its value is left to the reader."""
        typed = f"{setting.option}={python_value(setting.value)}"
        return f"{setting.why} ({typed})" if setting.why and _left_open(setting.value) else typed

    def call(self, call: Call) -> str:
        """Spell a call whose other arguments are left out."""
        arguments = ", ".join(["...", *(self.setting(setting) for setting in call.settings)])
        return f"shoal.{call.function}({arguments})"


PYTHON = Python()


def python_value(value: object) -> str:
    """Spell a value as Python would, with names of parts as calls: `"l-diversity(l=2)"`."""
    if isinstance(value, Blank):
        return "..."
    if isinstance(value, OneOf):
        return alternatives([python_value(one) for one in value.values])
    if isinstance(value, Mapping):
        pairs = [f"{python_value(name)}: {python_value(one)}" for name, one in value.items()]
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(python_value(one) for one in value) + "]"
    if isinstance(value, str):
        return json.dumps(re.sub(TYPED_PART, r"\1(\2)", value), ensure_ascii=False)
    return f"{value:g}" if isinstance(value, float) else repr(value)


def _left_open(value: object) -> bool:
    values = value.values() if isinstance(value, Mapping) else (value,)
    return any(isinstance(one, Blank) for one in values)


TYPED_PART = re.compile(r"^([a-z][\w-]*):(\w+=.*)$")
"""A method, model or hierarchy with parameters, as it is typed: `l-diversity:l=2`."""


def alternatives(values: list[str]) -> str:
    """Join values of which one is to be chosen: `a, b or c`."""
    return " or ".join([", ".join(values[:-1]), values[-1]] if len(values) > 1 else values)


class Sentence(str):
    """A text of several parts, of which some are options, settings or calls.

    It is a string as Python spells it, and remembers its parts for other doors.

    >>> print(Sentence(Option("memory"), " can't be used with ", Option("person")))
    memory can't be used with person
    """

    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Self:
        """Take nested sentences apart, and spell the parts for Python."""
        nested = [part.parts if isinstance(part, Sentence) else (part,) for part in parts]
        flat = tuple(part for some in nested for part in some)
        sentence = super().__new__(cls, "".join(_spelled(part, PYTHON) for part in flat))
        sentence.parts = flat
        return sentence

    def __getnewargs__(self) -> tuple[Part, ...]:  # type: ignore[override]
        return self.parts

    @property
    def settings(self) -> tuple[Set, ...]:
        """Options that are set to a value."""
        return tuple(part for part in self.parts if isinstance(part, Set))


class Remedy(Sentence):
    """Ways out of a refusal, of which each would do.

    >>> print(Remedy(Set("withhold", 0.01, "leave these rows out"), "ask for less"))
    withhold=0.01, or ask for less
    """

    ways: tuple[Sentence, ...]

    def __new__(cls, *ways: Part) -> Self:
        """Join the ways as alternatives; those of a remedy among them stand beside the others."""
        nested = [way.ways if isinstance(way, Remedy) else (Sentence(way),) for way in ways]
        flat = tuple(way for some in nested for way in some)
        joined = [part for way in flat for part in (", or ", way)][1:]
        remedy = super().__new__(cls, *joined)
        remedy.ways = flat
        return remedy

    def __getnewargs__(self) -> tuple[Part, ...]:  # type: ignore[override]
        return self.ways


def said(words: str, door: Door) -> str:
    """Spell a text as the readers at a door would type what is in it."""
    parts = words.parts if isinstance(words, Sentence) else (words,)
    return "".join(_spelled(part, door) for part in parts)


def without(lacking: Sequence[Part]) -> Sentence:
    """Say that something is not possible without the things that are lacking.

    >>> print(without(["a class", "rows to test on"]))
    not possible without a class and rows to test on
    """
    joined = [part for each in lacking for part in (" and ", each)][1:]
    return Sentence("not possible without ", *joined)


def _spelled(part: Part, door: Door) -> str:
    if isinstance(part, Option):
        return door.option(part)
    if isinstance(part, Set):
        return door.setting(part)
    return door.call(part) if isinstance(part, Call) else part
