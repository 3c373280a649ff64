"""Columns are understood by all of their values: nothing is guessed, nothing is taken half."""

from __future__ import annotations

import pickle
from datetime import date, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal.declare.understanding.column import Understood, refuse_unclear, understand
from shoal.declare.understanding.missing import proposed
from shoal.declare.understanding.table import ColumnsAsked, notes_of, understood
from shoal.errors import DataError


def seen(
    cells: list[Any], word: str | None = None, na: tuple[str, ...] = (), name: str = "column"
) -> Understood:
    values = pa.array(cells)
    return understand(values, np.ones(len(values), np.int64), name, word=word, words=na)


def values(cells: list[Any], word: str | None = None, na: tuple[str, ...] = ()) -> list[Any]:
    return list(seen(cells, word, na).values(pa.array([*cells, None])).to_pylist()[:-1])


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["25.10.1979", "1.2.1980"], [date(1979, 10, 25), date(1980, 2, 1)]),
        (["10/25/1979", "1/2/1980"], [date(1979, 10, 25), date(1980, 1, 2)]),
        (["25-10-1979", "01-02-1980"], [date(1979, 10, 25), date(1980, 2, 1)]),
        (["01.02.1979", "03.04.1980"], [date(1979, 2, 1), date(1980, 4, 3)]),
        (["05/05/1979", "06/06/1980"], [date(1979, 5, 5), date(1980, 6, 6)]),
        (["1979/10/25"], [date(1979, 10, 25)]),
        (["25OCT1979", "01FEB1980"], [date(1979, 10, 25), date(1980, 2, 1)]),
        (["October 25, 1979"], [date(1979, 10, 25)]),
        (["1979-10", "1980-02"], [date(1979, 10, 1), date(1980, 2, 1)]),
        (["10/1979"], [date(1979, 10, 1)]),
        (["1979Q4", "1980-Q1"], [date(1979, 10, 1), date(1980, 1, 1)]),
        (["25.10.1979 00:00", "26.10.1979 00:00"], [date(1979, 10, 25), date(1979, 10, 26)]),
        (["25.10.1979 14:05:06"], [datetime(1979, 10, 25, 14, 5, 6)]),
        (["10/25/1979 12:30 AM"], [datetime(1979, 10, 25, 0, 30)]),
        (["10/25/1979 12:30 PM"], [datetime(1979, 10, 25, 12, 30)]),
        (["29.02.2000"], [date(2000, 2, 29)]),
        (["1.234,50", "12,5", "-3"], [1234.5, 12.5, -3.0]),
        (["1,234", "12,345,678"], [1234, 12345678]),
        (["1 234", "12 345"], [1234, 12345]),
        (["1'234.50", "7"], [1234.5, 7.0]),
        (["12,50 €", "€ 3"], [12.5, 3.0]),
        (["$1,200.50", "-$3"], [1200.5, -3.0]),
        (["12 %", "7%"], [12, 7]),
        (["34 years", "6 mo"], [34.0, 0.5]),
        (["34 Jahre", "7 Jahre"], [34, 7]),
        (["12", " 13 ", ""], [12, 13, None]),
        ([19791025, 19801301], [19791025, 19801301]),  # no month has this number
        ([19791025], [19791025]),  # one value alone tells nothing
        (["1979-10-25"], [date(1979, 10, 25)]),
        (["19791025", "19800201"], [date(1979, 10, 25), date(1980, 2, 1)]),
        ([19791025, 19800201], [date(1979, 10, 25), date(1980, 2, 1)]),
        (["25. Oktober 1979", "1. März 1980"], [date(1979, 10, 25), date(1980, 3, 1)]),
        (["25. Okt. 1979", "1. Mrz 1980"], [date(1979, 10, 25), date(1980, 3, 1)]),
        (["25 juin 1979", "1 févr. 1980"], [date(1979, 6, 25), date(1980, 2, 1)]),
        (["25 de octubre de 1979", "1 ene 1980"], [date(1979, 10, 25), date(1980, 1, 1)]),
        (["Okt 1979", "Mai 1980"], [date(1979, 10, 1), date(1980, 5, 1)]),
        (["10.1979", "02.1980"], [date(1979, 10, 1), date(1980, 2, 1)]),
        (["4. Quartal 1979", "1. Quartal 1980"], [date(1979, 10, 1), date(1980, 1, 1)]),
    ],
)
def test_texts_become_values(cells: list[str], read: list[Any]) -> None:
    assert values(cells) == read


@pytest.mark.parametrize(
    "cells",
    [
        ["01067", "10117"],  # a zero in front makes a code
        ["7+", "1", "9"],  # bands that overlap
        ["10-19", "15-29", "90 and over"],
        ["12 €", "12 $"],  # two currencies are no one amount
        ["25.10.1979", "10/25/1979"],  # two spellings
        ["1,5", "1.5"],
        ["123456789012345678901", "123456789012345678902"],
        ["Oslo", "Rome"],
        ["E11.9", "J45"],
    ],
)
def test_other_texts_stay(cells: list[str]) -> None:
    assert values(cells) == cells


