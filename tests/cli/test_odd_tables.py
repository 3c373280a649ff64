"""Odd tables that are fine: each becomes a release that is counted again from its file, and matches
its certificate.
"""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as door
from shoal.adapters import files
from terminal import shoal, write


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def released(source: str, quasi: str, k: int, *options: object, sensitive: str = "") -> pa.Table:
    """Anonymize, audit and verify through the terminal; the release as texts."""
    roles = ("-q", quasi, *(("-s", sensitive) if sensitive else ()))
    said = shoal("anonymize", source, "-o", "out.csv", *roles, "-k", k, "--force", *options)
    assert said.code == 0, said.err
    audited = shoal("audit", "out.csv", *roles, "--require", f"k={k}", "--json")
    assert audited.code == 0 and audited.json["k"] >= k, audited.err
    verified = shoal("verify", "out.csv", "out.csv.certificate.json")
    assert verified.code == 0, verified.err
    return files.read("out.csv", typed=False)


def as_csv(path: Path, columns: dict[str, list[str]]) -> str:
    text = io.StringIO()
    rows = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    rows.writerow(columns)
    rows.writerows(zip(*columns.values(), strict=True))
    write(path, text.getvalue())
    return path.name


def test_one_row_with_k_of_one(folder):
    write(folder / "one.csv", "age,sex\n39,f\n")
    assert released("one.csv", "age,sex", 1).to_pylist() == [{"age": "39", "sex": "f"}]


def test_k_of_all_rows(folder):
    write(folder / "all.csv", "age,sex\n" + "".join(f"{20 + i},{'fm'[i % 2]}\n" for i in range(25)))
    table = released("all.csv", "age,sex", 25)
    assert table["age"].to_pylist() == ["[20, 44]"] * 25
    assert table["sex"].to_pylist() == ["*"] * 25


def test_rows_that_are_all_equal(folder):
    write(folder / "equal.csv", "age,sex\n" + "39,f\n" * 30)
    assert set(
        map(tuple, (row.values() for row in released("equal.csv", "age,sex", 7).to_pylist()))
    ) == {("39", "f")}


@pytest.mark.parametrize("role", ["quasi", "keep", "dropped"])
def test_hundreds_of_columns(folder, role):
    # the search among quasi-identifiers takes time with the square of their number
    columns = 200 if role == "quasi" else 1000
    names = [f"c{i}" for i in range(columns)]
    lines = [
        ",".join(str(r * (c + 3) % 4 if c < 2 or role == "quasi" else c) for c in range(columns))
        for r in range(16)
    ]
    write(folder / "wide.csv", ",".join(names) + "\n" + "\n".join(lines) + "\n")
    quasi = ",".join(names) if role == "quasi" else "c0,c1"
    kept = ("--keep", ",".join(names[2:])) if role == "keep" else ()
    said = shoal("anonymize", "wide.csv", "-o", "out.csv", "-q", quasi, "-k", 4, *kept)
    assert said.code == 0, said.err
    assert shoal("audit", "out.csv", "-q", quasi, "--require", "k=4").code == 0
    assert files.read("out.csv").column_names == (names[:2] if role == "dropped" else names)


UNICODE = {
    "Größe": ["175", "180", "169", "177"] * 3,
    "城市": ["東京", "大阪", "Łódź", "👩‍🔬"] * 3,
    'naïve, "x"': ["a", "b"] * 6,
}


def test_names_and_values_of_every_alphabet(folder):
    as_csv(folder / "u.csv", UNICODE)
    table = released("u.csv", "Größe,城市", 2, "--keep", '"naïve, ""x"""')
    assert table.column_names == list(UNICODE)
    assert set(table["城市"].to_pylist()) <= {*UNICODE["城市"], "*"}


HOSTILE = [
    "[20, 29]",
    "*",
    '"',
    '""',
    "a,b",
    "a;b",
    "a\nb",
    "a\r\nb",
    " x ",
    "x (group)",
    "",
    "NULL",
    "'",
    "\\",
    "\t",
]


