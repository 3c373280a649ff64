"""Names of the arrays that travel between layers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]  # [axes, rows]: where each row stands on each axis
Labels = NDArray[np.int32]  # [rows]: the group of each row, -1 = withheld
Counts = NDArray[np.int64]  # how many rows: for each group, or for each group and value
Flags = NDArray[np.bool_]  # a verdict for each row or group
Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
AnyArray = NDArray[Any]