@pytest.mark.parametrize(
    "cells", [["01/02/1979", "03/04/1980"], ["1,234", "5,678"], ["25.10.79", "24.12.80"]]
)
def test_nothing_is_guessed(cells: list[str]) -> None:
    with pytest.raises(DataError) as refused:
        refuse_unclear([seen(cells)])
    assert not any(cell in str(refused.value) for cell in cells)


def test_several_unclear_columns_are_refused_together() -> None:
    columns = [seen(["01/02/1979"], name="a"), seen(["1,234"], name="b")]
    with pytest.raises(DataError, match="2 things"):
        refuse_unclear(columns)


def test_one_row_that_disagrees_makes_text_and_is_counted() -> None:
    column = seen(["25.10.1979", "26.10.1979", "30.02.1980"])
    assert column.reading is None and column.notable
    assert column.said == "text: 2 of 3 rows hold dates, written day.month.year, 1 doesn't"


def test_rows_are_counted_and_not_values() -> None:
    column = understand(pa.array(["25.10.1979", "soon"]), np.array([98, 2]), "column")
    assert "98 of 100" in column.said


def test_a_late_value_is_looked_at() -> None:
    cells = [f"{1 + n % 28}.{1 + n % 12}.{1900 + n % 100}" for n in range(5_000)] + ["never"]
    assert seen(cells).reading is None


@pytest.mark.parametrize(
    ("cells", "word", "read"),
    [
        (["01/02/1979"], "date:day-first", [date(1979, 2, 1)]),
        (["01/02/1979"], "date:month-first", [date(1979, 1, 2)]),
        (["1,234"], "number:comma", [1.234]),
        (["1,234"], "number:point", [1234]),
        (["1.234", "950"], "number:comma", [1234, 950]),
        (["1.234", "950"], "number:point", [1.234, 950.0]),
        (["1979-10-25"], "text", ["1979-10-25"]),
        ([2, 4], "code", ["2", "4"]),
        ([2, 4], "number", [2, 4]),
        (["25.10.1979"], "date", [date(1979, 10, 25)]),
    ],
)
def test_a_word_is_obeyed(cells: list[Any], word: str, read: list[Any]) -> None:
    assert values(cells, word) == read


def test_a_word_that_rows_contradict_is_refused_with_their_number() -> None:
    column = seen(["25.10.1979", "26.10.1979", "never"], "date")
    with pytest.raises(DataError, match="rows that can't: 1"):
        refuse_unclear([column])


@pytest.mark.parametrize(
    ("cells", "unclear"),
    [
        (["1.234", "950", "-12.500"], True),
        (["1.234", "9.5"], False),
        (["1.234", "1500"], False),  # whoever parts thousands parts all of them
        (["0.234", "1.234"], False),
        (["950", "17"], False),
    ],
)
def test_points_that_may_part_thousands_are_asked_about(cells: list[str], unclear: bool) -> None:
    column = seen(cells)
    assert column.choices == (("number:comma", "number:point") if unclear else ())
    if unclear:
        with pytest.raises(DataError, match="points part thousands"):
            refuse_unclear([column])


def test_times_that_are_all_midnight_are_dates() -> None:
    midnights = [datetime(1979, 10, 25), datetime(1980, 2, 1)]
    for word in (None, "date"):
        assert values(midnights, word) == [date(1979, 10, 25), date(1980, 2, 1)]
    assert seen(midnights).said == "dates" and not seen(midnights).notable
    for texts in (["1979-10-25 00:00:00", "1980-02-01 00:00:00"], ["1979-10-25T00:00"]):
        assert seen(texts).said == "dates" and values(texts)[0] == date(1979, 10, 25)
    at_noon = [datetime(1979, 10, 25), datetime(1980, 2, 1, 12)]
    assert values(at_noon) == at_noon
    zoned = pa.array(midnights, pa.timestamp("us", "UTC"))
    assert understand(zoned, np.ones(2, np.int64), "column").reading is None


@pytest.mark.parametrize("rows", [3, 3_000])
def test_a_table_with_times_at_midnight_has_dates(rows: int) -> None:
    days = [datetime(1979, 10, 1 + n % 28) for n in range(rows)]
    for cells, kind in ((days, pa.date32()), ([*days, datetime(1980, 1, 1, 12)], None)):
        table = pa.table({"born": pa.array(cells, pa.timestamp("us"))})
        read, _ = understood(table, ColumnsAsked(("born",)))
        assert read["born"].type == (kind or pa.timestamp("us"))


def test_words_for_missing_are_taken_when_named_alone() -> None:
    assert values(["12,5", "n/a"]) == ["12,5", "n/a"]
    assert values(["12,5", "n/a"], na=("n/a",)) == [12.5, None]
    assert values([34, 99], na=("99",)) == [34, None]
    assert seen(["12,5"], na=("n/a",)).words == ()


def test_few_whole_numbers_may_be_codes() -> None:
    assert seen([2, 4, 9], name="roof").notable
    assert seen(["2", "4", "9"], name="roof").said == seen([2, 4, 9], name="roof").said
    assert not seen([1, 2, 3, 4], name="household_size").notable
    assert seen([1, 2, 3, 99], name="household_size").notable
    assert not seen([34, 35, 36], name="age").notable


