"""Runs: methods at several k and seeds on one table; mean and spread of what is measured. Finished
cells are kept.

Cells stand in `build/experiments/`, so that a run which was stopped goes on. They are kept under a
hash of the code that makes them (see `code`): where a method has changed, they are measured anew.
`--afresh` throws them away in any case. What each cost in CPU seconds is kept with it, so that a
page can say what its figures cost, whenever they were measured.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import adult
from experiments.code import fingerprint
from experiments.divided import Measuring
from shoal import registry
from shoal.comparison.cells import Row
from shoal.comparison.finished import Kept
from shoal.errors import ShoalError
from shoal.partition.method import Method

BUILD = adult.ROOT / "build" / "experiments"
QUICK_ROWS = 2000
CPU = "cpu seconds"


@dataclass
class Spent:
    """The CPU seconds of the cells that a page uses; None of a cell where nobody kept them."""

    of_cells: dict[str, float | None] = field(default_factory=dict)

    def add(self, cell: str, seconds: float | None) -> None:
        """Note what a cell cost; a cell that is used twice counts once."""
        self.of_cells[cell] = seconds

    def __str__(self) -> str:
        known = [seconds for seconds in self.of_cells.values() if seconds is not None]
        lost = len(self.of_cells) - len(known)
        more = f", and those of {lost:,} parts more that nobody kept" if lost else ""
        return f"{sum(known) / 60:.1f} CPU minutes{more}"


@dataclass(frozen=True)
class Options:
    """What was asked on the command line."""

    page: str
    quick: bool
    jobs: int | None
    full: bool = False
    claim: str | None = None
    finished: bool = False
    """Write the page from the cells that are finished already."""
    spent: Spent = field(default_factory=Spent)

    def beside(self, page: str) -> Options:
        """The same, for figures that are kept under another name."""
        return replace(self, page=page)

    def wants(self, *claims: str) -> bool:
        """Tell whether something has to be measured for what was asked: one claim, or all."""
        return self.claim is None or self.claim in claims

    def seeds(self, many: int) -> tuple[int, ...]:
        """So many, two in a quick run."""
        return tuple(range(1, 1 + (2 if self.quick else many)))

    def table(self, table: pa.Table, rows: int | None = None) -> pa.Table:
        """The first rows of a table; few in a quick run."""
        return table.slice(0, min(rows or table.num_rows, QUICK_ROWS) if self.quick else rows)

    def run(
        self,
        table: pa.Table,
        base: Mapping[str, Any],
        methods: Mapping[str, str],
        ks: Iterable[int],
        seeds: Iterable[int],
    ) -> list[Row]:
        """A row for each method (by the name that the page gives it), k and seed; refused cells are
        told and left out.
        """
        recipes = {name: {**base, "method": text} for name, text in available(methods).items()}
        measuring = Measuring(table, recipes)
        rows = self.measured(measuring.cells(ks, seeds), measuring)
        for row in rows:
            if row.get("refused"):
                say(f"refused: {row['method']} at k = {row['k']}: {row['refused']}")
        return [row for row in rows if not row.get("refused")]

    def measured(self, cells: Sequence[Any], measure: Callable[[Any], Row]) -> list[Row]:
        """The same of cells of any kind: frozen dataclasses with a `key`, and a function of a
        module that measures one.
        """
        BUILD.mkdir(parents=True, exist_ok=True)
        kept = Kept(finished(self.page, _module_of(measure)))
        watch = _shown(self.page)
        if self.finished:
            cells = [cell for cell in cells if cell.key in kept.rows]
        todo = {cell.key: cell for cell in cells if cell.key not in kept.rows}
        try:
            with closing(_side_by_side(todo, measure, self.jobs or os.cpu_count() or 1)) as found:
                for done, (key, (row, seconds)) in enumerate(found, 1):
                    kept.add(key, {**row, CPU: seconds})
                    watch(done / len(todo))
        except KeyboardInterrupt:
            say(
                f"stopped: {len(kept.rows):,} finished cells are kept, and the same "
                "command goes on from there"
            )
            raise SystemExit(130) from None
        for key in dict.fromkeys(cell.key for cell in cells):
            self.spent.add(key, kept.rows[key].get(CPU))
        return [{**asdict(cell), **_without_cpu(kept.rows[cell.key])} for cell in cells]


def _without_cpu(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != CPU}


def timed(measure: Callable[[Any], Row], cell: Any) -> tuple[Row, float]:
    """Measure a cell, and the CPU seconds of this process that it takes."""
    start = time.process_time()
    row = measure(cell)
    return row, time.process_time() - start


def _side_by_side(
    todo: Mapping[str, Any], measure: Callable[[Any], Row], jobs: int
) -> Generator[tuple[str, tuple[Row, float]], None, None]:
    """Each cell's row and CPU seconds, as they are finished."""
    if jobs == 1:
        yield from ((key, timed(measure, cell)) for key, cell in todo.items())
        return
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"))
    try:
        running = {pool.submit(timed, measure, cell): key for key, cell in todo.items()}
        yield from ((running[future], future.result()) for future in as_completed(running))
    finally:  # who stops a run does not wait for the thousands of cells that are left
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
            child.join()


