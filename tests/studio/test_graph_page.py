"""A graph in a real browser: from two files to a folder with a verified release."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

import shoal
from studio.test_accessibility import grave, violations

NARROW = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Forty people in a ring, each knows two on either side; their files."""
    folder = tmp_path_factory.mktemp("graph")
    ages = "\n".join(f"{i},{20 + i * 7919 % 60},{'xyz'[i % 3]}" for i in range(40))
    (folder / "people.csv").write_text(f"id,age,illness\n{ages}\n")
    pairs = "\n".join(f"{i},{(i + d) % 40}" for i in range(40) for d in (1, 2))
    (folder / "knows.csv").write_text(f"one,other\n{pairs}\n")
    return folder / "people.csv", folder / "knows.csv"


def chosen(page: Any, part: str, path: Path) -> None:
    page.get_by_test_id(f"graph-{part}").locator("input[type=file]").set_input_files(path)
    page.get_by_test_id(f"file-{part}").get_by_text(path.name, exact=True).wait_for()


def fetched(page: Any, mark: str, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_test_id(mark).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_from_two_files_to_a_release_on_a_narrow_screen(
    enter: Any, graph: tuple[Path, Path], tmp_path: Path
) -> None:
    page = enter(viewport=NARROW)
    page.locator("nav a.step", has_text="Graph").click()
    chosen(page, "people", graph[0])
    page.get_by_text("Now choose who knows whom.").wait_for()
    chosen(page, "edges", graph[1])
    page.get_by_test_id("graph-size").get_by_text("40 people, 80 edges. Ids: id.").wait_for()
    page.get_by_test_id("trade-words").get_by_text("At alpha = 0.5 a cell loses").wait_for()

    # by keyboard: the slider, and what was asked is taken back
    page.locator(".dial").nth(1).locator(".q-slider [tabindex]").first.focus()
    page.keyboard.press("ArrowLeft")
    page.get_by_text("At alpha = 0.49 a cell loses").wait_for()
    page.get_by_role("spinbutton", name="alpha").fill("0.3")
    page.get_by_text("At alpha = 0.3 a cell loses").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("At alpha = 0.49 a cell loses").wait_for()
    page.get_by_role("button", name="Redo").click()
    page.get_by_text("At alpha = 0.3 a cell loses").wait_for()

    page.get_by_test_id("graph-run").press("Enter")
    headline = page.get_by_test_id("graph-headline")
    headline.get_by_text("40 people released in 8 clusters of at least 5.").wait_for()
    for side in ("before", "after"):
        assert page.get_by_test_id(f"graph-{side}").locator("svg circle").count() == 8
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    command = page.get_by_test_id("graph-command").inner_text()
    assert command.startswith("shoal anonymize-graph people.csv knows.csv -o released -q age ")
    assert "--method shoal:alpha=0.3" in command
    page.get_by_text("The same as a table").first.click()
    faults = grave("Graph", violations(page))
    assert not faults, "\n".join(faults)

    archive = fetched(page, "graph-archive", tmp_path)
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path / "unpacked")
    assert shoal.graph.verify(tmp_path / "unpacked" / "released").holds
    assert not list((tmp_path / "unpacked").rglob("*private*"))
    assert '"nodes in": 40' in fetched(page, "graph-private", tmp_path).read_text()


def test_the_demo_is_a_click_away_and_what_is_no_graph_is_refused(
    page: Any, graph: tuple[Path, Path], tmp_path: Path
) -> None:
    page.get_by_test_id("demo-graph").click()
    size = page.get_by_test_id("graph-size")
    size.get_by_text("1,200 people, 4,094 edges.").wait_for()
    assert page.get_by_test_id("graph-column").count() == 6

    page.get_by_role("spinbutton", name="k", exact=True).fill("1300")
    problem = page.get_by_test_id("asked-problem")
    problem.get_by_text("The graph has 1,200 people: no 1,300 of them can look alike.").wait_for()
    assert page.get_by_test_id("graph-run").is_disabled()

    chosen(page, "people", graph[0])
    (tmp_path / "odd.csv").write_text("one,other\n1,2\n3,3\n4,40404\n")
    chosen(page, "edges", tmp_path / "odd.csv")
    refused = page.get_by_test_id("graph-problem")
    refused.get_by_text("1 edges end in 'other' at a node that is not in the table").wait_for()
    assert "40404" not in refused.inner_text()
    (tmp_path / "loop.csv").write_text("one,other\n1,2\n3,3\n")
    chosen(page, "edges", tmp_path / "loop.csv")
    refused.get_by_text("1 edges lead from a node to itself").wait_for()
    page.get_by_test_id("simplify").click()
    size.get_by_text("40 people, 1 edges. Ids: id.").wait_for()
    page.get_by_text("1 edges from a node to itself were left out").wait_for()
    assert refused.inner_text() == ""
