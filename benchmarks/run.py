"""Speed and loss of every method beside the peers, in one run.

    make bench                                       all sections but first-minute, printed
    make bench ARGS='--quick'                        k = 10 alone, no long tables
    make bench ARGS=first-minute                     what someone new waits for (after make wheel)
    make bench ARGS='peers --ks 5,10,50'             some sections, at some k
    make bench ARGS='peers --arx libarx.jar'         some sections, with ARX among the peers
    make bench ARGS='--methods k-member,mondrian'    some methods
    make bench ARGS='--write docs/benchmarks.md'     into a file as well

One program or method may take `--limit` CPU seconds at one k: by default 100 in `peers` and 30 in
`methods`. Machines differ and are shared: read the ratios, not the seconds. Losses come from one
scorer that knows nothing of Shoal.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import shoal
from benchmarks import adult, measure, published, score
from benchmarks.first_minute import first_minute
from benchmarks.peers import beside
from benchmarks.peers.environments import installed
from shoal.errors import ShoalError
from shoal.partition.method import Method
from shoal.registry import names

YARDSTICK = "k-member"
LIMIT = 30  # CPU seconds of one of our methods at one k
NOTE = (
    "CPU seconds are those of dividing alone; 'with report' is the whole call with all losses. A "
    "method that has no answer within {limit} CPU s is ended, and not asked for the k after it. "
    "In brackets, not rerun: {sources}"
)
PAGE = """# Benchmarks

After this page you know what Shoal loses and takes beside the programs that install from PyPI.

The command below makes all of it anew. The tables are in the repository, each peer is installed
into an environment of its own, and one scorer that knows nothing of Shoal counts groups and losses
from what each program published.
"""
NUMERIC = ("census", "tarragona", "eia")
SHOAL = str(Path(sys.executable).with_name("shoal"))


def main() -> None:
    """Print each table as soon as it is there."""
    options = _options()
    warnings.simplefilter("ignore", shoal.ShoalWarning)  # of columns that some methods lose
    tables = [_heading()]
    print(tables[0])
    for name in options.sections or UNLESS_NAMED:
        for text in SECTIONS[name](options):
            print(text, flush=True)
            tables.append(text)
    if options.write:
        Path(options.write).write_text("\n".join([PAGE, *tables]), "utf-8")


def peers(options: argparse.Namespace) -> Iterator[str]:
    """Shoal beside every peer that installs from PyPI, and ARX where its jar is named."""
    ks = options.ks or [10]
    yield from beside.tables(ks, options.rows, options.limit or beside.LIMIT, options.arx)


def adult_methods(options: argparse.Namespace) -> Iterator[str]:
    """Every method on Adult at several k, then what others reached."""
    ks = options.ks or ([10] if options.quick else [5, 10, 50])
    limit = options.limit or LIMIT
    results = {method: _at_each(method, ks, limit) for method in _methods(options)}
    yardstick = results.get(YARDSTICK, [None] * len(ks))
    rows = [[method, *_cells(found, yardstick)] for method, found in results.items()]
    for system, values, seconds, _ in published.ADULT:
        cells = [
            cell for k in ks for cell in (f"{values[k]:,.0f}" if k in values else "", "", "", "")
        ]
        rows.append([f"({system}: {seconds} s)", *cells])
    header = [
        "method",
        *(cell for k in ks for cell in (f"loss, k={k}", "CPU s", f"/ {YARDSTICK}", "with report")),
    ]
    sources = "; ".join(f"{reference.system}: {reference.source}" for reference in published.ADULT)
    yield measure.markdown(
        "Adult, 8 quasi-identifiers, total information loss",
        header,
        rows,
        NOTE.format(limit=limit, sources=sources),
    )


def numeric_methods(options: argparse.Namespace) -> Iterator[str]:
    """Microaggregation of numbers: squared error share of MDAV and its relatives, beside the known
    answer.
    """
    ks = [3] if options.quick else [3, 5, 10]
    rows = []
    for name in NUMERIC:
        for method in [method for method in _methods(options) if method in ("mdav", "v-mdav")]:
            rows.append(
                [f"{name}, {method}", *(cell for k in ks for cell in _on_numbers(name, method, k))]
            )
        rows.append(
            [
                f"({name}, MDAV published)",
                *(cell for k in ks for cell in (f"{published.MDAV[name][k]:.6f}", "")),
            ]
        )
    header = ["data", *(cell for k in ks for cell in (f"SSE/SST, k={k}", "CPU s"))]
    yield measure.markdown("Numbers alone, squared error share on z-scores", header, rows)


def terminal(options: argparse.Namespace) -> Iterator[str]:
    """What users of the command line wait for."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [_command("shoal --help", [SHOAL, "--help"], times=3), _file_to_file(Path(folder))]
        if not options.quick:
            long = Path(folder) / "million.parquet"
            pq.write_table(adult.repeated(1_000_000), long)
            quasi = ",".join(adult.QUASI)
            rows.append(
                _command(
                    "shoal audit, 1,000,000 rows",
                    [SHOAL, "audit", str(long), "-q", quasi, "-s", adult.SENSITIVE, "--json"],
                )
            )
            rows.append(_pycanon(long))
    yield measure.markdown(
        "From the terminal, start included", ["command", "CPU s", "wall s"], rows
    )


