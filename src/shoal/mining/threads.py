"""Threads: one for all that multiplies matrices.

Libraries of linear algebra start a thread for each processor, and threads that wait for each other
spin. On matrices as narrow as those of a table that gains next to nothing, and on a busy machine it
takes several times the processor time.
"""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any


def one_thread() -> AbstractContextManager[object]:
    """Limit libraries that are loaded to one thread.

    Without threadpoolctl, which scikit-learn brings, nothing is limited.
    """
    # For libraries that are loaded later.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        return _libraries(len(sys.modules)).limit(limits=1)
    except ImportError:
        return nullcontext()


@lru_cache(1)
def _libraries(modules: int) -> Any:
    """Find loaded libraries that start threads; anew where modules were imported since.

    To look for them takes as long as a small classifier does.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
