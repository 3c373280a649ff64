"""pyCANON as an independent judge: it measures 200 random tables as we do. It runs in an
environment of its own.
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from conftest import ROOT
from shoal.privacy.model import Model
from shoal.registry import make
from shoal.review.promised import promised
from terminal import PATIENCE

PYTHON = Path(os.environ.get("SHOAL_PYCANON", ROOT / "build" / "pycanon")) / "bin" / "python"
VERSION = "1.3.6"
TABLES = 200


def tables() -> list[dict[str, list[Any]]]:
    """Small tables with every sort of group; every other one has numbers as sensitive values, which
    are a ladder.
    """
    rng = random.Random(20_241_116)
    found = []
    for number in range(TABLES):
        rows = rng.randint(2, 60)
        values = rng.randint(1, 6)
        ages = rng.randint(1, 4)
        cities = rng.choice(["a", "ab", "abc"])
        ill: list[Any] = [
            rng.randrange(values) * 10 if number % 2 else "uvwxyz"[rng.randrange(values)]
            for _ in range(rows)
        ]
        ill[:2] = [0, 10] if number % 2 else ill[:2]  # on a ladder of one step it divides by zero
        found.append(
            {
                "age": [rng.randrange(ages) for _ in range(rows)],
                "city": [rng.choice(cities) for _ in range(rows)],
                "ill": ill,
            }
        )
    return found


def ours(columns: dict[str, list[Any]]) -> dict[str, float | None]:
    distance = "equal" if isinstance(columns["ill"][0], str) else "ordered"
    asked = [
        "k-anonymity:k=1",
        "alpha-k:alpha=1",
        "l-diversity:l=1",
        f"t-closeness:t=1,distance={distance}",
    ]
    asked += ["beta-likeness:beta=1", "delta-disclosure:delta=1,absent=skip"]
    groups, promises = promised(
        pa.table(columns), ["age", "city"], ["ill"], [make(Model, text) for text in asked]
    )
    return {model.name: value for model, _, value in promises.measured(groups)}


@pytest.fixture(scope="module")
def theirs() -> list[dict[str, float]]:
    if not PYTHON.exists():
        reason = "pyCANON is not there: 'make oracle' puts it into build/pycanon"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    program = Path(__file__).with_name("pycanon_oracle.py")
    done = subprocess.run(
        [PYTHON, program],
        input=json.dumps(tables()),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    said = json.loads(done.stdout)
    assert said["version"] == VERSION
    return said["found"]  # type: ignore[no-any-return]


def test_both_measure_the_same(theirs):
    differ = []
    for number, (columns, found) in enumerate(zip(tables(), theirs, strict=True)):
        mine = ours(columns)
        assert set(mine) == set(found)
        differ += [
            (number, name, mine[name], value)
            for name, value in found.items()
            if mine[name] is None or not math.isclose(mine[name], value, rel_tol=1e-9, abs_tol=1e-9)
        ]
    assert len(theirs) == TABLES and not differ
