"""Jobs: work in processes of their own. A job may be cancelled at any time, and may crash without harm to the studio.

A worker (`shoal.studio.work`) reads one request and tells, line by line in JSON, how far it is and what it found. One
spare worker always waits with everything imported, so that work begins at once. Two work at a time; others wait in line.
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
    told: list[dict[str, Any]] = field(default_factory=list)
    """What the worker told on its way, the points of a curve, say."""
    result: dict[str, Any] | None = None
    problem: str | None = None
    """Why there is no result, in the user's words."""
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    task: asyncio.Task[None] | None = None
    process: asyncio.subprocess.Process | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state not in ("waiting", "running")

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return (self.ended or time.monotonic()) - self.began

    def cancel(self) -> None:
        """End it at once; whatever it has made is thrown away."""
        if not self.over:
            self.end("cancelled")
            stop(self.process)
            if self.task is not None:
                self.task.cancel()

    async def wait(self) -> Job:
        """Itself, once it is over."""
        while not self.over:
            await asyncio.sleep(0.05)
        return self

    def end(self, state: State, problem: str | None = None) -> None:
        """Nothing more will happen."""
        self.state, self.problem, self.ended = state, problem, time.monotonic()

    def hear(self, told: dict[str, Any]) -> None:
        """One thing that the worker tells."""
        match told.pop("says"):
            case "stage":
                self.stage, self.share = told["name"], 0.0
            case "share":
                self.share, self.loss = told["share"], told.get("loss") if told.get("loss") is not None else self.loss
            case "done":
                self.result = told["result"]
                self.end("done")
            case "refused":
                self.end("refused", told["problem"])
            case "failed":
                self.end("failed", told["problem"])
            case _:
                self.told.append(told)


class Shop:
    """Where jobs are done."""

    def __init__(self) -> None:
        self.places = asyncio.Semaphore(AT_ONCE)
        self.spare: asyncio.Task[asyncio.subprocess.Process] | None = None
        self.jobs: list[Job] = []

    def prepare(self) -> None:
        """Have a worker wait."""
        if self.spare is None:
            self.spare = asyncio.create_task(_worker())

    def start(self, do: str, *, then: Callable[[Job], None] | None = None, **asked: Any) -> Job:
        """Ask for a piece of work by its name (see `work`); `then` is called when it is over, however it ended."""
        job = Job(do, asked)
        self.jobs = [one for one in self.jobs if not one.over] + [job]
        job.task = asyncio.create_task(self._work(job, then))
        return job

    async def _work(self, job: Job, then: Callable[[Job], None] | None) -> None:
        try:
            async with self.places:
                if not job.over:
                    job.state, job.began = "running", time.monotonic()
                    await self._watch(job)
        except asyncio.CancelledError:
            job.end("cancelled")
        finally:
            stop(job.process)
            if then is not None:
                then(job)

    async def _watch(self, job: Job) -> None:
        """Give a worker its request, and hear it out."""
        self.prepare()
        waiting, self.spare = self.spare, None
        assert waiting is not None
        job.process = process = await waiting
        self.prepare()
        assert process.stdin and process.stdout
        with suppress(ConnectionError):
            process.stdin.write(json.dumps({"do": job.do, **job.asked}).encode() + b"\n")
            await process.stdin.drain()
        while not job.over and (line := await process.stdout.readline()):
            job.hear(json.loads(line))
        if not job.over:
            job.end("failed", "the work ended unexpectedly, perhaps for want of memory; nothing was published")

    def close(self) -> None:
        """End everything."""
        for job in self.jobs:
            job.cancel()
        if self.spare is not None and self.spare.done() and not self.spare.cancelled():
            stop(self.spare.result())
        elif self.spare is not None:
            self.spare.cancel()


async def _worker() -> asyncio.subprocess.Process:
    """A process that waits for a request; it leads a group of its own, so that all it starts can be ended with it."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "shoal.studio.work"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,  # a foreign message may quote a cell
        limit=LINE,
        start_new_session=True,
    )


def stop(process: asyncio.subprocess.Process | None) -> None:
    """End a worker and all that it started."""
    if process is not None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
