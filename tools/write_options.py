"""Write what is made from the table of options and kept in files; `make format` runs it.

    python -m tools.write_options

- the signature of `anonymize`, and the list of options in its docstring (src/shoal/api)
- the JSON Schema of a recipe (docs/reference/recipe.schema.json)
- the page of all options (docs/reference/options.md)
- what every command of the terminal says of itself (src/shoal/cli/known_help.json)

The options themselves are declared in src/shoal/recipe/recipe_options.py and run.py.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from shoal.cli import COMMANDS
from shoal.cli.known_help import PLACE, described
from shoal.recipe import SECTIONS, DeclaredOption, Recipe, Run, options_of

ROOT = Path(__file__).resolve().parent.parent
DOOR = Path("src/shoal/api/anonymizing.py")
SCHEMA = Path("docs/reference/recipe.schema.json")
PAGE = Path("docs/reference/options.md")
HELP = Path("src/shoal/cli") / PLACE.name

SIGNATURE = re.compile(
    r"(?<=^def anonymize\(\n    people: Any,\n    \*,\n).*?(?=^    progress: )", re.M | re.S
)
LISTED = re.compile(r"(?<=the address of a database\.\n).*?(?=^        progress: )", re.M | re.S)


def files(root: Path = ROOT) -> dict[Path, str]:
    """Return the files that are made from the table, with the text that they should have."""
    offered = [each for each in options_of(Recipe, Run).values() if each.python != ""]
    text = (root / DOOR).read_text("utf-8")
    text = SIGNATURE.sub(lambda _: signature(offered), text, count=1)
    text = LISTED.sub(lambda _: f"{listed(offered)}\n", text, count=1)
    schema = json.dumps(Recipe.schema(), indent=2, ensure_ascii=False) + "\n"
    made = {DOOR: text, SCHEMA: schema, PAGE: page(), HELP: known_help()}
    return {root / path: text for path, text in made.items()}


def known_help() -> str:
    """Return what the commands say of themselves, with a line for each option."""
    modules = {name: import_module(f"shoal.cli.{name.replace('-', '_')}") for name in COMMANDS}
    known = {name: described(module.command, name) for name, module in modules.items()}
    return json.dumps(known, indent=1, ensure_ascii=False) + "\n"


def signature(options: Iterable[DeclaredOption]) -> str:
    """Return options as parameters with types and defaults, one on each line."""
    return "".join(f"    {each.name}: {_annotation(each)},\n" for each in options)


def listed(options: Iterable[DeclaredOption]) -> str:
    """Return options as lines of a docstring: each name with its help and default."""
    lines = [f"{each.name}: {each.help}{_usual(each)}" for each in options]
    return "\n".join(
        textwrap.fill(line, 100, initial_indent=" " * 8, subsequent_indent=" " * 12)
        for line in lines
    )


def page() -> str:
    """Return the page of all options, by section."""
    recipe = options_of(Recipe)
    run = options_of(Run)
    known = set().union(*SECTIONS.values())
    parts = [
        "# Options of `anonymize`",
        "Written by `python -m tools.write_options` from the table in `src/shoal/recipe`.",
        "Not with: `disk` is a run within `--memory`, `spark` one on a cluster, and `overlap` a"
        " method that gives each row a box of its own (`nsvdist`).",
        "## The recipe: published with the release",
    ]
    for section, names in SECTIONS.items():
        parts += [f"### {section}", _table(recipe[name] for name in names if name in recipe)]
    parts += ["### hierarchies", _table(recipe[name] for name in recipe if name not in known)]
    parts += ["## The run: never published", _table(run.values())]
    return "\n\n".join(parts) + "\n"


def _table(options: Iterable[DeclaredOption]) -> str:
    rows = ["| terminal | Python | default | what it says | not with |", "|---|---|---|---|---|"]
    for each in options:
        flags = ", ".join(f"`{flag}`" for flag in each.flags or (each.flag,))
        name = "" if each.python == "" else f"`{each.name}`"
        default = f"`{each.default}`" if each.default else ""
        cells = (flags, name, default, each.help.replace("|", "\\|"), ", ".join(each.not_with))
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _annotation(option: DeclaredOption) -> str:
    if option.name in options_of(Run) and option.form == "switch":
        return "bool = False"
    shapes = {
        "columns": "Names",
        "choice": f"Literal[{', '.join(map(json.dumps, option.choices))}]",
    }
    kind = option.python or shapes.get(str(option.form), getattr(option.type, "__name__", ""))
    return "Any = None" if kind == "Any" else f"{kind} | None = None"


def _usual(option: DeclaredOption) -> str:
    return f" Default: {option.default}." if option.default else ""


def main(root: Path = ROOT) -> None:
    """Write the files that are not what the table says."""
    for path, text in files(root).items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            print(f"written: {path.relative_to(root)}")


if __name__ == "__main__":
    main()
