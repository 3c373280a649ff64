"""Project pages: those of the repository's root, and the tables on which all examples run."""

from __future__ import annotations

import re
from pathlib import Path

from tools.site import example_tables

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    name: f"project/{name.lower()}"
    for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
}
"""Pages of the root, and where they stand in the site."""
TABLES = "project/example-tables.md"
LINK = re.compile(r"\]\(([^)\s:#]+\.\w+)(#[^)\s]*)?\)")
ABOUT = """# The tables of the examples

Nobody in these tables exists. Put them into a folder, and every example on these pages runs there.

| file | rows | columns |
|---|--:|---|
"""


def pages() -> dict[str, str]:
    """Return the pages of the root by their place in the site, and that of the example tables."""
    made = {
        place: moved((ROOT / name).read_text("utf-8"))
        for name, place in PAGES.items()
        if (ROOT / name).exists()
    }
    rows = [
        f"| [{name}.csv](../examples/{name}.csv) | {table.num_rows:,} |"
        f" {', '.join(table.column_names)} |"
        for name, table in example_tables.tables().items()
    ]
    others = [f"[{name}](../examples/{name})" for name in example_tables.OTHERS]
    beside = f"\n\nBeside them: {', '.join(others)}.\n"
    return {**made, TABLES: ABOUT + "\n".join(rows) + beside}


def moved(text: str) -> str:
    """Turn the links of a page of the root into links from the folder `project`.

    >>> moved("[a](docs/scale.md#x) [b](SECURITY.md) [c](README.md)")
    '[a](../scale.md#x) [b](security.md) [c](../index.md)'
    """
    return LINK.sub(lambda link: f"]({_place(link[1])}{link[2] or ''})", text)


def _place(target: str) -> str:
    if target in PAGES:
        return PAGES[target].removeprefix("project/")
    return "../index.md" if target == "README.md" else f"../{target.removeprefix('docs/')}"
