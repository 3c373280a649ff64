"""Commands of graphs: what to type at the terminal to make such a release of a graph again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.handover.commands import RECIPE_FILE, asked_words, quoted, safe_name
from shoal.recipe import Recipe

DEFAULTS: Mapping[str, Any] = {
    "form": "supergraph",
    "method": "shoal:alpha=0.5",
    "simplify": False,
    "most_dense": 1.0,
    "removals": False,
}


def graph_command(
    recipe: Recipe,
    own: Mapping[str, Any],
    files: Sequence[str],
    output: str,
    *,
    recipe_file: str = RECIPE_FILE,
) -> str:
    """One command for a POSIX shell that publishes a graph in the folder `output`.

    `own` is what `shoal.graph.anonymize` takes beside a recipe; what is so by default is left out.

    >>> asked = Recipe.of(quasi=["age"], k=5)
    >>> graph_command(asked, {"method": "shoal:alpha=0.3"}, ["people.csv", "knows.csv"], "out")
    'shoal anonymize-graph people.csv knows.csv -o out -q age -k 5 --method shoal:alpha=0.3'
    """
    words = ["shoal", "anonymize-graph", *map(safe_name, files), "-o", safe_name(output)]
    words += asked_words(recipe, recipe_file)
    for name, value in own.items():
        if value != DEFAULTS[name]:
            flag = f"--{name.replace('_', '-')}"
            words += [flag] if value is True else [flag, f"{value}"]
    return " ".join(map(quoted, words))
