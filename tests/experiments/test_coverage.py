"""The page of all parts of the founding papers says what the pages of results say."""

from __future__ import annotations

import pytest
from experiments.coverage import BYUN, CLAIM, PARTS, PLACE, Part, claims_of, cost_of, text


def test_the_page_is_the_one_that_is_written_today():
    assert PLACE.read_text("utf-8") == text(), "run python -m experiments.coverage"


def test_every_part_has_a_verdict_or_a_reason():
    assert all(bool(part.judged) != bool(part.reason) for part in PARTS)


def test_a_claim_that_no_page_makes_is_an_error():
    with pytest.raises(LookupError, match="no claim of byun_vanitha_2018"):
        Part(BYUN, CLAIM, "something", "", "Figure 99").verdict({"Figure 1: less": "holds"})


def test_several_claims_give_all_their_verdicts_once(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "| the paper states | measured | verdict |\n|---|---|---|\n"
        "| Figure 1: a | 1 to 2; 3 | **holds** |\n| Figure 1: b | 4 | **does not hold** |\n"
        "| Figure 1: c | 4 | **holds** |\n| Figure 2: d | 5 | **holds in part** |\n"
    )
    part = Part(BYUN, CLAIM, "figure 1", "", "Figure 1")
    assert part.verdict(claims_of(page)) == "holds / does not hold"


def test_a_page_without_its_cost_is_an_error(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Its figures cost 1.5 CPU minutes, as kept.\n")
    assert cost_of(page) == 1.5
    page.write_text("Made long ago.\n")
    with pytest.raises(LookupError, match="does not say what its figures cost"):
        cost_of(page)
