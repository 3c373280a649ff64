"""Full-domain: CPU seconds of the search, nodes looked at, and what one scheme for all rows costs.

    python -m benchmarks.full_domain                       all sections
    python -m benchmarks.full_domain adult hard            some: adult, hard, wide, files, beside
    python -m benchmarks.full_domain hard --rows 300000    up to this many rows (or 1,000,000)

The first search of a process compiles or loads kernels, and is not timed.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import shoal
from benchmarks import adult, brute_force, measure
from benchmarks.shoal import hard
from shoal.encode.rows import Rows
from shoal.engines.promises import promises_of
from shoal.flows.declared import declared
from shoal.groups import unwatched
from shoal.partition.full_domain import FullDomain, Optimum
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.promises import Promises
from shoal.recipe import Recipe

NINE = [*adult.QUASI, "income"]
TREES = {name: str(adult.TREES / f"{name}.csv") for name in NINE}
TASKS = (
    ("leaf-share", "full-domain:aggregate=geometric", 1.0),
    ("leaf-share", "full-domain:aggregate=geometric", 0.04),
    ("leaf-share", "full-domain", 1.0),
    ("leaf-share", "full-domain", 0.0),
    ("span", "full-domain", 0.01),
    ("non-uniform-entropy", "full-domain", 0.04),
    ("discernibility", "full-domain", 0.04),
)


def searched(table: pa.Table, asked: Recipe) -> tuple[Optimum, measure.Cost]:
    """Search a table, and say what that took after it was encoded."""
    plan = asked.plan()
    rows, _ = declared(table, plan)
    guard = promises_of(rows, plan)
    method = plan.method
    assert isinstance(method, FullDomain)
    return measure.call(lambda: method.search(rows, asked.k, guard, unwatched))


def recipe(quasi: list[str], k: int, loss: str, method: str, withhold: float) -> Recipe:
    """What is asked of each search."""
    trees = {name: TREES[name] for name in quasi}
    asked = {"quasi": quasi, "k": k, "loss": loss, "method": method, "withhold": withhold}
    return Recipe.of(**asked, hierarchies=trees)


def adult_(options: argparse.Namespace) -> Iterator[str]:
    """Search Adult with nine columns, 12,960 nodes."""
    table = adult.table()
    lines = []
    searched(table, recipe(NINE, 5, *TASKS[0]))
    for loss, method, withhold in TASKS:
        found, cost = searched(table, recipe(NINE, 5, loss, method, withhold))
        out = found.groups.withheld / table.num_rows
        said = f"{loss}, {method.partition(':')[2] or 'sum'}, {withhold:g}"
        looked = f"{found.looked_at:,} of {found.nodes:,}"
        lines.append([said, f"{found.loss:.6g}", f"{out:.2%}", looked, f"{cost.cpu:.2f}"])
    yield measure.markdown(
        "Adult, 9 columns, k = 5",
        ["loss, aggregate, may be left out", "loss", "left out", "looked at", "CPU s"],
        lines,
    )


def hard_(options: argparse.Namespace) -> Iterator[str]:
    """Search hard tables of growing length."""
    lines = []
    searched(adult.table(), recipe(adult.QUASI, 5, *TASKS[2]))
    for count in [n for n in (30_000, 300_000, 1_000_000) if n <= options.rows]:
        table = hard(count)
        for withhold in (0.0, 0.04, 1.0):
            trees = {name: TREES[name] for name in adult.QUASI if name != "age"}
            asked = Recipe.of(
                quasi=adult.QUASI,
                k=10,
                loss="leaf-share",
                method="full-domain",
                withhold=withhold,
                hierarchies={**trees, "age": "ladder:widths=5-10-20-40"},
            )
            found, cost = searched(table, asked)
            looked = f"{found.looked_at:,} of {found.nodes:,}"
            lines.append(
                [f"{count:,}, {withhold:g}", f"{found.loss:.4f}", looked, f"{cost.cpu:.2f}"]
            )
    yield measure.markdown(
        "Hard table, 8 columns, k = 10",
        ["rows, may be left out", "loss", "looked at", "CPU s"],
        lines,
    )


def wide(options: argparse.Namespace) -> Iterator[str]:
    """Search lattices of more nodes than are all searched: what is lost, and at least must be."""
    lines = []
    for name, columns in (("adult", 15), ("census_income_kdd", 25)):
        table = brute_force.opened(name, min(options.rows, 20_000))
        few = table.select(table.column_names[:columns])
        rows, levels = brute_force.encoded(name, few, 10**30)
        found, cost = measure.call(partial(_searched_in_part, rows))
        assert found.least is not None
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        said = [f"{name}, {len(levels)}", f"{found.nodes:.1e}", f"{found.looked_at:,}"]
        lines.append(
            [*said, f"{found.loss:.4f}", f"{found.least:.4f}", f"{cost.cpu:.1f}", f"{peak:.2f}"]
        )
        print(*lines[-1], flush=True)
    yield measure.markdown(
        "First 20,000 rows, all columns, k = 5, 4 % may be left out",
        ["table, columns", "nodes", "looked at", "loss", "none below", "CPU s", "peak GB"],
        lines,
    )


def _searched_in_part(rows: Rows) -> Optimum:
    guard = Promises((KAnonymity(5),))
    return FullDomain(withhold=0.04).search(rows, 5, guard, unwatched)


def files(options: argparse.Namespace) -> Iterator[str]:
    """Run the whole program on the hard table: from Parquet file to verified Parquet file."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for count in [n for n in (300_000, 1_000_000) if n <= options.rows]:
            source = Path(folder, f"{count}.parquet")
            pq.write_table(hard(count), source)
            asked = ["-q", ",".join(adult.QUASI), "-s", adult.SENSITIVE, "-k", "10"]
            asked += ["--method", "full-domain", "--withhold", "0.04"]
            asked += ["--hierarchies", str(adult.TREES), "--hierarchy", "age=none", "--force"]
            program = [sys.executable, "-c", "from shoal.cli import main; main()", "anonymize"]
            target = str(source.with_name("released.parquet"))
            _, (cpu, peak) = measure.peak([*program, str(source), "-o", target, *asked])
            lines.append([f"{count:,}", f"{cpu:.1f}", f"{peak:.2f}"])
    yield measure.markdown("Hard table, file to file", ["rows", "CPU s", "peak GB"], lines)


