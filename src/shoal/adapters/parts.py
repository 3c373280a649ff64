"""Parts of files larger than memory, read as often as one likes.

These are Parquet and CSV files, and folders of Parquet files.

Types become plain as everywhere (see `plain`); a file that changes between two readings is refused.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from shoal.adapters.csv.parts import GZIP, LongCsv
from shoal.adapters.files import KINDS, STRANGERS
from shoal.adapters.folders import Member, common, members
from shoal.adapters.json_lines import LONGEST, is_json_lines
from shoal.adapters.labelled import program_of
from shoal.adapters.plain_arrow import check_names, plain, plain_column
from shoal.adapters.workbooks.reading import MARKS as WORKBOOK_MARKS
from shoal.declare.columns import text_of
from shoal.distortions.parts import TableParts
from shoal.errors import DataError
from shoal.groups import Watch, unwatched

PARQUET = b"PAR1"
BATCH = 2**16  # rows of a Parquet file that are unpacked at a time
LONG = 1_000_000  # rows of a Parquet file from which on it is read part by part
# bytes of a CSV file, plain and packed, from which on it is
LARGE = 2**28
LARGE_PACKED = 2**25
Read = Callable[[Sequence[str] | None], Iterable[pa.Table]]


def long(place: str) -> bool:
    """Tell whether this is a file that had better be read part by part, and can be."""
    try:
        about = os.stat(place)
        if not stat.S_ISREG(about.st_mode):
            return False
        begin = _first_bytes(place)
        if begin.startswith(PARQUET):
            return bool(pq.ParquetFile(place).metadata.num_rows > LONG)
        if begin.startswith(GZIP):
            return about.st_size > LARGE_PACKED
        return about.st_size > LARGE and not _is_whole(place, begin)
    except (OSError, pa.ArrowException):  # whoever reads it will say what is wrong
        return False


def parts_of(
    place: str,
    delimiter: str | None = None,
    encoding: str | None = None,
    *,
    watch: Watch = unwatched,
) -> TableParts:
    """Read a file, or a folder of Parquet files, in parts."""
    name = f"'{place}'"
    seen = _state(place)
    if inside := members(place):
        schema, rows, read = _folder(inside, name)
    elif _first_bytes(place).startswith(PARQUET):
        schema, rows, read = _parquet(place, name)
    else:
        schema, rows, read = _csv(LongCsv.of(place, name, delimiter, encoding), watch)

    def stretches(names: Sequence[str] | None) -> Iterator[pa.Table]:
        for table in read(names):
            if table.num_rows:
                yield plain(table, name)
        if _state(place) != seen:
            raise DataError(
                f"{name} changed while it was read",
                remedy="wait until it is complete, then try again",
            )

    return TableParts(schema, rows, stretches)


def texts_of(place: str, like: str) -> TableParts:
    """Read a file that was written a moment ago in parts, every cell as text."""
    name = f"'{like}'"
    if not _first_bytes(place).startswith(PARQUET):
        file = LongCsv.of(place, name)
        rows = sum(batch.num_rows for batch in file.batches())
        schema = pa.schema([(each, pa.string()) for each in file.names])
        return TableParts(
            schema,
            rows,
            lambda names: (pa.Table.from_batches([batch]) for batch in file.batches(names)),
        )
    schema, rows, read = _parquet(place, name)
    texts = pa.schema([(each, pa.string()) for each in schema.names])
    return TableParts(texts, rows, lambda names: (_as_texts(table) for table in read(names)))


def refuse_whole(place: str) -> None:
    """Refuse a file that is not there, or that can only be read as a whole."""
    if members(place):
        return
    try:
        begin = _first_bytes(place)
    except OSError as error:
        raise DataError(
            f"'{place}' can't be read", {"reason": error.strerror}, "check the name and the folder"
        ) from None
    if not begin or (_is_whole(place, begin) and not begin.startswith(PARQUET)):
        raise DataError(
            f"'{place}' can't be read part by part", remedy="save the table as Parquet or CSV first"
        )


def _is_whole(place: str, begin: bytes) -> bool:
    """Tell whether a file has a form that can only be read as a whole."""
    if begin.startswith((*STRANGERS, *KINDS, *WORKBOOK_MARKS)) or program_of(begin):
        return True
    with open(place, "rb") as source:
        return is_json_lines(source.read(LONGEST))


def rows_in(place: str, like: str) -> int:
    """Count the rows of a file that was written a moment ago."""
    if _first_bytes(place).startswith(PARQUET):
        return int(pq.ParquetFile(place).metadata.num_rows)
    return sum(batch.num_rows for batch in LongCsv.of(place, f"'{like}'").batches())


def _csv(file: LongCsv, watch: Watch) -> tuple[pa.Schema, int, Read]:
    typed = file.typed(watch)
    return typed.schema, typed.rows, typed.tables


def _parquet(place: str, name: str) -> tuple[pa.Schema, int, Read]:
    """Open a Parquet file: its columns, its number of rows, and what reads it batch by batch."""
    try:
        file = pq.ParquetFile(place)
    except (pa.ArrowException, OSError):
        raise _broken(name) from None
    check_names(file.schema_arrow.names, name)
    kinds = [(each.name, plain_column(pa.array([], each.type)).type) for each in file.schema_arrow]

    def read(names: Sequence[str] | None) -> Iterator[pa.Table]:
        columns = None if names is None else list(names)
        try:
            for batch in pq.ParquetFile(place).iter_batches(BATCH, columns=columns):
                yield pa.Table.from_batches([batch])
        # Their messages may quote what the file holds.
        except (pa.ArrowException, OSError):
            raise _broken(name) from None

    return pa.schema(kinds), file.metadata.num_rows, read


def _broken(name: str) -> DataError:
    return DataError(f"{name} is a broken Parquet file", remedy="fetch or write it again")


def _folder(inside: Sequence[Member], name: str) -> tuple[pa.Schema, int, Read]:
    files = [_parquet(str(member.path), f"'{member.path}'") for member in inside]
    schema = common(
        [member.fields(own) for member, (own, _, _) in zip(inside, files, strict=True)], name
    )

    def read(names: Sequence[str] | None) -> Iterator[pa.Table]:
        asked = schema if names is None else pa.schema([schema.field(each) for each in names])
        for member, (own, _, tables) in zip(inside, files, strict=True):
            for table in tables([each for each in asked.names if each in own.names]):
                yield member.aligned(table, asked)

    return schema, sum(rows for _, rows, _ in files), read


def _as_texts(table: pa.Table) -> pa.Table:
    return pa.table(
        [text_of(plain_column(column)) for column in table.columns], names=table.column_names
    )


def _first_bytes(place: str) -> bytes:
    with open(place, "rb") as source:
        return source.read(64)


def _state(place: str) -> list[tuple[int, int, int]]:
    states = [os.stat(path) for path in [member.path for member in members(place)] or [Path(place)]]
    return [(state.st_ino, state.st_size, state.st_mtime_ns) for state in states]
