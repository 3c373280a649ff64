"""Files in ARX's form: spelling, matching, refusals, and all the real ones."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import data_file
from shoal.declare.columns import kind_of
from shoal.declare.hierarchies.file import read_rows
from shoal.declare.hierarchies.hierarchy import Hierarchy
from shoal.errors import DataError


@pytest.fixture
def fit(tmp_path):
    """Fit a file of this content to values."""

    def fitted(content: str | bytes, values, counts=None):
        path = tmp_path / "h.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        array = values if isinstance(values, pa.Array) else pa.array(values)
        return Hierarchy.read(path).fit(array, kind_of(array.type, "town"), "town", counts)

    return fitted


@pytest.mark.parametrize(
    "content",
    [
        "Oslo;Norway;*\nRome;Italy;*\n",
        "\ufeffOslo;Norway;*\r\nRome;Italy;*\r\n",
        "Oslo,Norway,*\nRome,Italy,*",
        '"Oslo";"Norway";"*"\n\n"Rome";"Italy";"*"\n\n',
    ],
)
def test_spellings_of_one_file(fit, content):
    assert fit(content, ["Oslo", "Rome"]).tree.paths() == [
        ("Oslo", "Norway", "*"),
        ("Rome", "Italy", "*"),
    ]


def test_quoted_separators_quotes_line_ends_and_other_scripts(fit):
    found = fit('"a;b";"say ""x""";*\n"two\nlines";"日本";*\n', ["a;b", "two\nlines"])
    assert found.tree.paths() == [("a;b", 'say "x"', "*"), ("two\nlines", "日本", "*")]


def test_only_line_ends_of_files_end_a_line(fit):
    assert fit("a\u2028b;x;*\nc\x0bd;x;*\n", ["a\u2028b", "c\x0bd"]).tree.leaves == (
        "a\u2028b",
        "c\x0bd",
    )


def test_a_comma_separates_only_where_no_semicolon_is(fit):
    assert fit("1;1,2;*\n2;1,2;*\n", [1, 2]).tree.labels[1] == "1,2"


@pytest.mark.parametrize(
    ("labels", "values", "texts"),
    [
        (["39.0", "4e1"], pa.array([39, 40]), ["39", "40"]),
        (["39", "40"], pa.array([39.0, 40.0]), ["39", "40"]),
        (["0.10", "-.5"], pa.array([0.1, -0.5], pa.float32()), ["0.1", "-0.5"]),
        (["1.5", "2"], pa.array([Decimal("1.50"), Decimal("2.00")]), ["1.5", "2"]),
        (
            ["9007199254740993", "9007199254740992"],
            pa.array([2**53 + 1, 2**53]),
            [str(2**53 + 1), str(2**53)],
        ),
        (["TRUE", "False"], pa.array([True, False]), ["true", "false"]),
        (["2020-01-02", "x"], pa.array([datetime.date(2020, 1, 2)]), ["2020-01-02"]),
        (
            ["2020-01-02 03:04:05"],
            pa.array([datetime.datetime(2020, 1, 2, 3, 4, 5)]),
            ["2020-01-02T03:04:05"],
        ),
        (["39", "039"], pa.array(["39", "039"]), ["39", "039"]),
    ],
)
def test_leaves_match_values_and_take_their_spelling(fit, labels, values, texts):
    found = fit("".join(f"{label};{label};g{i % 2};*\n" for i, label in enumerate(labels)), values)
    assert [found.tree.leaves[leaf] for leaf in found.leaf] == texts
    assert (found.tree.height[found.tree.node[0]] == 0).all()
    assert (
        found.tree.height[found.tree.root] == 2
    )  # the repeated leaf is padding, however it is spelled


def test_numbers_in_words_of_other_languages_do_not_match(fit):
    with pytest.raises(DataError):
        fit("1_0;*\n", [10])


def test_values_that_the_file_lacks_are_counted_and_not_named(fit):
    with pytest.raises(DataError) as caught:
        fit("Oslo;*\n", ["Oslo", "Secretville", "Hiddenham"], np.array([3, 4, 5]))
    text = str(caught.value)
    assert caught.value.exit_code == 3
    assert "'town'" in text and "2 of 3 values" in text and "in 9 rows" in text
    assert "Secretville" not in text and "Hiddenham" not in text


