"""One refusal, three doors: an option is data until Python, the terminal or the studio spells
it.
"""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import pytest

import shoal
from conftest import ROOT
from shoal.cli.spelling import TERMINAL, typed
from shoal.errors import DataError, PrivacyNotMet, RecipeError, ShoalError
from shoal.studio.words import in_words, replaced, untyped
from shoal.wording import COLUMN, FILE, FOLDER, Call, OneOf, Option, Remedy, Sentence, Set, without
from terminal import shoal as terminal

LEAVE_OUT = Set("withhold", 0.01, "leave these rows out")
ASK_LESS = Set("models", ["l-diversity(l=2)"], "ask for less")


def test_one_refusal_at_three_doors() -> None:
    refusal = PrivacyNotMet("12 groups are not safe", {"rows": 1234}, Remedy(LEAVE_OUT, ASK_LESS))
    told = "12 groups are not safe\n  rows: 1,234\n"
    assert str(refusal) == told + '  try: withhold=0.01, or models=["l-diversity(l=2)"]'
    assert refusal.said(TERMINAL) == told + (
        "  try: leave these rows out (--withhold 0.01), or ask for less (--model l-diversity:l=2)"
    )
    assert in_words(refusal) == told + (
        "  what helps: let some rows be left out (Protection); ask for less (Protection)"
    )


@pytest.mark.parametrize(
    ("part", "python", "terminal"),
    [
        (Option("keep_order"), "keep_order", "--keep-order"),
        (Option("quasi"), "quasi", "-q"),
        (Set("k", 5), "k=5", "-k 5"),
        (Set("refine", True), "refine=True", "--refine"),
        (Set("keep_order", False), "keep_order=False", "leave --keep-order out"),
        (Set("person", None), "person=None", "leave --person out"),
        (Set("withhold", 0.1), "withhold=0.1", "--withhold 0.1"),
        (Set("quasi", ["age", "sex"]), 'quasi=["age", "sex"]', "-q age,sex"),
        (Set("sensitive", COLUMN), "sensitive=...", "-s COLUMN"),
        (Set("models", ["k-e:e=2"]), 'models=["k-e(e=2)"]', "--model k-e:e=2"),
        (Set("force_keep", ["a", "b"]), 'force_keep=["a", "b"]', "--force-keep a --force-keep b"),
        (
            Set("hierarchies", {"zip": "masks(length=5, steps=(1, 2))"}),
            'hierarchies={"zip": "masks(length=5, steps=(1, 2))"}',
            "--hierarchy 'zip=masks:length=5,steps=(1,2)'",
        ),
        (Set("hierarchies", {"ill": FILE}), 'hierarchies={"ill": ...}', "--hierarchy ill=FILE"),
        (Set("hierarchies", FOLDER), "hierarchies=...", "--hierarchies DIR"),
        (Set("publish", {"age": "tight"}), 'publish={"age": "tight"}', "--publish age=tight"),
        (Set("delimiter", ";"), 'delimiter=";"', "--delimiter ';'"),
        (
            Set("missing", OneOf("own", "refuse")),
            'missing="own" or "refuse"',
            "--missing own or refuse",
        ),
        (
            Set("original", FILE, "the original table"),
            "the original table (original=...)",
            "the original table (--original FILE)",
        ),
        (Set("class_column", COLUMN), "class_column=...", "--class COLUMN"),
        (
            Call("anonymize", (Set("memory", "2GB"),)),
            'shoal.anonymize(..., memory="2GB")',
            "shoal anonymize IN -o OUT --memory 2GB",
        ),
    ],
)
def test_doors_spell_alike(part: Option | Set | Call, python: str, terminal: str) -> None:
    assert (Sentence(part), typed(Sentence(part))) == (python, terminal)