def _at_each(method: str, ks: Sequence[int], limit: int) -> list[tuple[float, float, float] | str]:
    """Ask a method for several k, until it has no answer within its CPU seconds."""
    results: list[tuple[float, float, float] | str] = []
    for k in ks:
        answer = measure.limited(partial(_on_adult, method, k), limit)
        if answer is None:
            rest = ["not asked"] * (len(ks) - len(results) - 1)
            return [*results, f"no answer within {limit} CPU s", *rest]
        results.append(answer)
    return results


def _on_adult(method: str, k: int) -> tuple[float, float, float] | str:
    """Loss, CPU seconds of dividing and of everything, or why not."""
    clock = measure.Stages()
    try:
        release, cost = measure.call(lambda: _anonymize(method, k, clock))
    except ShoalError as error:
        return f"refuses: {error.problem.splitlines()[0]}"
    loss = (
        release.loss("total-information-loss")
        if release.groups is None
        else score.information_loss(adult.table(), np.asarray(release.groups), adult.hierarchies())
    )
    return loss, clock.seconds("dividing"), cost.cpu


def _anonymize(
    method: str, k: int, clock: measure.Stages, rows: int | None = None
) -> shoal.Release:
    table = adult.table().slice(0, rows)
    trees = adult.hierarchies()
    return shoal.anonymize(
        table,
        quasi=adult.QUASI,
        hierarchies=trees,
        k=k,
        method=method,
        publish="tight",
        seed=1,
        progress=clock,
    )


def _on_numbers(name: str, method: str, k: int) -> tuple[str, str]:
    table = shoal.datasets.table(name)
    columns = [
        name for name in table.column_names if name not in ("UTILNAME", "STATE", "YEAR", "MONTH")
    ]
    points = np.stack([table[name].to_numpy().astype(np.float64) for name in columns], axis=1)
    try:
        release, cost = measure.call(
            lambda: shoal.anonymize(
                table.select(columns),
                quasi=columns,
                k=k,
                method=method,
                loss="squared-error",
                publish="tight",
                seed=1,
            )
        )
    except ShoalError as error:
        return f"refuses: {error.problem.splitlines()[0]}", ""
    return f"{score.squared_error_share(points, np.asarray(release.groups)):.6f}", f"{cost.cpu:.2f}"


def _cells(found: list, yardstick: list) -> Iterator[str]:
    for figures, measured in zip(found, yardstick, strict=True):
        if isinstance(figures, str):
            yield from (figures, "", "", "")
        else:
            ratio = f"{figures[1] / measured[1]:.2f}" if isinstance(measured, tuple) else ""
            yield from (f"{figures[0]:,.0f}", f"{figures[1]:.2f}", ratio, f"{figures[2]:.2f}")


