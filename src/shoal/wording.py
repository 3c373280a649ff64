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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


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


class Sentence:
    """A sentence of several parts, of which some are options, settings or calls.

    >>> print(Sentence(Option("memory"), " can't be used with ", Option("person")))
    memory can't be used with person
    """

    def __init__(self, *parts: Part | Sentence | Remedy) -> None:
        self.parts: tuple[Part, ...] = tuple(each for part in parts for each in _parts_of(part))

    def __str__(self) -> str:
        return said(self, PYTHON)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sentence) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def settings(self) -> tuple[Set, ...]:
        """Options that the sentence sets to a value."""
        return tuple(part for part in self.parts if isinstance(part, Set))


class Remedy:
    """Ways out of a refusal, of which each would do.

    >>> print(Remedy(Set("withhold", 0.01, "leave these rows out"), "ask for less"))
    withhold=0.01, or ask for less
    """

    def __init__(self, *ways: Part | Sentence | Remedy) -> None:
        inner = [way.ways if isinstance(way, Remedy) else (Sentence(way),) for way in ways]
        self.ways: tuple[Sentence, ...] = tuple(way for some in inner for way in some)

    def __str__(self) -> str:
        return said(self, PYTHON)

    @property
    def settings(self) -> tuple[Set, ...]:
        """Options that some way sets to a value."""
        return tuple(setting for way in self.ways for setting in way.settings)


def _parts_of(part: Part | Sentence | Remedy) -> Iterator[Part]:
    """Take a nested sentence apart; the ways of a remedy follow each other as alternatives."""
    if isinstance(part, Remedy):
        for number, way in enumerate(part.ways):
            yield from (", or ", *way.parts) if number else way.parts
    elif isinstance(part, Sentence):
        yield from part.parts
    else:
        yield part


class Door(Protocol):
    """A place where people meet Shoal, and how it spells what is data to the core."""

    def option(self, option: Option) -> str:
        """Spell the name of an option."""

    def setting(self, setting: Set) -> str:
        """Spell an option with its value, and what it is good for if the reader needs that."""

    def call(self, call: Call) -> str:
        """Spell a call of Shoal."""


Words = str | Sentence | Remedy
"""A text for people, with or without options in it."""


def said(words: Words, door: Door) -> str:
    """Spell a sentence or a remedy as the readers at a door would type it."""
    if isinstance(words, str):
        return words
    return "".join(_spelled(part, door) for part in Sentence(words).parts)


def without(lacking: Sequence[Part | Sentence | Remedy]) -> Sentence:
    """Say that something is not possible without the things that are lacking.

    >>> print(without(["a class", "rows to test on"]))
    not possible without a class and rows to test on
    """
    parts: list[Part | Sentence | Remedy] = ["not possible without ", lacking[0]]
    for other in lacking[1:]:
        parts += [" and ", other]
    return Sentence(*parts)


def _spelled(part: Part, door: Door) -> str:
    if isinstance(part, Option):
        return door.option(part)
    if isinstance(part, Set):
        return door.setting(part)
    return door.call(part) if isinstance(part, Call) else part


class Python:
    """The door of programs: options are arguments.

    >>> print(Python().setting(Set("models", ["l-diversity:l=2"], "ask for less")))
    models=["l-diversity(l=2)"]
    >>> print(Python().setting(Set("original", FILE, "the original table")))
    the original table (original=...)
    """

    def option(self, option: Option) -> str:
        """Spell the name of an option: it is that of the argument."""
        return option.name

    def setting(self, setting: Set) -> str:
        """Spell an argument; say what it is good for where its value is left to the reader."""
        typed = f"{setting.option}={python_value(setting.value)}"
        left_open = isinstance(setting.value, Blank)
        return f"{setting.why} ({typed})" if setting.why and left_open else typed

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


TYPED_PART = re.compile(r"^([a-z][\w-]*):(\w+=.*)$")
"""A method, model or hierarchy with parameters, as it is typed: `l-diversity:l=2`."""


def alternatives(values: list[str]) -> str:
    """Join values of which one is to be chosen: `a, b or c`."""
    return " or ".join([", ".join(values[:-1]), values[-1]] if len(values) > 1 else values)
