"""One scorer for everybody: losses from original values and group labels alone. Imports nothing
from Shoal.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def information_loss(
    table: pa.Table, labels: NDArray[np.int32], trees: dict[str, str | None]
) -> float:
    """Total information loss of tight boxes; a withheld row (-1) is charged in full."""
    kept = labels >= 0
    _, groups = np.unique(labels[kept], return_inverse=True)
    charged = sum(
        float(_row_costs(table[name].to_numpy()[kept], groups, tree, table[name].to_numpy()).sum())
        for name, tree in trees.items()
    )
    return charged + len(trees) * int(np.count_nonzero(~kept))


def squared_error_share(points: NDArray[np.float64], labels: NDArray[np.int32]) -> float:
    """Squared error inside groups over the total one, on z-scores."""
    z = (points - points.mean(axis=0)) / points.std(axis=0, ddof=1)
    _, groups, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    means = np.stack([np.bincount(groups, column) / sizes for column in z.T], axis=1)
    return float(((z - means[groups]) ** 2).sum() / (z**2).sum())


def groups_of(cells: pa.Table, rows: pa.ChunkedArray, among: int) -> NDArray[np.int32]:
    """Label the original rows by equal published cells; -1 is a row that was not published."""
    texts = ["\x1f".join(map(str, line.values())) for line in cells.to_pylist()]
    _, codes = np.unique(np.array(texts), return_inverse=True)
    labels = np.full(among, -1, np.int32)
    labels[np.asarray(rows, np.int64)] = codes
    return labels


def smallest(labels: NDArray[np.int32]) -> int:
    """Return how many rows the smallest group has."""
    return int(np.unique(labels[labels >= 0], return_counts=True)[1].min())


def _row_costs(
    values: np.ndarray, groups: np.ndarray, tree: str | None, everyone: np.ndarray
) -> np.ndarray:
    """What each row pays on one column: its group's range, or the height of its group's lowest
    common ancestor.
    """
    if tree is None:
        low, high = _ends(values, groups)
        return ((high - low) / (everyone.max() - everyone.min()))[groups]
    paths, heights = _read(Path(tree))
    cost = np.full(int(groups.max()) + 1, np.nan)
    for level in range(len(next(iter(paths.values())))):
        low, high = _ends(np.array([paths[str(value)][level] for value in values]), groups)
        found = np.isnan(cost) & (low == high)
        cost[found] = heights[low[found]] / heights.max()
    return cost[groups]


def _ends(values: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least and greatest value of each group."""
    order = np.lexsort((values, groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    ends = np.append(starts[1:], len(order)) - 1
    return values[order][starts], values[order][ends]


def _read(path: Path) -> tuple[dict[str, list[int]], np.ndarray]:
    """The numbers of the nodes above each value, leaf first, and the height of each node; a node is
    a path.
    """
    number: dict[tuple[str, ...], int] = {}
    height: dict[int, int] = {}
    paths: dict[str, list[int]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter=";"))
    for line in lines:
        nodes = [number.setdefault(tuple(line[level:]), len(number)) for level in range(len(line))]
        below = -1
        for level, node in enumerate(nodes):
            padding = (
                level > 0 and line[level] == line[level - 1]
            )  # a label repeated above itself makes no step
            height[node] = max(height.get(node, 0), below + (0 if padding else 1))
            below = height[node]
        paths[line[0]] = nodes
    return paths, np.array([height[node] for node in range(len(number))])
