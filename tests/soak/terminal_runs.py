"""Commands of a soak: run one, and list what breaks a rule that all commands keep."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from contextlib import chdir
from pathlib import Path
from typing import Any

import terminal
from terminal import Said

CODES = (0, 2, 3, 4, 130)
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")


def here(folder: Path, *words: object) -> Said:
    """Run a command in this process, in a folder."""
    with chdir(folder):
        return terminal.shoal(*words)


def apart(folder: Path, *words: object, **options: Any) -> Said:
    """Run a command in a process of its own, in a folder."""
    return terminal.process(*words, cwd=folder, env=plain_environment(), **options)


def started(folder: Path, *words: object, **options: Any) -> subprocess.Popen[bytes]:
    """Start a command in a process of its own and go on."""
    return subprocess.Popen(
        [*terminal.COMMAND, *map(str, words)],
        cwd=folder,
        env=plain_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


def plain_environment() -> dict[str, str]:
    """Return this process's environment without what makes the terminal speak differently."""
    return {name: value for name, value in os.environ.items() if name != "SHOAL_DEBUG"}


def rules_broken(said: Said, secrets: Iterable[str] = ()) -> list[str]:
    """List the rules that a finished command broke: its code, its words, and cells among them."""
    broken = list[str]()
    if said.code not in CODES:
        broken.append(f"exit code {said.code}: {last_line(said.err)}")
    if said.code not in (0, 130) and not re.search(r"^shoal\.errors\.\w+: .", said.err, re.M):
        broken.append("a refusal without a sentence")
    if "Traceback" in said.err or "a fault of ours" in said.err:
        broken.append(f"a fault of ours: {last_line(said.err)}")
    if CONTROL.search(said.err) or CONTROL.search(said.out):
        broken.append("control characters were printed")
    said_all = said.out + said.err
    if any(secret in said_all for secret in secrets):
        broken.append("the value of a cell was printed")
    return broken


def last_line(text: str) -> str:
    """Return the last line of a text, shortened."""
    lines = text.strip().splitlines() or [""]
    return lines[-1][:200]
