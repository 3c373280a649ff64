"""The first minute: from a wheel, from a wheel for another machine, and from a clone.

    make wheel && make bench ARGS=first-minute

Everything starts cold, in an empty environment outside the checkout with empty caches; packages
come from uv's cache where it has them. CPU seconds of `--help` are the least of three runs.
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

GOALS = {
    "first shoal demo": "12",
    "first shoal demo, without the wheel's code": "40",
    "make demo from a clone, all in all": "60",
    "shoal --help": "0.1",
    "shoal anonymize --help": "0.15",
}
LARGEST = 6  # packages that are named


def first_minute(options: argparse.Namespace) -> Iterator[str]:
    """CPU seconds of each step that someone new waits for."""
    wheel = chosen(ROOT / "dist")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ["XDG_CACHE_HOME"] = str(home / "caches")
        rows = list(_from_a_wheel(wheel, home))
        rows.append(_from_a_clone(home / "clone"))
        sizes = _sizes(home / "env")
    yield measure.markdown("The first minute, cold", ["step", "goal", "CPU s", "wall s"], rows)
    yield measure.markdown("What an installed core takes", ["package", "MB"], sizes)


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
    for words in (["--help"], ["anonymize", "--help"]):
        done, cost = measure.program([shoal, *words], 3)
        yield _step(" ".join(["shoal", *words]), cost, done.returncode)


def _from_a_clone(clone: Path) -> list[str]:
    measure.program(["git", "clone", "--quiet", str(ROOT), str(clone)])
    os.environ.pop("VIRTUAL_ENV", None)
    done, cost = measure.program(["make", "-C", str(clone), "demo"])
    return _step("make demo from a clone, all in all", cost, done.returncode)


def _demo(title: str, shoal: str, home: Path) -> list[str]:
    done, cost = measure.program([shoal, "demo", str(home / "demo")])
    return _step(title, cost, done.returncode)


def _step(title: str, cost: measure.Cost, code: int = 0) -> list[str]:
    digits = 1 if cost.cpu >= 1 else 2
    cpu = f"{cost.cpu:.{digits}f}" if code == 0 else f"exit code {code}"
    return [title, GOALS.get(title, ""), cpu, f"{cost.wall:.{digits}f}"]


def _sizes(environment: Path) -> list[list[str]]:
    """Return the megabytes of the largest packages, and of all."""
    (site,) = environment.glob("lib/*/site-packages")
    sizes: dict[str, int] = {}
    for file in site.rglob("*"):
        if file.is_file():
            package = file.relative_to(site).parts[0].removesuffix(".libs")
            sizes[package] = sizes.get(package, 0) + file.stat().st_size
    largest = sorted(sizes, key=lambda name: -sizes[name])[:LARGEST]
    rows = [[name, f"{sizes[name] / 1e6:.0f}"] for name in largest]
    return [*rows, ["all together", f"{sum(sizes.values()) / 1e6:.0f}"]]


def _children(work: Callable[[], None]) -> measure.Cost:
    """Measure programs that a function starts."""
    before = os.times()
    _, cost = measure.call(work)
    after = os.times()
    cpu = after.children_user + after.children_system
    return measure.Cost(cpu - before.children_user - before.children_system, cost.wall)
