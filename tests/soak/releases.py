"""Releases of a soak: a random request through one of the doors, recounted from outside."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import shoal
from shoal.engines.local.engine import LocalEngine
from shoal.errors import ShoalError
from soak import inputs, requests, terminal_runs
from soak.outside.cells import Unreadable
from soak.outside.recount import Release, counted, faults
from soak.outside.tables import read_table
from soak.requests import DOORS, Request
from terminal import Said

OUT_TABLE = "released"


@dataclass
class Done:
    """The end of a case: released or refused, what was done, and all that was wrong."""

    outcome: str
    counts: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    described: Any = None


def released(rng: Random, folder: Path) -> Done:
    """Release a random table through Python or the terminal, and recount it."""
    door = rng.choices(("python", "shards", *DOORS), (83, 8, 2, 2, 2, 2, 1))[0]
    request = requests.drawn(rng, door)
    done = by_terminal(rng, request, folder) if door in DOORS else by_python(rng, request, folder)
    done.counts[f"{done.outcome} by {door}"] = 1
    done.counts[f"{done.outcome} with {request.call['method'].partition(':')[0]}"] = 1
    done.described = {"door": door, "rows": len(request.original["name"].values), **request.call}
    return done


def by_python(rng: Random, request: Request, folder: Path) -> Done:
    """Release through the Python door, in one piece or in shards."""
    call = {**request.call, "hierarchies": _hierarchies(rng, request, folder)}
    if request.asked.population is not None:
        call["population"] = inputs.arrow(request.asked.population)
    if request.door == "shards":
        call["engine"] = LocalEngine(shards=rng.randint(2, 4))
    table = inputs.arrow(request.original)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            release = shoal.anonymize(table, **call)
    except ShoalError as error:
        return Done("refused", {f"refused with exit code {error.exit_code}": 1}, _told(error))
    labels = None if release.groups is None else [int(label) for label in release.groups]
    printed = Release(_plain(release.table), labels)
    public = release.certificate.public.as_dict()
    wrong = recounted(request, printed) + certified(request, printed, public)
    if rng.random() < 0.05 and not wrong:
        wrong += _verified(release, table, call)
    return Done("released", {}, wrong)


def _told(error: ShoalError) -> list[str]:
    return [] if error.exit_code in terminal_runs.CODES else [f"exit code {error.exit_code}"]


def recounted(request: Request, release: Release) -> list[str]:
    """List the broken promises of a release; a cell that can't be read is one of them."""
    try:
        return faults(request.original, release, request.asked)
    except Unreadable as error:
        return [f"an unreadable cell: {error}"]


def certified(request: Request, release: Release, public: dict[str, Any]) -> list[str]:
    """Compare rows, groups and k of a certificate with those of the release."""
    asked = request.asked
    rows, groups, smallest = counted(release.printed, asked.quasi)
    said = {"rows": rows, "groups": groups, "k": smallest}
    if asked.overlap:
        said = {"rows": rows, "k": asked.k}
    return [
        f"the certificate states {public.get(name)} {name}, counted are {value}"
        for name, value in said.items()
        if public.get(name) != value
    ]


def _verified(release: Any, table: Any, call: dict[str, Any]) -> list[str]:
    """Verify a release beside its original, through the Python door."""
    beside = {name: call[name] for name in ("population", "hierarchies") if name in call}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verified = shoal.verify(release.table, release.certificate, original=table, **beside)
    differs = [item.what for item in verified.items if item.status == "differs"]
    return [f"verify finds a difference in {name}" for name in differs]


def _hierarchies(rng: Random, request: Request, folder: Path) -> dict[str, Any]:
    """Spell hierarchies for Python: trees as files or as nested dicts."""
    asked = dict[str, Any](request.call["hierarchies"])
    for number, (name, kind) in enumerate(sorted(asked.items())):
        if kind == "file":
            column = request.original[name]
            place = folder / f"tree{number}.csv"
            as_file = rng.random() < 0.5
            asked[name] = (
                str(inputs.write_hierarchy(column, place)) if as_file else inputs.nested(column)
            )
    return asked


def _plain(table: Any) -> dict[str, list[Any]]:
    return {name: list(values) for name, values in table.to_pydict().items()}


