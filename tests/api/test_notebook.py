"""A real notebook: results show as pages, notices as warnings, progress below the cell."""

from __future__ import annotations

import nbformat
import pytest
from nbclient import NotebookClient

from terminal import PATIENCE

BEGIN = """
import pyarrow as pa
import shoal
from shoal.adapters import progress
progress.PATIENCE = 0.0
ages = [20 + 7 * i % 41 for i in range(60)]
people = pa.table({"age": ages, "ill": ["Zyxflu", "Zyxcold"] * 30, "ward": [1, 2, 3] * 20})
release = shoal.anonymize(people, quasi="age", sensitive="ill", k=5, seed=1)
release
"""
CELLS = [
    BEGIN,
    "shoal.inspect(people)",
    "shoal.audit(release.table, quasi='age', sensitive='ill')",
    "shoal.verify(release.table, release.certificate)",
    "shoal.attack(release.table, original=people, certificate=release.certificate)",
    "import os; os.environ['SHOAL_PROGRESS'] = '0'; release = shoal.anonymize(people, quasi='age')",
]


@pytest.fixture(scope="module")
def notebook() -> nbformat.NotebookNode:
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    made = nbformat.v4.new_notebook(cells=cells)
    return NotebookClient(made, timeout=PATIENCE, kernel_name="python3").execute()


def test_every_result_shows_as_a_page(notebook):
    for cell in notebook.cells[:-1]:
        (shown,) = [each for each in cell.outputs if each.output_type == "execute_result"]
        page = shown.data["text/html"]
        assert page.startswith("<div><p><b>") and "object at 0x" not in shown.data["text/plain"]
        assert "Zyx" not in page + shown.data["text/plain"]
    first = notebook.cells[0].outputs[-1].data
    assert "background:#0072B2" in first["text/html"] and "at most 1 in 5" in first["text/plain"]


def test_notices_are_warnings_below_the_cell(notebook):
    warned = [each.text for each in notebook.cells[0].outputs if each.get("name") == "stderr"]
    assert "ShoalWarning" in "".join(warned) and "ward" in "".join(warned)


def test_progress_is_a_bar_that_is_gone_at_the_end(notebook):
    bars = [each for each in notebook.cells[0].outputs if each.output_type == "display_data"]
    assert len(bars) == 1 and bars[0].data["text/html"] == ""  # the last picture takes its place
    assert not any(each.get("name") == "stdout" for each in notebook.cells[0].outputs)
    off = notebook.cells[-1].outputs
    assert not any(each.output_type == "display_data" for each in off)