@pytest.mark.parametrize("publish", ["snapped", "tight", "centre", "bounds"])
def test_values_that_look_like_cells(folder, publish):
    name = as_csv(
        folder / "hostile.csv",
        {"mark": [text for text in HOSTILE for _ in range(3)], "n": ["1"] * 45},
    )
    cells = released(name, "mark", 3, "--publish", publish)["mark"].to_pylist()
    assert len(set(cells)) == len(HOSTILE)  # none was taken for another
    assert {'"[20, 29]"', '"*"', '""""', '""', "x (group)"} <= set(cells)


def test_hostile_labels_of_a_hierarchy(folder):
    write(folder / "h.csv", 'a;"*";*\nb;"*";*\n"[1, 2]";"[1, 9]";*\nc;"[1, 9]";*\nx;x;*\ny;x;*\n')
    values = ["a", "b", "[1, 2]", "c", "x", "y"]
    as_csv(folder / "t.csv", {"v": [v for v in values for _ in range(2)]})
    cells = set(released("t.csv", "v", 4, "--hierarchy", "v=h.csv")["v"].to_pylist())
    assert len(cells) == 3 and "*" not in cells  # three groups, no two of which print alike


def test_a_column_named_like_bounds(folder):
    rows = "".join(f"{20 + i % 9},{i % 4},{i % 3}\n" for i in range(36))
    write(folder / "b.csv", "age,age_lo,size\n" + rows)
    assert released("b.csv", "age,age_lo", 3).column_names == ["age", "age_lo"]
    assert released("b.csv", "age", 3, "--publish", "bounds").column_names == ["age_lo", "age_hi"]
    assert released(
        "b.csv", "age,size", 3, "--publish", "size=bounds", "--keep", "age_lo"
    ).column_names == ["age", "size_lo", "size_hi", "age_lo"]
    said = shoal(
        "anonymize", "b.csv", "-o", "x.csv", "-q", "age,age_lo", "-k", 3, "--publish", "bounds"
    )
    assert said.code == 2 and not Path("x.csv").exists()


COLUMNS = {
    "booleans": pa.array([True, False, None] * 4),
    "whole": pa.array([-5, -4, 0, 3] * 3, pa.int8()),
    "beyond 2^53": pa.array([2**53 + i for i in range(12)]),
    "beyond 2^63": pa.array([2**64 - 1 - i for i in range(12)], pa.uint64()),
    "tiny range": pa.array([1 + i * 2e-16 for i in range(12)]),
    "tiny": pa.array([i * 5e-324 for i in range(12)]),
    "wide range": pa.array([(-1) ** i * 1.7e308 * (i / 12) for i in range(12)]),
    "half": pa.array([i / 8 for i in range(12)], pa.float16()),
    "decimal": pa.array([Decimal(i * 17 % 12) / 8 for i in range(12)], pa.decimal128(12, 3)),
    "large decimal": pa.array([10**30 + i for i in range(12)], pa.decimal128(38, 0)),
    "constant": pa.array([3] * 12),
    "missing": pa.array([None] * 12),
    "missing numbers": pa.array([None] * 12, pa.float64()),
    "nan": pa.array([float("nan"), 1.0, 2.0] * 4),
    "one value": pa.array([None] * 11 + [7]),
    "category": pa.array(["a", "b", "c"] * 4).dictionary_encode(),
    "days": pa.array([-700_000 + 97_003 * i for i in range(12)], pa.int32()).cast(pa.date32()),
    "old days": pa.array(range(-40, -28), pa.int32()).cast(pa.date32()),
    "times": pa.array([-(10**15) + 77_777_777_777 * i for i in range(12)], pa.timestamp("us")),
    "times with a zone": pa.array(
        [i * 86_399 for i in range(12)], pa.timestamp("s", "Europe/Oslo")
    ),
    "nanoseconds": pa.array([i * 999_999_999 for i in range(12)], pa.timestamp("ns")),
    "clock": pa.array([i * 7_199_999_999 for i in range(12)], pa.time64("us")),
    "clock in ms": pa.array([i * 7_199_999 for i in range(12)], pa.time32("ms")),
}


