"""Publish tables about people in which every row looks like at least k-1 others.

```python
import shoal

release = shoal.anonymize(people, quasi=["age", "sex", "zip"], sensitive=["disease"], k=5)
release.write("released.parquet")
```

| name | what it is |
|---|---|
| `anonymize`, `distort` | make a release: in groups or overlapping boxes, or with noise |
| `apply` | publish a new table by the groups that a ledger knows |
| `inspect`, `compare` | look at a table first, and compare methods on it |
| `audit`, `verify`, `attack`, `mine` | measure a release: promises, certificate, attacks, use |
| `graph` | the same for graphs: `graph.anonymize(nodes, edges, ...)` |
| `datasets` | the public tables of our benchmarks: `shoal.datasets.adult()` |
| `Release`, `Recipe`, `Hierarchy` | the classes that these take and return |
| `ShoalWarning`, `__version__` | the category of notices as warnings, and the version |
| `TCloseness` and so on, `methods` | every privacy model by its class, every method by its class |

`ARCHITECTURE.md` says what each folder holds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.api import (
        Release,
        anonymize,
        apply,
        attack,
        audit,
        compare,
        datasets,
        distort,
        graph,
        inspect,
        mine,
        verify,
    )
    from shoal.declare.hierarchies.hierarchy import Hierarchy
    from shoal.errors import ShoalWarning
    from shoal.privacy.k_anonymity import KAnonymity
    from shoal.privacy.l_diversity import LDiversity
    from shoal.recipe import Recipe

    __version__: str
    methods: Any

__all__ = [
    "Hierarchy",
    "KAnonymity",
    "LDiversity",
    "Recipe",
    "Release",
    "ShoalWarning",
    "anonymize",
    "apply",
    "attack",
    "audit",
    "compare",
    "datasets",
    "distort",
    "graph",
    "inspect",
    "methods",
    "mine",
    "verify",
]

FUNCTIONS = (
    "anonymize",
    "apply",
    "attack",
    "audit",
    "compare",
    "distort",
    "inspect",
    "mine",
    "verify",
)
DOORS = {
    **dict.fromkeys(("Release", "datasets", *FUNCTIONS), "shoal.api"),
    "Hierarchy": "shoal.declare.hierarchies.hierarchy",
    "Recipe": "shoal.recipe",
    "ShoalWarning": "shoal.errors",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: `shoal --help` must not wait for compilers."""
    if name in DOORS:
        return getattr(import_module(DOORS[name]), name)
    if name == "graph":
        return import_module("shoal.api.graph")
    if name == "__version__":
        version: str = import_module("importlib.metadata").version("shoal")
        return version
    if name == "methods" or name[:1].isupper():
        registry = import_module("shoal.registry")
        if name == "methods":
            every = {**registry.names(registry.Method), **registry.names(registry.Overlap)}
            return type(name, (), {method.__name__: method for method in every.values()})
        for model in registry.names(registry.Model).values():
            if model.__name__ == name:
                return model
    raise AttributeError(f"module 'shoal' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
