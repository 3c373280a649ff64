"""Links of the documentation lead somewhere, and the files and folders that it names exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tools.site import generated, plugin_pages

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "shoal"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
ROOMS = sorted(file.parent for file in SOURCE.rglob("__init__.py"))
# A path begins at the root, in the source, or among the engines: `disk/reading` names a module.
STARTS = (ROOT, SOURCE, SOURCE / "engines")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
PATH = re.compile(r"`((?:[a-z_0-9.]+/)+[a-z_0-9.]*\w*|[a-z_0-9]+\.py)`")


@cache
def made_with_the_site() -> set[Path]:
    """List the pages that are made from the source when the site is built."""
    return {(ROOT / "docs" / place).resolve() for place in generated.pages()}


def broken_links(text: str, folder: Path) -> Iterator[str]:
    """Find the relative links of a page that lead nowhere."""
    for target in LINK.findall(text):
        if "://" in target or (folder / target).exists():
            continue
        if (folder / target).resolve() not in made_with_the_site():
            yield target


def missing_paths(text: str) -> Iterator[str]:
    """Find the files and folders that a page names in backticks and that do not exist."""
    for path in PATH.findall(text):
        if not (_is_there(path) or _is_anywhere(path)):
            yield path


def unlisted_files(room: Path) -> list[str]:
    """Find the modules and folders of a room that the table in its docstring leaves out.

    Rooms without a table, such as those where each file is a plug-in, leave nothing out.
    """
    text = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""
    if not re.search(r"^\| (folder or )?file", text, re.MULTILINE):
        return []
    files = [file.stem for file in room.glob("[!_]*.py")]
    folders = [f"{file.parent.name}/" for file in room.glob("*/__init__.py")]
    return sorted(name for name in [*files, *folders] if f"`{name}`" not in text)


def _is_there(path: str) -> bool:
    """Tell whether a folder, a file, a module, or a name in a module is where a path says."""
    module, _, name = path.partition(".")
    for start in STARTS:
        if (start / path).exists() or (start / f"{path}.py").exists():
            return True
        file = start / f"{module}.py"
        if name and file.exists() and re.search(rf"\b{name}\b", file.read_text(encoding="utf-8")):
            return True
    return False


def _is_anywhere(path: str) -> bool:
    """Tell whether a file that is named without its folder exists."""
    folders = (SOURCE, ROOT / "tests")
    return "/" not in path and any(any(folder.rglob(path)) for folder in folders)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_paths_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert list(broken_links(text, page.parent)) == []
    assert list(missing_paths(text)) == []


def missing_tests(text: str) -> Iterator[str]:
    """Find the tests that a page names as `file::test` and that do not exist."""
    for path, name in TEST.findall(text):
        file = ROOT / path
        if not file.exists() or f"def {name}(" not in file.read_text(encoding="utf-8"):
            yield f"{path}::{name}"


def test_every_promise_names_a_test_that_exists() -> None:
    text = (ROOT / "docs" / "concepts" / "threats.md").read_text(encoding="utf-8")
    assert len(TEST.findall(text)) == text.count("::test_") > 20
    assert list(missing_tests(text)) == []


def test_a_test_that_does_not_exist_is_seen() -> None:
    here = "tests/architecture/test_docs.py"
    lies = f"`{here}::test_nothing` `tests/none.py::test_a` `{here}::test_links_and_paths_exist`"
    assert list(missing_tests(lies)) == [f"{here}::test_nothing", "tests/none.py::test_a"]


KINDS = ("sh", "python", "output", "toml", "text", "json", "markdown")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_code_block_names_its_kind(page: Path) -> None:
    """See tests/documentation/code_blocks.py for what becomes of each kind."""
    fences = re.findall(r"^ *```(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [fence for fence in fences[::2] if fence.split(" ")[0] not in KINDS] == []


def test_every_plugin_says_when_to_use_it() -> None:
    plugins = [each for kind in plugin_pages.KINDS for each in kind.plugins.values()]
    silent = [each for each in plugins if "When to use it: " not in plugin_pages.body(each)]
    assert [each.__name__ for each in silent] == []


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = LINK.findall((folder / "README.md").read_text(encoding="utf-8"))
    assert listed == sorted(page.name for page in folder.glob("0*.md"))


def test_every_room_has_its_place_in_the_architecture() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = [*SOURCE.glob("[!_]*.py"), *(file.parent for file in SOURCE.glob("*/__init__.py"))]
    lines = [f"  {room.name}/ " if room.is_dir() else f"  {room.name} " for room in rooms]
    assert [line for line in lines if f"\n{line}" not in text] == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(SOURCE)))
def test_the_table_of_a_room_lists_its_files(room: Path) -> None:
    assert unlisted_files(room) == []


def test_an_unlisted_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for name in ("known.py", "new.py", "inner/__init__.py"):
        (tmp_path / name).touch()
    table = "| file | holds |\n|---|---|\n| `known` | new |\n"
    (tmp_path / "__init__.py").write_text(f'"""Room.\n\n{table}"""\n', encoding="utf-8")
    assert unlisted_files(tmp_path) == ["inner/", "new"]


def test_a_broken_link_and_a_missing_path_are_found() -> None:
    text = "[a](docs/scale.md#x) [b](docs/none.md) [c](https://shoal.example/none.md)"
    assert list(broken_links(text, ROOT)) == ["docs/none.md"]
    text = (
        "`recode/cells.py` `disk/reading` `recode/` `cells.py` `api/engines.DOORS` `-k 5` `a/b c`"
    )
    assert list(missing_paths(text)) == []
    text = "`recode/none.py` `disk/none` `none/` `none.py` `api/engines.NONE` `src/shoal/none/x.py`"
    assert list(missing_paths(text)) == PATH.findall(text)
