"""`shoal distort` through the terminal: what it writes, what it says, and that refusals leave
nothing behind.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.adapters import files, parts
from shoal.adapters.part_writer import PartWriter
from shoal.declare.understanding.spelled import Guess
from shoal.distortions import parts as cuts
from shoal.distortions.distortion import Distortion
from shoal.flows import distortion
from shoal.registry import names, summary
from shoal.review.effects.effect import Effect
from terminal import in_house_form, shoal, snapshot, write

ROWS = 1_500  # that attacks look at, in files that count as long


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    lines = [f"p{i},{rng.integers(18, 90)},{rng.integers(0, 3000)}" for i in range(200)]
    write(tmp_path / "people.csv", "name,age,pay\n" + "\n".join(lines) + "\n")
    write(tmp_path / "odd.csv", "age,gap,far\n" + "1,,1\n2,,inf\n" * 10)
    return tmp_path


def test_a_table_with_noise_and_its_certificates(folder):
    said = shoal("distort", "people.csv", "-o", "out.csv", "--columns", "age,pay")
    assert said.code == 0 and said.out == ""
    assert all(
        word in said.err
        for word in (
            "2 columns perturbed",
            "ppd",
            "withstood  blind-orbit",
            "not differential privacy",
        )
    )
    before = files.read("people.csv")
    after = files.read("out.csv")
    assert before["name"] == after["name"] and str(after.schema.field("age").type) == "double"
    public = json.loads(Path("out.csv.certificate.json").read_text())
    assert public["method"] == "correlated-noise" and public["columns"]["as they were"] == ["name"]
    assert Path("out.csv.private.json").stat().st_mode & 0o077 == 0


def test_options_are_heard(folder):
    asked = (
        "--columns",
        "all",
        "--method",
        "noise:scale=0.2",
        "--round",
        "--shuffle",
        "--clusters",
        3,
        "--seed",
        7,
    )
    said = shoal("distort", "people.csv", "-o", "out.parquet", *asked, "--json")
    assert said.code == 0, said.err
    found = said.json
    assert (found["rows"], found["method"], found["rounded"], found["shuffled"]) == (
        200,
        "noise(scale=0.2)",
        True,
        True,
    )
    assert found["holds"] and {attack["name"] for attack in found["attacks"]} >= {
        "known-record",
        "bayes-estimate",
    }
    assert set(found["effects"]) == set(names(Effect)) and found["seconds"]["perturbing"] > 0
    assert any("do not publish" in notice for notice in found["notices"])
    assert pq.read_table("out.parquet").schema.types[1:] == [pa.int64(), pa.int64()]


def test_chaos_exits_with_4_unless_one_insists(folder):
    asked = (
        "distort",
        "people.csv",
        "-o",
        "out.csv",
        "--columns",
        "all",
        "--method",
        "chaotic:scale=0.1,r=4,orbit=column",
    )
    before = snapshot(folder)
    said = shoal(*asked)
    assert (
        said.code == 4
        and in_house_form(said)
        and "known-record" in said.err
        and "correlated-noise" in said.err
    )
    assert snapshot(folder) == before
    said = shoal(*asked, "--as-published")
    assert (
        said.code == 0
        and "SUCCEEDS   known-record" in said.err
        and "Published whatever attacks found" in said.err
    )


def test_standard_output(folder):
    said = shoal("distort", "people.csv", "-o", "-", "--columns", "age")
    assert said.code == 0 and said.out.startswith("name,age,pay\n") and said.out.count("\n") == 201
    assert [path.name for path in folder.iterdir() if path.name.startswith("out")] == []


@pytest.mark.parametrize(
    ("code", "words", "args"),
    [
        (3, "not numbers", ("people.csv", "--columns", "name")),
        (3, "infinite", ("odd.csv", "--columns", "far")),
        (3, "gap", ("odd.csv", "--columns", "gap")),
        (
            3,
            "200 rows can't form 201 clusters",
            ("people.csv", "--columns", "all", "--clusters", 201),
        ),
        (3, "no file", ("nowhere.csv", "--columns", "all")),
        (2, "did you mean 'age'", ("people.csv", "--columns", "agee")),
        (2, "above 3.57", ("people.csv", "--columns", "all", "--method", "chaotic:r=3.5")),
        (2, "above 3.57", ("people.csv", "--columns", "all", "--method", "chaotic:r=4.1")),
        (2, "scale of 'noise'", ("people.csv", "--columns", "all", "--method", "noise:scale=0")),
        (2, "scale of 'noise'", ("people.csv", "--columns", "all", "--method", "noise:scale=-1")),
        (2, "did you mean 'chaotic'", ("people.csv", "--columns", "all", "--method", "chaotc")),
        (
            2,
            "orbit of 'chaotic'",
            ("people.csv", "--columns", "all", "--method", "chaotic:orbit=row"),
        ),
        (2, "too few", ("people.csv", "--columns", "all", "--clusters", 0)),
        (2, "from 0 on", ("people.csv", "--columns", "all", "--seed", -1)),
        (2, "Missing option '--columns'", ("people.csv",)),
        (2, "is the input", ("people.csv", "--columns", "all", "-o", "people.csv", "--force")),
        (2, "both want standard output", ("people.csv", "--columns", "all", "-o", "-", "--json")),
    ],
)
def test_refusals_write_nothing(folder, code, words, args):
    before = snapshot(folder)
    said = shoal("distort", *args, *(() if "-o" in args else ("-o", "out.csv")))
    assert said.code == code and words in said.err and in_house_form(said), said.err
    assert snapshot(folder) == before


def test_existing_files_are_kept_unless_forced(folder):
    write(folder / "out.csv", "mine")
    said = shoal("distort", "people.csv", "-o", "out.csv", "--columns", "all")
    assert said.code == 2 and "exists" in said.err and Path("out.csv").read_text() == "mine"
    assert shoal("distort", "people.csv", "-o", "out.csv", "--columns", "all", "--force").code == 0


@pytest.mark.parametrize(("command", "base"), [("methods", Distortion), ("metrics", Effect)])
def test_lists_name_distortions_and_effects(command, base):
    said = shoal(command)
    for name, plugin in names(base).items():
        assert any(
            line.startswith(name) and line.endswith(summary(plugin))
            for line in said.out.split("\n")
        )


@pytest.fixture
def long_file(tmp_path, monkeypatch) -> pa.Table:
    """Files that count as long, one of them in row groups of odd sizes; a column shows late what
    type it is.
    """
    monkeypatch.chdir(tmp_path)
    in_parts(monkeypatch, yes=True)
    monkeypatch.setattr(distortion, "ROWS", ROWS)
    monkeypatch.setattr(cuts, "MOST_ROWS", ROWS + 1_000)
    monkeypatch.setattr(cuts, "LEAST_ROWS", ROWS)
    rng = np.random.default_rng(5)
    rows = 2 * (ROWS + 1_000) + 1_800
    days = np.datetime64("2020-01-01") + rng.integers(0, 900, rows)
    table = pa.table(
        {
            "name": pa.array([f'p"{i},\n' if i % 997 == 0 else f"p{i}" for i in range(rows)]),
            "age": pa.array(rng.integers(0, 100, rows), pa.int64()),
            "pay": pa.array(
                np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows).round(3)),
                from_pandas=True,
            ),
            "late": pa.array(np.where(np.arange(rows) < rows - 9, rng.integers(0, 900, rows), 0.5)),
            "code": pa.array(
                [f"{i % 700:05}" if i > rows - 99 else str(1 + i % 70) for i in range(rows)]
            ),
            "day": pa.array(days),
            "seen": pa.array(days.astype("datetime64[s]") + rng.integers(0, 86_400, rows)).cast(
                pa.timestamp("us")
            ),
        }
    )
    pq.write_table(table, "long.parquet", row_group_size=701)
    files.write(table, "long.csv")
    assert files.read("long.csv").schema == table.schema
    return table


def in_parts(monkeypatch, *, yes: bool) -> None:
    monkeypatch.setattr(parts, "LONG", 5_000 if yes else 10**9)
    monkeypatch.setattr(parts, "LARGE", 100_000 if yes else 10**9)
    monkeypatch.setattr(parts, "LARGE_PACKED", 20_000 if yes else 10**9)


@pytest.mark.parametrize(
    ("source", "target", "method"),
    [
        ("csv", "csv", "correlated-noise"),
        ("csv", "parquet", "noise"),
        ("parquet", "csv.gz", "robust-noise"),
        ("parquet", "parquet", "microaggregated-noise"),
    ],
)
def test_a_long_file_goes_through_in_parts_and_comes_out_as_it_would_whole(
    long_file, monkeypatch, source, target, method
):
    asked = (
        "distort",
        f"long.{source}",
        "--columns",
        "age,pay,late",
        "--method",
        method,
        "--seed",
        4,
        "--json",
        "--force",
    )
    asked += ("--round",) if source == "csv" else ()
    said = shoal(*asked, "-o", f"parts.{target}")
    assert said.code == 0, said.err
    assert {attack["name"]: attack["trials"] for attack in said.json["attacks"]}[
        "bayes-estimate"
    ] == ROWS
    public = json.loads(Path(f"parts.{target}.certificate.json").read_text())
    assert (
        public["hash"] is None
        and public["rows"] == long_file.num_rows
        and "part by part" in public["not promised"][1]
    )
    in_parts(monkeypatch, yes=False)
    assert shoal(*asked, "-o", f"whole.{target}").code == 0
    assert json.loads(Path(f"whole.{target}.certificate.json").read_text())["hash"]
    assert Path(f"parts.{target}").read_bytes() == Path(f"whole.{target}").read_bytes()
    others = ["age", "pay", "late"]
    assert files.read(f"parts.{target}").drop_columns(others) == long_file.drop_columns(others)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text.replace(b"\np2000,", b"\np2000,7,").replace(b"\np6000,", b"\n\np6000"),
        lambda text: text.replace(b"\np2000,", b'\n"p2000,'),
        lambda text: text.replace(b"\np2000,", b"\np\xe9,"),
        lambda text: text[: text.index(b"\n") + 1] + b"\n" * 200_000,
        lambda text: text.replace(b"name,", b"age,", 1),
        lambda text: text.replace(b",age,", b",,", 1),
        lambda text: b'"' + text,
        lambda text: text.replace(b"\n", b'\n"', 1) + b'"',
        lambda text: gzip.compress(text)[:-2_000],
    ],
)
def test_a_long_csv_file_that_is_broken_is_refused_as_a_short_one_is(
    long_file, tmp_path, monkeypatch, damage
):
    (tmp_path / "long.csv").write_bytes(damage(Path("long.csv").read_bytes()))
    before = snapshot(tmp_path)
    asked = ("distort", "long.csv", "-o", "out.csv", "--columns", "pay")
    assert parts.long("long.csv")
    found = shoal(*asked)
    in_parts(monkeypatch, yes=False)
    whole = shoal(*asked)
    assert found.code == whole.code == 3 and in_house_form(found) and snapshot(tmp_path) == before
    assert [line for line in found.err.split("\n") if "bytes" not in line] == [
        line for line in whole.err.split("\n") if "bytes" not in line
    ]


@pytest.mark.parametrize("method", ["look", "perturb"])
def test_an_interrupt_leaves_nothing_of_a_long_file(long_file, tmp_path, monkeypatch, method):
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    target = (PartWriter, "__call__") if method == "perturb" else (Guess, "look")
    monkeypatch.setattr(*target, stop)
    before = snapshot(tmp_path)
    assert shoal("distort", "long.csv", "-o", "out.parquet", "--columns", "pay").code == 130
    assert snapshot(tmp_path) == before


def test_a_long_file_that_is_refused_leaves_nothing(long_file, tmp_path):
    before = snapshot(tmp_path)
    said = shoal(
        "distort", "long.parquet", "-o", "out.parquet", "--columns", "all", "--method", "chaotic"
    )
    assert said.code == 4 and in_house_form(said) and snapshot(tmp_path) == before
    said = shoal("distort", "long.parquet", "-o", "out.parquet", "--columns", "name")
    assert said.code == 3 and in_house_form(said) and snapshot(tmp_path) == before


def test_a_long_file_that_changes_meanwhile_is_refused(long_file, tmp_path, monkeypatch):
    states = iter(range(9))
    monkeypatch.setattr(parts, "_state", lambda place: (next(states), 0, 0))
    said = shoal("distort", "long.parquet", "-o", "out.parquet", "--columns", "all")
    assert (
        said.code == 3
        and "changed while it was read" in said.err
        and list(snapshot(tmp_path)) == ["long.csv", "long.parquet"]
    )


def test_a_long_file_that_is_broken_is_refused(long_file, tmp_path):
    data = bytearray((tmp_path / "long.parquet").read_bytes())
    data[2_000:60_000] = bytes(58_000)
    assert len(data) > 70_000
    (tmp_path / "long.parquet").write_bytes(bytes(data))
    said = shoal("distort", "long.parquet", "-o", "out.parquet", "--columns", "all")
    assert (
        said.code == 3
        and "broken Parquet" in said.err
        and list(snapshot(tmp_path)) == ["long.csv", "long.parquet"]
    )


def test_shuffling_needs_the_whole_table(long_file, tmp_path):
    said = shoal(
        "distort", "long.parquet", "-o", "out.parquet", "--columns", "age", "--shuffle", "--json"
    )
    assert (
        said.code == 0
        and pq.read_table("out.parquet")["name"].to_pylist() != long_file["name"].to_pylist()
    )
    assert json.loads(Path("out.parquet.certificate.json").read_text())["hash"]


def test_a_perturbed_table_is_verified_and_attacked_again(folder):
    assert shoal("distort", "people.csv", "-o", "out.csv", "--columns", "all").code == 0
    said = shoal("verify", "out.csv", "out.csv.certificate.json", "--verbose")
    assert said.code == 0 and said.out.count("recounted") == 6
    said = shoal("attack", "out.csv", "--original", "people.csv", "--json")
    stated = json.loads(Path("out.csv.private.json").read_text())["attacks"]
    public = json.loads(Path("out.csv.certificate.json").read_text())
    assert public["attacks"] == [a["name"] for a in stated]
    found = {a["name"]: a["advantage"] for a in said.json["attacks"]}
    assert said.code == 0 and found.pop("file-metadata") is None  # plain CSV can tell nothing
    assert found == pytest.approx({a["name"]: a["advantage"] for a in stated}, abs=1e-6)
    write(folder / "out.csv", Path("out.csv").read_text().replace("p7,", "p8,", 1))
    said = shoal("verify", "out.csv", "out.csv.certificate.json")
    assert said.code == 4 and "hash" in said.err


def test_what_a_perturbed_file_tells_beside_its_table_is_looked_at(folder):
    assert shoal("distort", "people.csv", "-o", "out.parquet", "--columns", "all").code == 0
    asked = (
        "attack",
        "out.parquet",
        "--original",
        "people.csv",
        "--attack",
        "file-metadata",
        "--json",
    )
    said = shoal(*asked)
    assert said.code == 0 and [(a["name"], a["attack"]) for a in said.json["attacks"]] == [
        ("file-metadata", 0.0)
    ]
    pq.write_table(
        pq.read_table("out.parquet").replace_schema_metadata({"by": "ada"}), "out.parquet"
    )
    said = shoal(*asked)
    assert said.code == 4 and said.json["attacks"][0]["refuses"]


def test_a_broken_release_is_attacked_with_4_and_a_shuffled_one_not_at_all(folder):
    asked = ("--columns", "all", "--method", "chaotic", "--as-published", "--force")
    assert shoal("distort", "people.csv", "-o", "out.csv", *asked).code == 0
    assert shoal("attack", "out.csv", "--original", "people.csv").code == 4
    assert shoal("attack", "out.csv").code == 3
    assert shoal("distort", "people.csv", "-o", "out.csv", *asked, "--shuffle").code == 0
    said = shoal("attack", "out.csv", "--original", "people.csv")
    assert said.code == 3 and "do not stand beside each other" in said.err and in_house_form(said)


@pytest.mark.parametrize(
    "damage", [{"rows": "many"}, {"format": 99}, {"columns": None}, {"method": "nonsense"}]
)
def test_a_damaged_certificate_is_no_fault_of_ours(folder, damage):
    assert shoal("distort", "people.csv", "-o", "out.csv", "--columns", "all").code == 0
    public = json.loads(Path("out.csv.certificate.json").read_text())
    write(folder / "out.csv.certificate.json", json.dumps(public | damage))
    assert shoal("attack", "out.csv", "--original", "people.csv").code in (2, 3)
    assert shoal("verify", "out.csv", "out.csv.certificate.json").code in (3, 4)
