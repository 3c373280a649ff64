"""A layperson comes from a German Excel file to an archive, in few clicks, and loses no column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from studio.layperson import Walk, excel, lost_columns, walk

MOST = 12  # clicks


def test_from_a_german_excel_file_to_an_archive(page: Any, tmp_path: Path) -> None:
    way = Walk(page)
    release = walk(way, excel(tmp_path / "Station.xlsx"), tmp_path / "out")
    assert way.clicks <= MOST
    lost = lost_columns(release, ("Geburtsdatum", "Geschlecht", "PLZ"))
    assert all(share < 0.5 for share in lost.values()), lost
    notice = page.get_by_test_id("notice").filter(has_text="nearly unique")
    assert notice.get_by_role("link", name="Round it").count(), "a warning leads on"
    assert page.title() == "Hand over · Shoal studio"
