"""Tampering of a soak: changed releases and certificates, which `verify` has to refuse.

A change is *hard* where it can be recounted from release and certificate: exit 4 or 3 is due.
It is *soft* where `verify` can only state the field: any code is fine but a fault of ours. It is
*harmless* where it says the same in other words, such as rows in another order: exit 0 is due.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from soak import requests, terminal_runs
from soak.releases import Done, Typed, typed, verified

Lines = list[list[str]]
RECOUNTED = ("rows", "groups", "hash", "risks", "losses", "concealment")
"""Fields of a certificate that follow from the release."""


@dataclass
class Copy:
    """A release and its certificate, to be changed."""

    lines: Lines
    public: dict[str, Any]

    @property
    def quasi(self) -> list[int]:
        """The places of the generalized columns."""
        names = self.public["columns"]["quasi"]
        return [
            place
            for place, name in enumerate(self.lines[0])
            if name in names or name.removesuffix("_lo").removesuffix("_hi") in names
        ]

    @property
    def sizes(self) -> list[int]:
        """The sizes of all groups, in order."""
        alike = Counter(tuple(line[place] for place in self.quasi) for line in self.lines[1:])
        return sorted(alike.values())

    @property
    def beside(self) -> list[int]:
        """The places of all other columns."""
        return [place for place in range(len(self.lines[0])) if place not in self.quasi]


def tampered(rng: Random, folder: Path) -> Done:
    """Release a table to CSV, then change the release or its certificate in several ways."""
    request = requests.drawn(rng, "csv")
    run = typed(rng, request, folder)
    said = terminal_runs.here(folder, *run.words)
    if said.code:
        return Done("refused", {}, terminal_runs.rules_broken(said))
    text = io.StringIO((folder / run.place).read_text("utf-8"))
    whole = Copy(
        [line or [""] for line in csv.reader(text)],  # an empty line: the only cell is missing
        json.loads((folder / run.certificate).read_text("utf-8")),
    )
    done = Done("tampered", {}, [], {"words": run.words})
    for name in rng.sample(list(CHANGES), min(8, len(CHANGES))):
        done.faults += _tried(rng, name, whole, run, folder, done.counts)
    return done


def _tried(
    rng: Random, name: str, whole: Copy, run: Typed, folder: Path, counts: dict[str, int]
) -> list[str]:
    """Make one change, verify, and say if the verdict is wrong."""
    change, due = CHANGES[name]
    changed = copy.deepcopy(whole)
    change(rng, changed)
    if changed == whole:
        return []  # nothing to change in this release
    put(changed, folder / run.place, folder / run.certificate)
    if whole.public.get("format", 1) < SINCE.get(name, 1) or _may_be_true(name, whole, changed):
        due = None
    beside = ["--original", run.source] if "beside the original" in name else []
    said = verified(run, folder, *beside)
    counts["tampered files"] = counts.get("tampered files", 0) + 1
    counts[f"tampered files refused with {said.code}"] = 1
    wrong = [f"{name}: {fault}" for fault in terminal_runs.rules_broken(said)]
    if due is not None and said.code not in due:
        wrong.append(f"{name}: verify exits with {said.code}")
    return wrong


def _may_be_true(name: str, whole: Copy, changed: Copy) -> bool:
    """Tell whether a changed release may be another true one of the same people.

    A falsified value may be that of a row that was left out, which fits into the same cells. A row
    that was moved from one group to another may leave as many groups of each size as there were,
    and no figure says otherwise where no column beside tells its rows apart.
    """
    if name == FALSIFIED:
        return bool(whole.public["recipe"].get("withhold", 0) > 0)
    return name == MOVED and not whole.beside and whole.sizes == changed.sizes


def put(changed: Copy, release: Path, certificate: Path) -> None:
    """Write a changed release and its certificate over the true ones."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(changed.lines)
    # The only cell of a row that is missing is an empty line, as it came; `""` is an empty text.
    as_it_came = re.sub(r'^""$', "", text.getvalue(), flags=re.MULTILINE)
    release.write_bytes(as_it_came.encode())
    certificate.write_text(json.dumps(changed.public, ensure_ascii=False), encoding="utf-8")


def _row(rng: Random, changed: Copy) -> list[str]:
    return changed.lines[rng.randrange(1, len(changed.lines))] if changed.lines[1:] else []


def _other_cell(rng: Random, changed: Copy, places: list[int]) -> None:
    """Give one row the cell of another row in which they differ."""
    pairs = [
        (row, place, other[place])
        for place in places
        for row in changed.lines[1:]
        for other in changed.lines[1:]
        if other[place] != row[place]
    ]
    if pairs:
        row, place, cell = rng.choice(pairs)
        row[place] = cell


def other_quasi(rng: Random, changed: Copy) -> None:
    """Move one row into another group, on one column."""
    _other_cell(rng, changed, changed.quasi)


def other_value(rng: Random, changed: Copy) -> None:
    """Falsify one sensitive or kept value."""
    _other_cell(rng, changed, changed.beside)


def empty_cell(rng: Random, changed: Copy) -> None:
    """Leave one cell empty."""
    row = _row(rng, changed)
    if row:
        row[rng.randrange(len(row))] = ""


def star(rng: Random, changed: Copy) -> None:
    """Hide one cell."""
    row = _row(rng, changed)
    if row and changed.quasi:
        row[rng.choice(changed.quasi)] = "*"


def lost_row(rng: Random, changed: Copy) -> None:
    """Leave out one row."""
    if changed.lines[1:]:
        del changed.lines[rng.randrange(1, len(changed.lines))]


def double_row(rng: Random, changed: Copy) -> None:
    """Repeat one row."""
    row = _row(rng, changed)
    if row:
        changed.lines.append(list(row))


