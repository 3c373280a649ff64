"""Read the public tables of our tests and benchmarks: `shoal.datasets.adult()`.

```python
import shoal

people = shoal.datasets.adult()  # a PyArrow table; every name in names() is such a function
shoal.datasets.names()  # what there is
shoal.datasets.about("adult")  # rows, suggested roles, creators, source, licence, changes
shoal.datasets.path("adult")  # its Parquet file, for the terminal
shoal.datasets.hierarchies("adult", ["sex", "race"])  # a file for each column that has one
```

`shoal.datasets.patients()` needs no file: it makes the 5,000 invented patients of `shoal demo`.

The tables are a package of their own, `shoal-datasets`, so that Shoal itself stays small. In a
checkout they are read from its folder `datasets`, and nothing has to be installed.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

from shoal.adapters import demo_data
from shoal.errors import DataError, RecipeError, did_you_mean

CHECKOUT = Path(__file__).resolve().parents[3] / "datasets" / "shoal_datasets"


@dataclass(frozen=True, repr=False)
class Dataset:
    """A public table: what it holds, whom to thank, and under which licence it may be passed on."""

    name: str
    title: str
    rows: int
    columns: int
    by: str
    """Who made it: to be named by whoever passes it on."""
    source: str
    licence: str
    """The SPDX name of its licence; the texts lie beside the tables."""
    changes: str
    """How the table differs from its source."""
    identifiers: tuple[str, ...] = ()
    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    hierarchies: str | None = None
    """The folder of its hierarchies."""

    def __repr__(self) -> str:
        roles = ("identifiers", "quasi", "sensitive")
        told = {role: ", ".join(getattr(self, role)) for role in roles}
        told |= {"by": self.by, "source": self.source, "licence": self.licence}
        told |= {"changes": self.changes}
        first = f"{self.name}: {self.title}\n  {self.rows:,} rows, {self.columns} columns"
        return "\n".join([first, *(f"  {what}: {told[what]}" for what in told if told[what])])


def patients() -> pa.Table:
    """Make the 5,000 patients of `shoal demo`: nobody of them exists, and they are always the same.

    >>> patients().num_rows
    5000
    """
    return demo_data.patients()


def names() -> list[str]:
    """Return the names of all tables; each is a function of this module too."""
    return list(_index()["tables"])


def about(name: str) -> Dataset:
    """Return what is known about a table: size, suggested roles, creators, source and licence.

    >>> about("adult").rows
    30162
    """
    known = _index()["tables"]
    if name not in known:
        raise RecipeError(f"there is no table '{name}'", remedy=did_you_mean(name, known))
    facts: dict[str, Any] = dict(known[name])
    for role in ("identifiers", "quasi", "sensitive"):
        facts[role] = tuple(facts.get(role, ()))
    return Dataset(name, **facts)


def path(name: str) -> Path:
    """Return the Parquet file of a table."""
    return folder() / "tables" / f"{about(name).name}.parquet"


def table(name: str) -> pa.Table:
    """Read a table by its name; missing cells are null, and no word stands for them."""
    return parquet.read_table(path(name))


def hierarchies(name: str, columns: Collection[str] | None = None) -> dict[str, Path]:
    """Return a hierarchy file for each column that has one, or for those of some columns.

    The name is that of a table, or of a folder of hierarchies.

    >>> list(hierarchies("credit_default", ["SEX", "AGE", "MARRIAGE"]))
    ['MARRIAGE', 'SEX']
    """
    folders = _index()["hierarchies"]
    of_table = _index()["tables"].get(name, {}).get("hierarchies", name)
    if of_table not in folders:
        known = [table for table in names() if about(table).hierarchies]
        remedy = did_you_mean(name, dict.fromkeys([*known, *folders]))
        raise RecipeError(f"there are no hierarchies for '{name}'", remedy=remedy)
    files = (folder() / "hierarchies" / of_table).glob("*.csv")
    wanted = (file for file in sorted(files) if columns is None or file.stem in columns)
    return {file.stem: file for file in wanted}


def folder() -> Path:
    """Return the folder of tables: that of the checkout, or of the installed package."""
    if (CHECKOUT / "index.toml").exists():
        return CHECKOUT
    try:
        installed: Path = importlib.import_module("shoal_datasets").FOLDER
    except ImportError:
        problem = "the public tables are a package of their own, which is not installed"
        raise DataError(problem, remedy="pip install shoal-datasets") from None
    return installed


@cache
def _index() -> dict[str, dict[str, Any]]:
    return tomllib.loads((folder() / "index.toml").read_text(encoding="utf-8"))


def __getattr__(name: str) -> Callable[[], pa.Table]:
    """Return the function that reads a table, so that `shoal.datasets.adult()` does."""
    if name.startswith("_") or name not in names():
        hint = "" if name.startswith("_") else f"; {did_you_mean(name, names())}"
        raise AttributeError(f"module 'shoal.datasets' has no attribute '{name}'{hint}")
    return partial(table, name)


def __dir__() -> list[str]:
    return ["Dataset", "about", "folder", "hierarchies", "names", "path", "table", *names()]
