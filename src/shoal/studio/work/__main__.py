"""A worker: reads one request from standard input, and reports on standard output alone."""

from __future__ import annotations

import json
import os
import select
import sys
import threading
from typing import IO

from shoal.errors import ShoalError
from shoal.studio.words import in_words
from shoal.studio.work import TASKS, task
from shoal.studio.work.telling import Tell


def main() -> None:
    """Import what tasks need, wait for a request, and carry it out."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing else may speak there
    for name in ("read", "inspect", "anonymize"):
        # once a request is there someone waits: the task imports what it needs by itself
        if not _is_asked():
            task(name)
    request = sys.stdin.readline()
    if not request:
        return None
    threading.Thread(target=_end_with, args=(sys.stdin,), daemon=True).start()
    asked = json.loads(request)
    tell = Tell(answers)
    try:
        assert asked["do"] in TASKS
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
    return tell.done(result)


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


def _end_with(studio: IO[str]) -> None:
    """End this process when the studio is gone, however it ended."""
    studio.read()
    os._exit(1)


if __name__ == "__main__":
    main()
