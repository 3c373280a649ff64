"""Parts: Parquet files larger than memory, read and written part by part.

Only a Parquet file can be read again and again from the top without reading all of it at once. Its types become plain as
everywhere (see `plain`); a file that changes between two readings is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.adapters.plain import check_names, plain, plain_column
from shoal.attack.perturbed import ROWS
from shoal.distorting import Parts
from shoal.errors import DataError

PART = 2**18  # rows at a time
LONG = 1_000_000  # rows from which on a file is read part by part


def long(place: str, least: int = LONG) -> bool:
    """Whether this is a Parquet file of more rows than that."""
    try:
        with open(place, "rb") as source:
            return source.read(4) == b"PAR1" and pq.ParquetFile(place).metadata.num_rows > least
    except (OSError, pa.ArrowException):  # whoever reads it will say what is wrong
        return False


def parts_of(place: str) -> Parts:
    """A Parquet file in parts."""
    file, seen = pq.ParquetFile(place), _state(place)
    check_names(file.schema_arrow.names, f"'{place}'")
    schema = pa.schema([(field.name, plain_column(pa.array([], field.type)).type) for field in file.schema_arrow])

    def read(names: Sequence[str] | None) -> Iterator[pa.Table]:
        try:
            for part in _gathered(pq.ParquetFile(place).iter_batches(PART, columns=None if names is None else list(names))):
                yield plain(part, f"'{place}'")
        except (pa.ArrowException, OSError):  # their messages may quote what the file holds
            raise DataError(f"'{place}' is a broken Parquet file", remedy="fetch or write it again") from None
        if _state(place) != seen:
            raise DataError(f"'{place}' changed while it was read", remedy="wait until it is complete, then try again")

    return Parts(schema, file.metadata.num_rows, read)


class Writer:
    """A Parquet file that grows part by part."""

    def __init__(self, path: Path) -> None:
        self.path, self.rows = path, 0
        self._file: pq.ParquetWriter | None = None

    def __call__(self, part: pa.Table) -> None:
        """The next rows."""
        bare = pa.table([plain_column(column) for column in part.columns], names=part.column_names)
        if self._file is None:
            self._file = pq.ParquetWriter(self.path, bare.schema, compression="zstd")
        self._file.write_table(bare)
        self.rows += bare.num_rows

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._file is not None:
            self._file.close()


def _gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Batches joined until they have as many rows as attacks want to see; files may hold tiny ones."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(one.num_rows for one in held) >= ROWS:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _state(place: str) -> tuple[int, int, int]:
    state = os.stat(place)
    return state.st_ino, state.st_size, state.st_mtime_ns
