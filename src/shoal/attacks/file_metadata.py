"""`file-metadata`: read what a file tells beside its table.

*The attacker knows* nothing but the file: notes in a Parquet or Arrow schema (pandas writes the
names of index columns there, tools write paths), category levels that no row has (values of people
who were left out), the name and the time that a packed file carries.

    tries   = the things that a file of this format can tell
    attack  = the share of them that it does tell
    control = 0: without the file, nobody knows

Files that Shoal writes tell none of them. It gates always: one thing told is too much. What is
found is counted, never quoted.

By hand: a Parquet file whose schema names the index column of pandas, in a table whose people are
all from Oslo while its category still lists Rome, tells two things too many.

Cost: one look at the notes of a file, and one at the values of each category.

When to use it: on every file before it is handed over: what it tells beside its table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.attacks.attack import Attack, Material, Tries


@dataclass(frozen=True)
class FileMetadata(Attack):
    """Read what a file tells beside its table: notes, unused levels, names and times."""

    name = "file-metadata"
    gates = "always"
    needs = ("traces",)
    flows = ("groups", "overlap", "distort")
    stops_it = "write the file again with plain columns: shoal anonymize writes no metadata"

    def _tries(self, material: Material) -> Iterator[Tries]:
        traces = material.traces or {}
        told = np.array([float(number > 0) for number in traces.values()])
        kinds = ", ".join(f"{what} ({number:,})" for what, number in traces.items() if number)
        words = f"Looks at what the file tells beside its table: {kinds or 'nothing'}."
        yield Tries(told, np.zeros(len(told)), len(told), words)
