"""Workers of a soak: processes that carry out cases, replaced when they are old or hang.

Each reports through a pipe of its own. A queue for all would have a lock, and a worker that dies
while it holds the lock would silence all others for good.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from soak.tally import Result

LIFE = 3000  # cases of one worker: what leaks then goes with its process
PATIENCE = 300.0  # seconds of work for one case; on a busy machine the clock says nothing
ONE_THREAD = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass
class _Worker:
    process: Any
    orders: Any
    answers: Any
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
        context = multiprocessing.get_context("spawn")
        crew = [self._hired(context) for _ in range(self.workers)]
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
                        crew[place] = self._hired(context)
                    following += self._ordered(crew[place], following, wanted)
        finally:
            for worker in crew:
                _dismissed(worker)

    def _hired(self, context: Any) -> _Worker:
        orders = context.Queue()
        answers, told = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(self.seed, self.kinds, orders, told))
        process.start()
        told.close()  # here: the pipe ends with the worker
        return _Worker(process, orders, answers)

    def _ordered(self, worker: _Worker, number: int, wanted: Callable[[int], bool]) -> int:
        """Give a worker the next case, if there is one; return the number of cases given."""
        if not wanted(number):
            return 0
        worker.number = number
        worker.since = worker.worked()
        worker.done += 1
        worker.orders.put(number)
        return 1

    def _reported(self, crew: list[_Worker]) -> Iterator[tuple[int, Result]]:
        """Yield what workers report, and a fault for each that died or hangs."""
        busy = [worker for worker in crew if worker.number is not None]
        heard = wait([worker.answers for worker in busy], timeout=1.0)
        for place, worker in enumerate(crew):
            if worker.number is None:
                continue
            if worker.answers in heard:
                yield place, self._answer(worker)
            elif worker.worked() - worker.since > PATIENCE:
                yield place, self._ended(worker, "took too long")

    def _answer(self, worker: _Worker) -> Result:
        """Read the result of a worker's case, or the end of its pipe."""
        try:
            result: Result = worker.answers.recv()
        except (EOFError, OSError):
            return self._ended(worker, "the process died")
        return result

    def _ended(self, worker: _Worker, fault: str) -> Result:
        """End a worker, and count its case as broken."""
        worker.process.kill()
        worker.process.join()  # until then it looks alive, and would get the next case
        assert worker.number is not None
        return Result(self.seed, worker.number, "unknown", "broken", {}, [fault])


def _dismissed(worker: _Worker) -> None:
    if worker.process.is_alive():
        worker.orders.put(None)
        worker.process.join(5.0)
    if worker.process.is_alive():
        worker.process.kill()
    worker.process.join()
    worker.answers.close()


def work(seed: int, kinds: tuple[str, ...], orders: Any, answers: Any) -> None:
    """Carry out cases by their numbers until there are no more."""
    from soak.cases import Case

    while (number := orders.get()) is not None:
        case = Case(seed, number, kinds)
        done = case.run()
        counted = (done.outcome, done.counts, done.faults, done.described)
        answers.send(Result(seed, number, case.kind, *counted))
