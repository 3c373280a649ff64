"""Tally of a soak: counts of what was done so far, and failed cases as files."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from soak.runs import Run


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

    def as_run(self, commit: str) -> Run:
        """Return what was counted, to be kept beside other runs."""
        failed = [
            f"{result.kind} {result.number}: {'; '.join(result.faults)}" for result in self.failed
        ]
        return Run(commit, self.seed, round(self.seconds / 60, 1), dict(self.counts), failed)


def write_failed(result: Result, folder: Path) -> Path:
    """Write a failed case to a file that runs it again."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{result.kind.replace(' ', '-')}-{result.seed}-{result.number}.json"
    place.write_text(result.as_file() + "\n", encoding="utf-8")
    return place