@pytest.mark.parametrize("publish", ["snapped", "tight", "centre", "bounds"])
def test_every_type_of_column(folder, publish):
    table = pa.table({**COLUMNS, "id": pa.array(["x", "y", "z", "w"] * 3)})
    pq.write_table(table, "types.parquet")
    for name in COLUMNS:
        said = shoal(
            "anonymize",
            "types.parquet",
            "-o",
            "o.parquet",
            "-q",
            name,
            "-k",
            3,
            "--publish",
            publish,
            "--force",
        )
        assert said.code == 0, (name, said.err)
        verified = shoal(
            "verify", "o.parquet", "o.parquet.certificate.json", "--original", "types.parquet"
        )
        assert verified.code == 0, (name, verified.out, verified.err)
        assert (
            publish != "bounds"
            or shoal("audit", "o.parquet", "-q", name, "--require", "k=3").code == 0
        )


def test_all_types_together_and_in_every_format(folder):
    pq.write_table(pa.table(COLUMNS), "types.parquet")
    hashes = set()
    for ending in ("csv", "tsv", "parquet", "arrow", "csv.gz"):
        said = shoal(
            "anonymize",
            "types.parquet",
            "-o",
            f"o.{ending}",
            "-q",
            ",".join(COLUMNS),
            "-k",
            4,
            "--seed",
            1,
        )
        assert said.code == 0, said.err
        verified = shoal("verify", f"o.{ending}", f"o.{ending}.certificate.json", "--json")
        assert verified.code == 0 and verified.json["holds"]
        hashes.add(
            next(
                item["stated"]
                for item in verified.json["items"]
                if item["what"] == "hash of the rows"
            )
        )
    assert len(hashes) == 1


def test_a_table_of_missing_values_only(folder):
    pq.write_table(pa.table({"a": pa.nulls(6), "b": pa.nulls(6, pa.float64())}), "nothing.parquet")
    assert released("nothing.parquet", "a,b", 6).to_pylist() == [{"a": None, "b": None}] * 6


def test_kept_and_sensitive_columns_of_every_type(folder):
    table = pa.table(
        {
            **{name: column.take(pa.array([0, 1, 2, 3] * 6)) for name, column in COLUMNS.items()},
            "q": [1, 2] * 12,
        }
    )
    release = door.anonymize(
        table, quasi="q", keep=[*COLUMNS][1:], sensitive=[*COLUMNS][:1], force_keep=[*COLUMNS], k=4
    )
    for ending in ("csv", "parquet"):
        release.write(f"kept.{ending}")
        assert door.verify(f"kept.{ending}", release.certificate).holds
    assert release.table.num_rows == 24


@pytest.mark.parametrize(
    "kind", [pa.list_(pa.int64()), pa.struct({"a": pa.int64()}), pa.binary(), pa.duration("s")]
)
@pytest.mark.parametrize("role", ["quasi", "sensitive", "keep"])
def test_columns_that_hold_no_single_value_are_refused_by_name(folder, kind, role):
    values = {"list": [[1]], "struct": [{"a": 1}], "binary": [b"1"], "duration": [1]}
    odd = pa.array(
        [value for word, some in values.items() if str(kind).startswith(word) for value in some]
        * 24,
        kind,
    )
    pq.write_table(pa.table({"age": list(range(24)), "odd": odd}), "odd.parquet")
    roles = ("-q", "odd") if role == "quasi" else ("-q", "age", f"--{role}", "odd")
    said = shoal("anonymize", "odd.parquet", "-o", "o.csv", *roles, "-k", 3)
    assert said.code == 3 and "'odd'" in said.err, said.err
    assert (
        shoal("anonymize", "odd.parquet", "-o", "o.csv", "-q", "age", "-k", 3).code == 0
    )  # dropped, it does no harm
