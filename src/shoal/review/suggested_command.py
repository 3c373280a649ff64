"""Suggested command: what an inspection suggests, as one command and as one call of Python.

Both run as they are printed: columns with their roles, what has to be said about some of them, and
hierarchies.
"""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Literal

Suggested = Literal["person", "quasi", "sensitive", "identifier", "keep"]
SUGGESTED: tuple[Suggested, ...] = ("person", "quasi", "sensitive", "identifier", "keep")
FLAGS = {
    "person": "--person",
    "quasi": "-q",
    "sensitive": "-s",
    "identifier": "-i",
    "keep": "--keep",
}
ARGUMENTS = {"identifier": "identifiers"}
K = 5
WRITTEN_AS = {".xlsx": ".xlsx", ".xlsm": ".xlsx", ".xls": ".xlsx", ".sas7bdat": ".csv"}
"""Endings of files that are read, and of the release that is written of them."""


@dataclass(frozen=True)
class Suggestion:
    """Columns by role, and what is said about some of them: readings, hierarchies, words."""

    roles: Mapping[Suggested, tuple[str, ...]]
    read_as: Mapping[str, str]
    hierarchies: Mapping[str, str]
    na: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words that mean missing, by column, where these hide what a column is."""


def suggested_command(suggestion: Suggestion, file_name: str, table: str | None = None) -> str:
    """Write a suggestion as one command for a POSIX shell; `table` is one of a database."""
    where = [] if table is None else ["--table", table]
    sheet = table and PurePath(file_name).suffix.lower() in WRITTEN_AS
    target = "released.csv" if table and not sheet else _safe(_released(file_name))
    words = ["shoal", "anonymize", _safe(file_name), *where, "-o", target]
    for role, names in suggestion.roles.items():
        if names or role == "quasi":
            listed = names[0] if role == "person" else _listed(names)
            words += [FLAGS[role], listed or "COLUMNS"]
    for flag, pairs in (("--as", suggestion.read_as), ("--hierarchy", suggestion.hierarchies)):
        words += [word for name, value in pairs.items() for word in (flag, f"{name}={value}")]
    named = [f"{name}={word}" for name, listed in suggestion.na.items() for word in listed]
    words += ["--na", _listed(named)] if named else []
    return shlex.join([*words, "-k", str(K)])


def suggested_call(suggestion: Suggestion, file_name: str | None, table: str | None = None) -> str:
    """Write a suggestion as one call of Python, on a frame where no file is named."""
    given: dict[str, Any] = {"table": table}
    given |= {ARGUMENTS.get(role, role): list(of) for role, of in suggestion.roles.items()}
    given["person"] = next(iter(suggestion.roles.get("person", ())), None)
    given |= {"read_as": suggestion.read_as, "hierarchies": suggestion.hierarchies}
    given["na"] = suggestion.na
    said = "".join(f", {name}={_literal(value)}" for name, value in given.items() if value)
    what = "table" if file_name is None else _literal(file_name)
    return f"shoal.anonymize({what}{said}, k={K})"


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _listed(names: Sequence[str]) -> str:
    """Join names by commas, as -q reads them.

    A name that holds a comma or a quote stands in quotes.
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def _released(file_name: str) -> str:
    """Name the file of the release: beside the table, in its form."""
    if file_name == "-":
        return "-"
    path = PurePath(file_name)
    ending = WRITTEN_AS.get(path.suffix.lower(), path.suffix) or ".csv"
    return str(path.with_name(f"{path.stem}.released{ending}"))


def _safe(file_name: str) -> str:
    """Return a file name that no option parser takes for an option."""
    return f"./{file_name}" if file_name.startswith("-") and file_name != "-" else file_name
