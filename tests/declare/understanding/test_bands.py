"""Bands in order: numbers with open ends and ranges, understood and published alike."""

from __future__ import annotations

import itertools
import shlex
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.declare.banded import banded_in
from shoal.declare.understanding.bands import band_of, in_order, values
from shoal.declare.understanding.column import Understood, understand
from shoal.errors import RecipeError
from terminal import shoal as run

RANGES = ["<1", "1-4", "5-14", "15-24", ">=25"]


def people(texts: list[str | None], rows: int = 200) -> pa.Table:
    rng = np.random.default_rng(4)
    column = [texts[i % len(texts)] for i in range(rows)]
    zones = pa.array(rng.integers(0, 40, rows))
    return pa.table({"size": pa.array(column, pa.string()), "zone": zones})


def cells(table: pa.Table, **asked: object) -> set[str | None]:
    release = shoal.anonymize(table, **{"quasi": ["size", "zone"], "k": 6, "seed": 1, **asked})
    assert shoal.verify(release.table, release.certificate, original=table).holds
    return set(release.table["size"].to_pylist())


@pytest.mark.parametrize(
    ("text", "first", "last", "spelled"),
    [
        ("7+", 7, None, "7+"),
        ("90 and over", 90, None, "90+"),
        ("über 65", 66, None, "66+"),
        (">65", 66, None, "66+"),
        (">=65", 65, None, "65+"),
        ("<1", None, 0, "<1"),
        ("<=5", None, 5, "<=5"),
        ("under 18", None, 17, "<18"),
        ("17 and under", None, 17, "<=17"),
        ("<0.5", None, Decimal("0.4"), "<0.5"),
        ("10-19", 10, 19, ""),
        ("18", 18, 18, ""),
    ],
)
def test_a_band_is_read(text, first, last, spelled):
    band = band_of(text)
    assert (band.first, band.last, band.spelled) == (first, last, spelled)


def test_bands_that_overlap_have_no_order():
    assert in_order(pa.array(["0-10", "5-9"]), "size") is None
    assert in_order(pa.array(["65+", "80+"]), "size") is None
    assert in_order(pa.array(["<10", "<20", "20"]), "size") is None
    assert in_order(pa.array(["19-10", "20"]), "size") is None
    assert in_order(pa.array(["5+", "9"]), "size") is None


@given(st.lists(st.integers(0, 60), min_size=3, max_size=12, unique=True))
def test_cuts_of_a_line_are_in_order(cuts):
    edges = sorted(cuts)
    texts = [f"{low}-{high - 1}" for low, high in itertools.pairwise(edges)]
    texts += [f"<{edges[0]}", f"{edges[-1]}+"]
    came = in_order(pa.array(texts[::-1]), "size")
    assert came is not None and came.top == str(edges[-1]) and came.below == f"<{edges[0]}"
    assert sorted(values(pa.array(texts)).to_pylist()) == [edges[0] - 1, *edges]


def test_numbers_with_an_open_end_are_published_with_it():
    found = cells(people(["1", "2", "3", "4", "5", "6", "7+"]))
    assert all(text in {"7+"} or "+" not in text or text.endswith(", 7+]") for text in found)
    assert any(text.endswith("7+]") for text in found)
    assert not {"7", "*"} & found


def test_ranges_are_published_from_end_to_end():
    found = cells(people(RANGES), k=9)
    begin = {"<1", "1", "5", "15", "25+"}
    end = {"4", "14", "24", "25+"}
    for text in found - {"<1", "25+"}:
        low, high = text.strip("[]").split(", ")
        assert low in begin and high in end
    assert any(text.startswith("[<1, ") for text in found)


@pytest.mark.parametrize("publish", ["tight", "bounds", "centre"])
def test_every_form_publishes_them(publish):
    table = people(RANGES)
    release = shoal.anonymize(table, quasi=["size", "zone"], k=6, publish=publish)
    assert shoal.verify(release.table, release.certificate, original=table).holds
    if publish == "bounds":
        assert "25+" in release.table["size_hi"].to_pylist()


def test_a_number_beside_its_own_open_end_is_published_as_that():
    assert "90" not in cells(people(["80", "85", "90", "90+"]), k=20)


def test_overlapping_bands_stay_categories():
    assert cells(people(["0-10", "5-9", "20+"]), k=5) <= {"0-10", "5-9", "20+", "*"}


@pytest.mark.parametrize(
    "asked", [{"read_as": {"size": "text"}}, {"hierarchies": {"size": "flat"}}]
)
def test_a_word_makes_them_categories(asked):
    assert cells(people(["1", "2", "7+"]), **asked) <= {"1", "2", "7+", "*"}


