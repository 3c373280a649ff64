"""Memory: estimate what a table needs, and refuse it before the work where there is too little.

What is needed was fitted to measured peaks (tables like Adult of 300,000, 1 and 3 million rows with
5, 8 and 24 quasi-identifiers, Parquet to Parquet) and lies up to a third above them:

    reading Parquet          2 * rows * columns * width (16 bytes for text; or the pages of the
                             file, if they are larger)
    reading CSV              5 * bytes of the file, beside the file itself
    anonymizing              128 MB + the published columns once more + rows * (30 + 32 *
                             quasi-identifiers) bytes

So 3 million rows with 8 quasi-identifiers need about 1.3 GB beside the table (measured: 1.0). What
there is: the least of what the system calls available, the limit of the container, and what the
limit of the process (`ulimit -v`) leaves. Where nothing of this can be read, nothing is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pyarrow as pa

from shoal.errors import DataError, RecipeError
from shoal.wording import Call, Remedy, Sentence, Set

GB = 10**9
TEXT = 16  # bytes of a text, where nothing better is known
READING = 2
READING_CSV = 5
PARTS = Sentence(Call("anonymize", (Set("memory", "2GB"),)), " works part by part")
WORK = 128 * 2**20
PER_ROW = 30
PER_CELL = 32


def size_of(text: str | int) -> int:
    """Read a size of memory in bytes: `2GB`, `800 MB` or a number."""
    if isinstance(text, int):
        return text
    match = re.fullmatch(r"\s*([0-9]+(?:[.][0-9]+)?)\s*([kMGT]?)i?B?\s*", str(text), re.IGNORECASE)
    if not match:
        raise RecipeError(f"'{text}' is no size of memory", remedy=Remedy(Set("memory", "2GB")))
    return int(float(match[1]) * 1000 ** " kmgt".index(match[2].lower() or " "))


def refuse_beyond_memory(
    needed: int, name: str, facts: Mapping[str, object], instead: str = PARTS
) -> None:
    """Refuse work that needs more bytes than there are."""
    there = free()
    if there is not None and needed > there:
        sizes = {"memory needed": f"about {_spoken(needed)}", "memory available": _spoken(there)}
        raise DataError(
            f"{name} is too large for the memory of this machine",
            {**facts, **sizes},
            Sentence(
                f"a machine with about {_spoken(2 * needed)}, or fewer rows or columns; ", instead
            ),
        )


def of_reading(rows: int, schema: pa.Schema, pages: int) -> int:
    """Estimate the bytes of a table of `rows` rows, from `pages` bytes of unpacked pages."""
    return READING * max(rows * sum(_width(kind) for kind in schema.types), pages)


def of_anonymizing(table: pa.Table, quasi: int) -> int:
    """Estimate the bytes for the work on a table, and for the release.

    Only the columns to be published are given.
    """
    return WORK + table.nbytes + table.num_rows * (PER_ROW + PER_CELL * quasi)


def free(meminfo: str = "/proc/meminfo", limit: str = "/sys/fs/cgroup/memory.max") -> int | None:
    """Return the bytes that may be taken; None where the system does not say.

    Available in the system, within the limits of a container and of the process.
    """
    sources: tuple[Callable[[], int], ...] = (
        lambda: int(Path(meminfo).read_text().partition("MemAvailable:")[2].split()[0]) * 1024,
        lambda: int(Path(limit).read_text()),
        _left_to_the_process,
    )
    limits = []
    for source in sources:
        with suppress(OSError, ValueError, IndexError, ImportError):
            limits.append(source())
    return min(limits, default=None)


def _left_to_the_process() -> int:
    """Return the bytes that the limit of addresses leaves; ValueError without a limit."""
    import resource  # not on every system

    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most == resource.RLIM_INFINITY:
        raise ValueError
    return max(
        most - int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE"), 0
    )


def _width(kind: pa.DataType) -> int:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type  # it will be decoded
    try:
        return max(kind.bit_width // 8, 1)
    except ValueError:  # texts have no width of their own
        return TEXT


def _spoken(size: int) -> str:
    return f"{size / GB:.1f} GB" if size < 10 * GB else f"{size / GB:,.0f} GB"
