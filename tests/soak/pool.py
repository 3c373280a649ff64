"""Workers of a soak: processes that carry out cases, replaced when they are old or hang.

Each has a pipe of its own: one that dies while it reports would keep the lock of a shared queue,
and all others would wait for it.
"""

from __future__ import annotations

import multiprocessing
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import connection
from pathlib import Path
from typing import Any

from soak.tally import Result

LIFE = 3000  # cases of one worker: what leaks then goes with its process
PATIENCE = 300.0  # seconds of work for one case; on a busy machine the clock says nothing
ONE_THREAD = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass
class _Worker:
    process: Any
    pipe: Any
    number: int | None = None
    since: float = 0.0
    done: int = 0

    def worked(self) -> float:
        """Return the seconds that its process has worked, or those of the clock without /proc."""
        try:
            told = Path(f"/proc/{self.process.pid}/stat").read_text("utf-8", "replace")
        except OSError:
            return time.monotonic()
        ticks = told.rpartition(")")[2].split()[11:15]  # its own and its children's
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


@dataclass
class Pool:
    """Carries out the cases of a seed, one after the other, in several processes."""

    seed: int
    kinds: tuple[str, ...]
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)

    def run(self, wanted: Callable[[int], bool]) -> Iterator[Result]:
        """Yield results while `wanted(number)` holds for the next case, in any order."""
        for name in ONE_THREAD:
            os.environ.setdefault(name, "1")
        crew = [self._hired() for _ in range(self.workers)]
        following = 0
        try:
            for worker in crew:
                following += self._ordered(worker, following, wanted)
            while any(worker.number is not None for worker in crew):
                for place, result in self._reported(crew):
                    yield result
                    crew[place].number = None
                    if crew[place].done >= LIFE or not crew[place].process.is_alive():
                        _dismissed(crew[place])
                        crew[place] = self._hired()
                    following += self._ordered(crew[place], following, wanted)
        finally:
            for worker in crew:
                _dismissed(worker)

    def _hired(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=work, args=(self.seed, self.kinds, theirs), daemon=False)
        process.start()
        theirs.close()  # the worker's end is its own: with the worker the pipe ends
        return _Worker(process, ours)

    def _ordered(self, worker: _Worker, number: int, wanted: Callable[[int], bool]) -> int:
        """Give a worker the next case, if there is one; return the number of cases given."""
        if not wanted(number):
            return 0
        worker.number = number
        worker.since = worker.worked()
        worker.done += 1
        with suppress(BrokenPipeError):  # a worker that died already is found by its silence
            worker.pipe.send(number)
        return 1

    def _reported(self, crew: list[_Worker]) -> Iterator[tuple[int, Result]]:
        """Yield what workers report, and a fault for each that died or hangs."""
        ready = connection.wait([worker.pipe for worker in crew], timeout=1.0)
        for place, worker in enumerate(crew):
            if worker.number is None:
                continue
            late = worker.worked() - worker.since > PATIENCE
            result = _report(worker) if worker.pipe in ready else None
            if result is not None:
                yield place, result
            elif late or not worker.process.is_alive() or worker.pipe in ready:
                worker.process.kill()
                worker.process.join()  # until then it looks alive, and would get the next case
                fault = "took too long" if late else "the process died"
                yield place, Result(self.seed, worker.number, "unknown", "broken", {}, [fault])


def _report(worker: _Worker) -> Result | None:
    """Receive what a worker reports; None where it died instead."""
    try:
        result: Result = worker.pipe.recv()
    except (EOFError, ConnectionResetError):
        return None
    return result


def _dismissed(worker: _Worker) -> None:
    if worker.process.is_alive():
        with suppress(BrokenPipeError):
            worker.pipe.send(None)
        worker.process.join(5.0)
    if worker.process.is_alive():
        worker.process.kill()
    worker.process.join()
    worker.pipe.close()


def work(seed: int, kinds: tuple[str, ...], pipe: Any) -> None:
    """Carry out cases by their numbers until there are no more."""
    from soak.cases import Case

    warnings.simplefilter("ignore")  # what a release says is of interest where a case is run again
    while (number := pipe.recv()) is not None:
        case = Case(seed, number, kinds)
        done = case.run()
        pipe.send(
            Result(seed, number, case.kind, done.outcome, done.counts, done.faults, done.described)
        )
