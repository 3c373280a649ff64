"""The source stays readable: hard limits, numbers that may only fall, and a measure that bites."""

from __future__ import annotations

import warnings
from functools import cache

import pytest

from architecture import readability
from architecture.readability import Figures, Source


@cache
def measured() -> Figures:
    """Measure the source once."""
    return readability.figures(readability.sources())


def counts(text: str) -> dict[str, int]:
    """Measure one module that is nothing but this text."""
    return dict(readability.figures([Source("planted.py", text)]).counts)


def test_the_source_is_neither_packed_nor_long() -> None:
    assert readability.limit_faults(measured()) == []


def test_what_is_hard_to_read_becomes_less() -> None:
    record = readability.recorded()
    for sentence in readability.loose_records(measured(), record):
        warnings.warn(sentence, stacklevel=1)
    assert readability.ratchet_faults(measured(), record) == []


@pytest.mark.parametrize(
    ("name", "bad", "good"),
    [
        ("tuple_packs", "a, b = 1, 2", "a, b = b, a\nc, d = pair\ne = 1, 2"),
        ("tuple_packs", "(a, b) = [f(x), g(x)]", "for a, b in pairs: pass"),
        ("long_lines", "a = '" + 96 * "x" + "'", "a = '" + 90 * "x" + "'"),
        ("star_packs", "f(*(a, b), *(c, d))", "f(*pair, *[x for x in y])"),
        ("star_packs", "f(1, *[a, b])", "f(**{'a': 1})"),
        ("conditional_expressions", "a = 1 if b else 2", "if b:\n    a = 1"),
        ("nested_conditionals", "a = 1 if b else 2 if c else 3", "a = 1 if b else 2"),
        ("nested_conditionals", "a = 1 if b else f(2 if c else 3)", "a = [1 if b else 2, 3]"),
        ("many_parameters", "def f(a, b, c, d, e, *, g, h): 0", "def f(self, a, b, c, d, e, g): 0"),
        ("dangling_docstrings", 'def f():\n    """The same."""', 'def f():\n    """Count rows."""'),
        ("dangling_docstrings", 'class A:\n    """What is left."""', '"""Whatever is left."""'),
        ("names_found", "found = 1", "a = found"),
        ("names_found", "def f(found): ...", "f(found=1)"),
        ("names_found", "for i, found in x: pass", "x.found = 1"),
    ],
)
def test_each_measure_bites(name: str, bad: str, good: str) -> None:
    assert counts(bad)[name] == 1
    assert counts(good)[name] == 0


def test_comments_stand_on_lines_of_their_own() -> None:
    text = '# why\na = 1  # beside\n    # indented\nb = "# text"\n'
    assert readability.figures([Source("planted.py", text)]).comment_lines == 2


def test_a_class_name_has_one_meaning(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = [
        Source("a.py", "class Rule: ...\nclass Box: ..."),
        Source("b.py", "class Rule: ..."),
        Source("c.py", "class Box: ...\ndef f():\n    class Alone: ..."),
    ]
    assert readability.shared_class_names(modules) == {
        "Box": ["a.py", "c.py"],
        "Rule": ["a.py", "b.py"],
    }
    monkeypatch.setattr(readability, "_allowed_names", lambda: {"Box"})
    assert list(readability.shared_class_names(modules)) == ["Rule"]


def test_limits_and_records_bite() -> None:
    packed = "a, b = 1, 2\nf(*(a, b))\n" + "x" * 101
    long = "def f():\n" + 25 * "    a = 1\n"
    faults = readability.limit_faults(readability.figures([Source("a.py", packed + "\n" + long)]))
    assert [fault.split()[1] for fault in faults] == ["of", "lines", "calls", "function"]
    bad = readability.figures([Source("a.py", "found = 1 if a else 2 if b else 3")])
    none = dict.fromkeys(bad.falling, 0.0)
    assert len(readability.ratchet_faults(bad, none)) == 3
    assert readability.loose_records(bad, none) == []
    many = dict.fromkeys(bad.falling, 10_000.0)
    assert readability.ratchet_faults(bad, many) == []
    assert len(readability.loose_records(bad, many)) == len(many)
