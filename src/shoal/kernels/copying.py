"""Copies of arrays inside kernels.

`into[:] = source` compiles the text of an error about shapes, a second of work: kernels copy one by
one instead, which is as fast.
"""

from __future__ import annotations

from shoal.arrays import AnyArray
from shoal.kernels.jit import compiled


@compiled
def copy(source: AnyArray, into: AnyArray) -> None:
    """Copy an array into the beginning of another."""
    for i in range(len(source)):
        into[i] = source[i]
