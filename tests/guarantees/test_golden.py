"""Releases, certificates and refusals are what they were when they were frozen, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from guarantees import golden_parts
from guarantees.golden import CASES, differing, frozen, hashes
from guarantees.golden_refusals import ERRORS, REFUSALS, Refused
from guarantees.golden_runs import laid_out, released
from shoal.errors import ShoalError
from terminal import shoal, snapshot


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with chdir(tmp_path):
        laid_out()
        yield tmp_path


@pytest.mark.parametrize("name", CASES)
def test_nothing_differs(name: str) -> None:
    if name.startswith("spark"):
        pytest.importorskip("pysail.spark")
    parts = differing(hashes(CASES[name]), frozen()[name])
    assert not parts, f"differs: {', '.join(parts)}"


def test_another_release_is_seen() -> None:
    one, other = hashes(released("mondrian")), hashes(released("mondrian", k=6))
    assert differing(one, other) == ["labels", "private", "public", "table"]
    ordered = hashes(released("mondrian", keep_order=True))
    # the recipe says so, rows moved, and an attack on their order found more
    assert differing(one, ordered) == ["private", "public", "table"]


def test_another_chance_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "distort: noise"
    monkeypatch.setattr(golden_parts.Streams, "__call__", lambda streams, length: bytes(length))
    assert "table" in differing(hashes(CASES[name]), frozen()[name])


def test_every_frozen_case_is_run() -> None:
    assert list(frozen()) == list(CASES)


@pytest.mark.parametrize("refused", REFUSALS.values(), ids=REFUSALS)
def test_the_terminal_refuses(refused: Refused, folder: Path) -> None:
    before = snapshot(folder)
    assert shoal(*refused.typed).code == refused.code
    assert snapshot(folder) == before


@pytest.mark.parametrize("refused", REFUSALS.values(), ids=REFUSALS)
def test_python_refuses(refused: Refused, folder: Path) -> None:
    with pytest.raises(ShoalError) as told:
        refused.called()
    assert type(told.value).__name__ == ERRORS[refused.code]
