"""Odd values: distant dates, nested types, impossible weights and deep recipes end in a refusal.

Each has its fixed exit code at every door and engine, never that of a fault of ours.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal as door
from shoal.errors import DataError, RecipeError
from terminal import Said, shoal
from tries import tries

ROWS = 40
AGES = pa.array([20 + row % 5 for row in range(ROWS)])
SECONDS = [300_000_000_000_000 + 86_400 * row for row in range(ROWS)]
DAYS = [2**22 + row for row in range(ROWS)]
DISTANT = {
    "seconds": pa.array(SECONDS, pa.timestamp("s")),
    "before": pa.array([-second for second in SECONDS], pa.timestamp("s")),
    "micros": pa.array([2**62 + row for row in range(ROWS)], pa.timestamp("us")),
    "zone": pa.array(SECONDS, pa.timestamp("s", "UTC")),
    "days": pa.array(DAYS, pa.int32()).cast(pa.date32()),
    "days before": pa.array([-day for day in DAYS], pa.int32()).cast(pa.date32()),
}
ROLES = {
    "quasi": ("-q", "age,x"),
    "sensitive": ("-q", "age", "-s", "x"),
    "keep": ("-q", "age", "--keep", "x", "--force-keep", "x"),
}
ENGINES = {"local": (), "disk": ("--memory", "2GB")}


def table_with(values: pa.Array, folder: Path) -> Path:
    pq.write_table(pa.table({"age": AGES, "x": values}), folder / "in.parquet")
    return folder / "in.parquet"


@pytest.mark.parametrize("kind", DISTANT)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("role", ROLES)
def test_dates_beyond_the_years_1_to_9999_are_refused(kind, engine, role, tmp_path):
    source = table_with(DISTANT[kind], tmp_path)
    call = ("-o", tmp_path / "out.csv", "-k", "2", *ROLES[role], *ENGINES[engine])
    said = shoal("anonymize", source, *call)
    assert said.code == 3 and "'x' holds dates before the year 1 or after" in said.err, said.err
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_the_first_and_the_last_day_are_published(tmp_path):
    days = pa.array(["0001-01-01", "9999-12-31"] * (ROWS // 2)).cast(pa.date32())
    out = tmp_path / "out.csv"
    said = shoal("anonymize", table_with(days, tmp_path), "-o", out, "-k", "2", *ROLES["quasi"])
    assert said.code == 0, said.err


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("role", ROLES)
def test_dictionaries_of_lists_are_refused(engine, role, tmp_path):
    numbers = pa.array([row % 3 for row in range(ROWS)])
    values = pa.DictionaryArray.from_arrays(numbers, pa.array([[1], [2], [3]]))
    table = pa.table({"age": AGES, "x": values})
    with pa.ipc.new_file(tmp_path / "in.arrow", table.schema) as writer:
        writer.write_table(table)
    call = ("-o", tmp_path / "out.csv", "-k", "2", *ROLES[role], *ENGINES[engine])
    said = shoal("anonymize", tmp_path / "in.arrow", *call)
    assert said.code in (2, 3) and not (tmp_path / "out.csv").exists(), said.err
    given = {"quasi": ["age", "x"]} if role == "quasi" else {"quasi": "age", role: "x"}
    with pytest.raises(DataError, match="no single value"):
        door.anonymize(table, k=2, **given)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("role", ROLES)
def test_lists_and_structs_are_refused(engine, role, tmp_path):
    for values in ([[row % 3] for row in range(ROWS)], [{"a": row % 3} for row in range(ROWS)]):
        source = table_with(pa.array(values), tmp_path)
        call = ("-o", tmp_path / "out.csv", "-k", "2", *ROLES[role], *ENGINES[engine])
        said = shoal("anonymize", source, *call)
        assert said.code == 3 and "which is no single value" in said.err, said.err


@pytest.mark.parametrize("weight", [0.0, 1e308, 1e-320])
def test_impossible_weights_are_refused(weight, tmp_path):
    source = table_with(pa.array([weight] * ROWS), tmp_path)
    call = ("-o", tmp_path / "out.csv", "-k", "2", "-q", "age", "--weight", "x")
    said = shoal("anonymize", source, *call)
    assert said.code == 3 and "weights in 'x' are" in said.err, said.err


def test_weights_that_sum_to_one_are_published(tmp_path):
    source = table_with(pa.array([1 / ROWS] * ROWS), tmp_path)
    call = ("-o", tmp_path / "out.csv", "-k", "2", "-q", "age", "--weight", "x")
    assert shoal("anonymize", source, *call).code == 0


@pytest.mark.parametrize(
    "nested",
    [
        "x = " + "{a = " * 5000 + "1" + "}" * 5000,
        "x = " + "[" * 300 + "]" * 300,
        "x." + "a." * 20_000 + "b = 1",
        "x = " + "{a = " * 60 + '"b"' + "}" * 60,
    ],
    ids=["tables", "arrays", "dots", "a little too deep"],
)
def test_recipes_that_are_nested_too_deep_are_refused(nested, tmp_path):
    (tmp_path / "recipe.toml").write_text(f'[roles]\nquasi = ["x"]\n\n[hierarchies]\n{nested}\n')
    source = table_with(AGES, tmp_path)
    call = ("--recipe", tmp_path / "recipe.toml", "-o", tmp_path / "out.csv")
    said = shoal("anonymize", source, *call)
    assert said.code == 2 and "nested too deep" in said.err, said.err


def test_hierarchies_that_are_nested_too_deep_are_refused_in_python():
    tree: object = None
    for _ in range(tries(3000)):
        tree = {"a": tree}
    with pytest.raises(RecipeError, match="nested too deep"):
        door.anonymize(pa.table({"x": ["a", "a"]}), quasi="x", k=2, hierarchies={"x": tree})


@pytest.mark.parametrize(
    "call",
    [
        ("audit", "-q", "age", "-s", "x"),
        ("audit", "-q", "age", "-s", "x", "--require", "k-e:e=5"),
        ("anonymize", "-q", "age", "-s", "x", "-k", "2", "--model", "k-e:e=5", "-o", "out.csv"),
        ("anonymize", "-q", "age,x", "-k", "2", "-o", "out.csv"),
    ],
)
def test_numbers_that_span_more_than_floats_are_measured(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ends = (-1.7e308, 1.7e308, 1.0, 9e307)
    source = table_with(pa.array([ends[row // 5 % 4] for row in range(ROWS)]), tmp_path)
    said = shoal(call[0], source, *call[1:])
    assert said.code == 0, said.err
    if call[0] == "anonymize":
        verified = shoal("verify", "out.csv", "out.csv.certificate.json", "--original", source)
        assert verified.code == 0, verified.out


@pytest.mark.parametrize("values", [(1e308, 1.5e308), (-1.7e308, 1.7e308), (0.0, 5e-324)])
@pytest.mark.parametrize("method", ["chaotic", "noise", "microaggregated-noise"])
def test_numbers_at_the_ends_of_floats_are_not_perturbed(values, method, tmp_path):
    source = table_with(pa.array([values[row // 5 % 2] for row in range(ROWS)]), tmp_path)
    call = ("-o", tmp_path / "out.csv", "--columns", "x", "--method", method)
    said = shoal("distort", source, *call)
    assert said.code == 3 and "column 'x'" in said.err, said.err
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


FAR = "x" * 300  # longer than the name of a file may be


@pytest.mark.parametrize(
    "words",
    [
        ("anonymize", "in.parquet", "-o", f"sqlite:///{FAR}#people", "-q", "age"),
        ("anonymize", "in.parquet", "-o", "out.csv", "-q", "age", "--hierarchies", FAR),
        ("anonymize", "in.parquet", "-o", "out.csv", "-q", "age", "--hierarchy", f"age={FAR}"),
        ("verify", "in.parquet", "none.json", "--hierarchies", FAR),
        ("ledger", "init", FAR),
        ("ledger", "show", FAR),
        ("audit-graph", FAR),
    ],
)
def test_places_that_can_not_be_reached_are_refused(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table_with(AGES, tmp_path)
    said = shoal(*words)
    assert said.code == 3 and FAR in said.err
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]


def test_steps_may_be_longer_than_the_name_of_a_file(tmp_path):
    steps = "-".join(str(2**place) for place in range(45))
    said = with_recipe(f'[hierarchies]\nage = "ladder:widths={steps}"', tmp_path)
    assert said.code == 0 and len(steps) > 255


@pytest.mark.parametrize("named", ["[hierarchies]\nage", "[protection]\npopulation"])
def test_no_name_of_a_file_holds_a_null(named, tmp_path):
    said = with_recipe(f'{named} = "a\\u0000b"', tmp_path)
    assert said.code == 2 and "no name of a file" in said.err


def with_recipe(asked: str, folder: Path) -> Said:
    recipe = folder / "recipe.toml"
    recipe.write_text(asked + "\n")
    beside = ("-q", "age", "-i", "x", "-k", "4", "--recipe", recipe, "--method", "banded")
    return shoal("anonymize", table_with(AGES, folder), "-o", folder / "out.csv", *beside)
