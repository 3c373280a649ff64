"""Readings that a column's characters exclude are not tried, and no other reading is left out."""

from __future__ import annotations

import pyarrow as pa
import pytest

from shoal.declare.understanding.column import _readings
from shoal.declare.understanding.reading import possible

READINGS = _readings()
TEXTS = """
    34 years|6 yrs|1 yr|2 y|3 y/o|3 YO|8 Jahre|9 ans|9 años|9 ANOS|4 months|4 mo|4 mths|2 m
    5 Monate|7 mois|1 mes|2 weeks|2 WKS|2 w|3 Wochen|1 semaine|2 semanas|10 days|1 D|3 TAGE|2 jours
    5 dias|5 DÍAS|EUR 5|5,5 eur|5 €|$5|USD 5|5,5 usd|£5|5,5 gbp|5 GBP|CHF 5|5,5 chf|¥5|5 jpy|5 JPY
    5 zł|5 pln|5 PLN|5 kr|5 sek|5 SEK|5 Kč|5 czk|5 CZK|₹5|5 inr|5 INR|R$5|5 brl|5 BRL|₺5|5 try|5 TRY
    7 %|7,5 %|25.10.1979|25/10/1979|25-10-1979|10.25.1979|10/25/1979|10-25-1979|1979/10/25
    1979.10.25|25 Oct 1979|Jan 5, 1979|1 FEB 1979|1 mar 1979|1 apr 1979|1 may 1979|1 jun 1979
    1 JUL 1979|1 aug 1979|1 sept 1979|1 NOV 1979|1 DEC 1979|1979-10|10/1979|1979Q4|q4 1979|1,5|1.5
    10.1979|Okt 1979|déc. 1979|5 mrz 1979|5 févr 1979|5 de julio de 1979|giu 5, 1979|1. Quartal 1979
"""
SPELLED = [text.strip() for text in TEXTS.strip().replace("\n", "|").split("|")]


@pytest.mark.parametrize("text", SPELLED)
def test_what_fits_is_possible(text: str) -> None:
    texts = pa.array([text])
    fitting = [reading for reading in READINGS if reading.fits(texts).all()]
    assert fitting
    assert [reading for reading in fitting if reading not in possible(READINGS, texts)] == []


def test_texts_of_every_reading_are_tried() -> None:
    texts = pa.array(SPELLED)
    assert [reading.pattern for reading in READINGS if not reading.fits(texts).any()] == []
    assert possible(READINGS, texts) == READINGS


def test_what_no_text_can_be_is_not_tried() -> None:
    assert possible(READINGS, pa.array(["north", "südwest", "a/o", ""])) == []
    words = [reading.word for reading in possible(READINGS, pa.array(["X-17", "X-18"]))]
    assert words == [
        "date:day-first",
        "date:month-first",
        "number:comma",
        "number:point",
        "date:month",
    ]
