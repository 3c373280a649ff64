"""What nested bands cost: `banded` and `full-domain` beside `shoal` on Adult, and one person more.

    python -m benchmarks.banded [--k 5,10,25,50,100] [--effort default]

First table, for each k: the share of its column that a printed cell leaves open, on average (age by
the range of the table, 17 to 90, in all rows of the table; categories by level; `*` is everything);
how much more that is than under `shoal`; the error of random counts from the release; CPU seconds
of dividing; how many pairs of different cells of age overlap in part.

Second table: Adult, and Adult with one person of 104. How many of the bands of age are no longer
there, and how many are new; under a scheme of the first release where the method has one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import shoal
from benchmarks import adult, measure
from shoal.recode.cells import Everything, Interval, Value, ends_of, read
from shoal.review.losses.published import HEIGHT, shares_of

LADDER = {"age": "ladder:widths=5-10-20-40"}
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "shoal, snapped": ("shoal", {}),
    "banded": ("banded", {}),
    "banded, bands from 0": ("banded", LADDER),
    "full-domain, 4 % left out": ("full-domain", {"withhold": 0.04}),
}
YOUNGEST = 17
OLDEST = 90


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--k", default="5,10,25,50,100")
    parser.add_argument("--effort", default="default")
    options = parser.parse_args()
    warnings.simplefilter("ignore", shoal.ShoalWarning)
    ks = [int(k) for k in options.k.split(",")]
    for method, _ in METHODS.values():
        released(adult.table().slice(0, 2_000), 5, method, "low")  # compiles
    print(_losses(ks, options.effort))
    print(_drift(5, options.effort))


def _losses(ks: Sequence[int], effort: str) -> str:
    lines = []
    for k in ks:
        least = None
        for name, (method, asked) in METHODS.items():
            stages = measure.Stages()
            release = released(adult.table(), k, method, effort, stages, **asked)
            loss = open_share(release)
            least = least or loss
            crossing = pairs_crossing(release.table["age"].to_pylist())
            seconds = stages.seconds("dividing")
            beyond = f"{loss / least - 1:+.1%}"
            queries = f"{release.loss('query-error'):.3f}"
            lines.append(
                [str(k), name, f"{loss:.4f}", beyond, queries, f"{seconds:.1f}", str(crossing)]
            )
            print(*lines[-1], sep=" | ", file=sys.stderr, flush=True)
    head = ["k", "method", "open share", "beyond shoal", "query error", "CPU s", "ages that cross"]
    return measure.markdown("Adult, 30,162 rows, 8 quasi-identifiers", head, lines, "")


def _drift(k: int, effort: str) -> str:
    people = adult.table()
    older = people.slice(0, 1).set_column(
        people.column_names.index("age"), "age", pa.array([104], people["age"].type)
    )
    lines = []
    for name, (method, asked) in METHODS.items():
        before = released(people, k, method, effort, **asked)
        trees: dict[str, Any] = {}
        with tempfile.TemporaryDirectory() as folder:
            if method != "shoal":
                place = Path(folder, "bands.toml")
                place.write_text(before.scheme().to_toml(), encoding="utf-8")
                trees = {"scheme": str(place), "hierarchies": {}}
            asked = {**asked, **trees}
            after = released(pa.concat_tables([people, older]), k, method, effort, **asked)
        bands = [
            {cell for cell in release.table["age"].to_pylist() if "[" in cell}
            for release in (before, after)
        ]
        figures = (len(bands[0]), len(bands[0] - bands[1]), len(bands[1] - bands[0]))
        lines.append([name, *map(str, figures)])
    head = ["method", "bands of age", "gone", "new"]
    return measure.markdown(f"One person of 104 more, k = {k}", head, lines, "")


def released(
    table: pa.Table, k: int, method: str, effort: str, stages: Any = None, **asked: Any
) -> shoal.Release:
    """Publish Adult by a method; ages by its ladder, categories by ARX's trees."""
    given = {"withhold": asked["withhold"]} if "withhold" in asked else {}
    if "scheme" in asked:
        given["scheme"] = asked["scheme"]
    else:
        ladder = {name: tree for name, tree in asked.items() if name in adult.QUASI}
        given["hierarchies"] = {**adult.hierarchies(), **ladder}
    if stages is not None:
        given["progress"] = stages
    return shoal.anonymize(
        table, quasi=adult.QUASI, k=k, method=method, effort=effort, seed=1, **given
    )


def open_share(release: shoal.Release) -> float:
    """Average over all cells what is left open; rows left out are open in full."""
    rows = adult.table().num_rows
    view = release.outcome.view
    assert view is not None
    left_out = rows - view.rows
    shares = [_shares_of_ages(*view.cells["age"])]
    for name in adult.QUASI:
        if name != "age":
            cells, times = view.cells[name]
            shares.append(float(shares_of(cells, view.hierarchies[name], HEIGHT) @ times))
    return (sum(shares) + left_out * len(adult.QUASI)) / (rows * len(adult.QUASI))


def _shares_of_ages(cells: Sequence[Any], times: Any) -> float:
    """Sum the widths of ages over rows, by the range of the table."""
    widths = np.zeros(len(cells))
    for place, cell in enumerate(cells):
        if isinstance(cell, Everything):
            widths[place] = 1.0
        elif isinstance(cell, Interval):
            low, high = (float(end) for end in ends_of(cell))
            widths[place] = min((high - low) / (OLDEST - YOUNGEST), 1.0)
    return float(widths @ times)


def pairs_crossing(cells: Sequence[str]) -> int:
    """Count pairs of different cells that share an age, and of which neither holds the other."""
    spans = {
        cell: tuple(float(end) for end in ends_of(parsed))
        for cell in set(cells)
        if isinstance(parsed := read(cell), Interval | Value)
    }
    return sum(
        1
        for (low, high), (first, last) in combinations(spans.values(), 2)
        if low <= last
        and first <= high
        and not (low <= first and last <= high)
        and not (first <= low and high <= last)
    )


if __name__ == "__main__":
    main()
