"""The door to Numba: code on disk is used only while a kernel and all that it leans on are as they
were, and nobody else can have written it; whoever waits for a compiler is told.
"""

from __future__ import annotations

import ast
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from shoal.kernels import jit, waiting
from shoal.kernels.costs import Costs, between, of_box
from shoal.kernels.jit import folders, turns, units
from shoal.kernels.jit.algebra_later import algebra_later


def test_a_change_to_what_a_kernel_leans_on_moves_its_house_and_no_other(tmp_path: Path):
    (tmp_path / "one.py").write_text("from shoal.kernels.two import y\n")
    (tmp_path / "two.py").write_text("from shoal.kernels import three as third, four\ny = 1\n")
    (tmp_path / "three.py").write_text(
        "from shoal.kernels.one import z\n"
    )  # a ring must not go on forever
    (tmp_path / "four.py").write_text("z = 1\n")
    before = {name: folders.home(name, tmp_path) for name in ("one", "two", "three", "four")}
    assert len(set(before.values())) == 4
    (tmp_path / "two.py").write_text("from shoal.kernels import three as third, four\ny = 2\n")
    folders.digest.cache_clear()
    folders.home.cache_clear()
    moved = {name for name, home in before.items() if folders.home(name, tmp_path) != home}
    assert moved == {"one", "two", "three"}
    (tmp_path / "two.py").write_text("from shoal.kernels import three as third, four\ny = 1\n")
    (tmp_path / "four.py").write_text("z = 2\n")
    folders.digest.cache_clear()
    folders.home.cache_clear()
    assert all(folders.home(name, tmp_path) != home for name, home in before.items())


def test_a_kernel_travels_to_another_process_by_name():
    assert pickle.loads(pickle.dumps(of_box)) is of_box


def test_every_import_between_kernels_is_seen():
    for file in set(folders.KERNELS.rglob("*.py")) - set(folders.COMPILER.iterdir()):
        kernel = ".".join(file.relative_to(folders.KERNELS).with_suffix("").parts)
        tree = ast.parse(file.read_text(encoding="utf-8"))
        named = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        for node in named:
            module = getattr(node, "module", None) or ""
            assert not (
                isinstance(node, ast.Import)
                and any("kernels" in alias.name for alias in node.names)
            ), file
            if module.startswith("shoal.kernels.") and module != "shoal.kernels.jit":
                module = module.removeprefix("shoal.kernels.")
                inside = {f"{module}.{alias.name}" for alias in node.names}
                assert {module, *inside} & folders.leans_on(kernel, folders.KERNELS), (file, module)
            elif module == "shoal.kernels":
                assert {alias.name for alias in node.names} <= folders.leans_on(
                    kernel, folders.KERNELS
                )


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


SCRIPT = """
import sys
import time
from shoal.kernels.jit import compiled

@compiled
def inner(x):
    return x + 1

@compiled
def outer(x):
    return inner(x) + inner(2)

assert outer(39) == 43, outer(39)
print(sum(outer.stats.cache_misses.values()), sum(outer.stats.cache_hits.values()))
"""


def run_script(
    tmp_path: Path, code: str = SCRIPT, **named: str
) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "script.py"
    script.write_text(code)
    return subprocess.run(
        [sys.executable, str(script)],
        env={"NUMBA_CACHE_DIR": str(tmp_path / "kept"), "HOME": str(tmp_path), **named},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_kernel_is_kept_whole_and_what_it_calls_needs_no_code_of_its_own(tmp_path: Path):
    first = run_script(tmp_path)
    assert first.stdout.split() == ["1", "0"], first.stderr
    assert "compiling code for this machine" in first.stderr
    assert [file.name.split("-")[0] for file in tmp_path.rglob("*.nbi")] == ["script.outer"]
    second = run_script(tmp_path)
    assert second.stdout.split() == ["0", "1"], second.stderr
    assert second.stderr == ""  # nobody waits, nothing is said


AT_ONCE = """
import sys, time
from pathlib import Path
from shoal.kernels.jit import keeping, turns, units

turns.PATIENCE = 300.0
place = Path(sys.argv[0]).parent
compile_unit = units._unit
readable = keeping.readable

def looked(kernel):
    listed = readable(kernel)
    (place / f"looked {sys.argv[1]}").touch()
    return listed

def slowly(*args):
    (place / "compiling").touch()
    while not (place / "go on").exists():
        time.sleep(0.01)
    return compile_unit(*args)

units._unit = slowly
keeping.readable = looked
"""


def test_of_two_processes_at_once_one_compiles_and_the_other_waits_for_its_code(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(AT_ONCE + SCRIPT)
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "HOME": str(tmp_path)}

    def begun(number: int, seen: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, str(script), str(number)], env=env, stdout=subprocess.PIPE, text=True
        )
        while not (tmp_path / seen).exists() and process.poll() is None:
            time.sleep(0.01)
        return process

    both = [begun(1, "compiling"), begun(2, "looked 2")]
    (tmp_path / "go on").touch()
    assert [process.communicate()[0].split() for process in both] == [["1", "0"], ["0", "1"]]


