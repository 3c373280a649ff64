"""Commands: what to type, at the terminal or in Python, to make such a release again.

The seed is in neither: it would tell how groups were found. Options that say what is so by default
are left out. Whatever has no place on a command line (a hierarchy written down as a tree, a name
that begins with a space) is read from the recipe file; so are names with signs that can't be seen,
which a terminal might take for keys when a command is pasted.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from shoal.recipe import Recipe, Run, options_of
from shoal.review.suggested_command import WRITTEN_AS

RECIPE_FILE = "recipe.toml"
WIDE = 100  # characters of a line, from which on it is broken


def terminal_command(
    recipe: Recipe,
    source: str,
    output: str,
    *,
    recipe_file: str = RECIPE_FILE,
    reading: Mapping[str, str] | None = None,
    against: Mapping[str, str] | None = None,
) -> str:
    """One command for a POSIX shell that publishes `source` as `output` by a recipe.

    `reading` says how it is read, where that can't be told from the file: its `table`, `delimiter`
    or `encoding`. `against` says what it is held against: its `ledger`, and how.
    """
    run = options_of(Run)
    read = [word for name, value in (reading or {}).items() for word in (run[name].flag, value)]
    held = [word for name, value in (against or {}).items() for word in (run[name].flag, value)]
    words = ["shoal", "anonymize", safe_name(source), *read, "-o", safe_name(output), *held]
    return " ".join(map(quoted, [*words, *asked_words(recipe, recipe_file)]))


def python_lines(
    recipe: Recipe,
    source: str,
    output: str,
    *,
    recipe_file: str = RECIPE_FILE,
    reading: Mapping[str, str] | None = None,
    against: Mapping[str, str] | None = None,
) -> str:
    """Write the lines of Python that make a release by a recipe."""
    asked = _given(recipe) if is_typable(recipe) else {"recipe": recipe_file}
    how = {name: value for name, value in (reading or {}).items() if name != "table"}
    given = {name: value for name, value in (reading or {}).items() if name not in how} | asked
    given |= {
        name: int(value) if name == "wait" else value for name, value in (against or {}).items()
    }
    lines = [f"    {name}={_literal(value)}," for name, value in given.items()]
    people = f"    {'people' if how else _literal(source)},"
    call = ["release = shoal.anonymize(", people, *lines, ")"]
    opened = ["import shoal", *(["from shoal.adapters import files"] if how else []), ""]
    said = "".join(f", {name}={_literal(value)}" for name, value in how.items())
    read = [f"people = files.read({_literal(source)}{said})"] if how else []
    return "\n".join([*opened, *read, *call, f"release.write({_literal(output)})"]) + "\n"


def released_name(source: str, suffix: str | None = None) -> str:
    """Name the release of a file: `patients.csv` becomes `patients.released.csv`."""
    path = PurePath(source)
    own = WRITTEN_AS.get(path.suffix.lower(), path.suffix)
    return f"{path.stem}.released{suffix or own or '.csv'}"


def is_typable(recipe: Recipe) -> bool:
    """Whether all of a recipe has a place on a command line."""
    texts = _texts(recipe.as_dict())
    odd = any(name != name.strip() for name in recipe.columns) or not all(
        text.isprintable() for text in texts
    )
    table = options_of(type(recipe)).values()
    pairs = [getattr(recipe, each.name) for each in table if each.form == "pairs"]
    ways = [getattr(recipe, each.name) for each in table if each.form == "ways"]
    nested = any(isinstance(value, Mapping) for named in pairs for value in named.values())
    # of a quasi-identifier, the terminal knows where its name ends
    split = [name for named in pairs for name in named if name not in recipe.quasi]
    split += [name for named in ways if isinstance(named, Mapping) for name in named]
    return not nested and not odd and not any("=" in name for name in split)


def _texts(asked: Any) -> Iterator[str]:
    """All texts in something plain, names and values."""
    if isinstance(asked, str):
        yield asked
    elif isinstance(asked, Mapping | list | tuple):
        for part in asked:
            yield from _texts(part)
            yield from _texts(asked[part]) if isinstance(asked, Mapping) else ()


def asked_words(recipe: Recipe, recipe_file: str) -> list[str]:
    """The options that say what a recipe asks, word by word; its file where it can't be typed."""
    if not is_typable(recipe):
        return ["--recipe", recipe_file]
    table = options_of(type(recipe))
    given = _given(recipe).items()
    return [word for name, value in given for word in table[name].typed(value)]


def _given(recipe: Recipe) -> dict[str, Any]:
    """Collect what differs from the defaults, and k; columns and k come first for readers."""
    table = options_of(type(recipe))
    asked = {
        name: value
        for name, value in recipe.to_share().items()
        if table[name].is_asked(recipe) or name == "k"
    }
    first = [name for name in table if name in asked and table[name].form == "columns"]
    return {name: asked[name] for name in dict.fromkeys([*first, "k", *asked])}


def quoted(word: str) -> str:
    """Quote a word as a shell takes it; signs that can't be seen (a tab, say) become numbers.

    >>> quoted("\\t"), quoted("a b")
    ("$'\\\\011'", "'a b'")
    """
    if word.isprintable():
        return shlex.quote(word)
    signs = (sign if sign.isprintable() and sign not in "\\'" else _numbers(sign) for sign in word)
    return f"$'{''.join(signs)}'"


def _numbers(sign: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in sign.encode("utf-8", "surrogateescape"))


def safe_name(name: str) -> str:
    """A file name that no option parser takes for an option."""
    return f"./{name}" if name.startswith("-") and name != "-" else name


def _literal(value: Any) -> str:
    """A value as Python spells it, an item on each line where it is long."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if value.isprintable() else repr(value)
    if isinstance(value, Mapping):
        opened, closed = "{}"
        items = [f"{_literal(name)}: {_literal(part)}" for name, part in value.items()]
    elif isinstance(value, list | tuple):
        opened, closed = "[]"
        items = [_literal(part) for part in value]
    else:
        return repr(value)
    line = f"{opened}{', '.join(items)}{closed}"
    if len(line) <= WIDE:
        return line
    return "\n".join([opened, *(f"        {item}," for item in items), f"    {closed}"])
