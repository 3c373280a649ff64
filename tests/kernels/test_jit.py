"""The door to Numba: code on disk is used only while a kernel and all that it leans on are as they
were.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numba

from shoal.kernels import jit
from shoal.kernels.costs import between


def test_a_change_to_what_a_kernel_leans_on_moves_its_house_and_no_other(tmp_path: Path):
    (tmp_path / "one.py").write_text("from shoal.kernels.two import y\n")
    (tmp_path / "two.py").write_text("from shoal.kernels import three as third, four\ny = 1\n")
    (tmp_path / "three.py").write_text(
        "from shoal.kernels.one import z\n"
    )  # a ring must not go on forever
    (tmp_path / "four.py").write_text("z = 1\n")
    before = {name: jit.home(name, tmp_path) for name in ("one", "two", "three", "four")}
    assert len(set(before.values())) == 4
    (tmp_path / "two.py").write_text("from shoal.kernels import three as third, four\ny = 2\n")
    jit.home.cache_clear()
    moved = {name for name, home in before.items() if jit.home(name, tmp_path) != home}
    assert moved == {"one", "two", "three"}
    (tmp_path / "two.py").write_text("from shoal.kernels import three as third, four\ny = 1\n")
    (tmp_path / "four.py").write_text("z = 2\n")
    jit.home.cache_clear()
    assert all(jit.home(name, tmp_path) != home for name, home in before.items())


def test_every_import_between_kernels_is_seen():
    for file in jit.KERNELS.rglob("*.py"):
        kernel = ".".join(file.relative_to(jit.KERNELS).with_suffix("").parts)
        tree = ast.parse(file.read_text(encoding="utf-8"))
        named = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        for node in named:
            module = getattr(node, "module", None) or ""
            assert not (
                isinstance(node, ast.Import)
                and any("kernels" in alias.name for alias in node.names)
            ), file
            if module.startswith("shoal.kernels."):
                module = module.removeprefix("shoal.kernels.")
                inside = {f"{module}.{alias.name}" for alias in node.names}
                assert {module, *inside} & jit._leans_on(kernel, jit.KERNELS), (file, module)
            elif module == "shoal.kernels":
                assert {alias.name for alias in node.names} <= jit._leans_on(kernel, jit.KERNELS)


def test_only_our_own_functions_are_kept_there():
    assert (
        numba.config.CACHE_DIR in ("", None) or str(jit.home("costs")) not in numba.config.CACHE_DIR
    )
    assert jit.home("costs").name in between._cache.cache_path


def test_without_a_folder_that_can_be_written_kernels_still_run(tmp_path: Path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    code = (
        "from shoal.kernels.jit import compiled\n@compiled\ndef double(x):\n    return 2 * "
        "x\nprint(double(21))"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    run = subprocess.run(
        [sys.executable, str(script)],
        env={"NUMBA_CACHE_DIR": str(blocked), "PATH": "", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout.strip() == "42", run.stderr
