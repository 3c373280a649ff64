"""The tutorial's notebook runs, and says what stands below its cells.

Figures may differ: they change with every method that learns to lose less, and `python -m
tools.write_notebook` writes them anew before a release.
"""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import nbformat
import pytest
from tools import write_notebook
from tools.site import notebook_page


@pytest.fixture(scope="module")
def notebooks() -> tuple[Any, Any]:
    """Return the notebook as it is kept, and as it runs now."""
    return nbformat.read(write_notebook.PLACE, as_version=4), write_notebook.executed()


def unlike(kept: Any, now: Any) -> list[str]:
    """Return the cells that say something else than is kept."""
    pairs = zip(kept.cells, now.cells, strict=True)
    return [old.source for old, new in pairs if words(old) != words(new)]


def words(cell: Any) -> list[str]:
    """Return what a cell shows, without its figures and the widths of columns."""
    shown = json.dumps(cell.get("outputs", []), sort_keys=True)
    return re.sub(r"\d[\d.,]*", "0", shown.replace("\\n", " ")).split()


def test_its_cells_say_what_is_kept(notebooks: tuple[Any, Any]):
    assert unlike(*notebooks) == [], "python -m tools.write_notebook"


def test_a_cell_that_shows_something_else_is_seen(notebooks: tuple[Any, Any]):
    changed = copy.deepcopy(notebooks[1])
    shown = next(cell for cell in changed.cells if cell.get("outputs"))
    shown.outputs[0].data["text/plain"] = "something else"
    assert unlike(notebooks[0], changed) == [shown.source]


def test_no_cell_failed_and_nothing_of_the_machine_is_kept(notebooks: tuple[Any, Any]):
    text = write_notebook.PLACE.read_text("utf-8")
    assert '"output_type": "error"' not in text
    assert "ipykernel" not in text and "/tmp" not in text


def test_the_page_shows_every_cell():
    (page,) = notebook_page.pages().values()
    kept = nbformat.read(write_notebook.PLACE, as_version=4)
    assert page.startswith("# Tutorial in a notebook\n")
    assert all(cell.source.strip() in page for cell in kept.cells)
    assert "<b>5,000 people released" in page and "verified" in page
