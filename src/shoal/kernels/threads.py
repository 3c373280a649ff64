"""Threads: pieces of work side by side that don't see each other.

Kernels, Arrow and most of NumPy let go of Python's lock, so two threads use two processors. What
comes out is what one thread would give, in the order of the items, whatever the number of threads:
each piece depends on its item alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
MOST = 4  # threads: more have little to do
WORTH_THREADS = 50_000  # rows; below, starting threads takes longer than they save


def side_by_side(
    work: Callable[[Item], Result], items: Iterable[Item], *, rows: int, threads: int | None = None
) -> list[Result]:
    """Do a piece of work for each item; return the results in the order of the items.

    `rows` are those that each piece looks at; for few of them there are no threads, unless told.

    The first item that fails has its error raised, as without threads. What was set for the caller
    alone, such as columns that are numbered once, holds for every thread.
    """
    every = list(items)
    if threads is None:
        threads = min(processors(), MOST) if rows >= WORTH_THREADS else 1
    several = min(len(every), threads)
    if several < 2:
        return [work(item) for item in every]
    contexts = [copy_context() for _ in every]
    with ThreadPoolExecutor(several) as pool:
        return list(
            pool.map(lambda pair: pair[0].run(work, pair[1]), zip(contexts, every, strict=True))
        )


def processors() -> int:
    """Count the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
