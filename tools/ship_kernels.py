"""Copy the code that a first run needs into a folder, to be shipped with a wheel.

    python -m tools.ship_kernels build/shipped
    SHOAL_CPU=x86-64-v3 python -m tools.ship_kernels build/shipped    beside it, for older CPUs

Compiles what is not compiled yet. Where kernels are compiled for this very machine, since it
reaches no level of CPUs, nothing is copied: such code is of no use elsewhere.
"""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

from shoal.cli import warm
from shoal.kernels.jit.keeping import NOTE, KernelCache, made_for
from shoal.kernels.jit.units import Kernel, level


def main() -> None:
    """Run what a first run does, and copy the code that it used."""
    into = Path(sys.argv[1])
    if level() is None:
        print("this machine can't make code for others: the wheel will have none", file=sys.stderr)
        return
    warm.main()
    into.mkdir(parents=True, exist_ok=True)
    used = [each for each in gc.get_objects() if isinstance(each, Kernel) and each.overloads]
    copied = sum(ship(kernel, into) for kernel in used)
    (into / NOTE).write_text(json.dumps(made_for(), indent=2) + "\n", encoding="utf-8")
    print(f"{copied} kernels for {level()}, in {into}", file=sys.stderr)


def ship(kernel: Kernel, into: Path) -> int:
    """Copy the code of a kernel for the types that it was called with; return how many these are.

    Other code that is kept for it, from tests say, stays behind.
    """
    cache: KernelCache = kernel._cache
    kept = Path(cache.cache_path)
    folder = into / kept.name
    folder.mkdir(exist_ok=True)
    shipped = cache.file_in(folder)
    for arguments in kernel.overloads:
        name = cache.names[arguments]
        code = cache.file_in(kept).load(name)
        if code is None:
            sys.exit(f"{kernel.py_func.__qualname__}: its code was not kept in {kept}")
        shipped.save(name, code)
    return len(kernel.overloads)


if __name__ == "__main__":
    main()
