"""Notebook page: the tutorial's notebook as a page, with what its cells showed when it was run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PLACE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.ipynb"
NAME = "tutorial-notebook.md"
ABOUT = f"""\
[Download the notebook]({PLACE.name}) and run it where Shoal is installed; it needs nothing else.
A test runs it and compares what its cells say; figures are those of its last writing.
"""


def pages() -> dict[str, str]:
    """Return the page of the notebook."""
    notebook = json.loads(PLACE.read_text("utf-8"))
    title, *cells = [_text(part) for cell in notebook["cells"] for part in _parts(cell)]
    return {NAME: "\n\n".join([title, ABOUT, *cells]) + "\n"}


def _parts(cell: dict[str, Any]) -> Iterator[Any]:
    """Return a cell as Markdown: its words, or its code and what it shows."""
    if cell["cell_type"] == "markdown":
        yield cell["source"]
        return
    yield f"```python\n{_text(cell['source'])}\n```"
    for output in cell["outputs"]:
        shown = output.get("data", {})
        if "text/html" in shown:
            yield f'<div class="shown">{_text(shown["text/html"])}</div>'
        else:
            yield f"```text\n{_text(shown.get('text/plain') or output['text']).rstrip()}\n```"


def _text(lines: str | list[str]) -> str:
    """Return a text that a notebook may keep as a list of lines."""
    return lines if isinstance(lines, str) else "".join(lines)
