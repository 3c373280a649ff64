"""Ready for a release: check what a person forgets, and say everything that is missing at once.

    make ready

The version stands in one place, `pyproject.toml`. The changelog must have a section for it, with a
date, and nothing unreleased above it. The metadata must name where the project lives.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?")


def missing(project: dict[str, Any], changelog: str) -> Iterator[str]:
    """Say what stands in the way of a release."""
    version = project["version"]
    if not VERSION.fullmatch(version):
        yield f"'{version}' is no semantic version (pyproject.toml)"
    if not re.search(rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE):
        yield f"CHANGELOG.md has no section '## {version} - YYYY-MM-DD'"
    if re.search(r"^## Unreleased\n+(?!## )\S", changelog, re.MULTILINE):
        yield f"CHANGELOG.md still has lines under 'Unreleased': move them to {version}"
    if not project.get("urls"):
        yield "pyproject.toml names no address: add [project.urls] with Source and Issues"


def main() -> None:
    """Print what is missing, and end with 1 if anything is."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    problems = list(missing(project, (ROOT / "CHANGELOG.md").read_text("utf-8")))
    for problem in problems:
        print(f"not ready: {problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    print(f"ready: {project['name']} {project['version']}")


if __name__ == "__main__":
    main()
