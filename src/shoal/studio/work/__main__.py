"""A worker: reads requests from standard input, and reports on standard output alone."""

from __future__ import annotations

import json
import os
import re
import select
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import IO

from shoal.errors import ShoalError
from shoal.kernels.waiting import hear
from shoal.studio.words import in_words
from shoal.studio.work import TASKS, task
from shoal.studio.work.telling import Tell

MODEST = 512 * 2**20  # bytes: a worker that once held more is not kept, for it may hold them still


def main() -> None:
    """Import what tasks need, and carry out requests, one after the other, until there are none."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing else may speak there
    for name in ("read", "inspect", "anonymize"):
        # once a request is there someone waits: the task imports what it needs by itself
        if not _is_asked():
            task(name)
    requests = SimpleQueue[str]()
    threading.Thread(target=_listen, args=(sys.stdin, requests), daemon=True).start()
    while True:
        _answer(requests.get(), Tell(answers))


def _answer(request: str, tell: Tell) -> None:
    """Carry out one request, and tell what came of it."""
    asked = json.loads(request)
    try:
        assert asked["do"] in TASKS
        with hear(lambda _: tell.say("compiling")):
            result = task(asked.pop("do"))(tell, **asked)
    except ShoalError as refusal:
        return tell.say("refused", problem=in_words(refusal))
    except MemoryError:
        return tell.say(
            "refused", problem="the table does not fit into memory; nothing was published"
        )
    except Exception as fault:  # where it happened, never what was said: that may quote a cell
        return tell.say(
            "failed",
            problem=(
                f"a fault of ours: {type(fault).__name__} at {_where(fault)}; nothing was published"
            ),
        )
    return tell.say("done", result=result, again=_is_modest())


def _is_modest() -> bool:
    """Tell whether this process may wait for another request: it never held much memory."""
    # Linux lets a new process begin with the peak of the one that started it, but not here.
    status = Path("/proc/self/status")
    if status.exists():
        peak = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii", errors="replace"))
        return peak is not None and int(peak[1]) * 1024 < MODEST
    try:
        import resource
    except ImportError:  # not on every system
        return False
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit < MODEST


def _is_asked() -> bool:
    """Tell whether a request is there already."""
    try:
        return bool(select.select([sys.stdin], [], [], 0)[0])
    except (OSError, ValueError):  # not on every system
        return False


def _where(fault: Exception) -> str:
    trace = fault.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return (
        f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "?"
    )


def _listen(studio: IO[str], requests: SimpleQueue[str]) -> None:
    """Pass requests on, and end this process when the studio is gone, however it ended."""
    for request in studio:
        requests.put(request)
    os._exit(1)


if __name__ == "__main__":
    main()