def more_columns(rng: Random, changed: Copy) -> None:
    """Add a column."""
    for number, line in enumerate(changed.lines):
        line.append("extra" if number == 0 else str(number))


def other_name(rng: Random, changed: Copy) -> None:
    """Rename a column."""
    changed.lines[0][rng.randrange(len(changed.lines[0]))] = "renamed"


def ragged(rng: Random, changed: Copy) -> None:
    """Cut a row short."""
    row = _row(rng, changed)
    if len(row) > 1:
        row.pop()


def other_order(rng: Random, changed: Copy) -> None:
    """Shuffle the rows, which tells nothing."""
    rows = changed.lines[1:]
    rng.shuffle(rows)
    changed.lines[1:] = rows


def rehashed_row(rng: Random, changed: Copy) -> None:
    """Move one row into another group, and state the hash that the release now has."""
    other_quasi(rng, changed)
    _rehash(changed)


def rehashed_value(rng: Random, changed: Copy) -> None:
    """Falsify a sensitive or kept value, and state the hash that the release now has."""
    other_value(rng, changed)
    _rehash(changed)


def _rehash(changed: Copy) -> None:
    import pyarrow as pa

    from shoal.review.fingerprint import fingerprint

    names, *rows = changed.lines
    columns = {name: [row[i] or None for row in rows] for i, name in enumerate(names)}
    changed.public["hash"] = fingerprint(
        pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    )


def other_number(rng: Random, changed: Copy) -> None:
    """Change a figure that follows from the release."""
    leaves = [leaf for field in RECOUNTED for leaf in _numbers(changed.public, field)]
    if leaves:
        holder, key = rng.choice(leaves)
        holder[key] += rng.choice((1, -1, 3)) if isinstance(holder[key], int) else 0.01


def _numbers(holder: Any, key: Any) -> list[tuple[Any, Any]]:
    """List numbers below a key, each by what holds it and its key there."""
    value = holder.get(key) if isinstance(holder, dict) else holder[key]
    if isinstance(value, dict):
        return [leaf for inner in value for leaf in _numbers(value, inner)]
    if isinstance(value, list):
        return [leaf for place in range(len(value)) for leaf in _numbers(value, place)]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return [(holder, key)] if number else []


def higher_k(rng: Random, changed: Copy) -> None:
    """State a larger k than the release has, with its recipe."""
    changed.public["k"] += rng.randint(1, 5)
    if rng.random() < 0.5:
        changed.public["recipe"]["k"] = changed.public["k"]


def lower_k(rng: Random, changed: Copy) -> None:
    """State a smaller k than the release has."""
    changed.public["k"] -= 1


def other_measure(rng: Random, changed: Copy) -> None:
    """State that a model is kept better than it is."""
    models = [m for m in changed.public.get("models", []) if isinstance(m.get("measured"), int)]
    if models:
        rng.choice(models)["measured"] += 1


def other_hash(rng: Random, changed: Copy) -> None:
    """Change a letter of the hash."""
    told = changed.public["hash"]
    place = rng.randrange(len(told))
    changed.public["hash"] = told[:place] + ("0" if told[place] != "0" else "1") + told[place + 1 :]


def other_roles(rng: Random, changed: Copy) -> None:
    """Call a quasi-identifier a kept column."""
    roles = changed.public["columns"]
    if len(roles["quasi"]) > 1:
        roles["kept"].append(roles["quasi"].pop())


def less_said(rng: Random, changed: Copy) -> None:
    """Drop a field that a certificate must have."""
    names = [name for name in ("rows", "k", "hash", "columns", "recipe") if name in changed.public]
    del changed.public[rng.choice(names)]


def any_field(rng: Random, changed: Copy) -> None:
    """Put something of another type at any place."""
    holder: Any = changed.public
    key: Any = rng.choice(list(holder))
    while isinstance(holder[key], dict | list) and holder[key] and rng.random() < 0.8:
        holder = holder[key]
        key = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    odd = (None, -1, 10**30, 1e308, "x", [], {}, True, [[]], {"a": {"b": [1]}}, "\x1b[2K", "")
    holder[key] = rng.choice(odd)


def unknown_field(rng: Random, changed: Copy) -> None:
    """Promise something that certificates do not have."""
    changed.public["differentially private"] = True


MOVED = "a moved row with its new hash"
FALSIFIED = "a falsified value with its new hash, beside the original"
SINCE = {"an unknown field": 2, FALSIFIED: 2}
"""Changes that `verify` finds since a later format of certificates."""
Due = tuple[int, ...] | None
HARD = (3, 4)
CHANGES: dict[str, tuple[Callable[[Random, Copy], None], Due]] = {
    "one cell of another group": (other_quasi, HARD),
    "one falsified value": (other_value, HARD),
    "an empty cell": (empty_cell, HARD),
    "a hidden cell": (star, HARD),
    "a row less": (lost_row, HARD),
    "a row twice": (double_row, HARD),
    "a column more": (more_columns, HARD),
    "a renamed column": (other_name, HARD),
    "a short row": (ragged, HARD),
    "another order": (other_order, (0,)),
    MOVED: (rehashed_row, HARD),
    FALSIFIED: (rehashed_value, HARD),
    "another figure": (other_number, HARD),
    "a larger k": (higher_k, HARD),
    "a smaller k": (lower_k, HARD),
    "a better measure": (other_measure, HARD),
    "another hash": (other_hash, HARD),
    "another role": (other_roles, HARD),
    "a field less": (less_said, HARD),
    "anything anywhere": (any_field, None),
    "an unknown field": (unknown_field, HARD),
}
"""Changes with the exit codes that are due; None where `verify` can only state a field."""
