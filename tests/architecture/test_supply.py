"""Supply: locked files have hashes, and the bill of materials lists what the core installs."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tools.write_sbom import BUILD, ENTRY, LOCK, bill

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = {name: (ROOT / name).read_text("utf-8") for name in ("constraints.txt", LOCK.name)}


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_version_has_hashes_and_no_host_is_named(name: str) -> None:
    entries = re.split(r"\n(?=\S)", LOCKS[name].strip())
    assert entries and all("--hash=sha256:" in entry for entry in entries)
    assert "://" not in LOCKS[name] and "index" not in LOCKS[name]


def test_both_locks_name_the_same_versions() -> None:
    everything, core = ({entry[0].strip(" \\") for entry in _entries(name)} for name in LOCKS)
    assert core < everything


def test_the_bill_lists_the_core_and_nothing_of_this_machine() -> None:
    made = bill(LOCKS[LOCK.name], PROJECT, b"wheel")
    names = {part["name"] for part in made["components"]}
    assert {"numpy", "numba", "pyarrow", "narwhals", "click", "rich", "msgspec"} <= names
    assert "llvmlite" in names and not names & {*BUILD} and "pytest" not in names
    assert len(made["dependencies"][0]["dependsOn"]) >= len(PROJECT["dependencies"])
    assert made["bomFormat"] == "CycloneDX" and made["metadata"]["component"]["name"] == "shoal"
    references = [part["bom-ref"] for part in made["components"]]
    assert len(references) == len({*references})
    assert "timestamp" not in json.dumps(made) and str(ROOT) not in json.dumps(made)


def test_equal_sources_give_an_equal_bill_and_others_another_number() -> None:
    numbers = [
        bill(LOCKS[LOCK.name], PROJECT, wheel)["serialNumber"] for wheel in (b"a", b"a", b"b")
    ]
    assert numbers[0] == numbers[1] != numbers[2]


def test_the_locks_are_those_of_the_dependencies() -> None:
    assert list(not_locked(PROJECT["dependencies"], LOCKS[LOCK.name])) == []
    for needs in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()):
        assert list(not_locked(needs, LOCKS["constraints.txt"])) == []


def test_a_dependency_that_is_not_locked_is_found() -> None:
    lock = "numpy==2.1.0 \\\n    --hash=sha256:0\nrich==13.0 ; python_version < '4'\n"
    needs = ["numpy>=2.2", "rich>=13", "Polars[x]>=1", "shoal[db]"]
    assert list(not_locked(needs, lock)) == ["numpy>=2.2", "Polars[x]>=1"]


def not_locked(needs: list[str], lock: str) -> Iterator[str]:
    """Find the dependencies for which a lock has no version that they allow."""
    locked = {(entry["name"], entry["version"]) for entry in ENTRY.finditer(lock)}
    for need in needs:
        asked = Requirement(need)
        name = canonicalize_name(asked.name)
        allowed = {version for other, version in locked if other == name}
        if name != PROJECT["name"] and not any(map(asked.specifier.contains, allowed)):
            yield need


def _entries(name: str) -> list[re.Match[str]]:
    return list(ENTRY.finditer(LOCKS[name]))