def by_terminal(rng: Random, request: Request, folder: Path) -> Done:
    """Release from a file to a file by a typed command, then verify what stands there."""
    run = typed(rng, request, folder)
    with _several_pieces(rng):
        said = terminal_runs.here(folder, *run.words)
    wrong = terminal_runs.rules_broken(said)
    if said.code:
        counts = {f"refused with exit code {said.code}": 1}
        return Done("refused", counts, wrong + _left(folder, run))
    release = Release(read_table(folder / run.place, OUT_TABLE))
    public = json.loads((folder / run.certificate).read_text("utf-8"))
    wrong += recounted(request, release) + certified(request, release, public)
    checked = verified(run, folder, *rng.choice(([], ["--original", run.source])))
    if checked.code:
        wrong.append(f"verify exits with {checked.code}: {terminal_runs.last_line(checked.err)}")
    return Done("released", {"verified from files": 1}, wrong)


@dataclass(frozen=True)
class Typed:
    """A typed command, and the names of the files it reads and writes."""

    words: list[str]
    source: str
    output: str
    place: str
    certificate: str
    trees: list[str]


def typed(rng: Random, request: Request, folder: Path) -> Typed:
    """Spell a request for the terminal, and write the files that it reads."""
    kind = "parquet" if request.door == "disk" else request.door
    place = inputs.write(request.original, folder, kind).name
    suffix = {"sqlite": "db"}.get(kind, kind)
    into = f"out.{suffix}"
    source = _address(kind, place, inputs.TABLE)
    output = _address(kind, into, OUT_TABLE)
    trees = _tree_words(request, folder)
    words = ["anonymize", source, "-o", output, *_words(request), *trees]
    if request.door == "disk":
        words += ["--memory", "2GB"]
    stem = output if "://" not in output else into
    certificate = f"{stem}.certificate.json"
    words += ["--certificate", certificate]
    return Typed(words, source, output, into, certificate, trees)


def verified(run: Typed, folder: Path, *more: str) -> Said:
    """Verify a release that a typed command wrote."""
    population = folder / "everyone.parquet"
    beside = ["--population", population.name] if population.exists() else []
    return terminal_runs.here(
        folder, "verify", run.output, run.certificate, *run.trees, *beside, *more
    )


def _address(kind: str, place: str, table: str) -> str:
    return f"{kind}:///{place}#{table}" if kind in ("sqlite", "duckdb") else place


def _tree_words(request: Request, folder: Path) -> list[str]:
    words = list[str]()
    for number, (name, kind) in enumerate(sorted(request.call["hierarchies"].items())):
        if kind == "file":
            kind = inputs.write_hierarchy(request.original[name], folder / f"t{number}.csv").name
        words += ["--hierarchy", f"{name}={kind}"]
    if request.asked.population is not None:
        inputs.parquet.write_table(
            inputs.arrow(request.asked.population), folder / "everyone.parquet"
        )
    return words


def _words(request: Request) -> list[str]:
    """Spell options of the Python door as words of the terminal."""
    call = request.call
    words = ["-k", str(call["k"]), "--method", call["method"], "--seed", str(call["seed"])]
    for flag, name in (
        ("-q", "quasi"),
        ("-s", "sensitive"),
        ("-i", "identifiers"),
        ("--keep", "keep"),
    ):
        if call[name]:
            words += [flag, ",".join(call[name])]
    for model in call["models"]:
        words += ["--model", model]
    publish = call.get("publish", "snapped")
    chosen = [publish] if isinstance(publish, str) else [f"{a}={b}" for a, b in publish.items()]
    for how in chosen:
        words += ["--publish", how]
    for name in ("withhold", "others", "loss", "effort"):
        if name in call:
            words += [f"--{name}", str(call[name])]
    for column, weight in call.get("importance", {}).items():
        words += ["--importance", f"{column}={weight}"]
    for name in ("top", "bottom", "round"):
        for column, end in call.get(name, {}).items():
            words += [f"--{name}", f"{column}={end}"]
    words += ["--refine"] if call.get("refine") else []
    words += ["--population", "everyone.parquet"] if request.asked.population else []
    return words


def _left(folder: Path, run: Typed) -> list[str]:
    """List files that a refused command left behind."""
    ours = [run.place, run.certificate, f"{run.place}.private.json"]
    left = [name for name in ours if (folder / name).exists()]
    left += [path.name for path in folder.iterdir() if path.name.startswith(".")]
    return [f"a refused run left {len(left)} files"] if left else []


@contextmanager
def _several_pieces(rng: Random) -> Iterator[None]:
    """Make the engine on disk read a small table in several pieces."""
    from shoal.engines.disk import memory

    rows = rng.choice((60, 150, 1000))
    with patch.object(memory, "rows_at_once", lambda memory, recipe: rows):
        yield
