"""One claim can be rerun alone, prints its verdict, and leaves the page as it is."""

from __future__ import annotations

import pytest
from experiments.__main__ import main as experiments
from experiments.page import Page, name_of
from experiments.runs import Options, options
from experiments.verdicts import FAILS, HOLDS

from experiments import runs


def page(claim: str | None) -> Page:
    made = Page(Options("a_page", quick=True, jobs=1, claim=claim), "Title", "Paper.", "Setting.")
    made.claim("Figure 5: it is best.", (HOLDS, "0.5 of the other"))
    made.claim("Rules become better.", (FAILS, "0 of 3"), "rules")
    made.claim("Figure 5: and always so.", (FAILS, "1.5 of the other"))
    return made


def test_the_verdict_is_printed_and_no_page_written(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "BUILD", tmp_path)
    assert page("rules").write() is None
    assert capsys.readouterr().out == "Rules become better.\n  0 of 3\n  does not hold\n"
    assert list(tmp_path.iterdir()) == []


def test_a_claim_that_is_not_there_is_refused_with_those_that_are(capsys):
    with pytest.raises(SystemExit, match="2"):
        page("nothing").write()
    assert "figure-5, rules" in capsys.readouterr().err


def test_a_page_begins_with_its_answer_and_names_its_claims(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "BUILD", tmp_path)
    made = page(None)
    made.answer = f"It {made.verdict('figure-5')}."
    written = made.write()
    assert written is not None
    lines = written.read_text().splitlines()
    assert lines[2] == "It holds / does not hold."
    assert any(line.endswith("| **does not hold** | rules |") for line in lines)
    assert made.verdict("figure-5", "always") == FAILS


def test_only_what_a_claim_needs_is_measured():
    asked = options("a_page", None, ["--claim", "rules"], claims=("rules", "loss"))
    assert asked.wants("rules") and asked.wants("loss", "rules") and not asked.wants("loss")
    assert options("a_page", None, []).wants("loss")
    with pytest.raises(SystemExit):
        options("a_page", None, ["--claim", "ruls"], claims=("rules", "loss"))


def test_names_of_claims():
    assert name_of("Test 1: types of crossover") == "test-1"


@pytest.mark.parametrize("words", [["no_page"], ["--claim", "rules"], ["li_2007", "x_2000"]])
def test_a_wrong_call_is_refused_in_words(words):
    with pytest.raises(SystemExit, match=r"there are|one page"):
        experiments(words)
