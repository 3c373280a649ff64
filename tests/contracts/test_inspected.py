"""Contract of inspection: the command and the call that it prints run as they are printed.

Over the real tables at hand, and over generated ones, a hundred in a search (`tries`); with a fast
method and little patience for a bound, as roles, readings and hierarchies are what is tried. A few
of each are quick; the rest are slow tests.
"""

from __future__ import annotations

import random
import shlex
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
import terminal
from search import short_search
from shoal.adapters.files import read, write
from tries import tries

__all__ = ["short_search"]

ROWS = 120
NOT_OF_ROWS = {"groceries", "karate", "karate_nodes"}  # baskets and a network
REAL = [name for name in shoal.datasets.names() if name not in NOT_OF_ROWS]
QUICK_REAL = ["sdcmicro_testdata", "nursery", "ionosphere"]
Column = Callable[[random.Random], list[str | int | float | None]]


def as_printed(path: Path) -> None:
    """Run the command and the call that an inspection of a file prints."""
    inspection = shoal.inspect(path)
    command = shlex.split(inspection.command(str(path)))
    assert command[0] == "shoal"
    done = terminal.shoal(*command[1:], "--method", "mondrian")
    assert done.code == 0, (command, done.err)
    assert Path(command[command.index("-o") + 1]).exists()
    called = inspection.call(str(path))
    release = eval(f"{called[:-1]}, method='mondrian')", {"shoal": shoal})
    assert release.certificate.public.k >= 5


def real(name: str, folder: Path) -> Path:
    table = read(shoal.datasets.path(name)).slice(0, ROWS)
    path = folder / "people.parquet"
    pq.write_table(table, path)
    return path


@pytest.mark.parametrize("name", QUICK_REAL)
def test_suggestions_for_some_real_tables_run(name: str, tmp_path: Path) -> None:
    as_printed(real(name, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in REAL if name not in QUICK_REAL])
def test_suggestions_for_all_real_tables_run(name: str, tmp_path: Path) -> None:
    as_printed(real(name, tmp_path))


def day(rng: random.Random) -> date:
    return date(1930, 1, 1) + timedelta(rng.randrange(30_000))


