"""Odd files of a soak: tables, hierarchies and recipes that nobody should write, and some do.

Cells hold marks that occur nowhere else: whatever prints one has printed the value of a cell.
"""

from __future__ import annotations

import datetime
import sqlite3
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as parquet

MARK = "Qz7Secret"
MARKED_NUMBER = 73_219_846
SECRETS = (MARK, str(MARKED_NUMBER), f"{MARKED_NUMBER:,}")
TEXTS = (
    "", " ", "*", "NA", "NULL", "nan", "-", "0", "-0", "1e400", "-1e400", "inf", "0x10", "1_000",
    "1,5", "1.000,00", "٣", "true", "=1+1", "+1", "@x", "-x", "[1, 2]", "[1,2", '"', '""', "'",
    ";", "90+", "<=5", "0000-00-00", "9999-12-31", "10000-01-01", "-0005-01-01", "1900-02-29",
    "24:00:00", "12:61", "2020-01-01T25:00", "a\tb", "a\nb", "a\r\nb", "\u202eabc", "\u0000",
    "\x1b[2K", "\ufeff", "Ünï", "日本", "e\u0301", "🐟", "x" * 3000, "a\\b", "a|b", "${HOME}", "%s",
    "{0}", "../x",
)  # fmt: skip
NAMES = (
    "age", "sex", "zip", "ill", "a b", "a=b", "a_lo", "a_hi", "", " ", "größe", "日本", "a;b",
    "a'b", 'a"b', "x" * 300, "\x1b[1A\x1b[2K", "\u202ename", "*", "k", "count", "index", "-q",
    "--k", "1", "NaN",
)  # fmt: skip
EXTREMES = (0.0, -0.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"))
SUFFIXES = (
    "csv",
    "csv",
    "csv",
    "csv",
    "parquet",
    "parquet",
    "parquet",
    "sqlite",
    "duckdb",
    "strange",
)


def odd_table(rng: Random, folder: Path) -> tuple[str, list[str]]:
    """Write an odd table; return its address and the names of its columns."""
    names = odd_names(rng)
    rows = rng.choice((0, 1, 2, 5, 20, 20, 60, 60))
    kind = rng.choice(SUFFIXES)
    written = {
        "csv": _csv,
        "parquet": _parquet,
        "sqlite": _sqlite,
        "duckdb": _duckdb,
        "strange": _strange,
    }[kind](rng, folder, names, rows)
    return written, names


def odd_names(rng: Random) -> list[str]:
    """Draw names of columns: usual ones, some odd, some twice."""
    names = ["age", "sex", "zip", "ill"][: rng.randint(1, 4)]
    while rng.random() < 0.35:
        names.insert(rng.randint(0, len(names)), rng.choice(NAMES))
    return names


def odd_cells(rng: Random, rows: int) -> list[str]:
    """Draw texts of a column: a few kinds in each, marks among them."""
    pool = [rng.choice(TEXTS) for _ in range(rng.randint(0, 3))]
    usual = rng.choice(
        (
            [str(rng.randint(0, 99)) for _ in range(8)],
            [f"{MARK}{number}" for number in range(rng.randint(1, 30))],
            ["f", "m"],
            [str(rng.gauss(0, 1) * 10 ** rng.randint(-300, 300)) for _ in range(5)],
            [
                f"20{rng.randint(10, 30)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
                for _ in range(9)
            ],
            [str(MARKED_NUMBER), "5", "7", "19"],
            [f"{rng.randint(0, 99999):05}" for _ in range(12)],
        )
    )
    odd = rng.choice((0, 0, 0.02, 0.3))
    return [
        rng.choice(pool) if pool and rng.random() < odd else rng.choice(usual) for _ in range(rows)
    ]


def _csv(rng: Random, folder: Path, names: list[str], rows: int) -> str:
    delimiter = rng.choice((",", ",", ",", ";", "\t", "|"))
    ending = rng.choice(("\n", "\n", "\r\n", "\r"))
    columns = [odd_cells(rng, rows) for _ in names]
    quote = rng.random() < 0.8
    lines = [names, *(list(row) for row in zip(*columns, strict=True))]
    if rng.random() < 0.06 and lines:
        rng.choice(lines).append("more")
    if rng.random() < 0.04:
        # Names of columns may be told, so no marks where the first row is taken for names.
        lines[0] = [str(rng.randint(0, 99)) for _ in names]
    spelled = (
        delimiter.join(_quoted(cell, delimiter) if quote else cell for cell in line)
        for line in lines
    )
    text = "".join(line + ending for line in spelled)
    encoding = rng.choice(
        ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252", "utf-32")
    )
    data = text.encode(encoding, "replace")
    if rng.random() < 0.06:
        data = _damaged(rng, data)
    (folder / "odd.csv").write_bytes(data)
    return "odd.csv"


def _quoted(cell: str, delimiter: str) -> str:
    needs = any(sign in cell for sign in (delimiter, '"', "\n", "\r"))
    return '"' + cell.replace('"', '""') + '"' if needs else cell


def _damaged(rng: Random, data: bytes) -> bytes:
    """Cut a file, turn bytes of it into others, or add some."""
    place = rng.randint(0, len(data))
    noise = rng.randbytes(rng.randint(0, 20))
    return rng.choice(
        (data[:place], data[:place] + noise + data[place:], data[:place] + b'"' + data[place:])
    )


def _parquet(rng: Random, folder: Path, names: list[str], rows: int) -> str:
    arrays = [odd_array(rng, rows) for _ in names]
    place = folder / "odd.parquet"
    try:
        parquet.write_table(pa.table(arrays, names=names), place)
    except (pa.ArrowException, ValueError, OverflowError):
        parquet.write_table(pa.table({"age": list(range(rows))}), place)
    if rng.random() < 0.05:
        place.write_bytes(_damaged(rng, place.read_bytes()))
    return place.name


def odd_array(rng: Random, rows: int) -> pa.Array:
    """Draw a column of any Arrow type."""
    draw, kind = rng.choice(_ARRAYS)
    values = [None if rng.random() < 0.05 else draw(rng) for _ in range(rows)]
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError, ValueError, TypeError):
        return pa.array([MARK] * rows)


