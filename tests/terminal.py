"""The terminal in tests: `shoal(...)` runs a command in this process, `process(...)` in one of its
own.
"""

from __future__ import annotations

import gc
import io
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.cli import main

COMMAND = [sys.executable, "-c", "from shoal.cli import main; main()"]
# Seconds: other people use this machine too, and a process may have to compile what none has kept.
# A test that passes waits no longer for that.
PATIENCE = 900


@dataclass(frozen=True)
class Said:
    """What a command left behind: its exit code and what it said where."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def shoal(*args: object, stdin: bytes = b"") -> Said:
    """Run a command here; whatever escapes `main` but its exit is a fault of ours and raised."""
    kept = sys.stdout, sys.stderr, sys.stdin
    out = io.BytesIO()
    err = io.BytesIO()
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(raw, "utf-8", write_through=True) for raw in (out, err)
    )
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    code = 0
    try:
        main([str(arg) for arg in args])
    except SystemExit as done:
        code = int(done.code or 0)
    finally:
        streams = sys.stdout, sys.stderr
        sys.stdout, sys.stderr, sys.stdin = kept
        # A command freezes what it loaded, for it ends soon. Here the process goes on, and what
        # stays frozen is never freed: DuckDB would complain at the end of the run.
        gc.unfreeze()
    for stream in streams:
        stream.flush()
    return Said(code, out.getvalue().decode(), err.getvalue().decode())


def process(*args: object, **options: Any) -> Said:
    """Run a command in a process of its own."""
    done = subprocess.run(
        [*COMMAND, *map(str, args)], capture_output=True, timeout=PATIENCE, check=False, **options
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too, with its bytes."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


PROGRESS = re.compile(
    r"[a-z ]+: \d+%(, loss so far [\d.,e+-]+)?|(shoal: )?compiling code .*"
)  # of slow machines


def in_house_form(said: Said) -> bool:
    """Problem first, then facts as `name: value`, then a remedy; nothing else, and no traceback."""
    lines = said.err.rstrip("\n").split("\n")
    first, *rest = [line for line in lines if not PROGRESS.fullmatch(line)]
    told = first.startswith("shoal.errors.") and ": " in first
    return told and all(
        line.startswith(("  ", "- ")) and (": " in line or line.startswith("- ")) for line in rest
    )


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    """A small file."""
    path.write_bytes(text.encode(encoding))
    return path
