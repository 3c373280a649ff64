"""Growing files: a table written part by part, in the format that the name of its file asks for
(see `files`).
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shoal.adapters.atomic_files import Place
from shoal.adapters.csv.table import write_header, write_rows
from shoal.adapters.plain_arrow import plain_column

Put = Callable[[pa.Table], Any]


class Growing:
    """A file that takes one part of a table after the other; all must have the same columns and
    types.
    """

    def __init__(self, path: Path, *, like: Place | None = None) -> None:
        self.packed, self.ending = format_of(path if like is None else like)
        self.rows = 0
        self._path = path
        self._open = ExitStack()
        self._put: Put | None = None

    def __call__(self, part: pa.Table) -> None:
        """The next rows."""
        part = _bare(part) if self.ending in (".arrow", ".feather") else _plain(part)
        self._put = self._put or self._begun(part.schema)
        self._put(part)
        self.rows += part.num_rows

    def __enter__(self) -> Growing:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def _begun(self, schema: pa.Schema) -> Put:
        """The file as its format begins, and what takes the rows."""
        sink: BinaryIO = self._open.enter_context(self._path.open("wb"))
        if self.ending == ".parquet":
            return self._open.enter_context(
                pq.ParquetWriter(sink, schema, compression="zstd")
            ).write_table
        if self.ending in (".arrow", ".feather"):
            options = pa.ipc.IpcWriteOptions(compression="lz4")
            return self._open.enter_context(
                pa.ipc.new_file(sink, schema, options=options)
            ).write_table
        if self.packed:
            sink = self._open.enter_context(gzip.GzipFile("", "wb", 6, sink, mtime=0))  # type: ignore[assignment]
        delimiter = "\t" if self.ending == ".tsv" else ","
        write_header(schema.names, sink, delimiter)
        return lambda part: write_rows(part, sink, delimiter)


def format_of(place: Place) -> tuple[bool, str]:
    """Tell from the name of a file whether it is packed, and the ending that names its format."""
    name = PurePath(place)
    packed = name.suffix.lower() == ".gz"
    return packed, (PurePath(name.stem) if packed else name).suffix.lower()


def _plain(table: pa.Table) -> pa.Table:
    """Plain columns without metadata."""
    return pa.table([plain_column(column) for column in table.columns], names=table.column_names)


def _bare(table: pa.Table) -> pa.Table:
    """The same, copied: Arrow files show what lies under a missing cell, and a copy has nothing
    (Parquet never has).
    """
    rows = pa.array(np.arange(table.num_rows))
    return pa.table(
        [plain_column(column).take(rows) for column in table.columns], names=table.column_names
    )
