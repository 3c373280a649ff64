"""Columns lost in the default release, with and without a price on `*`.

    python -m benchmarks.sacrificed [--tables "demo;adult"] [--ks 5,10,25,50] [--budgets 15,60]
                                  [--rounds 5]

Without: every column is given the importance 1, so that no price is looked for. For each table and
k: the share of rows in which the worst column is `*`, `span-share`, and the seconds of processor
time that dividing took. `--budgets` are thousandths of the loss that prices may cost, one line for
each, to see what saving a column would cost; `--rounds` of raising prices are tried at most.
"""

from __future__ import annotations

import argparse
import time
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

import shoal
from benchmarks import measure
from benchmarks.adult import DATA, TREES
from shoal.adapters.demo_data import NATIONALITIES, patients
from shoal.partition import pricing

ADULT = [
    *("age", "workclass", "education", "marital-status"),
    *("occupation", "race", "sex", "native-country"),
]
KDD = [
    *("age", "sex", "race", "hispanic-origin", "marital-stat", "education", "class-of-worker"),
    *("major-industry-code", "major-occupation-code", "country-of-birth-self", "citizenship"),
]
BANK = ["age", "job", "marital", "education", "housing"]
DEMO = {"postcode": shoal.Hierarchy.masks(5), "nationality": NATIONALITIES}
SUGGESTED = "kdd, first 20,000 rows, columns of inspect"
TABLES: dict[str, tuple[str, list[str], dict[str, Any]]] = {
    "demo": ("", ["birth_date", "sex", "postcode", "nationality"], DEMO),
    "demo, dates by decades": (
        "",
        ["birth_date", "sex", "postcode", "nationality"],
        {**DEMO, "birth_date": "dates"},
    ),
    "adult": ("adult.parquet", ADULT, {name: TREES / f"{name}.csv" for name in ADULT[1:]}),
    "adult, no hierarchies": ("adult.parquet", ADULT, {}),
    "bank": ("bank_marketing.parquet", BANK, {}),
    "kdd": ("census_income_kdd.parquet", KDD, {}),
    "kdd, first 20,000 rows": ("census_income_kdd.parquet", KDD, {}),
    SUGGESTED: ("census_income_kdd.parquet", [], {}),
}
SHORT = {"kdd, first 20,000 rows": 20_000, SUGGESTED: 20_000}


class Figures(NamedTuple):
    """What one release lost, and how long dividing took."""

    column: str
    worst: float
    loss: float
    seconds: float


def main() -> None:
    """One line for each table and k."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", default=";".join(TABLES), help="names between semicolons")
    parser.add_argument("--ks", default="5,10,25,50")
    parser.add_argument("--budgets", default=str(pricing.BUDGET))
    parser.add_argument("--rounds", type=int, default=pricing.ROUNDS)
    options = parser.parse_args()
    pricing.ROUNDS = options.rounds
    lines = []
    for name in options.tables.split(";"):
        for k in map(int, options.ks.split(",")):
            for budget in options.budgets.split(","):
                pricing.BUDGET = int(budget)
                lines.append([name, str(k), budget, *compared(name, k)])
                print(" | ".join(lines[-1]), flush=True)
    titles = ["table", "k", "budget", "worst column", "after", "loss", "more loss", "more time"]
    print(measure.markdown("The worst column, before and after prices", titles, lines, ""))


def compared(name: str, k: int) -> list[str]:
    """Release a table with and without prices."""
    quasi = opened(name).column_names
    plain = figures_of(name, k, importance=dict.fromkeys(quasi, 1.0))
    priced = figures_of(name, k)
    return [
        f"{plain.column} {plain.worst:.0%}",
        f"{priced.column} {priced.worst:.0%}",
        f"{plain.loss:.4f}",
        f"{priced.loss / plain.loss - 1:+.1%}",
        f"{priced.seconds / plain.seconds - 1:+.0%}",
    ]


def opened(name: str) -> pa.Table:
    """Read the quasi-identifiers of a table; those that `inspect` suggests where none are named."""
    file, quasi, _ = TABLES[name]
    table: pa.Table = pq.read_table(DATA / file) if file else patients()
    table = table.slice(0, SHORT.get(name))
    if not quasi:
        seen = shoal.inspect(table).columns
        quasi = [column.name for column in seen if column.role == "quasi"]
    return table.select(quasi)


def figures_of(name: str, k: int, **asked: Any) -> Figures:
    """Release a table; measure its worst column."""
    table = opened(name)
    quasi = table.column_names
    trees = TABLES[name][2]
    begun = time.process_time()
    release = shoal.anonymize(table, quasi=quasi, k=k, hierarchies=trees, seed=1, **asked)
    seconds = time.process_time() - begun
    shares = {column.name: column.lost or 0.0 for column in release.columns.values()}
    worst = max(shares, key=lambda each: shares[each])
    return Figures(worst, shares[worst], release.loss("span-share") or 0.0, seconds)


if __name__ == "__main__":
    main()
