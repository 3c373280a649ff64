"""What users see: shares of exact, widened and lost cells by column, before and now.

    python -m benchmarks.users [--rows 5000] [--tables demo,adult] [--print]

Writes docs/results/what-users-see.md. Eight tables, default settings, k = 5 and 10, seed 1; the
demo also as a German program writes dates, and with a hierarchy of dates. Tables of more rows than
`--rows` are a sample of that many, drawn with a fixed seed. The first run compiles the source of
before, for some two minutes. Three ways:

- *before*: the source as it was before `span` became the default loss (commit 86dd6a4, unpacked
  from the repository into build/before and run with the packages of today)
- *now*: this source
- *one level a column*: `full-domain`, nobody left out

Releases are written as files and scored by one program, from the published cells alone: a cell is
exact if it is a value of the original (or empty), lost if it is `*`, and widened otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.adult import DATA
from shoal.adapters.demo_data import NATIONALITIES, patients

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "results" / "what-users-see.md"
BEFORE = "86dd6a4"
KS = (5, 10)
MOST = 5_000  # rows of a table
GERMAN = "demo with dates as 25.10.1979"


@dataclass(frozen=True)
class Asked:
    """A table and the roles of its columns."""

    file: str
    quasi: str
    sensitive: str
    hierarchies: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The quasi-identifiers."""
        return self.quasi.split()


TREES = {"postcode": "masks(length=5)", "nationality": NATIONALITIES}
PATIENTS = Asked("", "birth_date sex postcode nationality admission_date", "diagnosis", TREES)
TABLES = {
    "demo": PATIENTS,
    GERMAN: PATIENTS,
    "demo with a hierarchy of dates": replace(
        PATIENTS, hierarchies={**TREES, "birth_date": "dates", "admission_date": "dates"}
    ),
    "adult": Asked(
        "adult.parquet",
        "age workclass education marital-status occupation race sex native-country",
        "income",
    ),
    "bank_marketing": Asked(
        "bank_marketing.parquet", "age job marital education balance housing loan", "default"
    ),
    "census_income_kdd": Asked(
        "census_income_kdd.parquet",
        "age sex race hispanic-origin marital-stat education class-of-worker",
        "income",
    ),
    "credit_default": Asked(
        "credit_default.parquet",
        "LIMIT_BAL SEX EDUCATION MARRIAGE AGE",
        "default-payment-next-month",
    ),
    "cps85": Asked("cps85.parquet", "education experience age ethnicity region gender", "wage"),
    "sdcmicro_testdata": Asked(
        "sdcmicro_testdata.parquet",
        "urbrur roof walls water electcon relat sex age hhcivil",
        "savings",
    ),
    "cmc": Asked("cmc.parquet", "wife_age wife_education children", "contraceptive_method"),
}

RELEASES = """
import json, sys, warnings
import pyarrow.parquet as pq
import shoal
warnings.simplefilter("ignore")
for asked in json.load(sys.stdin):
    table = pq.read_table(asked.pop("from"))
    place = asked.pop("to")
    try:
        release = shoal.anonymize(table, seed=1, **asked)
        pq.write_table(release.table, place)
    except shoal.errors.ShoalError as refused:
        print(place.split("/")[-1], str(refused).splitlines()[0], file=sys.stderr)
""".replace("import shoal\n", "import shoal, shoal.errors\n")


@dataclass(frozen=True)
class Shares:
    """Shares of the cells of one column of a release."""

    exact: float
    widened: float
    lost: float

    def __str__(self) -> str:
        return " / ".join(f"{100 * share:.0f}" for share in (self.exact, self.widened, self.lost))


def table_of(name: str, most: int) -> pa.Table:
    """Read a table, or the sample of it that is worked on."""
    asked = TABLES[name]
    if not asked.file:
        table = _german(patients()) if name == GERMAN else patients()
    else:
        table = pq.read_table(DATA / asked.file)
    table = table.select([*asked.names, asked.sensitive])
    if table.num_rows <= most:
        return table
    return table.take(np.sort(np.random.default_rng(1).permutation(table.num_rows)[:most]))


def _german(people: pa.Table) -> pa.Table:
    """Write dates as a German program does, as texts."""
    for name in ("birth_date", "admission_date"):
        texts = pc.strftime(people[name], format="%d.%m.%Y")
        people = people.set_column(people.column_names.index(name), name, texts)
    return people


def shares_of(original: pa.ChunkedArray, published: pa.ChunkedArray) -> Shares:
    """Score the cells of a column, knowing nothing of how they were made."""
    texts = pc.cast(published, pa.string())
    lost = pc.fill_null(pc.equal(texts, "*"), False)
    values = pc.unique(pc.cast(original, pa.string())).drop_null()
    exact = pc.and_not(pc.or_(pc.is_in(texts, values), pc.is_null(texts)), lost)
    rows = max(len(texts), 1)
    counts = [pc.sum(each).as_py() or 0 for each in (exact, lost)]
    return Shares(counts[0] / rows, (rows - sum(counts)) / rows, counts[1] / rows)


