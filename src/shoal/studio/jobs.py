"""Jobs: run work in processes of their own, which may be cancelled and may crash.

Neither harms the studio.

A worker (`shoal.studio.work`) reads a request and tells, line by line in JSON, how far it is and
what it found. One spare worker always waits with everything imported, so that work begins at once;
after short work that went well the worker becomes the spare one again. Two work at a time, one
more at what nobody waits for, and one at previews; others wait in line.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["waiting", "running", "done", "refused", "failed", "cancelled"]

AT_ONCE = 2
BESIDE = frozenset({"frontier", "levels", "candidates", "foresee", "try-graph"})
"""Work that the studio itself begins: nobody's own work waits for it."""
QUICK = frozenset({"preview"})
"""Work that answers a hand on a slider: it waits for nothing else."""
AGAIN = frozenset(
    {"read", "inspect", "single", "everyone", "attack", "expose", "hand", "preview", "formats"}
    | {"ledger", "record", "read-graph", "try-graph"}
)
"""Work after which a worker may wait for more: it is short, and leaves the process as it was."""
DRAWN = 400  # losses of a job that are kept for its curve
SOON = 0.05  # share of a stage after which its end can be guessed
TRIES = 3
UNDISTURBED = 2.0  # seconds that a job has for itself before the next worker imports what it needs
COMPILING = (
    "The first time on this machine, code is compiled: that takes about a minute, and never again."
)
LINE = 64 * 2**20  # bytes of the longest thing a worker tells


@dataclass
class Job:
    """One piece of work: how far it is, and what came of it."""

    do: str
    asked: dict[str, Any]
    state: State = "waiting"
    stage: str = ""
    share: float = 0.0
    loss: float | None = None
    losses: list[tuple[float, float]] = field(default_factory=list)
    """Pairs of seconds since the start and the loss then, as a curve."""
    rounds: int = 0
    """How many rounds found a better division of the table."""
    stage_began: float = 0.0
    """Seconds since the start at which the present stage began."""
    told: list[dict[str, Any]] = field(default_factory=list)
    """Messages of the worker on its way: the points of a curve, say."""
    compiling: bool = False
    """Whether its worker compiles code that this machine lacked, or waits for who does."""
    again: bool = False
    """Whether its worker says that it can take another job."""
    result: dict[str, Any] | None = None
    problem: str | None = None
    """The reason why there is no result, in the user's words."""
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    task: asyncio.Task[None] | None = None
    process: asyncio.subprocess.Process | None = None

    @property
    def over(self) -> bool:
        """Tell whether the job has ended."""
        return self.state not in ("waiting", "running")

    @property
    def waiting_for(self) -> str:
        """Say why nothing has come yet: its turn, or code that is compiled for the first time."""
        if self.state == "waiting":
            return "Waiting for its turn."
        if self.state != "running" or self.told:
            return ""
        return self.first_time or f"At work: {self.stage or 'beginning'} ..."

    @property
    def first_time(self) -> str:
        """Say that code is compiled, and for how long; nothing where none is."""
        return f"{COMPILING} {self.seconds:.0f} s so far." * self.compiling

    @property
    def seconds_left(self) -> float | None:
        """Guess how long the present stage may still take; None where that can't be guessed yet."""
        if not SOON < self.share < 1:
            return None
        return (self.seconds - self.stage_began) * (1 - self.share) / self.share

    @property
    def seconds(self) -> float:
        """Return the seconds that the job has taken so far."""
        return (self.ended or time.monotonic()) - self.began

    def cancel(self) -> None:
        """End the job at once; whatever it has made is thrown away."""
        if not self.over:
            self.end("cancelled")
            stop(self.process)
            if self.task is not None:
                self.task.cancel()

    async def wait(self) -> Job:
        """Wait for the end of the job, and return the job."""
        while not self.over:
            await asyncio.sleep(0.05)
        return self

    def end(self, state: State, problem: str | None = None) -> None:
        """Put the job into its last state; only the first call counts."""
        if not self.over:
            self.state = state
            self.problem = problem
            self.ended = time.monotonic()

    def hear(self, told: dict[str, Any]) -> None:
        """Take in one message of the worker."""
        match told.pop("says"):
            case "stage":
                self.stage = told["name"]
                self.share = 0.0
                self.stage_began = self.seconds
            case "compiling":
                self.compiling = True
            case "share":
                self.rounds = told.get("rounds", 0)
                self._come(told["share"], told.get("loss"))
            case "done":
                self.result = told["result"]
                self.again = told.get("again", False)
                self.end("done")
            case "refused":
                self.end("refused", told["problem"])
            case "failed":
                self.end("failed", told["problem"])
            case _:
                self.told.append(told)

    def _come(self, share: float, loss: float | None) -> None:
        """Note the share of the work that is done, and the loss so far if it is known."""
        self.share = share
        if loss is not None:
            self.loss = loss
            self.losses.append((self.seconds, loss))
            if len(self.losses) > DRAWN:  # a long job: every second one will do
                self.losses = self.losses[::2]


