"""Several rows for one person: nobody's rows are parted, and groups hold k persons, counted by the
labels of the rows.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import PrivacyNotMet, RecipeError
from terminal import shoal as terminal
from terminal import snapshot, write

QUASI = ["age", "city"]
MODELS = ((), ("l-diversity:l=2",), ("t-closeness:t=0.4",))
rows = st.tuples(
    st.integers(0, 7), st.integers(20, 29), st.sampled_from("abc"), st.sampled_from("xyz")
)


def visits(cells: list[tuple[int, int, str, str]]) -> pa.Table:
    person, age, city, ill = zip(*cells, strict=True)
    named = [None if number == 7 else f"p{number}" for number in person]
    return pa.table({"who": named, "age": list(age), "city": list(city), "ill": list(ill)})


def persons(table: pa.Table) -> list[str]:
    """A name for the person of each row; who has none is somebody else."""
    return [
        f"row {row}" if name is None else name for row, name in enumerate(table["who"].to_pylist())
    ]


@pytest.mark.parametrize(
    "method", ["shoal", "mondrian", "k-member", "top-down", "one-pass-k-means", "full-domain"]
)
@settings(max_examples=15)
@given(
    cells=st.lists(rows, min_size=10, max_size=40),
    k=st.integers(1, 4),
    models=st.sampled_from(MODELS),
)
def test_no_person_is_parted_and_every_group_holds_k_of_them(method, cells, k, models):
    table = visits(cells)
    asked = {
        "quasi": QUASI,
        "sensitive": "ill",
        "method": method,
        "k": k,
        "models": models,
        "person": "who",
        "seed": 1,
        "withhold": 0.6 if method == "full-domain" else 0,
    }
    try:
        release = shoal.anonymize(table, **asked, effort="low" if method == "shoal" else None)
    except PrivacyNotMet:
        return
    who = persons(table)
    groups = release.groups.tolist()
    assert len({*zip(who, groups, strict=True)}) == len({*who})
    held = Counter(group for _, group in {*zip(who, groups, strict=True)} if group >= 0)
    assert min(held.values()) >= k
    assert groups.count(-1) <= asked["withhold"] * len(groups)
    assert (
        "who" not in release.table.column_names
        and "who" in release.certificate.public.columns.dropped
    )
    if models == ("l-diversity:l=2",):
        held = [
            {ill for ill, other in zip(table["ill"].to_pylist(), groups, strict=True) if other == g}
            for g in {*groups} - {-1}
        ]
        assert min(map(len, held)) >= 2


def test_one_level_for_all_rows_leaves_out_whom_it_would_part():
    cells = [(0, 21, "a"), (0, 24, "a"), (1, 22, "a"), (2, 23, "a"), (3, 21, "a"), (3, 27, "a")]
    table = visits([(*each, "x") for each in cells])
    asked = {"quasi": ["age"], "k": 3, "method": "full-domain", "person": "who"}
    ladder = {"hierarchies": {"age": "ladder:widths=5-10"}}
    everyone = shoal.anonymize(table, **asked, **ladder)
    assert set(everyone.table["age"].to_pylist()) == {"[20, 29]"}
    some = shoal.anonymize(table, **asked, **ladder, withhold=0.34)
    assert some.table["age"].to_pylist() == ["[20, 24]"] * 4
    assert some.groups.tolist() == [0, 0, 0, 0, -1, -1]
    assert shoal.verify(some.table, some.certificate, original=table).holds
    # Four rows are at most a third of six only in a table of people.
    with pytest.raises(PrivacyNotMet, match="no choice of one level"):
        shoal.anonymize(table, **asked, **ladder, at_most={"age": "level:1"}, withhold=0.33)


def many(persons: int = 60, each: int = 4) -> pa.Table:
    rng = np.random.default_rng(2)
    of = np.repeat(np.arange(persons), each)
    ages = rng.integers(20, 80, persons)[of] + rng.integers(0, 3, len(of))
    shuffled = rng.permutation(len(of))
    table = pa.table(
        {
            "who": of,
            "age": ages,
            "city": rng.choice(list("abc"), persons)[of],
            "ill": rng.choice(list("xyz"), len(of)),
        }
    )
    return table.take(pa.array(shuffled))


def test_rows_alone_would_part_them():
    asked = {"quasi": QUASI, "sensitive": "ill", "k": 3, "seed": 1}
    by_rows = shoal.anonymize(many(), **asked).groups
    table = many()
    parted = {*zip(persons(table), by_rows.tolist(), strict=True)}
    assert len(parted) > len({*persons(table)})
    release = shoal.anonymize(table, **asked, person="who")
    assert release.certificate.public.k >= 12  # three persons of four rows each
    assert len({*zip(persons(table), release.groups.tolist(), strict=True)}) == 60


def test_the_certificate_says_what_nobody_can_recount():
    release = shoal.anonymize(
        many(),
        quasi=QUASI,
        sensitive="ill",
        k=3,
        person="who",
        refine=True,
        method="mondrian",
        seed=1,
    )
    assert "not recountable" in release.certificate.public.persons
    verified = shoal.verify(release.table, release.certificate)
    assert (
        verified.holds
        and {"persons": "stated"}.items()
        <= {item.what: item.status for item in verified.items}.items()
    )
    forged = {**release.certificate.public.as_dict(), "persons": "All rows were recounted."}
    assert not shoal.verify(release.table, forged).holds


def test_the_order_of_the_rows_does_not_matter():
    table = many()
    asked = {"quasi": QUASI, "sensitive": "ill", "k": 3, "person": "who", "seed": 1}
    backwards = table.take(pa.array(np.arange(table.num_rows)[::-1]))
    assert shoal.anonymize(table, **asked).table == shoal.anonymize(backwards, **asked).table


def test_withheld_rows_are_counted_as_rows():
    """One person with most of the rows has no like: leaving them out would cost more rows than
    allowed.
    """
    of = [*range(12), *[99] * 30]
    table = pa.table({"who": of, "age": [30] * 12 + [90] * 30, "ill": ["x", "y"] * 6 + ["x"] * 30})
    asked = {
        "quasi": ["age"],
        "sensitive": "ill",
        "k": 2,
        "person": "who",
        "method": "threshold:small=withhold,delta=0.1",
    }
    with pytest.raises(PrivacyNotMet):
        shoal.anonymize(table, **asked, withhold=0.2)
    release = shoal.anonymize(table, **asked, withhold=0.8)
    assert (release.groups == -1).sum() == 30


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (("--person", "age"), 2, "two roles"),
        (("--person", "ill"), 2, "two roles"),
        (("--person", "nobody"), 2, "no column 'nobody'"),
        (("--person", "who", "-k", 9), 4, "4 persons can't form a group of 9"),
    ],
)
def test_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more, code, words):
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path / "in.csv",
        "who,age,ill\n" + "".join(f"p{i % 4},{20 + i % 5},{'ab'[i % 2]}\n" for i in range(24)),
    )
    before = snapshot(tmp_path)
    said = terminal(
        "anonymize", "in.csv", "-o", "out.csv", "-q", "age", "-s", "ill", "-k", 2, *more
    )
    assert said.code == code and words in said.err
    assert snapshot(tmp_path) == before


def test_at_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path / "in.csv",
        "who,age,ill\n" + "".join(f"p{i % 8},{20 + i % 8},{'ab'[i % 3 % 2]}\n" for i in range(24)),
    )
    said = terminal(
        "anonymize",
        "in.csv",
        "-o",
        "out.csv",
        "-q",
        "age",
        "-s",
        "ill",
        "-i",
        "who",
        "--person",
        "who",
        "-k",
        2,
        "--save-recipe",
        "recipe.toml",
    )
    assert said.code == 0 and 'person = "who"' in (tmp_path / "recipe.toml").read_text()
    # A group of two people has six rows: who knows one of them is right in one of two guesses.
    assert "now: at most 1 in 2" in said.err + said.out
    assert "who" not in (tmp_path / "out.csv").read_text().splitlines()[0]
    assert terminal("anonymize", "in.csv", "-o", "again.csv", "--recipe", "recipe.toml").code == 0
    assert shoal.Recipe.read("recipe.toml").person == "who"


def test_a_person_is_no_table():
    with pytest.raises(RecipeError, match="person is not right"):
        shoal.Recipe.of(quasi=["age"], person=["who"])


def test_a_k_above_the_recipes_still_counts_persons_when_rows_are_withheld():
    for seed in range(12):
        rng = np.random.default_rng(seed)
        who = np.repeat(np.arange(14), 3)
        table = pa.table(
            {
                "p": [f"p{i}" for i in who],
                "age": (20 + 3 * who + rng.integers(0, 2, len(who))).tolist(),
                "ill": rng.choice(["flu", "cold", "gout"], len(who)).tolist(),
            }
        )
        asked = {
            "quasi": ["age"],
            "sensitive": ["ill"],
            "person": "p",
            "k": 2,
            "withhold": 0.9,
            "method": "k-member",
            "seed": 1,
        }
        try:
            release = shoal.anonymize(
                table, **asked, models=["k-anonymity:k=4", "alpha-k:alpha=0.5"]
            )
        except PrivacyNotMet:
            continue
        held = {
            (label, person)
            for label, person in zip(release.groups.tolist(), who.tolist(), strict=True)
            if label >= 0
        }
        assert min(Counter(label for label, _ in held).values()) >= 4


def test_a_model_of_the_release_may_not_count_one_person_as_many():
    asked = {"quasi": ["age"], "sensitive": ["ill"], "person": "p", "method": "top-down"}
    with pytest.raises(RecipeError, match="can't exceed that of the recipe"):
        shoal.Recipe.of(**asked, k=1, models=["lkc:l=1,c=1,k=5"]).plan()
    assert shoal.Recipe.of(**asked, k=5, models=["lkc:l=1,c=1,k=5"]).plan().models