def test_nobody_waits_forever_for_the_turn_of_another(tmp_path: Path):
    holder = turns.Turn()
    holder.take(tmp_path)
    second = turns.Turn()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(turns, "PATIENCE", 0.0)
        second.take(tmp_path)  # and returns
    second.end()
    holder.end()
    turns.Turn().take(tmp_path / "not there")  # without a folder there is nothing to wait for


def test_code_that_others_may_have_written_is_not_read(tmp_path: Path):
    assert run_script(tmp_path).returncode == 0
    for folder in (tmp_path / "kept").iterdir():
        folder.chmod(0o777)
    again = run_script(tmp_path)
    assert again.stdout.split() == ["1", "0"], again.stderr


def test_silence_can_be_asked_for(tmp_path: Path):
    assert run_script(tmp_path, SHOAL_PROGRESS="0").stderr == ""


def test_a_door_hears_once_that_code_is_being_compiled(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(waiting, "_said", False)
    heard: list[str] = []
    with waiting.hear(heard.append):
        waiting.announce()
        waiting.announce()
    assert heard == [waiting.notice()]


@pytest.mark.parametrize(("cold", "long"), [(True, "about a minute"), (False, "some seconds")])
def test_how_long_it_takes_is_said_by_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, cold: bool, long: str
):
    monkeypatch.setattr(jit, "cold", lambda: cold)
    assert long in waiting.notice()


def test_numbers_of_any_width_share_one_part():
    ints = np.zeros(1, np.int32)
    longs = np.zeros(1, np.int64)
    costs = Costs(ints, ints + 1, ints, ints, longs, ints, ints, longs, ints, longs)
    assert between(costs, 0, 0, 0) == 0
    assert of_box(costs, ints, ints) == 0
    assert of_box(costs, longs, longs) == 0
    wide = [kinds for kinds in between.part.overloads if str(kinds[1:]) == "(int64, int64, int64)"]
    assert len(between.part.overloads) == len(wide) <= 1


@pytest.mark.parametrize(
    ("lacking", "asked", "level"),
    [
        ((), "", "x86-64-v4"),
        ((), "x86-64-v3", "x86-64-v3"),
        (("avx512f",), "", "x86-64-v3"),
        (("avx512f",), "x86-64-v4", "x86-64-v3"),
        (("avx512f", "avx2"), "", None),
    ],
)
def test_code_is_made_for_the_highest_level_that_the_machine_reaches(
    monkeypatch: pytest.MonkeyPatch, lacking: tuple[str, ...], asked: str, level: str | None
):
    features = {name: name not in lacking for name in units.V4}
    monkeypatch.setattr(units.llvm, "get_process_triple", lambda: "x86_64-unknown-linux-gnu")
    monkeypatch.setattr(units.llvm, "get_host_cpu_features", lambda: features)
    monkeypatch.setenv(units.SWITCH, asked)
    assert units.level.__wrapped__() == level


@pytest.mark.parametrize("installed", [True, False])
def test_numba_is_told_whether_scipy_is_there_without_loading_it(monkeypatch, installed):
    from numba.np import linalg

    asked = linalg.ensure_blas
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if installed else None)
    loaded = set(sys.modules)
    with algebra_later():
        assert linalg.ensure_blas is not asked
        if installed:
            linalg.ensure_blas()
        else:
            with pytest.raises(ImportError):
                linalg.ensure_blas()
    assert linalg.ensure_blas is asked
    assert not {name for name in set(sys.modules) - loaded if name.startswith("scipy")}