def test_a_word_asks_for_numbers():
    assert "7+" in cells(people(["1", "2", "7+"]), read_as={"size": "number"})


def test_missing_values_stay_missing():
    assert None in cells(people(["1", None, "7+"]))


def test_a_top_may_lie_below_the_end_and_not_above():
    table = people(["1", "2", "3", "4", "5", "6", "7+"])
    assert "5+" in {text.strip("[]").split(", ")[-1] for text in cells(table, top={"size": 5})}
    for asked in ({"top": {"size": 9}}, {"at_least": {"size": 2}}, {"bottom": {"size": 2}}):
        with pytest.raises(RecipeError, match="open end"):
            cells(table, **asked)


def test_the_disk_engine_publishes_the_same():
    for texts in (RANGES, ["1", "2", "3", "7+"]):
        table = people(texts)
        asked = {"quasi": ["size", "zone"], "k": 6, "seed": 1}
        local = shoal.anonymize(table, **asked)
        disk = shoal.anonymize(table, **asked, engine="disk")
        assert disk.certificate.public.hash == local.certificate.public.hash


def test_nothing_of_the_bands_travels_with_the_release():
    release = shoal.anonymize(people(RANGES), quasi=["size", "zone"], k=6)
    assert not banded_in(release.table)
    assert not release.table.schema.metadata


def test_the_suggested_command_runs_as_printed(tmp_path: Path):
    rows = "\n".join(f"{text},{i % 9 + 20},{i}" for i, text in enumerate(RANGES * 12))
    path = tmp_path / "homes.csv"
    path.write_text(f"household_size,age,id\n{rows}\n")
    words = shlex.split(shoal.inspect(path).command(str(path)))
    assert "household_size" in words[words.index("-q") + 1]
    words[words.index("-o") + 1] = str(tmp_path / "out.csv")
    done = run(*words[1:])
    assert done.code == 0, done.err


def understood(texts: list[str], word: str | None = None) -> Understood:
    return understand(pa.array(texts), np.ones(len(texts), np.int64), "income", word=word)


@pytest.mark.parametrize(
    "texts",
    [
        ["Under 10,000", "10,000-19,999", "20,000 and over"],
        ["<10.000 €", "10.000-19.999 €", "20.000 € und mehr"],
    ],
)
def test_thousands_in_bands_are_not_guessed(texts: list[str]) -> None:
    """`10,000-19,999` was read as 10 to 19.999 in silence."""
    unclear = understood(texts)
    assert unclear.problem is not None and unclear.choices == ("number:comma", "number:point")
    of_thousands = "number:point" if "," in texts[1] else "number:comma"
    column = understood(texts, of_thousands)
    assert column.values(pa.array(texts)).to_pylist() == [9999, 10000, 20000]
    assert column.came is not None and column.came.ends == (("10000", "19999"),)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["0-999,999", "1,000,000-1,999,999", "2,000,000+"], [0, 1_000_000, 2_000_000]),
        (["$0-$49", "$50-$99", "$100+"], [0, 50, 100]),
        (["0-4 years", "5-9 years", "85 years and over"], [0, 5, 85]),
        (["unter 18 Jahren", "18 bis 64 Jahre", "65 Jahre und älter"], [17, 18, 65]),
        (["bis 17", "18-64", "ab 65"], [17, 18, 65]),
        (["up to 17", "18-64", "from 65"], [17, 18, 65]),
        (["Y_LT5", "Y5-9", "Y_GE10"], [4, 5, 10]),
        (["<5 %", "5-10 %", "11 % and more"], [4, 5, 11]),
        (["<5", "7,3", "12,9"], [4, 7.3, 12.9]),
        (["(0,18]", "(18,65]", "(65,100]"], [0, 18, 65]),
    ],
)
def test_bands_as_offices_write_them(texts: list[str], expected: list[float]) -> None:
    column = understood(texts)
    assert column.came is not None
    assert column.values(pa.array(texts)).to_pylist() == expected


def test_an_office_s_bands_are_published_in_order() -> None:
    texts = ["0-4 years", "5-9 years", "10-84 years", "85 years and over"]
    assert cells(people([*texts, None])) <= {
        "[0, 4]", "[0, 9]", "[0, 84]", "[5, 9]", "[5, 84]", "[10, 84]", "85+", "[5, 85+]",
        "[10, 85+]", "[0, 85+]", "*", None,
    }  # fmt: skip