def beside(options: argparse.Namespace) -> Iterator[str]:
    """Compare one scheme for all rows with local recoding, as published."""
    lines = []
    blanked = "full-domain:suppress=cells"
    ways = (("full-domain", 0.0), ("full-domain", 0.04), ("full-domain", 1.0), (blanked, 0.0))
    for k in (5, 10, 25):
        for method, withhold in (*ways, ("top-down", 0.0), ("mondrian", 0.0), ("shoal", 0.0)):
            release = shoal.anonymize(
                adult.table().drop_columns([adult.SENSITIVE]),
                quasi=adult.QUASI,
                k=k,
                method=method,
                withhold=withhold,
                hierarchies={name: TREES[name] for name in adult.QUASI if name != "age"},
                seed=1,
            )
            left = [release.columns[name] for name in adult.QUASI]
            exact = sum(each.exact for each in left) / len(left)
            lost = sum(each.lost for each in left) / len(left)
            said = f"{k}, {method}" + (f", {withhold:g} left out" if withhold else "")
            loss = release.loss("published-leaf-share")
            query = release.loss("query-error")
            lines.append([said, f"{loss:.3f}", f"{query:.3f}", f"{exact:.0%}", f"{lost:.0%}"])
    yield measure.markdown(
        "Adult, 8 columns, as published",
        ["k, method", "published-leaf-share", "query-error", "cells exact", "cells lost"],
        lines,
    )


SECTIONS = {"adult": adult_, "hard": hard_, "wide": wide, "files": files, "beside": beside}


def main() -> None:
    """Print the sections that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", default=list(SECTIONS), choices=[*SECTIONS, []])
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    for name in options.sections or SECTIONS:
        for text in SECTIONS[name](options):
            print(text, flush=True)


if __name__ == "__main__":
    main()
