"""Recipe page: what a recipe file may hold, from the table of options."""

from __future__ import annotations

from shoal.recipe import SECTIONS, DeclaredOption, Recipe, options_of
from shoal.recipe.toml import written

HEAD = """# Recipe files

A recipe is everything that is asked of a release, as a file. It is published with the release, so
that others can recount it; it holds no seed and no value of the table.

```sh
shoal anonymize people.csv -o released.csv -q age,sex,zip -s disease -k 5 --save-recipe recipe.toml
shoal anonymize people.csv -o again.csv --recipe recipe.toml
```

In Python: `shoal.Recipe.read("recipe.toml")`, and `shoal.anonymize(people, recipe="recipe.toml")`.
What is given beside a recipe wins. The [JSON Schema](recipe.schema.json) says the same for
programs.
"""


def pages() -> dict[str, str]:
    """Return the page of recipes."""
    options = options_of(Recipe)
    parts = [HEAD]
    for section, names in SECTIONS.items():
        parts += [f"## [{section}]", _table([options[name] for name in names if name in options])]
    known = set().union(*SECTIONS.values())
    parts += ["## [hierarchies]", 'A line for each column: `zip = "masks:length=5"`.']
    parts += [_table([each for name, each in options.items() if name not in known])]
    return {"reference/recipe.md": "\n\n".join(parts) + "\n"}


def _table(options: list[DeclaredOption]) -> str:
    rows = ["| name | terminal | what it says | as it is written |", "|---|---|---|---|"]
    for each in options:
        said = each.described.replace("|", "\\|")
        example = "" if each.example is None else f"`{_line(each)}`"
        rows.append(f"| `{each.name}` | `{each.flag}` | {said} | {example} |")
    return "\n".join(rows)


def _line(option: DeclaredOption) -> str:
    """Return an option as a line of a recipe file, with its example."""
    return f"{option.name} = {written(option.example)}".replace("|", "\\|")
