"""Worker: the program that measures cells in a process of its own.

A table and cells come in as pickles, findings go out.

It is started as a program and not forked or spawned by `multiprocessing`, which would run the
caller's script a second time: so a comparison works in a notebook and in a script without a guard.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys

from shoal.comparison.cells import Bench


def main() -> None:
    """Measure cells until the input ends."""
    # Ctrl-C reaches every process of the terminal; the parent decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    inbox = sys.stdin.buffer
    outbox = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Findings are written to stdout, so prints of libraries go elsewhere.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    bench = Bench(pickle.load(inbox))
    while True:
        try:
            cell = pickle.load(inbox)
        except EOFError:
            return
        pickle.dump(bench.measure(cell), outbox)
        outbox.flush()


if __name__ == "__main__":
    main()
