"""The page of what users see is scored from published cells alone."""

from __future__ import annotations

import pyarrow as pa
from benchmarks.users import TABLES, Shares, page, shares_of


def test_cells_are_exact_widened_or_lost():
    original = pa.chunked_array([[31, 33, 40, None]])
    published = pa.chunked_array([["31", "[30, 35]", "*", None]])
    assert shares_of(original, published) == Shares(0.5, 0.25, 0.25)
    labels = pa.chunked_array([["Oslo", "Norway", "*", "*"]])
    assert shares_of(pa.chunked_array([["Oslo", "Bergen"]]), labels) == Shares(0.25, 0.25, 0.5)


def test_the_page_has_a_line_for_each_column_and_says_what_was_refused():
    names = TABLES["cmc"].names
    some = {name: Shares(0.2, 0.3, 0.5) for name in names}
    ways = ("before", "now")
    text = page({("cmc", k, way): some for k in (5, 10) for way in ways}, 100)
    assert "| cmc | 50 | 50 | 50 | 50 |" in text and text.count("20 / 30 / 50") == 4 * len(names)
    refused = page({("cmc", k, way): {} for k in (5, 10) for way in ways}, 100)
    assert "| cmc | - | - | - | - |" in refused
