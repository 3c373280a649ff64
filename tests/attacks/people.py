"""Small tables of people for the attacks, and their releases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

import shoal
from naive.fitting import Tree
from shoal.attacks.attack import Attack, Finding, Material
from shoal.attacks.sight import Seen
from shoal.flows.attacked import material
from shoal.recipe import Recipe

QUASI = ("age", "city")
SENSITIVE = ("ill",)
CITIES = {"north": ["oslo", "bergen"], "south": ["rome", "bari", "pisa"]}
TREES: dict[str, Tree | None] = {
    "age": None,
    "city": {name: set(leaves) for name, leaves in CITIES.items()},
}
ILLS = ["flu", "cold", "gout", "none"]


def people(seed: int, rows: int = 40) -> pa.Table:
    """Ages, cities and illnesses; some are missing."""
    rng = np.random.default_rng(seed)
    leaves = [leaf for group in CITIES.values() for leaf in group]

    def gaps(values: list[Any], share: float) -> list[Any]:
        return [
            None if lost else value
            for value, lost in zip(values, rng.random(rows) < share, strict=True)
        ]

    return pa.table(
        {
            "age": pa.array(gaps(rng.integers(20, 60, rows).tolist(), 0.05), pa.int64()),
            "city": pa.array(
                gaps([leaves[i] for i in rng.integers(0, 5, rows)], 0.05), pa.string()
            ),
            "ill": pa.array(
                gaps([ILLS[i] for i in rng.integers(0, 4, rows) * rng.integers(0, 2, rows)], 0.1),
                pa.string(),
            ),
        }
    )


def recipe(**asked: Any) -> Recipe:
    nested = {"kind": "nested", "tree": CITIES}
    return Recipe.of(
        **{
            "quasi": QUASI,
            "sensitive": SENSITIVE,
            "k": 3,
            "seed": 1,
            "hierarchies": {"city": nested},
            **asked,
        }
    )


def release_of(table: pa.Table, **asked: Any) -> shoal.Release:
    return shoal.anonymize(table, recipe=recipe(**asked))


def material_of(table: pa.Table, original: pa.Table | None = None, **known: Any) -> Material:
    """A table of any origin, attacked by someone who has the recipe; published as it is unless told
    otherwise.
    """
    asked = {
        name: known.pop(name) for name in ("models", "publish", "k", "method") if name in known
    }
    return material(table, recipe(**asked).plan(), original=original, **known)


def published_as(**columns: list[Any]) -> pa.Table:
    return pa.table({name: pa.array(cells) for name, cells in columns.items()})


def seen(
    table: pa.Table, quasi: tuple[str, ...] = QUASI, sensitive: tuple[str, ...] = SENSITIVE
) -> Seen:
    return Seen(table, quasi, sensitive)


def found(attack: Attack, material: Material) -> Finding:
    """The one finding of an attack."""
    (finding,) = attack.run(material)
    return finding