def finished(page: str, *measuring: str) -> Path:
    """Name the file of finished cells that today's code has made."""
    return BUILD / f"{page}-{fingerprint(measuring)}.jsonl"


def _module_of(measure: Callable[[Any], Row]) -> str:
    """Name the module of a function, also where Python runs it as its main program."""
    spec = sys.modules[measure.__module__].__spec__
    name = measure.__module__ if spec is None else spec.name
    return name.rpartition(".")[2]


def key_of(cell: Any) -> str:
    """A name for the result of a cell: equal only for the same parameters."""
    told = json.dumps([type(cell).__name__, asdict(cell)], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation over seeds."""

    mean: float
    deviation: float
    seeds: int

    def __str__(self) -> str:
        digits = 0 if abs(self.mean) >= 1000 else 2 if abs(self.mean) >= 1 else 4
        return (
            f"{self.mean:,.{digits}f} ± {self.deviation:,.{digits}f}"
            if self.seeds > 1
            else f"{self.mean:,.{digits}f}"
        )


def spreads(
    rows: Iterable[Row], measure: str, by: tuple[str, str] = ("method", "k")
) -> dict[tuple[Any, Any], Spread]:
    """Mean and spread for each method and k (or what else rows differ in)."""
    found: dict[tuple[Any, Any], list[float]] = {}
    for row in rows:
        found.setdefault((row[by[0]], row[by[1]]), []).append(row[measure])
    return {key: spread_of(values) for key, values in found.items()}


def spread_of(values: Sequence[float]) -> Spread:
    """Compute mean and standard deviation of figures; the latter is 0 for a single one."""
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return Spread(float(np.mean(values)), deviation, len(values))


def drawable(rows: Iterable[Row], measure: str, by: tuple[str, str] = ("method", "k")) -> list[Row]:
    """Means with their spread, as charts take them."""
    return [
        {
            by[0]: key[0],
            by[1]: key[1],
            measure: s.mean,
            "low": s.mean - s.deviation,
            "high": s.mean + s.deviation,
        }
        for key, s in spreads(rows, measure, by).items()
    ]


def exponent(points: Mapping[float, float]) -> float:
    """The power with which a figure grows: the slope of the line through its logarithms."""
    x = np.log(list(points))
    y = np.log(np.maximum(list(points.values()), 1e-4))
    return float(np.polyfit(x, y, 1)[0])


def straightness(points: Mapping[float, float]) -> float:
    """The share of the variance that a straight line explains (R squared)."""
    return float(np.corrcoef(list(points), list(points.values()))[0, 1] ** 2)


def available(methods: Mapping[str, str]) -> dict[str, str]:
    """The methods that exist, with these parameters; of the others a line is printed."""
    there = {}
    for name, text in methods.items():
        try:
            registry.make(Method, text)
            there[name] = text
        except ShoalError as error:
            say(f"skipped: {name}: {error.problem}")
    return there


def adult_base() -> dict[str, Any]:
    """Adult as all papers of this field have it: eight quasi-identifiers, age a number, income
    sensitive.
    """
    trees = {name: tree or "none" for name, tree in adult.hierarchies().items()}
    return {
        "quasi": adult.QUASI,
        "sensitive": [adult.SENSITIVE],
        "hierarchies": trees,
        "loss": "height",  # the papers' measure, and what their methods minimize
    }


def options(
    page: str, about: str | None, given: Sequence[str] | None = None, claims: Sequence[str] = ()
) -> Options:
    """The command line that all experiments share; `claims` are those that can be asked for."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"{QUICK_ROWS:,} rows and two seeds, to see whether it runs",
    )
    parser.add_argument("--afresh", action="store_true", help="measure finished cells again")
    parser.add_argument(
        "--full", action="store_true", help="everything, where the usual run leaves something out"
    )
    parser.add_argument("--jobs", type=int, help="how many at once")
    parser.add_argument(
        "--finished", action="store_true", help="measure nothing: use the cells that are finished"
    )
    parser.add_argument(
        "--claim",
        choices=claims or None,
        help="measure what one claim needs, print its verdict, and leave the page as it is",
    )
    asked = parser.parse_args(given)
    if asked.afresh:
        for file in BUILD.glob(f"{page}-*.jsonl"):
            file.unlink()
    return Options(page, asked.quick, asked.jobs, asked.full, asked.claim, asked.finished)


def results(asked: Options) -> Path:
    """Where pages go: among the docs, but those of a quick run beside the cells."""
    return BUILD / "quick" if asked.quick else adult.ROOT / "docs" / "results"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _shown(page: str) -> Callable[[float], None]:
    told = [0]

    def watch(share: float) -> None:
        if int(share * 10) > told[0]:
            told[0] = int(share * 10)
            say(f"{page}: {share:.0%}")

    return watch
