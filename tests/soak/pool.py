"""Workers of a soak: processes that carry out cases, replaced when they are old or hang."""

from __future__ import annotations

import multiprocessing
import os
import queue
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
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
        results = context.Queue()
        crew = [self._hired(context, results, place) for place in range(self.workers)]
        following = 0
        try:
            for worker in crew:
                following += self._ordered(worker, following, wanted)
            while any(worker.number is not None for worker in crew):
                for place, result in self._reported(crew, results):
                    yield result
                    crew[place].number = None
                    if crew[place].done >= LIFE or not crew[place].process.is_alive():
                        _dismissed(crew[place])
                        crew[place] = self._hired(context, results, place)
                    following += self._ordered(crew[place], following, wanted)
        finally:
            for worker in crew:
                _dismissed(worker)

    def _hired(self, context: Any, results: Any, place: int) -> _Worker:
        orders = context.Queue()
        arguments = (self.seed, self.kinds, orders, results, place)
        process = context.Process(target=work, args=arguments, daemon=False)
        process.start()
        return _Worker(process, orders)

    def _ordered(self, worker: _Worker, number: int, wanted: Callable[[int], bool]) -> int:
        """Give a worker the next case, if there is one; return the number of cases given."""
        if not wanted(number):
            return 0
        worker.number = number
        worker.since = worker.worked()
        worker.done += 1
        worker.orders.put(number)
        return 1

    def _reported(self, crew: list[_Worker], results: Any) -> Iterator[tuple[int, Result]]:
        """Yield what workers report, and a fault for each that died or hangs."""
        try:
            place, result = results.get(timeout=1.0)
            if crew[place].number == result.number:
                yield place, result
            return
        except queue.Empty:
            pass
        for place, worker in enumerate(crew):
            late = worker.worked() - worker.since > PATIENCE
            if worker.number is None or (worker.process.is_alive() and not late):
                continue
            worker.process.kill()
            worker.process.join()  # until then it looks alive, and would get the next case
            fault = "took too long" if late else "the process died"
            yield place, Result(self.seed, worker.number, "unknown", "broken", {}, [fault])


def _dismissed(worker: _Worker) -> None:
    if worker.process.is_alive():
        worker.orders.put(None)
        worker.process.join(5.0)
    if worker.process.is_alive():
        worker.process.kill()
    worker.process.join()


def work(seed: int, kinds: tuple[str, ...], orders: Any, results: Any, place: int) -> None:
    """Carry out cases by their numbers until there are no more."""
    from soak.cases import Case

    while (number := orders.get()) is not None:
        case = Case(seed, number, kinds)
        done = case.run()
        results.put(
            (
                place,
                Result(
                    seed, number, case.kind, done.outcome, done.counts, done.faults, done.described
                ),
            )
        )