def _mark(rng: Random) -> str:
    return f"{MARK}{rng.randint(0, 9)}"


_ARRAYS: list[tuple[Any, pa.DataType]] = [
    (_mark, pa.string()),
    (_mark, pa.large_string()),
    (_mark, pa.dictionary(pa.int8(), pa.string())),
    (lambda rng: rng.choice(TEXTS), pa.string()),
    (lambda rng: _mark(rng).encode(), pa.binary()),
    (lambda rng: [_mark(rng)], pa.list_(pa.string())),
    (lambda rng: {"a": _mark(rng)}, pa.struct([("a", pa.string())])),
    (lambda rng: [(_mark(rng), 1)], pa.map_(pa.string(), pa.int32())),
    (lambda rng: rng.choice((0, 2**63 - 1, -(2**63), MARKED_NUMBER)), pa.int64()),
    (lambda rng: rng.choice((0, 2**64 - 1, MARKED_NUMBER)), pa.uint64()),
    (lambda rng: rng.randint(-128, 127), pa.int8()),
    (lambda rng: rng.choice(EXTREMES), pa.float64()),
    (lambda rng: rng.gauss(0, 1), pa.float64()),
    (lambda rng: rng.gauss(0, 1), pa.float32()),
    (lambda rng: Decimal(rng.randint(-(10**30), 10**30)), pa.decimal128(38, 4)),
    (lambda rng: Decimal(rng.randint(-(10**30), 10**30)), pa.decimal256(60, 10)),
    (lambda rng: rng.random() < 0.5, pa.bool_()),
    (lambda rng: None, pa.null()),
    (lambda rng: rng.choice((0, -719_163, 2_932_897, 10**9, -(10**9))), pa.date32()),
    (lambda rng: datetime.date(2000, 1, rng.randint(1, 28)), pa.date32()),
    (lambda rng: rng.choice((0, 2**62, -(2**62), 10**15)), pa.timestamp("us")),
    (lambda rng: rng.choice((0, 2**62, -(2**62), 10**15)), pa.timestamp("s", "Europe/Berlin")),
    (lambda rng: rng.randint(0, 86_399), pa.time32("s")),
    (lambda rng: rng.randint(0, 10**9), pa.duration("us")),
    (lambda rng: rng.randint(0, 9), pa.int64()),
    (lambda rng: rng.randint(0, 99), pa.int64()),
    (lambda rng: rng.choice(("f", "m")), pa.string()),
]  # fmt: skip


def _sqlite(rng: Random, folder: Path, names: list[str], rows: int) -> str:
    place = folder / "odd.sqlite"
    connection = sqlite3.connect(place)
    safe = [f"c{i}" if not name.strip() or "\0" in name else name for i, name in enumerate(names)]
    unlike = list(dict.fromkeys(safe))
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in unlike)
    values: list[Any] = [
        None,
        1,
        2.5,
        MARK,
        MARK.encode(),
        "2020-01-01",
        2**62,
        "",
        float("inf"),
        3,
        3,
        3,
    ]
    try:
        connection.execute(f"create table people ({columns})")
        marks = ", ".join("?" for _ in unlike)
        drawn = [[rng.choice(values) for _ in unlike] for _ in range(rows)]
        connection.executemany(f"insert into people values ({marks})", drawn)
        connection.commit()
    except sqlite3.Error:
        pass
    connection.close()
    if rng.random() < 0.05:
        place.write_bytes(_damaged(rng, place.read_bytes()))
    table = rng.choice(("people", "people", "people", "nothing", "sqlite_master"))
    return f"sqlite:///odd.sqlite#{table}"