COLUMNS: dict[str, Column] = {
    "birth_date": lambda rng: [day(rng).strftime("%d.%m.%Y") for _ in range(ROWS)],
    "Geburtsdatum": lambda rng: [day(rng).strftime("%d.%m.%Y 00:00") for _ in range(ROWS)],
    "dob": lambda rng: [day(rng).strftime("%m/%d/%Y") for _ in range(ROWS)],
    "born": lambda rng: [f"{rng.randint(1, 12)}/{rng.randint(1, 12)}/1980" for _ in range(ROWS)],
    "birth_2": lambda rng: [day(rng).strftime("%d.%m.%y") for _ in range(ROWS)],
    "admission": lambda rng: [day(rng).isoformat() for _ in range(ROWS)],
    "birth_month": lambda rng: [day(rng).strftime("%Y-%m") for _ in range(ROWS)],
    "age": lambda rng: [rng.randint(0, 95) for _ in range(ROWS)],
    "alter": lambda rng: [f"{rng.randint(18, 80)} years" for _ in range(ROWS)],
    "household_size": lambda rng: [rng.choice([*"123456", "7+"]) for _ in range(ROWS)],
    "age_group": lambda rng: [rng.choice(["0-9", "10-19", "20-29", "90+"]) for _ in range(ROWS)],
    "plz": lambda rng: [f"{rng.randint(1000, 9999):05}" for _ in range(ROWS)],
    "zip": lambda rng: [rng.randint(60600, 60699) for _ in range(ROWS)],
    "postcode": lambda rng: [f"M{rng.randint(1, 9)} {rng.randint(1, 9)}AB" for _ in range(ROWS)],
    "icd": lambda rng: [f"{rng.choice('EJIK')}{rng.randint(10, 15)}.9" for _ in range(ROWS)],
    "einkommen": lambda rng: [
        f"{rng.randint(900, 9000)},{rng.randint(10, 99)}" for _ in range(ROWS)
    ],
    "income": lambda rng: [
        f"${rng.randint(1, 99)},{rng.randint(100, 999)}.50" for _ in range(ROWS)
    ],
    "height": lambda rng: [f"1,{rng.randint(50, 99)}" for _ in range(ROWS)],
    "roof": lambda rng: [rng.choice([2, 4, 5, 9]) for _ in range(ROWS)],
    "smoker": lambda rng: [rng.choice([1, 2, 99]) for _ in range(ROWS)],
    "sex": lambda rng: [rng.choice("mfd") for _ in range(ROWS)],
    "diagnosis": lambda rng: [rng.choice(["flu", "asthma", "NA", None]) for _ in range(ROWS)],
    "beruf": lambda rng: [rng.choice(["a", "b, c", 'd "e"', "-"]) for _ in range(ROWS)],
    "weight": lambda rng: [round(rng.gauss(70, 9), 1) for _ in range(ROWS)],
    "children": lambda rng: [rng.choice(["0", "1", "2", "more"]) for _ in range(ROWS)],
    "country": lambda rng: [rng.choice(["DE", "FR", "ES"]) for _ in range(ROWS)],
    "thing": lambda rng: [rng.choice("xyz") for _ in range(ROWS)],
    "odd, name=1": lambda rng: [rng.choice([1.5, 2.5, None]) for _ in range(ROWS)],
    "patient_id": lambda _: [f"P{n:04}" for n in range(ROWS)],
    "note": lambda rng: [f"seen on day {rng.random()}" for _ in range(ROWS)],
    "postleitzahl": lambda rng: gaps(rng, "plz", "keine Angabe", "-"),
    "zip code": lambda rng: gaps(rng, "zip", "unknown"),
    "date of birth": lambda rng: gaps(rng, "birth_date", "n/a"),
    "birth, or so": lambda rng: gaps(rng, "born", "n/a"),
    "salary": lambda rng: gaps(rng, "einkommen", "k.A."),
    "age in years": lambda rng: gaps(rng, "age", "NA", "?"),
}


def gaps(rng: random.Random, name: str, *words: str) -> list[str | int | float | None]:
    """A column in which some cells say in words that they are missing."""
    return [rng.choice(words) if rng.random() < 0.1 else str(v) for v in COLUMNS[name](rng)]


SEEDS = range(tries(100))


def generated(seed: int, folder: Path) -> Path:
    rng = random.Random(seed)
    names = rng.sample(sorted(COLUMNS), rng.randint(4, 9))
    people = pa.table({name: COLUMNS[name](rng) for name in names})
    path = folder / rng.choice(["people.csv", "people.parquet", "it's people.tsv"])
    write(people, path)
    return path


@pytest.mark.parametrize(
    ("name", "published"),
    [("postleitzahl", "****"), ("date of birth", "[19"), ("zip code", "606**")],
)
def test_words_for_missing_do_not_hide_what_a_column_is(
    name: str, published: str, tmp_path: Path
) -> None:
    """A postcode with `keine Angabe` in it was text, and the command had no `--na`."""
    rng = random.Random(1)
    people = pa.table({"sex": COLUMNS["sex"](rng), name: COLUMNS[name](rng)})
    write(people, tmp_path / "people.csv")
    as_printed(tmp_path / "people.csv")
    released = read(tmp_path / "people.released.csv")
    assert any(published in str(cell) for cell in released.column(released.num_columns - 1))


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_suggestions_for_some_generated_tables_run(seed: int, tmp_path: Path) -> None:
    as_printed(generated(seed, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS[4:])
def test_suggestions_for_many_generated_tables_run(seed: int, tmp_path: Path) -> None:
    as_printed(generated(seed, tmp_path))
