"""Files: read tables by their content, and write them by their name.

Reading goes by the first bytes, never by the name. A file is read whole before it is looked at, and
refused if it changed meanwhile. Refusals name the file, its columns and row numbers, never what a
cell holds.

| name ends in | written as |
|---|---|
| `.parquet` | Parquet (zstd) |
| `.arrow`, `.feather` | Arrow IPC file (lz4) |
| `.xlsx` | Excel workbook (`workbooks/`) |
| `.sav`, `.zsav`, `.dta`, `.xpt` | files of SPSS, Stata and SAS (`labelled`) |
| `.jsonl`, `.ndjson` | JSON lines |
| `.tsv` | CSV with tabs |
| anything else, and `-` | CSV, in the manner of the file that was read, or else with commas |

A further `.gz` behind CSV or JSON lines compresses them. Nothing written tells about the machine or
the source: no metadata of pandas, no paths, no times, and no values hidden under missing cells.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec.structs import replace

from shoal.adapters.atomic_files import STANDARD, Place, Staged, check_targets
from shoal.adapters.csv.commas import SEMICOLON, undisturbed, with_commas
from shoal.adapters.csv.table import read_csv
from shoal.adapters.folders import Member, common, members
from shoal.adapters.formulas import SAFE
from shoal.adapters.json_lines import (
    LONGEST,
    is_json_lines,
    read_json_lines,
    refuse_json_document,
    with_dates,
)
from shoal.adapters.labelled import program_of, read_labelled
from shoal.adapters.manner import PLAIN, Manner
from shoal.adapters.part_writer import PartWriter, format_of
from shoal.adapters.plain_arrow import plain
from shoal.adapters.unpack_limits import STEP, STREAM, read_arrow, read_parquet, unpacked
from shoal.adapters.workbooks.reading import MARKS as WORKBOOK_MARKS
from shoal.adapters.workbooks.reading import read_workbook
from shoal.declare.columns import kind_of, text_of
from shoal.declare.memory import READING_CSV, refuse_beyond_memory
from shoal.errors import DataError, RecipeError

__all__ = ["STANDARD", "Staged", "check_targets", "read", "write", "write_parts", "write_table"]

WORKBOOKS = (".xlsx", ".xlsm", ".xls")
WITH_SHEET = re.compile(r"(?P<file>.+\.(?:xlsx|xlsm|xls))#(?P<sheet>.+)", re.IGNORECASE)
GZIP = b"\x1f\x8b"
KINDS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", STREAM: "Arrow"}
STRANGERS = {  # first bytes of what is no table, or none that is read here
    b"SQLite format 3\0": "an SQLite database",
    b"FEA1": "a Feather file of the first version",
    b"%PDF": "a PDF document",
}


def read(
    place: Place,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    typed: bool = True,
    like: Place | None = None,
    sheet: str | None = None,
) -> pa.Table:
    """Read the table in a file, or on standard input (`-`); `typed=False` gives cells as text.

    `sheet` names that of a workbook; it may also stand behind the name of the file:
    `patients.xlsx#Ward 3`.

    Raises `DataError` for a file that is missing, empty, broken, ragged, without rows, in another
    encoding, or too large for the memory there is. Refusals call the file `like`, where a staged
    one is read under its hidden name; its table was in memory a moment ago, and so is not too
    large. A folder of Parquet files, as clusters write them, is one table.
    """
    if parts := members(place):
        table = _together(parts, f"'{os.fspath(place)}'")
        return table if typed else as_texts(table)
    place, sheet = parted(place, sheet)
    data, name = _bytes(place)
    name = name if like is None else f"'{os.fspath(like)}'"
    if data.startswith(GZIP):
        data = unpacked(data, name, limited=like is None)
    if not data:
        raise DataError(
            f"{name} is empty", {"bytes": 0}, "give a file with a header and at least one row"
        )
    stranger = next((what for mark, what in STRANGERS.items() if data.startswith(mark)), None)
    if stranger:
        raise DataError(f"{name} is {stranger}", remedy="save the table as CSV or Parquet first")
    table = _foreign(data, name, sheet, encoding)
    if table is None and (held := _binary(data, name, staged=like is not None)) is not None:
        table = plain(held, name)
    if table is not None:
        return table if typed else as_texts(table)
    if like is None:
        refuse_beyond_memory(READING_CSV * len(data), name, {"bytes": len(data)})
    refuse_json_document(data[:STEP], name)
    if is_json_lines(data[:LONGEST]):
        table = read_json_lines(data, name, encoding)
        return with_dates(table) if typed else as_texts(table)
    return read_csv(data, name, delimiter=delimiter, encoding=encoding, typed=typed)


def parted(place: Place, sheet: str | None = None) -> tuple[Place, str | None]:
    """Part the name of a workbook and that of a sheet behind it.

    >>> parted("ward.xlsx#May"), parted("ward#3.csv")
    (('ward.xlsx', 'May'), ('ward#3.csv', None))
    """
    match = WITH_SHEET.fullmatch(os.fspath(place))
    if sheet is not None or match is None or os.path.exists(place):
        return place, sheet
    return match["file"], match["sheet"]


def is_workbook(place: Place) -> bool:
    """Tell by its name or its first bytes whether a file has sheets."""
    if Path(place).suffix.lower() in WORKBOOKS:
        return True
    try:
        with open(place, "rb") as source:
            return source.read(8).startswith(WORKBOOK_MARKS)
    except OSError:
        return False


def _foreign(data: bytes, name: str, sheet: str | None, encoding: str | None) -> pa.Table | None:
    """Read a table in the form of Excel, SPSS, Stata or SAS; None if it is of none."""
    if data.startswith(WORKBOOK_MARKS):
        return read_workbook(data, name, sheet)
    if sheet is not None:
        raise RecipeError(f"{name} is no workbook and has no sheets", remedy="name no sheet")
    program = program_of(data)
    return None if program is None else read_labelled(data, program, name, encoding)


def write(table: pa.Table, place: Place, *, force: bool = False) -> None:
    """Write one table, whole or not at all; several files together need `Staged`."""
    with Staged(force=force) as staged:
        write_table(table, staged.file(place), like=place)


def write_table(
    table: pa.Table, path: Path, *, like: Place | None = None, manner: Manner = PLAIN
) -> None:
    """Write into `path` in the format that the name `like` asks for (by default, its own).

    A CSV file is written in the manner of the one that was read.
    """
    if manner.delimiter == SEMICOLON and _is_csv(path if like is None else like):
        spelled = with_commas(table) if manner.decimal_comma else undisturbed(table)
        if spelled is None:  # some text would be read as a number with a decimal comma
            manner = replace(manner, delimiter=None)
        table = table if spelled is None else spelled
    write_parts([table], path, like=like, manner=manner)


def write_parts(
    parts: Iterable[pa.Table], path: Path, *, like: Place | None = None, manner: Manner = PLAIN
) -> None:
    """Write a table that comes in parts into `path`, in the format that `like` asks for."""
    with PartWriter(path, like=like, manner=manner) as growing:
        for part in parts:
            growing(part)


def _is_csv(place: Place) -> bool:
    return format_of(place)[1] not in (*SAFE, ".tsv")


def _bytes(place: Place) -> tuple[bytes, str]:
    """Read all bytes of a file, and return the name that refusals call it by."""
    if os.fspath(place) == STANDARD:
        return sys.stdin.buffer.read(), "standard input"
    name = f"'{os.fspath(place)}'"
    try:
        with open(place, "rb") as source:
            before = os.fstat(source.fileno())
            refuse_beyond_memory(before.st_size, name, {"bytes": before.st_size})
            data = source.read()
            after = (os.fstat(source.fileno()), os.stat(place))
    except FileNotFoundError:
        raise DataError(
            f"there is no file {name}", remedy="check the name and the folder"
        ) from None
    except IsADirectoryError:
        raise DataError(
            f"{name} is a folder without Parquet files", remedy="name a file in it"
        ) from None
    except PermissionError:
        raise DataError(
            f"{name} can't be read: no permission", remedy=f"chmod u+r {name}"
        ) from None
    except OSError as error:
        raise DataError(f"{name} can't be read", {"reason": error.strerror}) from None
    if stat.S_ISREG(before.st_mode) and any(_identity(before) != _identity(now) for now in after):
        raise DataError(
            f"{name} changed while it was read", remedy="wait until it is complete, then try again"
        )
    return data, name


def _together(parts: Sequence[Member], name: str) -> pa.Table:
    """Concatenate the rows of several files of one folder."""
    refuse_beyond_memory(
        sum(part.path.stat().st_size for part in parts), name, {"files": len(parts)}
    )
    tables = [_of_folder(part.path) for part in parts]
    schema = common(
        [part.fields(table.schema) for part, table in zip(parts, tables, strict=True)], name
    )
    return plain(
        pa.concat_tables(
            [part.aligned(table, schema) for part, table in zip(parts, tables, strict=True)]
        ),
        name,
    )


def _of_folder(path: Path) -> pa.Table:
    table = _binary(_bytes(path)[0], f"'{path}'", staged=False)
    if table is None:
        raise DataError(f"'{path}' is no Parquet file", remedy="move it elsewhere")
    return table


def _identity(state: os.stat_result) -> tuple[int, int, int, int]:
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns


def _binary(data: bytes, name: str, *, staged: bool) -> pa.Table | None:
    """Read a table in Parquet or Arrow form; None if the first bytes are of neither."""
    kind = next((kind for mark, kind in KINDS.items() if data.startswith(mark)), None)
    if kind is None:
        return None
    size = {"bytes": len(data)}
    try:
        if kind == "Parquet" and staged:
            table = pq.ParquetFile(pa.BufferReader(data)).read()
        else:
            table = read_parquet(data, name) if kind == "Parquet" else read_arrow(data, name)
        table.validate(full=True)  # texts that are no UTF-8 too
        return table
    except MemoryError:
        raise DataError(f"{name} is too large for the memory of this machine", size) from None
    # Their messages may quote what the file holds.
    except (pa.ArrowException, OSError):
        problem = f"{name} is a broken {kind} file"
        raise DataError(problem, size, "fetch or write it again") from None


def as_texts(table: pa.Table) -> pa.Table:
    """Convert every cell to text."""
    for name, kind in zip(table.column_names, table.schema.types, strict=True):
        kind_of(kind, name)
    return pa.table(
        [text_of(column.chunk(0)) for column in table.columns], names=table.column_names
    )
