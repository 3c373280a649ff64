"""Tally of a soak: counts of what was done, failed cases as files, and the page in the docs."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Result:
    """One finished case, as a worker reports it."""

    seed: int
    number: int
    kind: str
    outcome: str
    counts: dict[str, int]
    faults: list[str]
    described: Any = None

    def as_file(self) -> str:
        """Return the text of a file from which `--case` runs it again."""
        case = {"seed": self.seed, "number": self.number, "kind": self.kind}
        return json.dumps(
            {**case, "faults": self.faults, "described": self.described}, indent=2, default=str
        )


@dataclass
class Tally:
    """Everything that was counted so far."""

    seed: int
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    failed: list[Result] = field(default_factory=list)

    def add(self, result: Result) -> None:
        """Count one finished case."""
        self.counts[f"cases: {result.kind}"] += 1
        self.counts[f"{result.kind}: {result.outcome}"] += 1
        self.counts.update(result.counts)
        if result.faults:
            self.failed.append(result)

    def line(self) -> str:
        """Say in one line how far the soak is."""
        done = self.counts
        return (
            f"{self.seconds / 60:.1f} min: {done['release: released']:,} releases recounted,"
            f" {done['release: refused']:,} refused, {done['cases: odd input']:,} odd inputs,"
            f" {done['tampered files']:,} changed files, {done['cases: kill']:,} kills,"
            f" {len(self.failed):,} failed"
        )

    def page(self) -> str:
        """Write the page for the docs."""
        done = self.counts
        rows = {
            "releases, each recounted by code that shares nothing with Shoal": done[
                "release: released"
            ],
            "requests that were refused with an exit code and a sentence": done["release: refused"],
            "odd inputs": done["cases: odd input"] + done["cases: terminal"],
            "changed releases and certificates": done["tampered files"],
            "runs that were killed or interrupted": done["cases: kill"],
            "runs on a full disk": done["cases: full disk"],
            "cases that failed": len(self.failed),
        }
        table = "\n".join(f"| {name} | {count:,} |" for name, count in rows.items())
        by = "\n".join(
            f"| {name.removeprefix('released ')} | {count:,} |"
            for name, count in sorted(done.items())
            if name.startswith(("released by", "released with"))
        )
        minutes = max(self.seconds / 60, 1 / 60)
        speed = f"{done['release: released'] / minutes:,.0f} releases a minute"
        return PAGE.format(
            table=table, by=by, seed=self.seed, minutes=f"{minutes:,.0f}", speed=speed
        )


PAGE = """# Soak: Shoal attacked for an hour

After this page you know what was tried against Shoal by chance, how often, and how to try it
yourself. It is written by `make soak ARGS='--page'`.

| tried | times |
|---|---|
{table}

Seed {seed}, {minutes} minutes, {speed}.

Random tables with numbers, dates, codes, trees, odd texts and missing values are released with
random methods, models, losses and ways of publishing: in memory, in shards and on disk, from and
to CSV, Parquet, SQLite and DuckDB. Each release is read back and recounted by the code in
`tests/soak/outside/`, which imports nothing of Shoal: k, every model, persons, weights, people of
a population, possible matches, and whether cells cover the rows that they were made from.

Odd inputs have to end with exit code 0, 2, 3 or 4 and never print a cell. Changed releases and
certificates have to be refused by `shoal verify`. Killed runs must not lose or halve a file.

| released | times |
|---|---|
{by}

```
make soak                                   # an hour, with a new seed
make soak ARGS='--hours 0.1 --seed 7'       # six minutes, repeatable but for kills
cd tests && python -m soak --case FILE      # one failed case again
```
"""


def write_failed(result: Result, folder: Path) -> Path:
    """Write a failed case to a file that runs it again."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{result.kind.replace(' ', '-')}-{result.seed}-{result.number}.json"
    place.write_text(result.as_file() + "\n", encoding="utf-8")
    return place
