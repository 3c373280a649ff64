"""Threads: one for all that multiplies matrices.

Libraries of linear algebra start a thread for each processor, and threads that wait for each other
spin. On matrices as narrow as those of a table that gains next to nothing, and on a busy machine it
takes several times the processor time.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext


def one_thread() -> AbstractContextManager[object]:
    """Limit libraries that are loaded to one thread.

    Without threadpoolctl, which scikit-learn brings, nothing is limited.
    """
    # For libraries that are loaded later.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    return threadpool_limits(1)