def _pycanon(path: Path) -> list[str]:
    """Measure how long pyCANON takes to count k alone."""
    needs = ("pycanon==1.3.6", "pyarrow")
    home = installed("pycanon", needs)
    title = f"{needs[0].replace('==', ' ')}, k alone, 1,000,000 rows"
    if home.problem:
        return [title, home.problem, ""]
    script = str(Path(beside.__file__).with_name("by_pycanon.py"))
    done, _ = measure.program([home.python, script, str(path), ",".join(adult.QUASI)])
    if done.returncode != 0:
        return [title, "failed", ""]
    return [title, f"{json.loads(done.stdout)['seconds']:.2f}", ""]


def _file_to_file(folder: Path) -> list[str]:
    where = ["--hierarchies", str(adult.TREES), "--hierarchy", "age=none"]
    what = [
        str(adult.FILE),
        "-o",
        str(folder / "released.parquet"),
        "-q",
        ",".join(adult.QUASI),
        "-s",
        adult.SENSITIVE,
        "-k",
        "10",
    ]
    return _command(
        "shoal anonymize, Adult, Parquet to Parquet, k=10",
        [SHOAL, "anonymize", *what, *where, "--method", YARDSTICK],
    )


def _command(title: str, command: list[str], times: int = 1) -> list[str]:
    done, cost = measure.program(command, times)
    return [
        title,
        f"{cost.cpu:.2f}" if done.returncode == 0 else f"exit code {done.returncode}",
        f"{cost.wall:.2f}",
    ]


def _methods(options: argparse.Namespace) -> list[str]:
    """The methods asked for, the yardstick first; every one has run once, so that no figure holds
    compilation.
    """
    known = list(names(Method))
    chosen = sorted(
        options.methods.split(",") if options.methods else known,
        key=lambda name: (name != YARDSTICK, name),
    )
    for method in chosen:
        try:
            _anonymize(method, 5, measure.Stages(), 300)
        except ShoalError as error:
            print(f"{method}: {error.problem}", file=sys.stderr)
    return chosen


def _heading() -> str:
    asked = f"`make bench ARGS='{' '.join(sys.argv[1:])}'`".replace(" ARGS=''", "")
    programs = f"Shoal {version('shoal')}, Python {platform.python_version()}"
    machine = (
        f"{platform.machine()} with {os.cpu_count()} cores at a load of {os.getloadavg()[1]:.0f}"
    )
    return (
        f"Made by {asked} on {datetime.now(UTC):%Y-%m-%d}: {programs}, {machine}. "
        "Seconds grow with the load: read ratios.\n"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", help=f"some of: {', '.join(SECTIONS)}")
    parser.add_argument("--quick", action="store_true", help="k = 10 alone, no long tables")
    parser.add_argument("--methods", help="some methods, with commas between")
    parser.add_argument("--rows", type=int, help="so many rows of Adult for the peers")
    limit = f"CPU seconds of one run ({beside.LIMIT} of a peer, {LIMIT} of a method)"
    parser.add_argument("--limit", type=int, help=limit)
    parser.add_argument("--ks", type=_numbers, help="which k in peers and methods: 5,10,50")
    parser.add_argument("--arx", default="", help="the jar of ARX, which is then a peer too")
    parser.add_argument("--write", help="a Markdown file to write as well")
    options = parser.parse_args()
    for name in options.sections:
        if name not in SECTIONS:
            parser.error(f"there is no section '{name}': one of {', '.join(SECTIONS)}")
    return options


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


SECTIONS = {
    "peers": peers,
    "methods": adult_methods,
    "numbers": numeric_methods,
    "terminal": terminal,
    "first-minute": first_minute,
}
UNLESS_NAMED = [name for name in SECTIONS if name != "first-minute"]  # which needs a wheel

if __name__ == "__main__":
    main()
