"""Run the notebook of the tutorial, and write what its cells show into it.

    python -m tools.write_notebook

It runs in an empty folder. What stands in the cells is written by people; outputs, numbers and
names of cells are written here, so that a change of a cell changes no other lines.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

PLACE = Path(__file__).resolve().parents[1] / "docs" / "tutorial.ipynb"
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
SAID_BY = re.compile(r"^/\S*/(ipykernel_\d+/\d+\.py):\d+: ", re.MULTILINE)
MOST_SECONDS = 600


def executed(place: Path = PLACE) -> Any:
    """Return the notebook with what its cells show now."""
    notebook = nbformat.read(place, as_version=4)
    os.environ["SHOAL_PROGRESS"] = "0"  # bars depend on the speed of the machine
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=MOST_SECONDS, kernel_name=KERNEL["name"])
        client.execute(cwd=folder)
    notebook.metadata = {"kernelspec": KERNEL}
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            output.pop("metadata", None)
            if output.output_type == "stream":
                output.text = SAID_BY.sub("", output.text)  # where a warning was raised
            else:
                output.metadata = {}
    return notebook


def main() -> None:
    """Write the notebook anew."""
    text = nbformat.writes(executed())
    PLACE.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    print(f"written: {PLACE}")


if __name__ == "__main__":
    main()
