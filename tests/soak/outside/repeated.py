"""Several published files about the same people, recounted by who is in them.

Rows of one person are recognized across files by a number of their own, so the attacker is the
strongest one. In no two files may fewer than k people share their groups, join one, or leave one.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

Cells = tuple[str, ...]
File = dict[str, Cells]
"""The cells beside each number."""


def recognized(place: Path, quasi: Sequence[str], number: str) -> File:
    """Read the cells beside each number, as plain text."""
    with place.open(newline="", encoding="utf-8") as file:
        return {row[number]: tuple(row[name] for name in quasi) for row in csv.DictReader(file)}


def faults(files: Sequence[File], k: int) -> list[str]:
    """List everything that several files tell about fewer than k people."""
    wrong = []
    for row in files[-1]:
        alike = set(files[-1])
        for file in files:
            if row in file:
                alike &= {other for other in file if file[other] == file[row]}
        if len(alike) < k:
            wrong.append(f"{len(alike)} people share all groups of somebody")
    for place, earlier in enumerate(files[:-1]):
        for one, other, what in ((files[-1], earlier, "join"), (earlier, files[-1], "leave")):
            away = Counter(cells for row, cells in one.items() if row not in other)
            wrong += [f"{n} people {what}, beside file {place}" for n in away.values() if n < k]
    return wrong


def unbalanced(place: Path, quasi: Sequence[str], value: str, k: int, m: int) -> list[str]:
    """List what is wrong with a file whose groups show m values or more, each equally often.

    Rows of nobody are stated beside it, and k counts people.
    """
    groups: dict[Cells, Counter[str]] = {}
    with place.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            cells = tuple(row[name] for name in quasi)
            groups.setdefault(cells, Counter())[row[value]] += 1
    stated = json.loads(place.with_name(f"{place.name}.certificate.json").read_text("utf-8"))
    nobody = {
        tuple(each["cells"][name] for name in quasi): each["rows"]
        for each in stated["counterfeits"]
    }
    wrong = ["counterfeits of a group that is not there"] if set(nobody) - set(groups) else []
    for cells, counts in groups.items():
        if len(set(counts.values())) > 1 or len(counts) < m:
            wrong.append("a group shows some value more often, or too few values")
        if counts.total() - nobody.get(cells, 0) < k:
            wrong.append("fewer than k people stand beside counterfeits")
    return wrong
