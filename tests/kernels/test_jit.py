"""The door to Numba: code on disk is used only while all kernels are as they were."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numba

from shoal.kernels import jit
from shoal.kernels.costs import between


def test_a_change_to_any_kernel_moves_the_house(tmp_path: Path):
    (tmp_path / "one.py").write_text("x = 1\n")
    (tmp_path / "two.py").write_text("y = 1\n")
    before = jit.home(tmp_path)
    jit.home.cache_clear()
    (tmp_path / "two.py").write_text("y = 2\n")
    assert jit.home(tmp_path) != before
    jit.home.cache_clear()
    (tmp_path / "two.py").write_text("y = 1\n")
    assert jit.home(tmp_path) == before


def test_only_our_own_functions_are_kept_there():
    assert numba.config.CACHE_DIR in ("", None) or str(jit.home()) not in numba.config.CACHE_DIR
    assert jit.home().name in between._cache.cache_path


def test_without_a_folder_that_can_be_written_kernels_still_run(tmp_path: Path):
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the folder should be")
    code = "from shoal.kernels.jit import compiled\n@compiled\ndef double(x):\n    return 2 * x\nprint(double(21))"
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
