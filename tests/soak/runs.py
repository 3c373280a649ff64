"""Runs of a soak: their counts as files, and the page in the docs that adds them up.

Each run writes its counts to a file while it goes on, so one that is stopped is counted too. The
page lists every run with the commit that it attacked, and says how many cases failed in it.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
FAILED_CASES = """Failed cases; what was mended has a test in `tests/guarantees/test_past_faults.py`
or, where the soak was wrong, in `tests/soak`:"""
GOAL = {"releases": 100_000, "odd inputs": 10_000}
"""What has to pass without a failure."""


@dataclass(frozen=True)
class Run:
    """One run of the soak: what it attacked, for how long, and what it counted."""

    commit: str
    seed: int
    minutes: float
    counts: dict[str, int] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def write(self, folder: Path) -> Path:
        """Write the run to a file of its own, over what it wrote before."""
        folder.mkdir(parents=True, exist_ok=True)
        place = folder / f"run-{self.seed}.json"
        written = place.with_suffix(".written")
        written.write_text(_spelled([self]), "utf-8")
        written.rename(place)
        return place

    def count(self, name: str) -> int:
        """Return how often something was counted."""
        return self.counts.get(name, 0)

    @property
    def done(self) -> dict[str, int]:
        """The releases that were recounted, and the odd inputs."""
        odd = self.count("cases: odd input") + self.count("cases: terminal")
        return {"releases": self.count("release: released"), "odd inputs": odd}


def commit() -> str:
    """Name the commit that is attacked, and say so where files differ from it."""
    told = subprocess.run(
        ["git", "describe", "--always", "--exclude=*", "--dirty=, changed"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout.strip() or "unknown"


def read(place: Path) -> list[Run]:
    """Read runs from a file."""
    return [Run(**each) for each in json.loads(place.read_text("utf-8"))]


def add(runs: Iterable[Run], folder: Path = RESULTS) -> Path:
    """Add runs to those that are known, and write the page anew; return its place.

    A run is known by its commit and its seed: added again, it takes the place of what it was.
    """
    place = folder / "soak.json"
    known = read(place) if place.exists() else []
    every = {(run.commit, run.seed): run for run in (*known, *runs)}
    place.write_text(_spelled(every.values()), "utf-8")
    page = folder / "soak.md"
    page.write_text(page_of(list(every.values())), "utf-8")
    return page


def _spelled(runs: Iterable[Run]) -> str:
    return json.dumps([asdict(run) for run in runs], indent=1, sort_keys=True) + "\n"


def page_of(runs: list[Run]) -> str:
    """Write the page for the docs: all runs added up, then each of them."""
    done = sum((Counter(run.counts) for run in runs), Counter[str]())
    rows = {
        "releases, each recounted by code that shares nothing with Shoal": done[
            "release: released"
        ],
        "requests that were refused with an exit code and a sentence": done["release: refused"],
        "sequences of releases with a ledger, some by `apply`": done["cases: ledger"],
        "odd inputs": done["cases: odd input"] + done["cases: terminal"],
        "changed releases and certificates": done["tampered files"],
        "runs that were killed or interrupted": done["cases: kill"],
        "runs on a full disk": done["cases: full disk"],
        "cases that failed": sum(len(run.failed) for run in runs),
    }
    by = {
        name.removeprefix("released "): count
        for name, count in sorted(done.items())
        if name.startswith(("released by", "released with"))
    }
    failed = [f"- {run.commit}, seed {run.seed}, {case}" for run in runs for case in run.failed]
    return PAGE.format(
        table=_lines(rows),
        by=_lines(by),
        runs="\n".join(map(_line_of, runs)),
        clean=_since_the_last_failure(runs),
        failed="\n".join([FAILED_CASES, "", *failed, ""]) if failed else "No case failed.\n",
    )


def _since_the_last_failure(runs: list[Run]) -> str:
    """Say how much has passed since the last run in which a case failed, and whether it is enough.

    Of a run with failed cases nothing counts: some of it may have come before they were mended.
    """
    last = max((place for place, run in enumerate(runs) if run.failed), default=-1)
    done = {name: sum(run.done[name] for run in runs[last + 1 :]) for name in GOAL}
    said = " and ".join(f"{count:,} {name}" for name, count in done.items())
    wanted = " and ".join(f"{count:,} {name}" for name, count in GOAL.items())
    reached = all(done[name] >= count for name, count in GOAL.items())
    verdict = "is reached." if reached else "is not reached yet."
    return f"**Since the last failure: {said}.** The goal of {wanted} without one {verdict}"


def _lines(counts: dict[str, int]) -> str:
    return "\n".join(f"| {name} | {count:,} |" for name, count in counts.items())


def _line_of(run: Run) -> str:
    cells = (
        run.commit,
        run.seed,
        f"{run.minutes:,.0f}",
        *(f"{count:,}" for count in run.done.values()),
        f"{len(run.failed):,}",
    )
    return f"| {' | '.join(map(str, cells))} |"


PAGE = """# Soak: Shoal attacked at random

After this page you know what was tried against Shoal by chance, how often, and how to try it
yourself. It is written by `make soak ARGS=--page`, which adds a run to those before it.

| tried | times |
|---|---|
{table}

Random tables with numbers, dates, codes, trees, odd texts and missing values are released with
random methods, models, losses and ways of publishing: in memory, in shards and on disk, from and
to CSV, Parquet, SQLite and DuckDB. Each release is read back and recounted by the code in
`tests/soak/outside/`, which imports nothing of Shoal: k, every model, persons, weights, people of
a population, possible matches, and whether cells cover the rows that they were made from.

People join, leave, come back and change over releases with a ledger, by groups made anew, sticky
groups, `apply` and m-invariance; their files are recounted together.

Odd inputs have to end with exit code 0, 2, 3 or 4 and never print a cell. Changed releases and
certificates have to be refused by `shoal verify`. Killed runs must not lose or halve a file.

## The runs

Each run draws other cases, from its seed. A commit is what was attacked.

| commit | seed | minutes | releases | odd inputs | failed |
|---|---|---|---|---|---|
{runs}

{clean}

{failed}
## What was released

| released | times |
|---|---|
{by}

<!-- not run: it takes an hour -->
```sh
make soak                                   # an hour, with a new seed
make soak ARGS='--hours 0.1 --seed 7'       # six minutes, repeatable but for kills
make soak ARGS='--add ../build/soak/run-7.json'   # add a run to this page that was stopped
cd tests && python -m soak --case FILE      # one failed case again
```
"""
