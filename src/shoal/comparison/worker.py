"""The program that measures cells in a process of its own: a table and cells come in as pickles,
findings go out.

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
    """Measure until nobody sends cells any more."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches everyone at the terminal; who started us decides
    inbox = sys.stdin.buffer
    outbox = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(
        sys.stderr.fileno(), sys.stdout.fileno()
    )  # what anyone prints must not get between the findings
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
