"""Every code block of every page runs, and prints what the page shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.site import example_tables, recipe_page

from conftest import ROOT
from documentation.code_blocks import Block, Reader, Wrong, blocks_of, commands_of

WRITTEN = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = {str(page.relative_to(ROOT)): page.read_text("utf-8") for page in WRITTEN}
PAGES |= recipe_page.pages()
WITH_CODE = [name for name, text in PAGES.items() if list(blocks_of(text))]
MOST_NOT_RUN = 30


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    example_tables.write(folder)
    return folder


@pytest.fixture
def reader(tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    for file in tables.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "110")
    return Reader(tmp_path)


@pytest.mark.parametrize("name", WITH_CODE)
def test_every_block_runs(name: str, reader: Reader) -> None:
    reader.read(PAGES[name])


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    marked = [block for text in PAGES.values() for block in blocks_of(text) if block.mark]
    unknown = [block.mark for block in marked if block.reason is None and not block.exit_code]
    assert unknown == []
    reasons = [block.reason for block in marked if block.reason is not None]
    assert len(reasons) <= MOST_NOT_RUN
    assert [reason for reason in reasons if len(reason.split()) < 2] == []


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("```sh\nshoal nonsense\n```\n", "exits 2"),
        ("```sh\nls\n```\n", "no command of ours"),
        ("```python\nprint(1)\n```\n\n```output\n2\n```\n", "not printed"),
        ("```python\n1 / 0\n```\n", "ZeroDivisionError"),
        ("```\nwhat is this\n```\n", "of the kind ''"),
        ("```text\nshoal audit x.csv\n```\n", "kind 'sh'"),
        ("```toml\na = = 1\n```\n", "TOMLDecodeError"),
        ("```toml\n[protection]\nkk = 5\n```\n", "no 'kk'"),
    ],
)
def test_a_block_that_is_wrong_is_found(page: str, said: str, reader: Reader) -> None:
    with pytest.raises(Wrong, match=said):
        reader.read(page)


def test_marks_titles_and_lines_that_go_on_are_read() -> None:
    page = (
        '<!-- exit 4 -->\n```sh\nshoal a \\\n  -k 5  # five\n```\n```text title="a.csv"\nx\n```\n'
    )
    first, second = blocks_of(page)
    assert (first.exit_code, commands_of(first.text)) == (4, [["shoal", "a", "-k", "5"]])
    assert second == Block(6, "text", "x\n", "a.csv")
