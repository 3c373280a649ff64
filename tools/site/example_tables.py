"""Example tables: small, invented, the same on every machine; examples of the pages run on them.

python -m tools.site.example_tables FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from shoal.adapters.demo_data import NATIONALITIES, patients
from shoal.declare.hierarchies.nested import Nested

SEED = 7
CITIES = {"Norway": ["Bergen", "Oslo"], "Italy": ["Milan", "Rome"]}
JOBS = {"health": ["doctor", "nurse"], "school": ["teacher"], "trade": ["baker", "clerk"]}
NAMES = ("Ada", "Bea", "Cem", "Dora", "Emil", "Finn", "Gro", "Hugo", "Ines", "Jan")
OTHERS = ("people.parquet", "patienten.csv", "city.csv", "job.csv", "nationality.csv")
"""Files beside the tables: another form, another country, hierarchies."""
ILLS = ("asthma", "cold", "diabetes", "flu", "gout")


def people(rows: int = 300, seed: int = SEED) -> pa.Table:
    """Make a table of people who don't exist, with the columns that examples name."""
    rng = np.random.default_rng(seed)
    age = 18 + rng.integers(0, 80, rows)
    born = np.datetime64("2024-06-30") - age * 365 - rng.integers(0, 365, rows)
    places = [city for cities in CITIES.values() for city in cities]
    jobs = [job for some in JOBS.values() for job in some]
    zips = [f"{first}{last}" for first in ("101", "104", "812") for last in ("15", "17", "19")]
    place = rng.integers(0, len(zips), rows)
    smokes = rng.integers(0, 12, rows)
    return pa.table(
        {
            "name": [f"{NAMES[i % len(NAMES)]} {i}" for i in range(rows)],
            "age": age,
            "sex": _chosen(rng, ("female", "male"), rows),
            "zip": [zips[i] for i in place],
            "city": _chosen(rng, places, rows),
            "born": [str(day) for day in born],
            "job": _chosen(rng, jobs, rows),
            "smoker": np.where(smokes == 0, 99, smokes % 3),
            "visits": rng.integers(0, 9, rows),
            "income": 1200 + 50 * rng.integers(0, 60, rows) + 10 * age,
            "cost": 50 + rng.integers(0, 2000, rows),
            "weight": 100 + rng.integers(0, 900, rows),
            "disease": _chosen(rng, ILLS, rows),
        }
    )


def visits(rows: int = 240, seed: int = SEED) -> pa.Table:
    """Make a table in which several rows are about one person."""
    rng = np.random.default_rng(seed)
    each = people(rows // 2, seed)
    who = np.sort(rng.integers(0, each.num_rows, rows))
    columns = {"patient_id": [f"P{i:04}" for i in who]}
    columns |= {name: each[name].take(pa.array(who)) for name in ("born", "sex", "zip")}
    columns["diabetes"] = _chosen(rng, ("yes", "no"), rows)
    return pa.table(columns)


def german() -> str:
    """Return a table as a German Excel writes it: semicolons, decimal commas, days first."""
    rng = np.random.default_rng(SEED)
    lines = ["Geburtsdatum;PLZ;Gewicht;Diagnose"]
    for _ in range(40):
        day = f"{rng.integers(1, 29):02}.{rng.integers(1, 13):02}.{1940 + rng.integers(0, 60)}"
        code = ("01067", "01069", "04103", "04109")[int(rng.integers(0, 4))]
        weight = f"{50 + rng.integers(0, 50)},{rng.integers(0, 10)}"
        lines.append(f"{day};{code};{weight};{ILLS[int(rng.integers(0, 5))].capitalize()}")
    return "\r\n".join(lines) + "\r\n"


def tables() -> dict[str, pa.Table]:
    """Return the example tables by name."""
    everyone = people(2000, SEED + 1)
    return {
        "people": people(),
        "february": people(280, SEED + 2),
        "others": people(120, SEED + 3),
        "everyone": pa.concat_tables([people(), everyone]),
        "visits": visits(),
        "patients": patients(600),
    }


def write(folder: Path) -> None:
    """Write the example tables and the hierarchies that examples name into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in tables().items():
        csv.write_csv(table, folder / f"{name}.csv", csv.WriteOptions(quoting_style="needed"))
    pq.write_table(people(), folder / "people.parquet")
    (folder / "patienten.csv").write_bytes(b"\xef\xbb\xbf" + german().encode())
    for name, tree in {"city": CITIES, "job": JOBS, "nationality": NATIONALITIES}.items():
        paths = [";".join(path) for path in Nested(tree).listed_paths]
        (folder / f"{name}.csv").write_text("\n".join(paths) + "\n", "utf-8")


def _chosen(rng: np.random.Generator, words: object, rows: int) -> list[str]:
    """Draw a word for each row, the first ones more often than the last."""
    options = list(words)  # type: ignore[call-overload]
    shares = np.arange(len(options) + 1, 1, -1, dtype=float)
    drawn = rng.choice(len(options), rows, p=shares / shares.sum())
    return [options[i] for i in drawn]


if __name__ == "__main__":
    write(Path(sys.argv[1]))
