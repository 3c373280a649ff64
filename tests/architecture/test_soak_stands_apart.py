"""The recount of the soak shares nothing with Shoal: its modules import none of it."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from conftest import ROOT

OUTSIDE = ROOT / "tests" / "soak" / "outside"
OTHERS = {"pyarrow", "duckdb"}  # read files, and know nothing of privacy


def foreign(folder: Path) -> list[str]:
    """List imports of anything but the standard library, readers of files, and the folder."""
    faults = []
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for name in imported(node):
                allowed = name.split(".")[0] in {*sys.stdlib_module_names, *OTHERS}
                if not allowed and not f"{name}.".startswith("soak.outside."):
                    faults.append(f"{path.name} imports {name}")
    return faults


def imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return ["relative"] if node.level else [str(node.module)]
    dynamic = isinstance(node, ast.Name) and node.id in ("__import__", "import_module")
    return ["anything"] if dynamic else []


def test_the_recount_imports_nothing_of_shoal() -> None:
    assert len(list(OUTSIDE.glob("*.py"))) > 4
    assert foreign(OUTSIDE) == []


def test_the_guard_bites(tmp_path) -> None:
    lines = (
        "import shoal",
        "from shoal.privacy import exact",
        "import tables",
        "from soak import cases",
    )
    for line in lines:
        (tmp_path / "module.py").write_text(f"def inner():\n    {line}\n", encoding="utf-8")
        assert foreign(tmp_path), line
