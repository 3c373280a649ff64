"""No module reads a certificate by its JSON keys: they are declared in one place alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from architecture.certificate_keys import key_faults, keys
from conftest import ROOT


def test_certificates_are_read_by_attribute() -> None:
    assert key_faults(ROOT / "src" / "shoal") == []


def test_the_rule_knows_the_keys() -> None:
    assert {"not promised", "no grouping loses less than", "group sizes"} <= keys()


@pytest.mark.parametrize(
    "read",
    [
        'release.certificate.public["k"]',
        'stated["columns"]["perturbed"]',
        'public.get("groups")',
        'gap["no grouping loses less than"]',
        'told = {"kept by force": []}',
    ],
)
def test_the_rule_bites(tmp_path: Path, read: str) -> None:
    (tmp_path / "room.py").write_text(f"{read}\n")
    assert len(key_faults(tmp_path)) == 1


def test_other_subscripts_are_let_through(tmp_path: Path) -> None:
    (tmp_path / "room.py").write_text('"""Not promised."""\nrecipe["k"], public.recipe["k"]\n')
    assert key_faults(tmp_path) == []
