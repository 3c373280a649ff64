"""Code blocks of the documentation: found in its pages, and run as a reader would.

| block | what happens to it |
|---|---|
| `sh` | each line is a command of ours and ends with exit code 0 |
| `python` | it runs after the blocks above it; `shoal` is imported, `people` is the example table |
| `output` | the block above it printed this; `...` alone on a line stands for anything |
| `output title="FILE"` | the blocks above it wrote this into a file |
| `toml` | it is valid TOML, and a valid recipe where it has a recipe's sections |
| any with `title="FILE"` | it becomes this file before the next block runs |
| `text`, `json`, `markdown` | nothing: it is no code |

A comment above a block says what is unusual about it: `<!-- exit 4 -->` for a command that is to be
refused, `<!-- not run: why -->` for what can't run in a test.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import shoal
from shoal.recipe import SECTIONS, Recipe
from terminal import shoal as terminal

FENCE = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]*?) -->\n+)?"
    r"(?P<indent> *)```(?P<kind>\w*)(?: title=\"(?P<title>[^\"]+)\")?[^\n]*\n"
    r"(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
SILENT = ("text", "json", "markdown")
RUN = ("sh", "python", "output", "toml")
NOT_RUN = "not run: "
COMMAND = re.compile(r"^\s*(shoal|pip|make|python) ", re.MULTILINE)


class Wrong(Exception):
    """A block that does not do what its page says."""


@dataclass(frozen=True)
class Block:
    """A code block of a page: the line on which it begins, its kind, and what is said of it."""

    line: int
    kind: str
    text: str
    title: str | None = None
    mark: str = ""

    @property
    def reason(self) -> str | None:
        """Why it is not run; None where it is."""
        return self.mark.removeprefix(NOT_RUN) if self.mark.startswith(NOT_RUN) else None

    @property
    def exit_code(self) -> int:
        """The exit code that its commands have."""
        return int(self.mark.removeprefix("exit ")) if self.mark.startswith("exit ") else 0


def blocks_of(text: str) -> Iterator[Block]:
    """Find the code blocks of a page in their order."""
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start("kind")) + 1
        inner = re.sub(rf"^{found['indent']}", "", found["text"], flags=re.MULTILINE)
        yield Block(line, found["kind"], inner, found["title"], found["mark"] or "")


def commands_of(text: str) -> list[list[str]]:
    """Split a block into commands and these into words, as a shell does."""
    joined = text.replace("\\\n", " ")
    return [words for line in joined.splitlines() if (words := shlex.split(line, comments=True))]


@dataclass
class Reader:
    """Someone who tries a page from top to bottom, in a folder with the example tables."""

    folder: Path
    printed: str = ""
    names: dict[str, Any] = field(default_factory=dict)

    def read(self, text: str) -> None:
        """Run every block of a page; the first that is wrong ends it."""
        self.names |= {"shoal": shoal, "people": _people(self.folder)}
        for block in blocks_of(text):
            if block.reason is None:
                self.try_block(block)

    def try_block(self, block: Block) -> None:
        """Do with a block what its kind says."""
        try:
            if block.kind in ("sh", "python"):
                self.printed = getattr(self, f"_run_{block.kind}")(block)
            elif block.kind == "output":
                self._compare(block)
            elif block.title:
                (self.folder / block.title).write_text(block.text, "utf-8")
            if block.kind == "toml":
                _parse(block, self.folder)
            elif block.kind not in (*RUN, *SILENT):
                raise Wrong(f"a block of the kind '{block.kind}': say sh, python, output, text ...")
            elif block.kind in SILENT and COMMAND.search(block.text):
                raise Wrong("commands are written in blocks of the kind 'sh'")
        except Wrong as wrong:
            raise Wrong(f"line {block.line}: {wrong}") from None
        except Exception as error:
            raise Wrong(f"line {block.line}: {type(error).__name__}: {error}") from error

    def _run_sh(self, block: Block) -> str:
        """Run commands of ours; return what they printed."""
        printed = []
        for program, *words in commands_of(block.text):
            if program != "shoal":
                raise Wrong(f"'{program}' is no command of ours: <!-- not run: why -->")
            said = terminal(*words)
            if said.code != block.exit_code:
                raise Wrong(f"'shoal {shlex.join(words)}' exits {said.code}: {said.err}")
            printed += [said.out, said.err]
        return "\n".join(printed)

    def _run_python(self, block: Block) -> str:
        """Run Python; return what it printed, the value of a last expression included."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(block.text, f"line {block.line}", "exec"), self.names)
        return out.getvalue()

    def _compare(self, block: Block) -> None:
        """Look for each part of a printed text, as far as dots divide it, in what was printed."""
        where = self.printed if not block.title else _content(self.folder / block.title)
        whole = _trimmed(where)
        for part in re.split(r"^\.\.\.\n", block.text, flags=re.MULTILINE):
            if _trimmed(part).strip("\n") not in whole:
                raise Wrong(f"this was not printed:\n{part}\nbut:\n{where}")


def _content(path: Path) -> str:
    return path.read_text("utf-8-sig")


def _trimmed(text: str) -> str:
    """Return a text without blanks at the ends of its lines."""
    return "\n".join(line.rstrip() for line in text.splitlines())


def _people(folder: Path) -> Any:
    import pandas as pd

    return pd.read_csv(folder / "people.csv", dtype={"zip": str})


def _parse(block: Block, folder: Path) -> None:
    """Refuse what is no TOML, or has sections of a recipe and is none."""
    sections = tomllib.loads(block.text)
    if sections and set(sections) <= {*SECTIONS, "hierarchies"}:
        place = folder / (block.title or ".block.toml")
        place.write_text(block.text, "utf-8")
        recipe = tomllib.loads(block.text)
        for name in (name for part in recipe.values() for name in part):
            if name not in Recipe.__struct_fields__ and "hierarchies" not in recipe:
                raise Wrong(f"a recipe has no '{name}'")
