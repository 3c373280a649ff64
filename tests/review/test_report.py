"""Reports: the public form tells nothing that the release does not, both forms are whole pages, and
bars add up.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as door
from conftest import data_file
from shoal.api.reporting import internal_report, public_report
from shoal.declare.columns import text_of
from shoal.errors import RecipeError
from shoal.review.report import facts
from shoal.review.report.document import Bars, shown
from shoal.review.report.spread import (
    MISSING,
    OTHER,
    RARE,
    apart,
    as_printed,
    before_and_after,
    rounded,
    steps,
)

ROWS = 203
SEED = 918_273_645
SECTIONS = [
    "In short",
    "What was asked and done",
    "Group sizes",
    "Singling out",
    "Linkability",
    "Inference",
    "What was lost",
]
SECTIONS += ["Distributions", "What this does not cover", "How to verify"]
TREE = {
    "north": ["heron-town", "plover-town", "gannet-town"],
    "south": ["egret-town", "bittern-town"],
}
KINDS = ("r.html", "r.md")


def people(rows: int = ROWS) -> pa.Table:
    rng = np.random.default_rng(3)
    towns = [town for towns in TREE.values() for town in towns]
    return pa.table(
        {
            "name": [f"Canary Nr {i}" for i in range(rows)],
            "age": 730_000 + rng.permutation(7 * rows)[:rows],
            "town": rng.choice(towns, rows),
            "ward": [f"ward-canary-{i % 40}" for i in range(rows)],
            "ill": rng.choice(["flu", "cold", "gout"], rows),
        }
    )


def release(**given: Any) -> door.Release:
    asked = {
        "quasi": ["age", "town"],
        "sensitive": "ill",
        "identifiers": "name",
        "hierarchies": {"town": TREE},
        "seed": SEED,
    }
    return door.anonymize(people(), **{"k": 4, **asked, **given})


@pytest.fixture(scope="module")
def made() -> door.Release:
    return release(models=["l-diversity:l=2"])


@pytest.fixture(scope="module")
def overlapping() -> door.Release:
    return release(method="nsvdist", k=3)


def texts(table: pa.Table) -> set[str]:
    return {
        text
        for column in table.columns
        for text in text_of(column.combine_chunks()).to_pylist()
        if text
    }


def leaks(table: pa.Table, told: str) -> list[str]:
    """Original texts of four characters or more, and the seed, that stand in a report although not
    in a published cell.
    """
    shown = " ".join(texts(table))
    return [
        text
        for text in {*texts(people()), str(SEED), f"{SEED:,}"}
        if len(text) > 3 and text not in shown and text in told
    ]


@pytest.mark.parametrize("place", KINDS)
@pytest.mark.parametrize("publish", ["snapped", "bounds", "centre"])
def test_the_public_form_holds_no_canary(publish, place):
    found = release(publish=publish)
    assert leaks(found.published, public_report(found, place)) == []


@pytest.mark.parametrize("place", KINDS)
def test_the_public_form_of_overlapping_boxes_holds_no_canary(overlapping, place):
    assert leaks(overlapping.published, public_report(overlapping, place)) == []


@pytest.mark.parametrize("place", KINDS)
def test_a_canary_would_be_seen(made, place):
    """The form for its maker shows original values: towns that no cell of a well-generalized
    release prints.
    """
    wide = release(k=60)
    assert "heron-town" not in " ".join(texts(wide.published))
    assert "heron-town" in leaks(wide.published, internal_report(wide, place))
    assert leaks(wide.published, public_report(wide, place)) == []


def test_the_public_form_is_made_from_what_is_public_alone(made):
    assert list(inspect.signature(facts.public).parameters) == ["table", "certificate", "glossary"]
    bare = facts.public(made.published, made.certificate.public, {})
    assert (bare.before, bare.notes, bare.gap) == ({}, (), None)


def test_public_counts_are_rounded(made):
    told = public_report(made, "r.md")
    assert "about 205" in told and str(ROWS) not in told
    assert f"| {ROWS} |" in internal_report(made, "r.md")
    shown = facts.public(made.published, made.certificate.public, {}).spreads
    assert all(value % 5 == 0 for bars in shown for values in bars.values for value in values)


def test_public_sizes_stand_in_classes_that_follow_what_was_asked(made):
    told = public_report(made, "r.md")
    assert "| 4 to 7 rows | " in told and not re.search(r"^\| \d+ rows \|", told, re.MULTILINE)
    assert "| 4 rows | " in internal_report(made, "r.md")


def test_people_counted_in_a_sentence_are_rounded_too():
    public = facts.Facts({}, {}, {}, {}, {}, None, (), 0, public=True)
    assert (
        public.said("12 of 1,399 people have 0.333, k2 or 3.")
        == "about 10 of about 1,400 people have 0.333, k2 or about 5."
    )


@pytest.mark.parametrize(
    ("count", "shown"), [(0, 0), (2, 0), (3, 5), (7, 5), (8, 10), (1_003, 1_005)]
)
def test_rounding(count, shown):
    assert rounded(count) == shown


class Page(HTMLParser):
    """Tags that must be closed in order, what they hold, and where links lead."""

    VOID = ("meta",)

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.names: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names += attrs
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data

    def all(self, name: str) -> list[str | None]:
        return [value for key, value in self.names if key == name]


def forms(*releases: door.Release) -> Iterator[str]:
    for found in releases:
        yield from (internal_report(found, "r.html"), public_report(found, "r.html"))


def test_pages_are_whole_and_load_nothing(made, overlapping):
    for text in forms(made, overlapping):
        page = Page(text)
        ids = page.all("id")
        assert len(ids) == len(set(ids)) and page.all("href") == [f"#{name}" for name in ids]
        assert not {"script", "link", "img", "iframe", "object", "image", "use"} & set(page.tags)
        assert not page.all("src") and not re.search(r"https?:|//|url\(|@import", text)
        assert page.tags.count("svg") >= 2
        assert "prefers-color-scheme: dark" in text and "@media print" in text


def test_both_kinds_have_the_same_sections(made):
    for write in (internal_report, public_report):
        titles = re.findall(r"^## (.*)$", write(made, "r.md"), re.MULTILINE)
        assert titles == SECTIONS
        assert re.findall(r"<h2>(.*?)</h2>", write(made, "r.html")) == SECTIONS


def test_a_release_without_groups_has_all_sections_but_their_sizes(overlapping):
    for write in (internal_report, public_report):
        told = write(overlapping, "r.md")
        assert re.findall(r"^## (.*)$", told, re.MULTILINE) == [
            title for title in SECTIONS if title != "Group sizes"
        ]
        # how people are hidden follows from the original, and is no figure for everyone
        internal = write is internal_report
        assert ("fewest possible matches | 3" in told) is internal and "--original FILE" in told
        assert ("likeliest link of a person and a row |" in told) is internal


def test_names_and_labels_are_no_markup():
    script = "<script>alert('1')</script>"
    value = '<img src="x" onerror="y">'
    table = pa.table(
        {
            script: [value, "&amp; b|c"] * 20,
            'a"`*_b|': [1, 2] * 20,
            "ill\n# x": ["<b>", "`", "<b>", "<b>"] * 10,
        }
    )
    found = door.anonymize(
        table, quasi=table.column_names[:2], sensitive=table.column_names[2], k=3
    )
    for text in forms(found):
        page = Page(text)
        assert not {"script", "img", "b"} & set(page.tags)
        assert script in page.words and value in page.words and "&amp; b|c" in page.words
    for write in (internal_report, public_report):
        told = re.sub(
            r"(?ms)^(`{3,})\n.*?^\1$", "", write(found, "r.md")
        )  # what is to be typed reads as itself
        assert "\\<script\\>" in told and not re.search(r"(?<!\\)<(script|img|b)", told)
        assert re.findall(r"^#+ x", told, re.MULTILINE) == []
        rows = [line for line in told.split("\n") if line.startswith("| ")]
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows if "img" in line} <= {3, 4}


def test_the_gap_to_the_bound_is_told_to_its_maker_alone(made):
    more = made.certificate.private.bound.gap
    assert f"at most {100 * more:.3g} % more than the best grouping" in internal_report(
        made, "r.html"
    )
    assert "best grouping" not in public_report(made, "r.html")


def test_what_is_not_promised_is_said(made):
    for text in forms(made):
        assert all(
            sentence.replace("'", "&#x27;") in text
            for sentence in made.certificate.public.not_promised
        )


def section(told: str, title: str) -> str:
    """A section of a report in Markdown."""
    return told.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_in_short_says_what_was_promised_and_what_not(made, overlapping):
    plain = release(sensitive=None)
    short = {
        one.recipe.method: section(internal_report(one, "r.md"), "In short")
        for one in (made, overlapping)
    }
    assert "203 rows are published" in short["shoal"]
    assert (
        "every row looked like at least 3 others" in short["shoal"]
        and "once in 4 times" in short["shoal"]
    )
    assert "the only ones of their kind" in short["shoal"] and "l-diversity:l=2" in short["shoal"]
    assert (
        "at least 3 rows could be each person's own" in short["nsvdist"]
        and "look alike" not in short["nsvdist"]
    )
    assert "without a promise of its own" in section(internal_report(release(), "r.md"), "In short")
    assert "No column was declared sensitive" in section(internal_report(plain, "r.md"), "In short")


def test_in_short_says_what_was_kept_by_force():
    forced = release(keep=["name"], identifiers=[], force_keep=["name"])
    for told in (internal_report(forced, "r.md"), public_report(forced, "r.md")):
        assert "by force (name)" in section(told, "In short")


def test_a_promise_about_rows_is_none_about_values():
    counted = release(models=["k-map:k=4"], method="mondrian", population=people())
    for told in (internal_report(counted, "r.md"), public_report(counted, "r.md")):
        assert "without a promise of its own" in section(told, "In short")


def test_in_short_of_the_public_form_rounds_and_knows_no_before(made):
    short = section(public_report(made, "r.md"), "In short")
    assert "About 205 rows are published" in short and "203" not in short
    assert "Before" not in short


def test_what_was_asked_for_is_explained(made):
    told = section(internal_report(made, "r.md"), "What was asked and done")
    rows = [
        line.split(" | ")
        for line in told.splitlines()
        if line.startswith(("| k |", "| method |", "| models |"))
    ]
    assert len(rows) == 3 and all(len(row[2].strip(" |")) > 20 for row in rows)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.00005, "0.00005"),
        (3.34e-5, "0.00003"),
        (-2e-9, "-0.000000002"),
        (0.000409, "0.000409"),
        (0.0, "0"),
        (1.0, "1"),
    ],
)
def test_figures_are_no_powers_of_ten(value, text):
    assert shown(value) == text


def test_without_a_model_the_report_says_that_nothing_is_promised_of_values():
    assert "No privacy model was asked for" in public_report(release(), "r.md")
    assert "No column was declared sensitive" in public_report(release(sensitive=[]), "r.md")


def test_risks_before_and_after(made):
    told = internal_report(made, "r.md")
    for risk in ("sample-uniqueness", "highest-prosecutor-risk"):
        before, after = (made.risks[stage][risk] for stage in ("before", "after"))
        assert f"| {risk} | {before:.3g} | {after:.3g} |" in told
    assert "| record-linkage | 203 |" in told and "homogeneity of ill" in told


def test_files(made, tmp_path):
    made.write(tmp_path / "out.csv", report=tmp_path / "r.html")
    modes = {name: (tmp_path / name).stat().st_mode & 0o077 for name in ("r.html", "r.public.html")}
    assert modes["r.html"] == 0 != modes["r.public.html"]
    made.report(tmp_path / "alone.md", public=True)
    assert (tmp_path / "alone.md").read_text() == public_report(made, "alone.md")
    with pytest.raises(RecipeError, match="exists"):
        made.report(tmp_path / "alone.md")
    with pytest.raises(RecipeError, match="can't be written"):
        made.report(tmp_path / "r.pdf")


def test_the_report_of_a_real_table_is_small(tmp_path):
    hierarchies = {"age": None, "workclass": None, "education": None}
    adult = door.anonymize(
        data_file("adult.parquet"),
        quasi=list(hierarchies),
        sensitive="occupation",
        k=10,
        method="mondrian",
        seed=1,
    )
    for text in forms(adult):
        Page(text)
        assert 20_000 < len(text.encode()) < 200_000


def bars_of(values: list[Any], k: int, **given: Any) -> tuple[Bars, door.Release]:
    found = door.anonymize(pa.table({"x": values}), quasi=["x"], k=k, seed=1, **given)
    return before_and_after(found.published, found.axes[0], len(values)), found


def test_bars_by_hand():
    """Ages 20, 21, 30, 39 in two groups: [20, 21] and [30, 39], spread evenly over steps of two
    years.
    """
    bars, _ = bars_of([20, 21, 30, 39], 2, publish="tight")
    assert bars.labels[:2] == ("20 to 21", "22 to 23") and len(bars.labels) == 10
    assert [values[0] for values in bars.values] == [0.5, 0, 0, 0, 0, 0.25, 0, 0, 0, 0.25]
    assert [values[1] for values in bars.values] == pytest.approx(
        [0.5, 0, 0, 0, 0, 0.1, 0.1, 0.1, 0.1, 0.1]
    )
    assert apart(bars) == pytest.approx(0.3)


def test_bars_of_a_tree_by_hand():
    tree = {"up": ["a", "b"], "down": ["c", "d"]}
    bars, _ = bars_of(["a", "a", "a", "b", "c", None, None, None, None], 4, hierarchies={"x": tree})
    found = dict(zip(bars.labels, bars.values, strict=True))
    assert found["a"] == pytest.approx((3 / 9, 2.5 / 9 if found["c"][1] == 0 else found["a"][1]))
    assert sum(after for _, after in bars.values) == pytest.approx(1)
    assert found[MISSING][0] == pytest.approx(4 / 9)


def test_bars_of_a_tree_of_many_numbers_are_steps():
    """Ages 20 to 39, once each, in groups of ten: a cell stands for ten years, two of which are in
    each step.
    """
    bars, _ = bars_of(list(range(20, 40)), 10, hierarchies={"x": "intervals:width=10"})
    assert bars.labels[:2] == ("20 to 21", "22 to 23") and len(bars.labels) == 10
    assert [before for before, _ in bars.values] == pytest.approx([0.1] * 10)
    assert [after for _, after in bars.values] == pytest.approx([0.1] * 10)


@pytest.mark.parametrize(
    ("often", "hierarchy", "k", "after"),
    [
        (1, "intervals:width=1000", 15, [0.1] * 10),  # `*`
        (14, "intervals:width=50", 14, [0.1] * 5 + [0] * 4 + [0.5]),  # [0, 49], and 99 as it was
        (14, {"some": [99, *range(12)], "others": [12, 13]}, 28, [0.1] * 10),
        (
            14,
            {"some": [13, *range(13)], "others": [99]},
            14,
            [10 / 28, 4 / 28] + [0] * 7 + [0.5],
        ),  # 0 to 13
    ],
)
def test_bars_of_a_tree_show_nothing_that_its_cells_hide(often, hierarchy, k, after):
    """Ages 0 to 13 once each, and 99: no reader knows that nobody is between."""
    bars, _ = bars_of([*range(14), *[99] * often], k, hierarchies={"x": hierarchy})
    assert [before for before, _ in bars.values] == pytest.approx(
        [of / (14 + often) for of in (10, 4, *[0] * 7, often)]
    )
    assert [shown for _, shown in bars.values] == pytest.approx(after)


@given(
    st.one_of(
        st.lists(st.one_of(st.none(), st.integers(-50, 10**6)), min_size=4, max_size=40),
        st.lists(st.one_of(st.none(), st.floats(-1e300, 1e300)), min_size=4, max_size=40),
        st.lists(st.dates(), min_size=4, max_size=40),
        st.lists(st.times(), min_size=4, max_size=40),
        st.lists(st.datetimes(), min_size=4, max_size=40),
        st.lists(st.sampled_from([None, *"abcdefghijklmnopqrst"]), min_size=4, max_size=40),
    ),
    st.sampled_from(["snapped", "tight", "centre", "bounds"]),
)
def test_bars_add_up(values, publish):
    if all(value is None for value in values):
        return
    bars, found = bars_of(values, 2, publish=publish)
    assert len(bars.labels) == len(bars.values) <= 13
    for place in (0, 1):
        assert sum(each[place] for each in bars.values) == pytest.approx(1)
        assert all(-1e-12 <= each[place] <= 1 + 1e-12 for each in bars.values)
    public = as_printed(found.published, "x")
    assert all(count % 5 == 0 for (count,) in public.values)


def test_rare_cells_are_merged():
    table = pa.table({"x": ["a"] * RARE + ["b"] * (RARE - 1) + ["c"] * 30 + [None] * 12})
    bars = as_printed(table, "x")
    assert dict(zip(bars.labels, bars.values, strict=True)) == {
        "a": (10,),
        "c": (30,),
        MISSING: (10,),
        OTHER: (10,),
    }


def test_cells_stand_in_order():
    table = pa.table(
        {
            "x": [
                cell
                for cell in ("[100, 120]", "*", "[20, 30]", "7", "[20, 25]")
                for _ in range(RARE)
            ]
        }
    )
    assert as_printed(table, "x").labels == ("7", "[20, 25]", "[20, 30]", "[100, 120]", "*")


@pytest.mark.parametrize(
    ("kind", "least", "most", "unit", "first", "last", "number"),
    [
        ("number", 17, 90, 1, 10, 100, 9),
        ("number", 0.0, 1.0, 0, 0.0, 1.1, 11),
        ("number", 5, 5, 1, 5, 6, 1),
        ("date", 0, 3_651, 1, 0, 3_652, 10),
        ("date", 0, 11, 1, 0, 12, 6),
    ],
)
def test_steps(kind, least, most, unit, first, last, number):
    edges = steps(kind, least, most, unit)
    assert (edges[0], edges[-1], len(edges) - 1) == (first, last, number)


def test_the_same_release_gives_the_same_report(made):
    assert [*forms(made)] == [*forms(made)]
