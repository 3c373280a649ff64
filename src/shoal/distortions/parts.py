"""Parts: a table that is read part by part.

The ends of parts depend on the table alone, not on where it comes from. So what is drawn and summed
part by part is equal to the last bit, whether a table stands in memory or on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

# Rows of a part; attacks look at fewer than the least.
MOST_ROWS = 2**18
LEAST_ROWS = 2**14
CELLS = 2**23


@dataclass(frozen=True)
class TableParts:
    """A table that is read several times, part by part, always in the same order."""

    schema: pa.Schema
    rows: int
    # Reads the columns named, or all where None is given, in pieces of any size.
    stretches: Callable[[Sequence[str] | None], Iterable[pa.Table]]

    @classmethod
    def of(cls, table: pa.Table) -> TableParts:
        """Wrap a table in memory."""
        return cls(
            table.schema,
            table.num_rows,
            lambda names: (table if names is None else table.select(list(names)),),
        )

    def read(self, names: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the table part by part, some of its columns or all."""
        return cut(self.stretches(names), size(len(self.schema)))


def size(columns: int) -> int:
    """Compute the rows of a part: the wider the table, the fewer."""
    return max(LEAST_ROWS, min(MOST_ROWS, CELLS // max(columns, 1)))


def cut(stretches: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Yield parts of `rows` rows.

    The last has at least half as many: a shorter one joins the one before.
    """
    held: list[pa.Table] = []
    count = 0
    for stretch in stretches:
        held.append(stretch)
        count += stretch.num_rows
        while 2 * count >= 3 * rows:
            table = pa.concat_tables(held)
            yield table.slice(0, rows)
            held = [table.slice(rows)]
            count = count - rows
    if count:
        yield pa.concat_tables(held)
