"""Releases speak: as text, as a page, and through warnings at the line that called."""

from __future__ import annotations

import warnings

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
