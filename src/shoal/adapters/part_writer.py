"""Part writer: writes a table part by part, in the format that its name asks for (see `files`).

Every table that becomes a file passes here, whatever door and engine it comes from. So here is the
one place that keeps what a spreadsheet would run out of CSV files.
"""

from __future__ import annotations

import gzip
from codecs import BOM_UTF8
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
from shoal.adapters.formulas import SAFE, refuse_formulas
from shoal.adapters.json_lines import ENDINGS as JSON_ENDINGS
from shoal.adapters.json_lines import write_rows as write_objects
from shoal.adapters.labelled_writing import ENDINGS as LABELLED
from shoal.adapters.labelled_writing import write_labelled
from shoal.adapters.manner import PLAIN, Manner
from shoal.adapters.plain_arrow import plain_column
from shoal.adapters.workbooks.writing import write_workbook

Put = Callable[[pa.Table], Any]


class PartWriter:
    """Write one part of a table after the other; all have the same columns and types."""

    def __init__(self, path: Path, *, like: Place | None = None, manner: Manner = PLAIN) -> None:
        self._place = path if like is None else like
        self._manner = manner
        self._gathered: list[pa.Table] = []
        self.packed, self.ending = format_of(self._place)
        self.rows = 0
        self._path = path
        self._open = ExitStack()
        self._put: Put | None = None

    def __call__(self, part: pa.Table) -> None:
        """Write the next rows; refuse those with formulas where the format is CSV.

        Rows of a format that is written as a whole are gathered until the last one came.
        """
        part = _bare(part) if self.ending in (".arrow", ".feather") else _plain(part)
        if self.ending not in SAFE:
            refuse_formulas(part, self._place)
        self._put = self._put or self._begun(part.schema)
        self._put(part)
        self.rows += part.num_rows

    def __enter__(self) -> PartWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.__exit__(kind, error, trace)
        if error is None and self._gathered:
            whole = pa.concat_tables(self._gathered)
            WHOLE[self.ending](whole, self._path, self.ending, self._manner)

    def _begun(self, schema: pa.Schema) -> Put:
        """Write the beginning of the file's format, and return what takes the rows."""
        if self.ending in WHOLE:
            return self._gathered.append
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
            packed: Any = gzip.GzipFile("", "wb", 6, sink, mtime=0)
            sink = self._open.enter_context(packed)
        if self.ending in JSON_ENDINGS:
            return lambda part: write_objects(part, sink)
        return self._begun_csv(schema, sink)

    def _begun_csv(self, schema: pa.Schema, sink: BinaryIO) -> Put:
        """Write the header of a CSV file in the manner of the one that was read."""
        delimiter = "\t" if self.ending == ".tsv" else self._manner.delimiter or ","
        end = self._manner.line_end
        if self._manner.byte_order_mark:
            sink.write(BOM_UTF8)
        write_header(schema.names, sink, delimiter, end)
        return lambda part: write_rows(part, sink, delimiter, end)


def _workbook(table: pa.Table, path: Path, ending: str, manner: Manner) -> None:
    write_workbook(table, path)


WHOLE = {".xlsx": _workbook, **dict.fromkeys(LABELLED, write_labelled)}
"""Formats that are written as a whole, and what writes them."""


def format_of(place: Place) -> tuple[bool, str]:
    """Tell from the name of a file whether it is packed, and the ending that names its format."""
    name = PurePath(place)
    packed = name.suffix.lower() == ".gz"
    return packed, (PurePath(name.stem) if packed else name).suffix.lower()


def _plain(table: pa.Table) -> pa.Table:
    """Return plain columns without metadata."""
    return pa.table([plain_column(column) for column in table.columns], names=table.column_names)


def _bare(table: pa.Table) -> pa.Table:
    """Copy plain columns, so that nothing lies under a missing cell.

    Arrow files show what lies there, Parquet files never do.
    """
    rows = pa.array(np.arange(table.num_rows))
    return pa.table(
        [plain_column(column).take(rows) for column in table.columns], names=table.column_names
    )
