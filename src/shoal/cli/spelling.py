"""Spelling: how the terminal types what is data to the core: options, values and commands.

An option is spelled after its name in Python, `keep_order` as `--keep-order`, unless `FLAGS` knows
a shorter or another one.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from shoal.recipe import Recipe, Run, options_of
from shoal.wording import Blank, Call, OneOf, Option, Set, alternatives, said

TABLE = options_of(Recipe, Run)
FLAGS = {
    **{name: each.flag for name, each in TABLE.items()},
    "hierarchies": TABLE["folder"].flag,
    "class_column": "--class",
    "rounded": "--round",
    "shuffled": "--shuffle",
}
OF_ONE_COLUMN = {"hierarchies": TABLE["hierarchies"].flag}
"""Options that are typed once for each column, where their name alone is that of a folder."""
REPEATED = {"force_keep", *(name for name, each in TABLE.items() if each.form == "each")}
"""Options that are typed again for each of several values; others take a list with commas."""
GIVEN = {"anonymize": "IN -o OUT", "attack": "RELEASE", "mine": "RELEASE"}
"""Arguments without a flag that a command does not run without."""


class Terminal:
    """The door of the shell: options are flags.

    >>> print(TERMINAL.setting(Set("models", ["l-diversity(l=2)"], "ask for less")))
    ask for less (--model l-diversity:l=2)
    >>> print(TERMINAL.setting(Set("keep_order", False)))
    leave --keep-order out
    >>> print(TERMINAL.call(Call("attack", (Set("original", Blank("FILE")),))))
    shoal attack RELEASE --original FILE
    """

    def option(self, option: Option) -> str:
        """Spell the flag of an option."""
        return flag(option.name)

    def setting(self, setting: Set) -> str:
        """Spell a flag with its value, in brackets behind what it is good for."""
        if setting.value is None or setting.value is False:
            return f"leave {flag(setting.option)} out"
        typed = _typed(setting.option, setting.value)
        return f"{setting.why} ({typed})" if setting.why else typed

    def call(self, call: Call) -> str:
        """Spell a command."""
        flags = [_typed(setting.option, setting.value) for setting in call.settings]
        return " ".join(["shoal", call.function, GIVEN[call.function], *flags])


TERMINAL = Terminal()


def typed(words: str) -> str:
    """Spell a sentence as someone at the terminal would type what is in it."""
    return said(words, TERMINAL)


def flag(option: str) -> str:
    """Spell the flag of an option: `--keep-order`."""
    return FLAGS.get(option, f"--{option.replace('_', '-')}")


def _typed(option: str, value: object) -> str:
    if value is True:
        return flag(option)
    if isinstance(value, Mapping):
        of_one = OF_ONE_COLUMN.get(option, flag(option))
        return " ".join(
            f"{of_one} {shlex.quote(f'{name}={_word(one)}')}" for name, one in value.items()
        )
    if isinstance(value, list | tuple) and option in REPEATED:
        return " ".join(f"{flag(option)} {shlex.quote(_word(one))}" for one in value)
    return f"{flag(option)} {_words(value)}"


def _words(value: object) -> str:
    if isinstance(value, OneOf):
        return alternatives([_words(one) for one in value.values])
    if isinstance(value, list | tuple):
        return shlex.quote(",".join(_word(one) for one in value))
    return shlex.quote(_word(value))


def _word(value: object) -> str:
    """Spell one value; a part with parameters has a colon, which needs no quotes in a shell."""
    if isinstance(value, Blank):
        return value.name
    if isinstance(value, float):
        return f"{value:g}"
    text = str(value)
    name, bracket, parameters = text.partition("(")
    if bracket and text.endswith(")"):
        return f"{name}:{parameters[:-1].replace(', ', ',')}"
    return text
