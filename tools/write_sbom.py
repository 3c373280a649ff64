"""Bill of materials: what an installed Shoal consists of, as CycloneDX JSON beside the wheel.

It lists the core dependencies with the versions of `constraints-core.txt`, and what builds the
wheel is not among them. Nothing is asked and nothing is taken from this machine: equal sources and
locks give equal bytes, without a time and with a serial number made from the content.

    python -m tools.write_sbom dist
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tomllib
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "constraints-core.txt"
ENTRY = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^ \\;]+)(?: ; (?P<marker>.*?))? *\\?$", re.M)
# needed by the build alone (the dependency group `build`), and so in the lock but not in the wheel
BUILD = (
    "editables",
    "hatchling",
    "packaging",
    "pathspec",
    "pluggy",
    "tomlkit",
    "trove-classifiers",
)


def bill(lock: str, project: dict[str, Any], wheel: bytes) -> dict[str, Any]:
    """Return the bill of materials of a wheel whose dependencies are locked."""
    locked = [entry for entry in ENTRY.finditer(lock) if entry["name"] not in BUILD]
    components = [_component(entry) for entry in locked]
    digest = hashlib.sha256(wheel).hexdigest()
    own = {
        "type": "library",
        "bom-ref": f"pkg:pypi/{project['name']}@{project['version']}",
        "name": project["name"],
        "version": project["version"],
        "purl": f"pkg:pypi/{project['name']}@{project['version']}",
        "licenses": [{"license": {"id": project["license"]}}],
        "hashes": [{"alg": "SHA-256", "content": digest}],
    }
    direct = {_plain_name(need) for need in project["dependencies"]}
    edges = [part["bom-ref"] for part in components if part["name"] in direct]
    lock_digest = hashlib.sha256(lock.encode()).hexdigest()
    serial = uuid.uuid5(uuid.NAMESPACE_URL, f"{digest} {lock_digest}")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "component": own,
            "properties": [{"name": "shoal:lock:sha256", "value": lock_digest}],
        },
        "components": components,
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": edges}],
    }


def _component(entry: re.Match[str]) -> dict[str, Any]:
    """Return a locked version as a component; one that is for some Pythons only says for which."""
    reference = f"pkg:pypi/{entry['name']}@{entry['version']}"
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": reference,
        "name": entry["name"],
        "version": entry["version"],
        "purl": reference,
    }
    if entry["marker"]:
        component["properties"] = [{"name": "shoal:marker", "value": entry["marker"]}]
    return component


def _plain_name(need: str) -> str:
    """Return the name of a package without its versions, spelled as in the lock."""
    return re.split(r"[^\w.-]", need, maxsplit=1)[0].lower().replace("_", "-")


def main(folder: str) -> None:
    """Write the bill of each wheel in a folder beside it: `NAME.whl.cdx.json`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for wheel in sorted(Path(folder).glob("*.whl")):
        made = bill(LOCK.read_text(encoding="utf-8"), project, wheel.read_bytes())
        place = wheel.with_name(f"{wheel.name}.cdx.json")
        place.write_text(json.dumps(made, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