def _duckdb(rng: Random, folder: Path, names: list[str], rows: int) -> str:
    connection = duckdb.connect(str(folder / "odd.duckdb"))
    table = pa.table([odd_array(rng, rows) for _ in names], names=names)
    try:
        connection.register("given", table)
        connection.execute("create table people as select * from given")
    except Exception:  # DuckDB takes fewer types than Arrow has
        connection.execute("create table people as select 1 as age")
    connection.close()
    return f"duckdb:///odd.duckdb#{rng.choice(('people', 'people', 'nothing'))}"


def _strange(rng: Random, folder: Path, names: list[str], rows: int) -> str:
    (folder / "folder.csv").mkdir()
    (folder / "empty.csv").write_bytes(b"")
    (folder / "lines.csv").write_bytes(b"\n\n\n")
    (folder / "noise.parquet").write_bytes(rng.randbytes(200))
    (folder / "table.xlsx").write_bytes(rng.randbytes(200))
    (folder / "table.json").write_text('{"a": [1, {"b": 2}]}')
    places = ("nothing.csv", "folder.csv", "empty.csv", "lines.csv", "noise.parquet", "table.xlsx")
    more = (
        "table.json",
        "sqlite:///no/such.db#t",
        "postgresql://127.0.0.1:1/x#t",
        "/dev/null",
        "",
        "http://x/y.csv",
    )
    return rng.choice(places + more)


def odd_hierarchy(rng: Random, folder: Path) -> str:
    """Write an odd hierarchy, or spell one; values of the table may be missing in it."""
    place = folder / "odd_tree.csv"
    leaves = [str(number) for number in range(100)] + ["f", "m"]
    texts = (
        "",
        "\n",
        "f;*\nm;*\n",
        "f;x;*\nm;y\n",
        "f;x;*\nf;y;*\n",
        "f;m;*\nm;f;*\n",
        "".join(f"{leaf};{leaf[:1]};*\n" for leaf in leaves),
        "".join(f"{leaf};{'a;' * 40}*\n" for leaf in leaves),
        "f;\x1b[2K;*\nm;\u202e;*\n",
        '"f;x;*\n',
        "f,x,*\nm,x,*\n",
    )
    place.write_text(rng.choice(texts), encoding="utf-8")
    if rng.random() < 0.1:
        place.write_bytes(rng.randbytes(50))
    typed = (
        "masks", "masks:length=0", "masks:length=65", "masks:character=ab", "intervals:width=0",
        "intervals:width=1e-300", "intervals:width=nan", "intervals:edges=[0;5]",
        "intervals:quantiles=3", "intervals:width=10", "dates", "dates:levels=[year]",
        "dates:levels=[era]", "flat", "none", "file", "nothing.csv", ".", "nested",
        "masks:steps=[3,1]",
    )  # fmt: skip
    return place.name if rng.random() < 0.5 else rng.choice(typed)


def odd_recipe(rng: Random, folder: Path) -> str:
    """Write an odd recipe in TOML."""
    deep = rng.choice((5, 100, 3000))
    texts = (
        "", "k = 3\n", 'k = "3"\n', "k = 3.5\n", "k = -1\n", "k = 1e30\n", "k = nan\n",
        "k = 3\nk = 4\n", "quasi = 5\n", 'quasi = ["age", 5]\n', 'quasi = ["age", "age"]\n',
        "[k]\na = 1\n", "unknown = 1\n", 'models = ["l-diversity:l=2", 7]\n', "models = [[1]]\n",
        "withhold = 2\n", "withhold = inf\n",
        'population = "postgresql://u:x@127.0.0.1:1/${HOME}#t"\n', 'population = "${HOME}"\n',
        "seed = 5\n", 'hierarchies = {age = "masks"}\n', "hierarchies = {age = {a = {b = 1}}}\n",
        "publish = {age = 3}\n", "importance = {age = -1}\n", "importance = {age = nan}\n",
        "k = 1979-05-27\n", "= 3\n", "k = \x00\n", f"x = {'[' * deep}{']' * deep}\n",
        f"hierarchies = {'{a = ' * deep}1{'}' * deep}\n", "method = ''\n",
        'method = "shoal:effort=low"\nk = 2\nquasi = ["age"]\n',
        "k = 99999999999999999999999999\n",
    )  # fmt: skip
    place = folder / "odd.toml"
    place.write_text(rng.choice(texts), encoding="utf-8")
    if rng.random() < 0.05:
        place.write_bytes(rng.randbytes(40))
    return place.name