def test_all_that_is_wrong_is_told_at_once(fit):
    with pytest.raises(DataError) as caught:
        fit("Oslo;Norway;*\nOslo;Sweden;*\nRome;*\n;x;*\n", ["Paris"])
    text = str(caught.value)
    assert all(
        word in text
        for word in ("4 kinds of faults", "uncovered", "two-parents", "ragged", "empty-label")
    )
    assert "line 1, 2" in text and "Paris" not in text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf\n\n", "is empty"),
        ("Malmö;*".encode("latin-1"), "not UTF-8"),
        ("Oslo;*".encode("utf-16"), "not UTF-8"),
        ('a;"*\nb;*\n', "is no CSV"),
    ],
)
def test_files_that_can_not_be_read(fit, content, words):
    with pytest.raises(DataError, match=words):
        fit(content, ["a"])


def test_a_file_that_is_not_there(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(DataError, match="can't be read") as caught:
            Hierarchy.read(path).fit(pa.array(["a"]), "category", "town")
        assert caught.value.exit_code == 3


def test_odd_files_are_used_with_notices(fit):
    found = fit("a;x;1\na;x;1\nb;x;2\n", ["a", "b"])
    assert len(found.notices) == 3 and all("'town'" in notice for notice in found.notices)
    assert found.tree.written[found.tree.root] == "*"


def real_files():
    return sorted(data_file("hierarchies").glob("*/*.csv"))


def test_every_real_file_is_read():
    files = real_files()
    assert len(files) > 30
    for path in files:
        rows, _ = read_rows(str(path), "column")
        found = Hierarchy.read(path).fit(pa.array([row[0] for row in rows]), "category", "column")
        texts = [text for node, text in enumerate(found.tree.written) if node != found.tree.root]
        assert len(set(texts)) == len(texts) and "*" not in texts
        assert bool(found.notices) == (path.parent.name == "groceries")
        paths = found.tree.paths()
        assert [tuple(row) for row in rows] == [paths[leaf] for leaf in found.leaf]


def test_groceries_tell_leaves_from_groups():
    path = data_file("hierarchies/groceries/item.csv")
    tree = (
        Hierarchy.read(path)
        .fit(pa.array(["sausage", "ham", "bags", "shopping bags", "pork"]), "category", "item")
        .tree
    )
    at = {leaf: i for i, leaf in enumerate(tree.leaves)}
    for leaf, other in (("sausage", "ham"), ("bags", "shopping bags")):
        lo, hi = sorted((at[leaf], at[other]))
        assert tree.written[tree.node[0, at[leaf]]] == leaf
        assert tree.written[tree.ancestor(lo, hi)] == f"{leaf} (group)"
    assert tree.written[tree.node[1, at["pork"]]] == "pork"  # padding: alone under its own name


def test_the_hierarchies_of_adult_cover_it():
    table = pq.read_table(data_file("adult.parquet"))
    for path in sorted(data_file("hierarchies/adult_arx").glob("*.csv")):
        column = table[path.stem].unique()
        found = Hierarchy.read(path).fit(column, kind_of(column.type, path.stem), path.stem)
        assert len(set(found.leaf.tolist())) == len(column)


def test_hours_that_only_the_full_table_holds_are_refused():
    column = pq.read_table(data_file("adult_full.parquet"))["hours-per-week"].unique()
    with pytest.raises(DataError, match="2 of 96 values"):
        Hierarchy.read(data_file("hierarchies/adult_arx/hours-per-week.csv")).fit(
            column, "number", "hours-per-week"
        )


def test_a_large_file_fits():
    path = data_file("hierarchies/informs/income.csv")
    values = pa.array(sorted(int(row[0]) for row in read_rows(str(path), "income")[0]))
    found = Hierarchy.read(path).fit(values, "number", "income")
    assert found.tree.node.shape == (8, 23_784) and found.tree.leaf_count[found.tree.root] == 23_784


def test_what_published_labels_leave_open():
    heights, leaves = Hierarchy.read(
        data_file("hierarchies/adult_arx/education.csv")
    ).public_shares(["Bachelors", "Undergraduate", "Higher education", "bachelors"])
    assert heights.tolist() == [0, 1 / 3, 2 / 3, 0]
    assert leaves.tolist() == [0, 1 / 15, 6 / 15, 0]


def test_a_faulty_file_tells_nothing_about_labels(tmp_path):
    (tmp_path / "h.csv").write_text("a;x;*\na;y;*\n")
    with pytest.raises(DataError, match="two parents"):
        Hierarchy.read(tmp_path / "h.csv").public_shares([])


def test_a_label_that_is_no_node_leaves_nobody_knows_what_open():
    tree = Hierarchy.read(data_file("hierarchies/adult_arx/education.csv"))
    assert all(
        np.isnan(shares).tolist() == [True] for shares in tree.public_shares(["no such label"])
    )