class Shop:
    """Run jobs: two at a time, one more in the background, the others in line."""

    def __init__(self) -> None:
        self.places = asyncio.Semaphore(AT_ONCE)
        self.beside = asyncio.Semaphore(1)
        self.quick = asyncio.Semaphore(1)
        self.spare: asyncio.Task[asyncio.subprocess.Process] | None = None
        self.jobs: list[Job] = []
        self.closed = False

    def prepare(self) -> None:
        """Start a spare worker, unless one waits already."""
        if self.spare is None and not self.closed:
            self.spare = asyncio.create_task(_worker())

    def start(self, do: str, *, then: Callable[[Job], None] | None = None, **asked: Any) -> Job:
        """Start a piece of work by its name (see `work`).

        `then` is called when it is over, however it ended.
        """
        job = Job(do, asked)
        self.jobs = [one for one in self.jobs if not one.over] + [job]
        job.task = asyncio.create_task(self._work(job))
        if then is not None:  # called back even if it was cancelled before it began
            job.task.add_done_callback(lambda _: then(job))
        return job

    async def _work(self, job: Job) -> None:
        try:
            async with self._place(job.do):
                job.state = "running"
                job.began = time.monotonic()
                await self._watch(job)
        except Exception as fault:
            # no process can be started, or it reports in no way that is known
            job.end(
                "failed",
                f"the work could not be followed ({type(fault).__name__}); nothing was published",
            )
        finally:
            job.end("cancelled")  # unless it has ended: the studio closes
            stop(job.process)

    def _place(self, do: str) -> asyncio.Semaphore:
        """Return the line in which work of a kind waits for its turn."""
        if do in QUICK:
            return self.quick
        return self.beside if do in BESIDE else self.places

    async def _watch(self, job: Job) -> None:
        """Give a worker its request, and take in its messages until it ends."""
        job.process = process = await self._taken()
        later = asyncio.get_running_loop().call_later(UNDISTURBED, self.prepare)
        assert process.stdin and process.stdout
        with suppress(ConnectionError):
            process.stdin.write(json.dumps({"do": job.do, **job.asked}).encode() + b"\n")
            await process.stdin.drain()
        try:
            while not job.over and (line := await process.stdout.readline()).endswith(b"\n"):
                job.hear(json.loads(line))
            if job.again and job.do in AGAIN:
                job.process = None
                self._give_back(asyncio.create_task(_ready(process)))
        finally:
            later.cancel()
            self.prepare()
        if not job.over:
            job.end(
                "failed",
                "the work ended unexpectedly, perhaps for want of memory; nothing was published",
            )

    async def _taken(self) -> asyncio.subprocess.Process:
        """Return the spare worker, or a new one where it died in the meantime."""
        for _ in range(TRIES):
            self.prepare()
            waiting = self.spare
            self.spare = None
            if waiting is None:  # the studio closes
                break
            try:
                process = await asyncio.shield(waiting)
            except asyncio.CancelledError:
                # the job was cancelled, and not the worker: the next job has it
                self._give_back(waiting)
                raise
            if process.returncode is None:
                return process
        raise ChildProcessError

    def _give_back(self, waiting: asyncio.Task[asyncio.subprocess.Process]) -> None:
        if self.spare is None and not self.closed:
            self.spare = waiting
        else:
            _end(waiting)

    def close(self) -> None:
        """Cancel all jobs, and end the spare worker."""
        self.closed = True
        for job in self.jobs:
            job.cancel()
        if self.spare is not None:
            _end(self.spare)
            self.spare = None


async def _worker() -> asyncio.subprocess.Process:
    """Start a process that waits for a request.

    It leads a process group of its own, so that all it starts can be ended with it.
    """
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # imports nothing that happens to lie in the user's working directory
        "-m",
        "shoal.studio.work",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,  # a foreign message may quote a cell
        limit=LINE,
        start_new_session=True,
    )


async def _ready(process: asyncio.subprocess.Process) -> asyncio.subprocess.Process:
    """Return a worker that has started already."""
    return process


def _end(waiting: asyncio.Task[asyncio.subprocess.Process]) -> None:
    """End a spare worker, at once or as soon as it has started.

    A start that is cancelled halfway may never finish, so it is waited for.
    """

    def started(start: asyncio.Task[asyncio.subprocess.Process]) -> None:
        if not start.cancelled() and not start.exception():
            stop(start.result())

    waiting.add_done_callback(started)


def stop(process: asyncio.subprocess.Process | None) -> None:
    """End a worker and all processes that it started."""
    if process is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
