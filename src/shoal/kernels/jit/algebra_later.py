"""Algebra later: let Numba load without SciPy's linear algebra, which no kernel of ours calls.

Numba imports `scipy.linalg` with its first kernel, only to know whether it is there: half of what a
first call takes. Whether SciPy is installed can be told without that. Who compiles a function that
needs linear algebra gets it then, as ever.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def algebra_later() -> Iterator[None]:
    """Answer Numba's question for linear algebra without loading it, inside the block.

    Whoever is here holds the compiler's lock.
    """
    try:
        from numba.np import linalg

        asked = linalg.ensure_blas
    except (ImportError, AttributeError):  # a Numba that asks otherwise: let it
        yield
        return
    linalg.ensure_blas = _is_there
    try:
        yield
    finally:
        linalg.ensure_blas = asked


def _is_there() -> None:
    """Refuse, as Numba does, where SciPy is not installed."""
    if importlib.util.find_spec("scipy") is None:
        raise ImportError("SciPy is required for linear algebra")
