"""Compiled code from a wheel or an administrator is used, where it can be trusted."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from shoal.kernels.jit import folders, keeping, units

ROOT = Path(__file__).parents[2]
KERNEL = "partition.peel"
FIRST_RUN = """
import gc, hashlib, json, os, sys
if "read-only" in sys.argv:
    os.access = lambda *_: False  # whoever runs the tests may be able to write everywhere
from shoal import api
from shoal.adapters.demo_data import patients
from shoal.cli.demo import RECIPE
from shoal.kernels.jit.units import Kernel
from shoal.recipe import Recipe

release = api.anonymize(patients(), recipe=Recipe.of(**RECIPE, seed=1))
used = [each for each in gc.get_objects() if isinstance(each, Kernel) and each.overloads]
published = json.dumps([release.table.to_pylist(), release.groups.tolist()])
print(json.dumps({
    "compiled": sum(sum(each.stats.cache_misses.values()) for each in used),
    "loaded": sum(sum(each.stats.cache_hits.values()) for each in used),
    "release": hashlib.sha256(published.encode()).hexdigest(),
    "losses": {name: float(value).hex() for name, value in release.losses.items()},
    "source": api.__file__,
}))
"""


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install Shoal elsewhere as a wheel does, with the code that a first run uses."""
    if units.level() is None:
        pytest.skip("code that is made for this very CPU is not shipped")
    site = tmp_path_factory.mktemp("site")
    without = shutil.ignore_patterns(folders.BESIDE, folders.SHIPPED.name)
    shutil.copytree(ROOT / "src" / "shoal", site / "shoal", ignore=without)
    shipped = site / "shoal" / "kernels" / folders.SHIPPED.name
    command = [sys.executable, "-m", "tools.ship_kernels", str(shipped)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return site


def first_run(site: Path, caches: Path, *how: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_RUN, *how],
        env={"PYTHONPATH": str(site), "XDG_CACHE_HOME": str(caches), "HOME": str(caches)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert Path(said.pop("source")).is_relative_to(site)
    return {**said, "waited": "compiling" in done.stderr}


def test_a_first_run_finds_its_code_in_the_wheel_and_answers_alike(
    installation: Path, tmp_path: Path
):
    caches = tmp_path / "caches"
    there = first_run(installation, caches)
    assert there.pop("compiled") == 0 and there.pop("loaded") > 20
    assert not there.pop("waited")
    assert not caches.exists(), "nothing was compiled, and so nothing is to be kept"
    here = first_run(ROOT / "src", caches)
    assert {name: here[name] for name in there} == there


def test_users_who_cannot_write_read_what_an_administrator_compiled(
    installation: Path, tmp_path: Path
):
    kernels = tmp_path / "site" / "shoal" / "kernels"
    shutil.copytree(installation, tmp_path / "site")
    shutil.copytree(kernels / folders.SHIPPED.name, kernels / folders.BESIDE, dirs_exist_ok=True)
    shutil.rmtree(kernels / folders.SHIPPED.name)
    said = first_run(tmp_path / "site", tmp_path / "caches", "read-only")
    assert said["compiled"] == 0 and not said["waited"]


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Make the three folders in which code of a kernel may lie, each with a file."""
    kernels = tmp_path / "kernels"
    listed = {
        "shipped": kernels / "shipped" / "peel-1",
        "beside": kernels / folders.BESIDE / "peel-1",
        "kept": tmp_path / "caches" / "peel-1",
    }
    for folder in listed.values():
        folder.mkdir(parents=True)
        (folder / "peel.nbi").write_bytes(b"")
    (kernels / "shipped" / keeping.NOTE).write_text(json.dumps(keeping.made_for()))
    monkeypatch.setattr(keeping, "home", lambda kernel: listed["kept"])
    monkeypatch.setattr(keeping, "KERNELS", kernels)
    monkeypatch.setattr(keeping, "SHIPPED", kernels / "shipped")
    monkeypatch.setattr(folders.may_read_installed, "__defaults__", (kernels,))
    return listed


def readable(places: dict[str, Path]) -> set[str]:
    keeping._is_made_for_this.cache_clear()
    folders_read = keeping.readable(KERNEL)
    return {name for name, folder in places.items() if folder in folders_read}


@pytest.mark.parametrize("place", ["shipped", "beside", "kept"])
@pytest.mark.parametrize("what", ["folder", "file"])
def test_code_that_others_can_write_is_not_read(places: dict[str, Path], place: str, what: str):
    assert readable(places) == {"shipped", "beside", "kept"}
    (places[place] if what == "folder" else places[place] / "peel.nbi").chmod(0o777)
    assert readable(places) == {"shipped", "beside", "kept"} - {place}


def test_code_for_another_numba_stays_unread(places: dict[str, Path]):
    note = places["shipped"].parent / keeping.NOTE
    note.write_text(json.dumps({**keeping.made_for(), "numba": "0.1"}))
    assert readable(places) == {"beside", "kept"}
    note.write_text("not a note")
    assert readable(places) == {"beside", "kept"}


def test_a_shared_folder_beside_the_kernels_sends_code_to_the_users_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    kernels = tmp_path / "kernels"
    (kernels / folders.BESIDE).mkdir(parents=True)
    (kernels / "one.py").write_text("x = 1\n")
    homes = folders.home.__wrapped__
    assert homes("one", kernels).parent == kernels / folders.BESIDE
    (kernels / folders.BESIDE).chmod(0o777)
    assert homes("one", kernels).parent == tmp_path / "caches" / "shoal"
