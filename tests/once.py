"""Servers that are started once for a whole run, whichever of its processes asks first.

The process that begins the run holds one end of a pipe open as long as the run lasts. Whoever asks
first starts a server, under a lock; the server reads the other end of the pipe and stops when the
pipe is closed: when the run is over, however it ends. Tests that use one take turns (`turn`), so a
test may kill what it likes on its server.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

RUN = "SHOAL_TEST_RUN"  # the variable that tells every process of a run its folder
PIPE = "pipe"
PATIENCE = 60.0  # seconds until a server has stopped
HELD = pytest.StashKey[int]()
STARTED: list[subprocess.Popen[str]] = []  # by this process


def begin(config: pytest.Config) -> None:
    """Make the folder and the pipe of a run; processes that the run starts find them."""
    if hasattr(config, "workerinput"):
        return
    folder = Path(tempfile.mkdtemp(prefix="shoal-run-"))
    os.mkfifo(folder / PIPE)
    os.environ[RUN] = str(folder)
    # both ends, so that opening it does not wait for a server
    config.stash[HELD] = os.open(folder / PIPE, os.O_RDWR)


def end(config: pytest.Config) -> None:
    """Close the pipe, wait until every server has stopped, and remove the folder."""
    if HELD not in config.stash:
        return
    folder = Path(os.environ.pop(RUN))
    os.close(config.stash[HELD])
    del config.stash[HELD]
    for process in STARTED:
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:  # no run fails because a server does not end
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    latest = time.monotonic() + PATIENCE
    while any(folder.glob("*.running")) and time.monotonic() < latest:
        time.sleep(0.05)
    shutil.rmtree(folder, ignore_errors=True)


def started(name: str, program: str) -> dict[str, Any]:
    """Return what a server told about itself; a Python program is started if no process did it yet.

    The program tells it with `once.serve`, which returns when the run is over.
    """
    folder = Path(os.environ[RUN])
    with _locked(folder / f"{name}.starting"):
        told = folder / f"{name}.running"
        if not told.exists():
            _start(name, program)
        return dict(json.loads(told.read_text("utf-8")))


def serve(name: str, told: dict[str, Any]) -> None:
    """Tell the run about a server, from inside its process, and wait until the run is over."""
    folder = Path(os.environ[RUN])
    running = folder / f"{name}.running"
    written = folder / f"{name}.written"
    # Opened before anybody is told: once the run is over, opening it would wait forever.
    with (folder / PIPE).open("rb") as pipe:
        written.write_text(json.dumps(told), "utf-8")
        written.rename(running)
        print("ready", flush=True)
        pipe.read()


def stopped(name: str) -> None:
    """Tell the run that a server has stopped, from inside its process."""
    (Path(os.environ[RUN]) / f"{name}.running").unlink(missing_ok=True)


@contextmanager
def turn(servers: set[str]) -> Iterator[None]:
    """Have some servers alone for a while."""
    with ExitStack() as stack:
        for name in sorted(servers):
            stack.enter_context(_locked(Path(os.environ[RUN]) / f"{name}.used"))
        yield


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _start(name: str, program: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{program}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # Ctrl-C is for the run, and the end of the run for the server
        env={key: value for key, value in os.environ.items() if not key.startswith("SPARK_")},
    )
    STARTED.append(process)
    assert process.stdout and process.stdout.readline() == "ready\n", f"no {name} server"
