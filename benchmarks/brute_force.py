"""Brute force: full-domain beside a search that tries every combination of levels, on real tables.

    python -m benchmarks.brute_force [--nodes 1000] [--rows 20000] [--tables adult,boston]

Of each table the columns are taken in their order as long as there are at most so many combinations
(numbers and dates stand on the ladder of their range, codes of few values and text are all or
nothing, or under the hierarchy that lies beside the table). Each combination is tried literally:
rows with equal parts are counted, those in groups below k are left out at full cost. `--rows` takes
the first rows of large tables.
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from benchmarks import measure
from benchmarks.adult import DATA
from shoal.encode.profile import profile
from shoal.encode.rows import Rows, combined, encode
from shoal.errors import PrivacyNotMet
from shoal.groups import unwatched
from shoal.partition.full_domain import FullDomain
from shoal.partition.levels_weighed import WeighedLevels, levels_weighed
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.promises import Promises
from shoal.recipe import hierarchy_of

K = 5
LIMITS = ("0", "0.04", "1")
HIERARCHIES = {"adult": "adult_arx", "credit_default": "credit_default_arx"}


class Best(NamedTuple):
    """A choice of levels: loss in whole numbers, rows left out, the place of each level."""

    loss: int
    out: int
    node: tuple[int, ...]


def names() -> list[str]:
    """List every table at hand by its path without the ending."""
    places = [*DATA.glob("*.parquet"), *DATA.glob("*.csv"), *DATA.glob("uci/*.csv")]
    return sorted(str(place.relative_to(DATA).with_suffix("")) for place in places)


def opened(name: str, rows: int) -> pa.Table:
    """Read the first rows of a table."""
    place = next(iter(DATA.glob(f"{name}.parquet")), DATA / f"{name}.csv")
    read = pq.read_table if place.suffix == ".parquet" else arrow_csv.read_csv
    return read(place).slice(0, rows)


def encoded(name: str, table: pa.Table, most: int) -> tuple[Rows, list[WeighedLevels]]:
    """Encode the first columns of a table that have at most so many combinations of levels."""
    chosen: list[Any] = []
    trees: dict[str, Any] = {}
    nodes = 1
    for column in table.column_names:
        counted = profile(table[column].combine_chunks(), column)
        tree = _tree(name, column, counted)
        rows = encode([counted], {column: tree}, loss="span")
        levels = len(levels_weighed(rows.axes[0], table.num_rows, "span").number)
        if levels > 1 and nodes * levels <= most:
            nodes *= levels
            chosen.append(counted)
            trees[column] = tree
    rows = encode(chosen, trees, loss="span")
    return rows, [levels_weighed(axis, rows.count, "span") for axis in rows.axes]


def _tree(name: str, column: str, counted: Any) -> Any:
    file = DATA / "hierarchies" / HIERARCHIES.get(name, "none") / f"{column}.csv"
    if file.is_file():
        return hierarchy_of(str(file))
    if pa.types.is_string(counted.values.type) or counted.size < 3:
        return hierarchy_of("flat")
    return hierarchy_of("ladder")


def tried(rows: Rows, levels: Sequence[WeighedLevels], k: int) -> dict[str, Best | None]:
    """Try every combination of levels; return the best for each limit, None where none is safe."""
    codes = rows.distinct.codes
    counts = rows.distinct.counts
    full = rows.costs.full.astype(np.int64)
    prices = [
        np.round(each.share * int(of)).astype(np.int64)
        for each, of in zip(levels, full, strict=True)
    ]
    best: dict[str, Best | None] = dict.fromkeys(LIMITS)
    for node in itertools.product(*(range(len(each.number)) for each in levels)):
        parts = [each.part[at][code] for each, at, code in zip(levels, node, codes, strict=True)]
        keys = combined(np.array(parts), [int(part.max()) + 1 for part in parts])
        group = np.unique(keys, return_inverse=True)[1].reshape(-1)
        small = np.bincount(group, counts)[group] < k
        out = int(counts[small].sum())
        paid = sum(
            int((counts * np.where(small, of, price[at][code])).sum())
            for price, at, code, of in zip(prices, node, codes, full.tolist(), strict=True)
        )
        here = Best(paid, out, node)
        for limit, so_far in best.items():
            if out <= math.floor(Fraction(limit) * rows.count) and out < rows.count:
                best[limit] = here if so_far is None else min(so_far, here)
    return best


def searched(rows: Rows, levels: Sequence[WeighedLevels], k: int, limit: str) -> Best | None:
    """Find the best choice by `full-domain`, in the numbers of the brute force."""
    guard = Promises((KAnonymity(k),))
    try:
        found = FullDomain(withhold=float(limit)).search(rows, k, guard, unwatched)
    except PrivacyNotMet:
        return None
    assert found.groups.levels is not None
    node = tuple(
        each.number.index(level) for each, level in zip(levels, found.groups.levels, strict=True)
    )
    loss = found.loss * float(rows.costs.full.sum()) * rows.count
    return Best(round(loss), found.groups.withheld, node)


def agree(found: Best | None, literal: Best | None) -> bool:
    """Tell whether two choices are one; reported losses are not rounded as those that choose."""
    if found is None or literal is None:
        return found is literal
    near = math.isclose(found.loss, literal.loss, rel_tol=1e-4, abs_tol=1e4)
    return (found.out, found.node) == (literal.out, literal.node) and near


def main() -> None:
    """One line for each table: the lattice, and whether both searches agree for each limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--tables", default=",".join(names()))
    options = parser.parse_args()
    lines = []
    for name in options.tables.split(","):
        rows, levels = encoded(name, opened(name, options.rows), options.nodes)
        lattice = math.prod(len(each.number) for each in levels)
        every = tried(rows, levels, K)
        said = []
        for limit in LIMITS:
            found = searched(rows, levels, K, limit)
            out = "none safe" if found is None else f"{found.out / rows.count:.1%} out"
            said.append(f"{'equal' if agree(found, every[limit]) else 'DIFFERENT'}, {out}")
        counted = [f"{number:,}" for number in (rows.count, len(levels), lattice)]
        lines.append([Path(name).name, *counted, *said])
        print(*lines[-1], sep=" | ", flush=True)
    titles = [
        "table",
        "rows",
        "columns",
        "combinations",
        *(f"{limit} may be left out" for limit in LIMITS),
    ]
    print(measure.markdown(f"full-domain beside brute force, k = {K}", titles, lines, ""))


if __name__ == "__main__":
    main()
