"""Workers: cells measured side by side, as many at once as processors and memory allow."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

import pyarrow as pa

from shoal.comparison.cells import Bench, Cell, CellRow, lost
from shoal.declare.memory import free
from shoal.kernels.threads import processors

# Bytes that a worker needs before it has a table: compiler, Arrow, compiled kernels.
OURS = 300 * 2**20
# Bytes for each cell of the table while a method works: codes, boxes, copies, printed texts.
PER_CELL = 100
# Rows times cells: below, starting a process takes longer than the work.
WORTHWHILE = 20_000
ENDED = "the process that measured it was ended, perhaps for want of memory"


def measured(table: pa.Table, cells: Sequence[Cell], jobs: int) -> Generator[tuple[Cell, CellRow]]:
    """Yield each cell with its finding, as they are finished.

    Closing the generator stops the work.
    """
    if jobs <= 1 or not sys.executable:
        bench = Bench(table)
        yield from ((cell, bench.measure(cell)) for cell in cells)
        return
    crew = Crew(table, cells)
    try:
        crew.start(jobs)
        for _ in cells:
            yield crew.next()
    finally:
        crew.stop()


def jobs_for(table: pa.Table, cells: int) -> int:
    """Compute the number of workers: one for each processor and cell, as far as memory allows."""
    if table.num_rows * cells < WORTHWHILE:
        return 1
    needed = OURS + table.nbytes + PER_CELL * table.num_rows * table.num_columns
    room = _free_memory() // needed
    return max(1, min(processors(), cells, room))


class Crew:
    """Processes that take cells from one queue; a thread of ours waits for each of them."""

    def __init__(self, table: pa.Table, cells: Sequence[Cell]) -> None:
        self._table = table
        self._todo: SimpleQueue[Cell] = SimpleQueue()
        self._done: SimpleQueue[tuple[Cell, CellRow] | BaseException] = SimpleQueue()
        self._stopped = Event()
        self._workers: list[Worker] = []
        for cell in cells:
            self._todo.put(cell)

    def start(self, jobs: int) -> None:
        """Start `jobs` workers."""
        for _ in range(jobs):
            Thread(target=self._serve, daemon=True).start()

    def next(self) -> tuple[Cell, CellRow]:
        """Return the cell that is finished next."""
        done = self._done.get()
        if isinstance(done, BaseException):
            raise done
        return done

    def stop(self) -> None:
        """End all processes at once."""
        self._stopped.set()
        for worker in self._workers:
            worker.end()

    def _serve(self) -> None:
        try:
            worker = self._hire()
            while not self._stopped.is_set():
                cell = self._todo.get_nowait()
                finding = worker.measure(cell)
                if finding is None:
                    worker = self._hire()
                self._done.put((cell, finding or lost(cell, ENDED)))
        except Empty:
            pass
        except BaseException as error:
            self._done.put(error)

    def _hire(self) -> Worker:
        worker = Worker(self._table)
        self._workers.append(worker)
        if self._stopped.is_set():
            worker.end()
        return worker


class Worker:
    """A process of `shoal.comparison.worker`."""

    def __init__(self, table: pa.Table) -> None:
        # The worker imports from the same folders as this process.
        folders = os.pathsep.join(folder for folder in sys.path if folder)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "shoal.comparison.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": folders, "OMP_WAIT_POLICY": "passive"},
        )
        self._send(table)

    def measure(self, cell: Cell) -> CellRow | None:
        """Measure a cell; None if the process has ended."""
        self._send(cell)
        try:
            return pickle.load(self._process.stdout)  # type: ignore[arg-type]
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):
            self.end()
            return None

    def _send(self, thing: Any) -> None:
        with suppress(OSError, ValueError):  # it has ended: reading will tell
            pickle.dump(thing, self._process.stdin)  # type: ignore[arg-type]
            self._process.stdin.flush()  # type: ignore[union-attr]

    def end(self) -> None:
        """Kill the process: there is nothing that it could leave half done."""
        self._process.kill()
        self._process.wait()


def _free_memory(*places: str) -> int:
    """Return the bytes that may be taken; half of all where the system does not say."""
    available = free(*places)
    if available is None:
        with suppress(AttributeError, OSError, ValueError):
            available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return 2**62 if available is None else available
