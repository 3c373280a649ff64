"""Releases speak: as text, as a page, and through warnings at the line that called."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import shoal
from shoal.errors import notices_shown_by_door

PEOPLE = pa.table(
    {
        "age": [31, 33, 52, 58],
        "city": ["Oslo", "Bern", "Rome", "Kyiv"],
        "ill": ["flu", "cold"] * 2,
        "<b>ward": [1, 1, 2, 2],
    }
)


def test_people_are_counted_where_they_have_several_rows() -> None:
    table = pa.table(
        {
            "age": [30, 30, 31, 31, 60, 61, 61, 62, 62],
            "who": ["a", "a", "b", "b", "c", "d", "d", "e", "e"],
        }
    )
    release = shoal.anonymize(table, quasi=["age"], person="who", k=2, seed=1)
    begun = "5 people (9 rows) released in 2 groups of at least 2 people. Nobody left out."
    assert repr(release).startswith(begun)
    assert release.certificate.private.people == 5
    assert "people (9" not in str(release.certificate.public.as_dict())
    alone = shoal.anonymize(table.drop(["who"]), quasi=["age"], k=2, seed=1)
    assert "people" not in alone.certificate.private.as_dict()


def test_each_notice_is_a_warning_at_the_line_that_called():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = shoal.anonymize(PEOPLE, quasi=["age", "city"], sensitive=["ill"], k=2)
    ours = [each for each in caught if issubclass(each.category, shoal.ShoalWarning)]
    assert [str(each.message) for each in ours] == [str(note) for note in release.notices]
    assert {each.filename for each in ours} == {__file__}
    assert [note.kind for note in release.notices] == ["dropped", "lost"]
    assert issubclass(shoal.ShoalWarning, UserWarning)


def test_warnings_may_be_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error", shoal.ShoalWarning)
        with pytest.raises(shoal.ShoalWarning, match="ward"):
            shoal.anonymize(PEOPLE, quasi=["age"], sensitive=["ill"], k=2)


def test_a_door_that_shows_notices_itself_gets_no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with notices_shown_by_door():
            release = shoal.anonymize(PEOPLE, quasi=["age"], sensitive=["ill"], k=2)
    assert release.notices


def test_a_release_is_a_screenful_and_shows_no_cell():
    release = shoal.anonymize(PEOPLE, quasi=["age", "city"], sensitive=["ill"], k=2)
    text = repr(release)
    assert text.startswith("4 people released in 2 groups of at least 2. Nobody left out.")
    assert "at most 1 in 2" in text and len(text.splitlines()) <= 20
    assert release.columns["city"].lost == 1 and "! 'city' is lost (*) for 100 %" in text
    assert not any(cell in text for cell in ("Oslo", "flu", "31", "[30"))


def test_a_notebook_shows_bars_and_every_name_is_escaped():
    frame = pd.DataFrame(PEOPLE.to_pandas())
    release = shoal.anonymize(frame, quasi=["age", "<b>ward"], k=2)
    page = release._repr_html_()
    assert "&lt;b&gt;ward" in page and "<b>ward" not in page and "background:" in page
    assert "src=" not in page and "href=" not in page and "<script" not in page


def test_the_version_is_that_of_the_package():
    from importlib.metadata import version

    assert shoal.__version__ == version("shoal")


def test_the_remedy_asks_for_less_than_was_asked_for():
    people = PEOPLE.select(["age", "city"])
    asked = {"quasi": ["age", "city"], "seed": 1}
    fewer = shoal.anonymize(people, k=2, **asked)
    more = shoal.anonymize(people, k=4, **asked)
    assert "k=" not in fewer.notices[-1] and more.notices[-1].endswith(", or k=2")


def test_every_door_function_gives_its_notices_as_warnings_at_the_line_that_called():
    rng = np.random.default_rng(1)
    table = pa.table({"age": rng.integers(20, 60, 40), "rooms": rng.integers(1, 6, 40)})
    table = table.append_column("<b>ill", [["flu"] * 40])
    release = shoal.anonymize(table, quasi="age", sensitive="<b>ill", keep="rooms", k=2)
    cut = release.table.slice(1)
    calls = {
        "in some groups everyone has": lambda: shoal.audit(
            release.table, quasi="age", sensitive="<b>ill"
        ),
        "NOT verified": lambda: shoal.verify(cut, release.certificate),
        "holds few whole numbers": lambda: shoal.inspect(_coded(table)),
        "NOT safe": lambda: shoal.attack(table, original=table, quasi="age", k=9),
        "runs were refused": lambda: shoal.compare(table, quasi="age", methods="mondrian", k=99),
        "not possible without": lambda: shoal.mine(
            cut, table, quasi="age", tasks=["distributions", "class-rules"]
        ),
    }
    for words, call in calls.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        ours = [each for each in caught if issubclass(each.category, shoal.ShoalWarning)]
        assert any(words in str(each.message) for each in ours), words
        assert {each.filename for each in ours} == {__file__}


def _coded(table: pa.Table) -> pa.Table:
    """Whole numbers of a quasi-identifier that only their owner can tell from codes."""
    return table.select(["age"]).append_column("marital_status", table["rooms"])


def _results() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    ages = rng.integers(20, 60, 60)
    ill = rng.choice(["Zyxflu", "Zyxcold"], 60)
    table = pa.table({"age": ages, "<b>city": rng.choice(["Zyxoslo", "Zyxrome"], 60), "ill": ill})
    asked = {"quasi": ["age", "<b>city"], "sensitive": "ill"}
    release = shoal.anonymize(table, **asked, k=3, seed=1)
    cells = release.table
    numbers = pa.table({"pay": rng.normal(1000, 100, 60)})
    return {
        "release": release,
        "audit": shoal.audit(cells, **asked),
        "audit of the original": shoal.audit(table, **asked),
        "verify": shoal.verify(cells, release.certificate),
        "inspect": shoal.inspect(table),
        "attack": shoal.attack(cells, original=table, certificate=release.certificate),
        "mine": shoal.mine(cells, table, **asked, tasks=["distributions", "queries"]),
        "distort": shoal.distort(numbers, seed=1, as_published=True),
    }


def test_every_result_is_a_screenful_of_text_and_a_page_without_a_cell():
    for name, result in _results().items():
        text = repr(result)
        page = result._repr_html_()
        assert len([line for line in text.splitlines() if line]) <= 16, name
        assert max(map(len, text.splitlines())) <= 260, name
        assert "Zyx" not in text + page and "<b>city" not in page, name
        assert page.startswith("<div><p><b>") and page.endswith("</div>"), name
        assert "src=" not in page and "<script" not in page and "color:#" not in page, name
        assert text.splitlines()[0][:20].replace("<", "&lt;") in page, name
        assert "object at 0x" not in text and "ColumnView(" not in text, name
