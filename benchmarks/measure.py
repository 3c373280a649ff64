"""CPU seconds of a call or of a program, children and threads counted; and tables of text."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

Result = TypeVar("Result")


class Cost(NamedTuple):
    """What a run took."""

    cpu: float
    wall: float


class Stages:
    """Told when a stage of the pipeline begins; knows afterwards what each took."""

    def __init__(self) -> None:
        self._begun: list[tuple[str, float]] = []

    def __call__(self, name: str) -> Callable[[float], None]:
        self._begun.append((name, time.process_time()))
        return lambda share: None

    def seconds(self, beginning: str) -> float:
        """CPU seconds from the start of the stage whose name begins so to the start of the next
        one.
        """
        times = [begun for _, begun in self._begun]
        return sum(
            after - begun
            for (name, begun), after in zip(self._begun, times[1:], strict=False)
            if name.startswith(beginning)
        )


def call(work: Callable[[], Result]) -> tuple[Result, Cost]:
    """What a call returns, and what it took."""
    wall = time.perf_counter()
    cpu = time.process_time()
    result = work()
    return result, Cost(time.process_time() - cpu, time.perf_counter() - wall)


def limited(work: Callable[[], Result], seconds: int) -> Result | None:
    """What a call returns, in a process of its own that is ended after some CPU seconds; None if it
    was ended.
    """
    here, there = multiprocessing.Pipe(duplex=False)

    def worked() -> None:
        # The soft limit ends it; the hard one stays, so that programs it starts may have theirs.
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
        there.send(work())

    # Forked: what is imported and compiled is there, and the work needs no pickle.
    started = multiprocessing.get_context("fork").Process(target=worked)
    started.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        started.join()
        if started.exitcode != -signal.SIGXCPU:
            raise RuntimeError(f"ended with {started.exitcode}, not by its limit") from None
        return None
    finally:
        started.join()


def program(
    command: Sequence[str], times: int = 1
) -> tuple[subprocess.CompletedProcess[str], Cost]:
    """A finished program, and the least it took in several runs."""
    costs = []
    for _ in range(times):
        wall = time.perf_counter()
        before = os.times()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        after = os.times()
        cpu = (
            after.children_user
            + after.children_system
            - before.children_user
            - before.children_system
        )
        costs.append(Cost(cpu, time.perf_counter() - wall))
    return done, min(costs)


def peak(
    command: Sequence[str], env: Mapping[str, str] | None = None
) -> tuple[str, tuple[float, float]]:
    """What a program that ends well prints, its CPU seconds, and the most memory it had at once, in
    GB.
    """
    with tempfile.TemporaryFile("w+") as said:
        with subprocess.Popen(command, stdout=said, stderr=subprocess.DEVNULL, env=env) as started:
            _, status, used = os.wait4(started.pid, 0)
            started.returncode = os.waitstatus_to_exitcode(status)
        assert started.returncode == 0, command
        said.seek(0)
        return said.read(), (used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e9)


def markdown(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]], note: str = ""
) -> str:
    """A table that reads well in a terminal and as Markdown; every column but the first is set to
    the right.
    """
    widths = [max(2, *(len(line[i]) for line in [header, *rows])) for i in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [
        "| "
        + " | ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        + " |"
        for line in [header, rule, *rows]
    ]
    return "\n".join([f"## {title}", "", *lines, *(["", note] if note else []), ""])
