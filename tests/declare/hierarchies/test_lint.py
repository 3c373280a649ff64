"""The linter: each fault planted, found, counted and placed; all in one report."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from shoal.declare.hierarchies.lint import lint

SOUND = [["Oslo", "Norway", "*"], ["Bergen", "Norway", "*"], ["Rome", "Italy", "*"]]


def kinds(report) -> list[str]:
    return [finding.kind for finding in report.findings]


def test_a_sound_file_has_no_findings():
    assert lint(SOUND, pa.array(["Oslo", "Rome"])).findings == ()


@pytest.mark.parametrize(
    ("planted", "kind", "fatal", "count", "lines"),
    [
        ([["Oslo", "Sweden", "*"]], "two-parents", True, 1, (1, 4)),
        ([["Milan", "*"], ["Turin"]], "ragged", True, 2, (4, 5)),
        ([["Milan", " ", "*"]], "empty-label", True, 1, (4,)),
        ([["", "Italy", "*"]], "empty-label", True, 1, (4,)),
        ([["Oslo", "Norway", "*"], ["Rome", "Italy", "*"]], "duplicate", False, 2, (4, 5)),
        ([["Norway", "Norway", "*"]], "shared-label", False, 1, ()),
        ([["Nome", "Norway", "Alaska"]], "several-roots", False, 2, ()),
    ],
)
def test_a_planted_fault_is_found(planted, kind, fatal, count, lines):
    finding = next(f for f in lint(SOUND + planted).findings if f.kind == kind)
    assert (finding.fatal, finding.count, finding.lines) == (fatal, count, lines)


def test_a_group_at_two_places():
    rows = [["a", "Other", "x", "*"], ["b", "Other", "y", "*"], ["c", "c", "y", "*"]]
    assert kinds(lint(rows)) == ["two-places"]


def test_padding_shares_no_label():
    assert lint([["a", "a", "*"], ["b", "x", "*"], ["c", "x", "*"]]).findings == ()


def test_leaves_without_groups():
    assert kinds(lint([["a"], ["b"]])) == ["one-level"]


def test_uncovered_values_are_counted_with_their_rows_and_never_named():
    report = lint(SOUND, pa.array(["Oslo", "Secretville", "Hiddenham"]), counts=np.array([5, 2, 1]))
    (finding,) = report.findings
    assert (finding.kind, finding.fatal, finding.count) == ("uncovered", True, 2)
    assert "in 3 rows" in str(finding) and "Secretville" not in repr(report)


def test_all_findings_come_together_the_fatal_ones_first():
    rows = [
        *SOUND,
        ["Oslo", "Norway", "*"],
        ["Rome", "Greece", "*"],
        ["Milan", "*"],
        ["Turin", "", "*"],
        ["Norway", "Norway", "*"],
    ]
    report = lint(rows, pa.array(["Nowhere"]))
    assert kinds(report) == [
        "uncovered",
        "two-parents",
        "ragged",
        "empty-label",
        "duplicate",
        "shared-label",
    ]
    assert [f.kind for f in report.fatal] == kinds(report)[:4] and len(report.notices) == 2


def test_only_five_are_shown_and_long_labels_cut():
    report = lint([["a", "*"]] * 9 + [["x" * 500, "*"]] * 2)
    (finding,) = report.findings
    assert finding.count == 9 and finding.lines == (2, 3, 4, 5, 6)
    assert str(finding).endswith("...)") and len(str(finding)) < 120


def test_numbers_that_are_spelled_twice_are_one_leaf():
    rows = [["39", "x", "*"], ["39.0", "y", "*"], ["40", "y", "*"]]
    assert kinds(lint(rows, pa.array([40]))) == ["two-parents"]
    assert kinds(lint(rows, pa.array(["40"]))) == []
