"""Other people's programs on the same data, each in a process of its own; none is required.

They may live in another environment (`--peers path/to/python`), because some pin old versions of
what Shoal uses. A peer's part runs there as a script of its own: it gets a Parquet file and a
number, and prints one JSON object.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks import adult, measure, score

ANONYPY = """
import json, sys, time
import pandas as pd
from anonypy import mondrian
path, k, quasi = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(",")
frame = pd.read_parquet(path)[quasi].reset_index(drop=True)
for name in quasi:
    if not pd.api.types.is_numeric_dtype(frame[name]):
        frame[name] = frame[name].astype("category")
start = time.process_time()
groups = mondrian.Mondrian(frame, quasi).partition(k)
seconds = time.process_time() - start
labels = [0] * len(frame)
for label, rows in enumerate(groups):
    for row in rows:
        labels[row] = label
print(json.dumps({"seconds": seconds, "labels": labels}))
"""

PYCANON = """
import json, sys, time
import pandas as pd
from pycanon import anonymity
path, quasi = sys.argv[1], sys.argv[3].split(",")
frame = pd.read_parquet(path)
start = time.process_time()
k = anonymity.k_anonymity(frame, quasi)
print(json.dumps({"seconds": time.process_time() - start, "k": int(k)}))
"""


class Outcome(NamedTuple):
    """What a peer reached: a loss or a k, in how many CPU seconds."""

    value: float
    seconds: float


def version(python: str, name: str) -> str | None:
    """The installed version of a peer, or None."""
    find = (
        f"import importlib.util as u, importlib.metadata as m; print(m.version('{name}') if "
        f"u.find_spec('{name}') else '')"
    )
    done, _ = measure.program([python, "-c", find])
    return done.stdout.strip() or None if done.returncode == 0 else None


def anonypy(python: str, k: int) -> Outcome | None:
    """Mondrian of anonypy on Adult, scored as everybody."""
    found = _run(python, ANONYPY, adult.FILE, k)
    if found is None:
        return None
    labels = np.array(found["labels"], np.int32)
    return Outcome(
        score.information_loss(adult.table(), labels, adult.hierarchies()), found["seconds"]
    )


def pycanon(python: str, path: Path) -> Outcome | None:
    """How long pyCANON takes to measure k alone."""
    found = _run(python, PYCANON, path, 0)
    return found and Outcome(found["k"], found["seconds"])


def _run(python: str, script: str, path: Path, k: int) -> dict | None:
    done, _ = measure.program([python, "-c", script, str(path), str(k), ",".join(adult.QUASI)])
    return json.loads(done.stdout) if done.returncode == 0 else None
