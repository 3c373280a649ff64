"""The first minute: from a wheel, from a wheel for another machine, and from a clone.

    make wheel && make bench ARGS=first-minute

Everything starts cold, in an empty environment outside the checkout with empty caches; packages
come from uv's cache where it has them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tools.newcomer import ROOT, chosen, installed

from benchmarks import measure


def first_minute(options: argparse.Namespace) -> Iterator[str]:
    """CPU seconds of each step that someone new waits for."""
    wheel = chosen(ROOT / "dist")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ["XDG_CACHE_HOME"] = str(home / "caches")
        rows = list(_from_a_wheel(wheel, home))
        rows.append(_from_a_clone(home / "clone"))
    yield measure.markdown("The first minute, cold", ["step", "CPU s", "wall s"], rows)


def _from_a_wheel(wheel: Path, home: Path) -> Iterator[list[str]]:
    shoal = ""

    def install() -> None:
        nonlocal shoal
        shoal = str(Path(installed(wheel, home)).with_name("shoal"))

    yield _step("an environment with the wheel", _children(install))
    yield _demo("first shoal demo", shoal, home)
    yield _demo("second shoal demo", shoal, home)
    # As for a Python, Numba or CPU that the wheel was not made for.
    shutil.rmtree(next(home.glob("env/lib/*/site-packages/shoal/kernels/shipped")))
    yield _demo("first shoal demo, without the wheel's code", shoal, home)
    yield _step("shoal --help", measure.program([shoal, "--help"], 3)[1])


def _from_a_clone(clone: Path) -> list[str]:
    measure.program(["git", "clone", "--quiet", str(ROOT), str(clone)])
    os.environ.pop("VIRTUAL_ENV", None)
    done, cost = measure.program(["make", "-C", str(clone), "demo"])
    return _step("make demo from a clone, all in all", cost, done.returncode)


def _demo(title: str, shoal: str, home: Path) -> list[str]:
    done, cost = measure.program([shoal, "demo", str(home / "demo")])
    return _step(title, cost, done.returncode)


def _step(title: str, cost: measure.Cost, code: int = 0) -> list[str]:
    return [title, f"{cost.cpu:.1f}" if code == 0 else f"exit code {code}", f"{cost.wall:.1f}"]


def _children(work: Callable[[], None]) -> measure.Cost:
    """Measure programs that a function starts."""
    before = os.times()
    _, cost = measure.call(work)
    after = os.times()
    cpu = after.children_user + after.children_system
    return measure.Cost(cpu - before.children_user - before.children_system, cost.wall)