def test_empty_cells_at_the_top_hide_nothing() -> None:
    table = pa.table({"born": [""] * 2_000 + ["25.10.1979"] * 10})
    read, columns = understood(table, ColumnsAsked(free=("born",)))
    assert read["born"].type == pa.date32() and read["born"].null_count == 2_000
    assert [column.said for column in columns] == ["dates, written day.month.year"]


def test_parts_of_a_column_get_one_type_and_travel() -> None:
    column = pickle.loads(pickle.dumps(seen(["1,5", "2"])))
    assert column.values(pa.array(["2"])).type == pa.float64()
    timed = pickle.loads(pickle.dumps(seen(["25.10.1979 00:00", "25.10.1979 13:00"])))
    assert timed.values(pa.array(["25.10.1979 00:00"])).type == pa.timestamp("us")


def test_words_that_hide_dates_are_named_in_the_note() -> None:
    """Birth dates with `unbekannt` among them were `*`: more importance was advised."""
    days = [f"{day:02}.10.1979" for day in range(1, 29)]
    people = pa.table({"born": [*days, "unbekannt", "unbekannt"]})
    columns = understood(people, ColumnsAsked(free=("born",)))[1]
    (note,) = notes_of(columns)
    assert str(note).endswith('2 don\'t; if these mean missing: na=["born=unbekannt"]')
    odd = pa.table({"born": [*days, "spring", "spring"]})
    (note,) = notes_of(understood(odd, ColumnsAsked(free=("born",)))[1])
    assert str(note).endswith("2 don't") and "spring" not in str(note)


@pytest.mark.parametrize(
    "cells",
    [
        ["1979-02-28", "1979-02-30", "1979-03-01"],
        ["1979-02-30T00:00:00", "1979-02-28T00:00:00"],
        ["25:00", "12:00"],
    ],
)
def test_a_day_that_there_is_not_stands_in_no_error(cells: list[str]) -> None:
    """Arrow quotes the text that it can't read."""
    problem = seen(cells, "date").problem
    assert problem is not None
    assert problem.facts == {"rows that can't": 1, "rows": len(cells)}
    assert seen(["1979-02-30", "1979-02-31"], "date").problem.facts["rows that can't"] == 2


@pytest.mark.parametrize(
    ("name", "cells", "levels"),
    [
        ("zip", [1067, 10115, 80331], "masks(length=5)"),
        ("occupation", [2512, 5223, 9112, 4110], "masks(length=4,steps=[1,2,3])"),
        ("county_fips", [36061, 17031, 48201], "masks(length=5,steps=[3])"),
        ("income", [1067, 10115, 80331], None),
    ],
)
@pytest.mark.parametrize("rows", [1, 800])
def test_codes_that_came_as_numbers_are_said(
    name: str, cells: list[int], levels: str | None, rows: int
) -> None:
    """Postcodes of pandas were published as `[10000, 21000]` without a word."""
    many = [cell + i for cell in cells for i in range(12)] if rows > 1 else cells
    table = pa.table({name: pa.array((many * rows)[:3_000], pa.int64())})
    notes = notes_of(understood(table, ColumnsAsked(free=(name,)))[1])
    if levels is None:
        assert not notes
    else:
        assert [note.kind for note in notes] == ["understood"]
        assert f'hierarchies={{"{name}": "{levels}"}}' in str(notes[0])
    said = ColumnsAsked(free=(name,), read_as={name: "number"})
    assert not notes_of(understood(table, said)[1])
    said = ColumnsAsked(free=(name,), settled=(name,))
    assert not notes_of(understood(table, said)[1])


def test_one_row_that_differs_is_one() -> None:
    assert (
        "2 of 3 rows hold numbers with a decimal comma, 1 doesn't"
        in seen(["1,5", "2,5", "x"], name="a").said
    )


@pytest.mark.parametrize(
    "word",
    ["n.b.", "o.A.", "ohne Angabe", "nicht erhoben", "trifft nicht zu", "verweigert", "(leer)",
     "#NV", "Refusal", "don’t know", "not asked", "sin información", "N.N."],
)  # fmt: skip
def test_words_of_offices_for_missing_are_proposed(word: str) -> None:
    assert seen(["25.10.1979", "1.2.1980", "2.2.1980", word]).proposed == (word,)


def test_codes_for_missing_that_surveys_use_are_proposed() -> None:
    counts = np.ones(5, np.int64)
    assert proposed(pa.array([2512, 5223, 9112, 66666, 99999]), counts) == ("66666", "99999")
    assert proposed(pa.array([2512, 5223, 50000, 99998, 99999]), counts) == ()


def test_codes_are_recognised_beside_an_empty_text() -> None:
    assert seen([" ", "1067", "10115", "80331"], name="zip").coded is not None
    assert seen(["1067", " ", "10115"], name="zip").coded is not None
    few = ["1", "2", " ", "3", "4"]
    assert seen(few, name="roof").said == seen(few[:2] + few[3:], name="roof").said
