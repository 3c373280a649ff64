"""What the script of a peer gets and gives back; it runs in the environment of the peer.

A script is started with one JSON object: `table` (a CSV file: `row` and the quasi-identifiers),
`trees` (a hierarchy file for each category, and for age), `k`, `withhold`, `setting`, `limit` (CPU
seconds) and `out`. It writes a CSV file to `out`: `row` and the cells as published; a row that is
left out is not there. It prints the CPU seconds of the algorithm alone.
"""

from __future__ import annotations

import csv
import json
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Asked:
    """What a peer is asked for."""

    frame: pd.DataFrame
    quasi: list[str]
    k: int
    withhold: float
    setting: str
    trees: dict[str, str]

    def lines(self, name: str) -> list[list[str]]:
        """Read the hierarchy of a column: a line for each leaf, up to the root."""
        with open(self.trees[name], encoding="utf-8", newline="") as file:
            return list(csv.reader(file, delimiter=";"))

    def categories(self) -> pd.DataFrame:
        """Return the table with texts as categories, which some peers ask for."""
        texts = {name: "category" for name in self.quasi if name != "age"}
        return self.frame.astype(texts)


def serve(algorithm: Callable[[Asked], Any], first: Callable[[Asked], Any] | None = None) -> None:
    """Run an algorithm on what is asked, and hand back its release with what it took.

    What is done first is not measured.
    """
    given = json.loads(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (given["limit"], given["limit"]))
    frame = pd.read_csv(given["table"], keep_default_na=False)
    quasi = [name for name in frame.columns if name != "row"]
    keys = ("k", "withhold", "setting", "trees")
    asked = Asked(frame, quasi, **{key: given[key] for key in keys})
    if first is not None:
        first(asked)
    begun = time.process_time()
    released = pd.DataFrame(algorithm(asked))
    seconds = time.process_time() - begun
    released[["row", *quasi]].to_csv(given["out"], index=False)
    print(json.dumps({"seconds": seconds}))
