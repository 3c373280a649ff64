"""Repeated persons: which tables at hand would be refused, and which warned about.

`python -m experiments.repeated_persons` reads every table of the folder `datasets` and of
`tests/exports/files`, and prints what `anonymize` says of repeated persons: once with all columns
without a role, once with every column that `inspect` calls an identifier declared as one, and once
with every column an identifier, which is the worst case. Decision 0027 quotes the figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

import shoal
from shoal.adapters import demo_data, tables
from shoal.declare.roles import Roles
from shoal.errors import PrivacyNotMet, ShoalError
from shoal.flows.repeated import cells_of
from shoal.recipe import Recipe
from shoal.review.inspection import inspect
from shoal.review.person_columns import person_columns
from shoal.review.prechecks.repeated import refuse_repeated, repeats_of

ROOT = Path(__file__).resolve().parent.parent
EXPORTS = ROOT / "tests" / "exports" / "files"
K = 5


def every_table() -> Iterator[tuple[str, pa.Table]]:
    """Read every table at hand; those that can't be read are left out."""
    places = [*map(shoal.datasets.path, shoal.datasets.names()), *sorted(EXPORTS.glob("*"))]
    yield "demo", demo_data.patients()
    for place in places:
        if place.suffix in (".csv", ".parquet", ".tsv", ".txt"):
            try:
                yield place.name, tables.read(str(place), None)
            except ShoalError:
                continue


def visits(people: int, repeated: float) -> pa.Table:
    """Make a table of visits in which about this share of the rows share a patient."""
    rng = np.random.default_rng(1)
    twice = rng.random(people) < repeated / (2 - repeated)
    of = rng.permutation(np.repeat(np.arange(people), 1 + twice))
    born = rng.integers(1930, 2015, people)
    return pa.table({"patient_id": [f"P{one:05}" for one in of], "birth_year": born[of]})


def verdict(table: pa.Table, identifiers: Sequence[str]) -> str:
    """Say what becomes of a table: `refused`, `warned` or `passes`, and by which column."""
    recipe = Recipe(identifiers=tuple(identifiers))
    looked_at = person_columns(table.column_names, Roles((), identifiers=tuple(identifiers)))
    repeats = [
        repeats_of(
            of, [cells_of(table[name].combine_chunks(), name, recipe) for name in of.columns]
        )
        for of in looked_at
    ]
    try:
        warnings = refuse_repeated(repeats, table.num_rows, K)
    except PrivacyNotMet as refusal:
        return f"refused: {refusal.problem} [{refusal.facts['told by']}]"
    return "".join(f"warned: {note} " for note in warnings) or "passes"


def main() -> None:
    """Print every verdict that is not `passes`, and count all of them."""
    counts: dict[str, Counter[str]] = {}
    columns = 0
    for name, table in every_table():
        columns += table.num_columns
        suggested = inspect(table).names("identifier")
        ways = {"no roles": (), "as inspected": suggested, "all": table.column_names}
        for way, identifiers in ways.items():
            said = verdict(table, identifiers)
            counts.setdefault(way, Counter())[said.split(":")[0]] += 1
            if said != "passes":
                print(f"{name:28} {way:13} {said}")
    for share in (0.0, 0.005, 0.02, 0.5):
        print(f"visits, {share:.1%} repeated: {verdict(visits(5_000, share), ())}")
    print(f"{columns:,} columns were looked at by their names")
    for way, counted in counts.items():
        print(f"{way:13} {dict(counted)}")


if __name__ == "__main__":
    main()