def released(source: Path, asked: list[dict[str, Any]]) -> None:
    """Make releases with the source in a folder, in one process of their own."""
    environment = {**os.environ, "PYTHONPATH": str(source), "SHOAL_PROGRESS": "0"}
    subprocess.run(
        [sys.executable, "-c", RELEASES],
        input=json.dumps(asked),
        env=environment,
        text=True,
        check=True,
    )


def before_source() -> Path:
    """Unpack the source of before, once."""
    folder = ROOT / "build" / "before"
    if not folder.is_dir():
        command = ["git", "-C", str(ROOT), "archive", BEFORE, "src"]
        packed = subprocess.run(command, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
    return folder / "src"


def stand_in() -> str:
    """Name the method that publishes one level a column."""
    return "full-domain"


def scored(names: list[str], most: int) -> dict[tuple[str, int, str], dict[str, Shares]]:
    """Make every release and score it: by table, k and way, then by column."""
    ways = {"before": {}, "now": {}, stand_in(): {"method": stand_in()}}
    originals = {name: table_of(name, most) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        for name, table in originals.items():
            pq.write_table(table, f"{folder}/{name}")
        for way, options in ways.items():
            calls = [_call(folder, name, k, way, options) for name in names for k in KS]
            released(before_source() if way == "before" else ROOT / "src", calls)
        return {
            (name, k, way): _scores(Path(folder, f"{name}-{k}-{way}"), originals[name], name)
            for name in names
            for k in KS
            for way in ways
        }


def _call(folder: str, name: str, k: int, way: str, options: Mapping[str, str]) -> dict[str, Any]:
    asked = TABLES[name]
    return {
        "from": f"{folder}/{name}",
        "to": f"{folder}/{name}-{k}-{way}",
        "quasi": asked.names,
        "sensitive": [asked.sensitive],
        "hierarchies": dict(asked.hierarchies),
        "k": k,
        **options,
    }


def _scores(place: Path, original: pa.Table, name: str) -> dict[str, Shares]:
    """Score each quasi-identifier of a release; none where it was refused."""
    if not place.exists():
        return {}
    table = pq.read_table(place)
    return {each: shares_of(original[each], table[each]) for each in TABLES[name].names}


def page(scores: Mapping[tuple[str, int, str], Mapping[str, Shares]], most: int) -> str:
    """Write the page."""
    names = list(dict.fromkeys(name for name, _, _ in scores))
    ways = list(dict.fromkeys(way for _, _, way in scores))
    heads = [f"{way}, k = {k}" for k in KS for way in ways]
    parts = [INTRODUCTION.format(stand_in=stand_in(), rows=most, most=f"{most:,}", before=BEFORE)]
    parts.append("\n".join(_worst(scores, names, ways)))
    for name in names:
        rows = _row(["column", *heads]), _row(["---", *("--:" for _ in heads)])
        lines = [
            _row([f"`{column}`", *_cells(scores, name, column, ways)])
            for column in TABLES[name].names
        ]
        parts.append(
            "\n".join([f"## {name}: {table_of(name, most).num_rows:,} rows\n", *rows, *lines])
        )
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """# What users see

Written by `python -m benchmarks.users --rows {rows}`: share of exact / widened / lost cells in
percent, by column, with default settings and no hierarchy but those of the demo (postcodes by
digits, nationalities by a tree). *before* is commit {before}, *now* is this source; `{stand_in}`
publishes one level a column for all rows, nobody left out (leaving rows out or blanking cells
would spare levels). Tables of more than {most} rows are a sample. A cell is exact if it is a value
of the original, lost if it is `*`, and widened otherwise; one program scores all releases from
their cells alone.

The largest share of lost cells in any column, in percent (`-`: refused):"""


def _worst(
    scores: Mapping[tuple[str, int, str], Mapping[str, Shares]], names: list[str], ways: list[str]
) -> Iterator[str]:
    """Write the largest share of lost cells in any column, by table."""
    heads = [f"{way}, k = {k}" for k in KS for way in ways]
    yield _row(["table", *heads])
    yield _row(["---", *("--:" for _ in heads)])
    for name in names:
        cells = []
        for k in KS:
            for way in ways:
                lost = [shares.lost for shares in scores[name, k, way].values()]
                cells.append(f"{100 * max(lost):.0f}" if lost else "-")
        yield _row([name, *cells])


def _cells(
    scores: Mapping[tuple[str, int, str], Mapping[str, Shares]],
    name: str,
    column: str,
    ways: list[str],
) -> list[str]:
    return [str(scores[name, k, way].get(column, "-")) for k in KS for way in ways]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Write the page, or print it."""
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("--tables", default=",".join(TABLES), help="only these, with commas")
    given.add_argument("--rows", type=int, default=MOST, help="rows of a sample")
    given.add_argument("--print", action="store_true", help="print the page, write nothing")
    asked = given.parse_args()
    text = page(scored(asked.tables.split(","), asked.rows), asked.rows)
    if asked.print:
        print(text)
    else:
        PAGE.write_text(text, "utf-8")
        print(f"written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