def test_a_sentence_is_a_string_that_remembers_its_parts() -> None:
    sentence = Sentence("use ", Sentence(Set("missing", "own")), ", or leave it")
    assert json.dumps([sentence]) == json.dumps(['use missing="own", or leave it'])
    for again in (copy.deepcopy(sentence), pickle.loads(pickle.dumps(sentence))):
        assert again == sentence and typed(again) == "use --missing own, or leave it"
    assert typed("a plain text") == "a plain text"
    assert typed(replaced(sentence, "leave it", "go")) == "use --missing own, or go"


def test_ways_of_a_remedy_inside_another_are_alternatives() -> None:
    remedy = Remedy(Remedy("mend them", LEAVE_OUT), ASK_LESS)
    again = pickle.loads(pickle.dumps(remedy))
    assert len(remedy.ways) == len(again.ways) == 3 and remedy.settings == (LEAVE_OUT, ASK_LESS)
    assert typed(Sentence("this: ", again)).startswith("this: mend them, or leave these rows out (")


def test_what_is_lacking_is_listed() -> None:
    lacking = without([Set("test", FILE, "rows to test on"), "a class"])
    assert typed(lacking) == "not possible without rows to test on (--test FILE) and a class"
    assert untyped(lacking) == "not possible without rows to test on and a class"


def test_errors_shown_together_are_spelled_by_the_door() -> None:
    errors = [
        RecipeError("k is too low", remedy=Remedy(Set("k", 5))),
        ShoalError(Sentence(Option("memory"), " is too little"), {"least": 7}),
    ]
    several = RecipeError.together([*errors, errors[0]])
    assert type(several) is RecipeError and len(several.errors) == 2
    assert str(several) == (
        "2 things in this recipe need another look\n"
        "- k is too low\n    try: k=5\n"
        "- memory is too little\n    least: 7"
    )
    assert "try: -k 5" in several.said(TERMINAL) and "--memory is" in several.said(TERMINAL)
    assert "what helps: choose another k (Protection)" in in_words(several)
    assert str(pickle.loads(pickle.dumps(several))) == str(several)
    assert RecipeError.together(errors[:1]) is errors[0]


def test_errors_of_the_data_have_one_exit_code_however_many_they_are() -> None:
    unclear = [DataError(f"column '{name}' may be read in two ways") for name in "ab"]
    assert RecipeError.together(unclear[:1]) is unclear[0]
    several = RecipeError.together(unclear)
    assert several.exit_code == unclear[0].exit_code == 3
    assert str(several).startswith("2 things in this table") and "'b' may be read" in str(several)
    assert RecipeError.together([*unclear, RecipeError("no such column")]).exit_code == 2


def test_the_studio_leaves_out_what_can_not_be_set_there() -> None:
    refusal = ShoalError("no", remedy=Remedy("mend the file", Set("table", "patients")))
    assert in_words(refusal) == "no\n  what helps: mend the file"
    assert in_words(ShoalError("no", remedy=Remedy(Set("table", "patients")))) == "no"


@pytest.mark.parametrize("name", ["keep", "models", "importance", "original"])
@pytest.mark.parametrize(
    "value", [FILE, ("a", "b"), ["a"], {"age": "tight"}, {"age": FILE}, OneOf("a", "b")]
)
def test_the_studio_shows_no_value_as_python_writes_it(name: str, value: object) -> None:
    shown = untyped(Sentence(Set(name, value))).removesuffix(" (Protection)")
    assert not set("()[]{}<>'") & set(shown)


def test_pages_of_the_studio_tell_refusals_in_its_own_words() -> None:
    pages = (ROOT / "src/shoal/studio").rglob("*.py")
    assert not [page.name for page in pages if "str(refusal)" in page.read_text("utf-8")]


def test_reasons_of_roles_are_spelled_for_each_door(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("odd.csv").write_text("zzq\n1\n1\n2\n", encoding="utf-8")
    (column,) = shoal.inspect("odd.csv").columns
    assert "nothing tells" in column.reason and "-q" not in column.reason
    expected = "-q if someone could know it of a person, -s if it must stay secret, --keep if"
    assert expected in terminal("inspect", "odd.csv", "--json").json["columns"][0]["reason"]
    assert expected in terminal("inspect", "odd.csv").out
