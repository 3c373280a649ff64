"""Environments: each peer is installed into a folder of its own, because they pin old versions."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "peers"


class Environment(NamedTuple):
    """Where a peer is installed, or why it is not."""

    python: str
    problem: str = ""


def installed(name: str, requirements: Sequence[str]) -> Environment:
    """Install a peer unless these very requirements are there; say in a few words why not.

    >>> installed("ours", []).python == sys.executable
    True
    """
    if not requirements:
        return Environment(sys.executable)
    home = FOLDER / name
    python = str(home / "bin" / "python")
    stamp = home / "installed.txt"
    if stamp.exists() and stamp.read_text("utf-8").split("\n") == [*requirements]:
        return Environment(python)
    print(f"Installing {', '.join(requirements)} into {home.relative_to(ROOT)}", file=sys.stderr)
    for command in _commands(home, requirements):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return Environment(python, kind_of(done.stderr))
    stamp.write_text("\n".join(requirements), "utf-8")
    return Environment(python)


def _commands(home: Path, requirements: Sequence[str]) -> list[list[str]]:
    """Return what makes an environment and installs into it: uv if there is one, else pip."""
    python = str(home / "bin" / "python")
    uv = Path(sys.executable).with_name("uv")
    made = [sys.executable, "-m", "venv", "--clear", str(home)]
    if uv.exists():
        install = [str(uv), "pip", "install", "--quiet", "--system-certs", "--python", python]
        return [[*made, "--without-pip"], [*install, *requirements]]
    return [made, [python, "-m", "pip", "install", "--quiet", *requirements]]


def kind_of(said: str) -> str:
    """Return the kind of an error of installing or running, without paths or addresses.

    >>> kind_of("Traceback (most recent call last):\\n  File x\\nValueError: no k for 7 of /a/b")
    'ValueError'
    """
    if re.search(r"No matching distribution|no version|not found in the package registry", said):
        return "no such version to be had"
    if "Requires-Python" in said or "requires a different Python" in said:
        return "not for this Python"
    named = re.findall(r"^(\w*(?:Error|Exception|Interrupt))\b", said, re.MULTILINE)
    return named[-1] if named else "could not be installed or run"
