"""CSV tables: texts between delimiters, read without guessing and written in one way.

Reading: the delimiter is that of `,` `;` tab `|` which splits the header and, where several do, the
first lines alike. An empty field is missing, a quoted empty one is an empty text, and words such as
NA are values like any other. Empty lines are skipped, but in a file of one column they are missing
values. Every row must have as many fields as the header.

Writing: UTF-8, LF, quotes only where a field would be misread without them: around the delimiter,
quotes, line ends, spaces at either end and empty texts. Names, and the fields of a one-column
table, are also quoted around the other delimiters, so that a reader who looks for the delimiter
finds the right one.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, BinaryIO

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from shoal.adapters.csv.commas import SEMICOLON, UNCLEAR_POINTS, has_comma_numbers, with_points
from shoal.adapters.csv.encodings import needs_mark, utf8
from shoal.adapters.manner import Manner, with_manner
from shoal.adapters.odd_rows import odd_rows
from shoal.adapters.plain_arrow import check_names, plain_column
from shoal.declare.columns import text_of
from shoal.declare.understanding.spelled import inferred, may_be_thousands
from shoal.errors import DataError, RecipeError, row_numbers
from shoal.wording import OneOf, Remedy, Sentence, Set

DELIMITERS = ",;\t|"
SAMPLE = 1 << 16  # bytes in which the delimiter is looked for
ENOUGH = 5  # lines with several fields, from which the lines above them are titles
BLOCK = 1 << 23  # bytes that are parsed at a time, and so the longest row
LINES = 1 << 16  # rows that are written at a time
COMMAS_SAID = "numbers with a decimal comma"
POINTS_SAID = (
    "numbers with a decimal point; if points part thousands, write semicolons between fields"
)


def read_csv(
    data: bytes,
    name: str,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    typed: bool = True,
) -> pa.Table:
    """Read the table in the bytes of a CSV file; `typed=False` leaves every cell as text."""
    manner = Manner(byte_order_mark=needs_mark(data, encoding))
    data = utf8(data, encoding, name).lstrip(b"\r\n")
    if not data or data.isspace():
        raise DataError(
            f"{name} is empty",
            {"bytes": len(data)},
            "give a file with a header and at least one row",
        )
    delimiter, names, start = heading(data, delimiter, name)
    body = data[start:]
    if not body or (len(names) > 1 and re.fullmatch(rb"[\r\n]*", body)):
        raise without_rows(names, name)
    table = _parsed(body, names, delimiter, name)
    commas = delimiter == SEMICOLON
    if not typed:
        columns = [plain_column(column) for column in table.columns]
        return pa.table(list(map(with_points, columns)) if commas else columns, names=names)

    def values(column: pa.ChunkedArray) -> pa.Array:
        unclear = delimiter in UNCLEAR_POINTS
        return inferred(plain_column(column), with_commas=commas, points_unclear=unclear)

    with ThreadPoolExecutor() as pool:
        read = pa.table(list(pool.map(values, table.columns)), names=names)
    pairs = [*zip(names, table.columns, read.columns, strict=True)]
    notices = [
        (each, COMMAS_SAID) for each, cells, of in pairs if commas and _has_commas(cells, of)
    ]
    notices += [(each, POINTS_SAID) for each, cells, of in pairs if _may_part(cells, of)]
    pointed = any(map(_has_points, table.columns, read.columns))
    manner = msgspec.structs.replace(
        manner,
        delimiter=delimiter,
        line_end="\r\n" if data[:start].endswith(b"\r\n") else "\n",
        decimal_comma=commas and not pointed and any(map(has_comma_numbers, table.columns)),
        notices=(*notices, *odd_rows(read)),
    )
    return with_manner(read, manner)


def write_csv(table: pa.Table, sink: BinaryIO, delimiter: str = ",") -> None:
    """Write the table; cells are spelled by `text_of`, a missing one is an empty field."""
    write_header(table.column_names, sink, delimiter)
    write_rows(table, sink, delimiter)


def write_header(
    names: Sequence[str], sink: BinaryIO, delimiter: str, line_end: str = "\n"
) -> None:
    """Write the first line."""
    fields = _quoted(pa.array(names, pa.string()), DELIMITERS).to_pylist()
    sink.write(f"{delimiter.join(fields)}{line_end}".encode())


def write_rows(table: pa.Table, sink: BinaryIO, delimiter: str, line_end: str = "\n") -> None:
    """Write a line for each row."""
    around = DELIMITERS if table.num_columns == 1 else delimiter
    ends = [""] * (table.num_columns - 1) + [line_end]
    fields = [
        _fields(plain_column(column), around, end)
        for column, end in zip(table.columns, ends, strict=True)
    ]
    for start in range(0, table.num_rows, LINES):
        parts = [texts.take(codes.slice(start, LINES)) for texts, codes in fields]
        lines = pc.binary_join_element_wise(*parts, pa.scalar(delimiter, pa.large_string()))
        sink.write(lines.buffers()[2].slice(0, pc.sum(pc.binary_length(lines)).as_py()))


def _has_commas(texts: pa.ChunkedArray, read: pa.ChunkedArray) -> bool:
    """Tell whether a column of numbers is written with decimal commas."""
    return pa.types.is_floating(read.type) and bool(pc.any(pc.match_substring(texts, ",")).as_py())


def _may_part(texts: pa.ChunkedArray, read: pa.ChunkedArray) -> bool:
    """Tell whether the points in a column of numbers look like those of thousands."""
    return pa.types.is_floating(read.type) and may_be_thousands(texts)


def _has_points(texts: pa.ChunkedArray, read: pa.ChunkedArray) -> bool:
    """Tell whether a column of numbers is written with decimal points."""
    return pa.types.is_floating(read.type) and not _has_commas(texts, read)


def heading(data: bytes, delimiter: str | None, name: str) -> tuple[str, list[str], int]:
    """Find the delimiter, the column names, and where the rows begin.

    The first bytes of a file are enough.
    """
    if delimiter is None:
        _refuse_titles(data, name)
    delimiter = _checked(delimiter) if delimiter else _delimiter(data)
    return delimiter, *_header(data, delimiter, name)


def _checked(delimiter: str) -> str:
    if len(delimiter.encode()) != 1 or delimiter in '"\r\n':
        raise RecipeError(
            "a delimiter is one ASCII character",
            {"characters": len(delimiter)},
            Remedy(Set("delimiter", ";")),
        )
    return delimiter


def _refuse_titles(data: bytes, name: str) -> None:
    """Refuse lines above the header: the first has no delimiter, and later ones have one alike."""
    lines = _first_lines(data)
    filled = [place for place, line in enumerate(lines) if line]
    if not filled or any(sign in lines[filled[0]] for sign in DELIMITERS):
        return
    for sign in DELIMITERS:
        cuts = [lines[place].count(sign) for place in filled]
        titles = next((number for number, cut in enumerate(cuts) if cut), 0)
        alike = cuts[titles:]
        if titles and len(alike) >= ENOUGH and len(set(alike)) == 1:
            first = filled[titles] + 1
            problem = f"{name} has a title or other lines above its header"
            facts = {"first line with several fields": first, "fields": alike[0] + 1}
            other = Set("delimiter", next(one for one in DELIMITERS if one != sign))
            raise DataError(problem, facts, Remedy(f"delete the lines above line {first}", other))


def _first_lines(data: bytes) -> list[str]:
    """Cut the first lines of a file, without what stands in quotes."""
    sample = data[:SAMPLE].decode(errors="ignore")
    lines = re.split(r"\r\n|\r|\n", re.sub(r'"[^"]*("|\Z)', "", sample))
    if len(data) > SAMPLE:
        lines.pop()  # it was cut somewhere
    return lines


def _delimiter(data: bytes) -> str:
    """Find the delimiter that splits the header.

    Where several do, it is the one that splits most of the first lines alike, into most columns.
    """
    lines = [line for line in _first_lines(data) if line] or [""]

    def fit(candidate: str) -> tuple[int, int]:
        cuts = lines[0].count(candidate)
        return (sum(line.count(candidate) == cuts for line in lines) if cuts else 0, cuts)

    return max(DELIMITERS, key=fit)  # the first of equals: a comma where none splits the header


def _header(data: bytes, delimiter: str, name: str) -> tuple[list[str], int]:
    """Read the column names, and where the rows begin."""
    lengths: list[int] = []

    def lines() -> Iterator[str]:
        for line in io.TextIOWrapper(io.BytesIO(data), "utf-8", newline=""):
            lengths.append(len(line.encode()))
            yield line

    try:
        names = next(csv.reader(lines(), delimiter=delimiter, strict=True))
    except csv.Error:
        problem = f"the header of {name} has a quote that is not closed, or not doubled"
        raise DataError(problem) from None
    if any("\0" in column for column in names):
        remedy = Remedy(Set("encoding", OneOf("utf-16-le", "utf-16-be")))
        raise DataError(f"{name} is no UTF-8 text: its header has zero bytes", remedy=remedy)
    check_names(names, name)
    return names, sum(lengths)


def _parsed(body: bytes, names: list[str], delimiter: str, name: str) -> pa.Table:
    """Read the rows as texts.

    Arrow's own messages may quote cells, and so are not passed on.
    """
    quoted = b'"' in body
    options = as_texts(names, delimiter, quoted=quoted)
    try:
        table = arrow_csv.read_csv(pa.BufferReader(body), **options)
    except pa.ArrowInvalid:
        rows: list[arrow_csv.InvalidRow] = []
        # Read again on one thread, which alone knows row numbers.
        numbered = as_texts(names, delimiter, quoted=quoted, ragged=rows)
        with suppress(pa.ArrowInvalid):
            arrow_csv.read_csv(pa.BufferReader(body), **numbered)
        raise ragged_or_unclosed(rows, names, delimiter, name) from None
    if quoted and any(map(has_line_ends, table.columns)):
        check_quotes(io.BytesIO(body), delimiter, table.num_columns, table.num_rows, name)
    return table


def has_line_ends(texts: pa.Array | pa.ChunkedArray) -> bool:
    """Tell whether a text goes on in the next line."""
    return bool(pc.any(pc.match_substring_regex(texts, r"[\r\n]")).as_py())


def check_quotes(body: BinaryIO, delimiter: str, columns: int, rows: int, name: str) -> None:
    """Count the rows again by a strict reader.

    Arrow forgives an open quote, and makes all lines up to the next one a single cell.
    """
    limit = csv.field_size_limit(BLOCK)
    try:
        lines = io.TextIOWrapper(body, "utf-8", newline="")
        counted = sum(
            bool(row) or columns == 1 for row in csv.reader(lines, delimiter=delimiter, strict=True)
        )
    except csv.Error:
        raise _unclosed(name) from None
    finally:
        csv.field_size_limit(limit)
    if counted != rows:
        raise _unclosed(name)


def as_texts(
    names: Sequence[str],
    delimiter: str,
    *,
    quoted: bool,
    ragged: list[arrow_csv.InvalidRow] | None = None,
    wanted: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the options by which Arrow reads every field as text.

    Rows of a wrong length raise, or the first of them are collected in `ragged`.
    """

    def odd(row: arrow_csv.InvalidRow) -> str:
        if ragged is None or len(ragged) > 5:
            return "error"
        ragged.append(row)
        return "skip"

    return {
        "read_options": arrow_csv.ReadOptions(
            column_names=names, block_size=BLOCK, use_threads=ragged is None
        ),
        "parse_options": arrow_csv.ParseOptions(
            delimiter=delimiter,
            newlines_in_values=quoted,
            ignore_empty_lines=len(names) > 1,
            invalid_row_handler=odd,
        ),
        "convert_options": arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            include_columns=wanted,
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    }


def without_rows(names: Sequence[str], name: str) -> DataError:
    """Write the refusal of a file that is a header alone."""
    return DataError(
        f"{name} has a header but no rows",
        {"columns": len(names)},
        "give a table with at least one row",
    )


def ragged_or_unclosed(
    rows: Sequence[arrow_csv.InvalidRow], names: Sequence[str], delimiter: str, name: str
) -> DataError:
    """Write the refusal of rows with a wrong number of fields, by their row numbers."""
    if not rows:
        return _unclosed(name)
    spelled = {"\t": "tab"}.get(delimiter, delimiter)
    return DataError(
        f"{name} is ragged: rows differ from the header in their number of fields",
        {
            "rows": row_numbers(row.number - 1 for row in rows),
            "fields expected": len(names),
            "fields found": ", ".join(str(row.actual_columns) for row in rows[:5]),
            "delimiter": spelled,
        },
        Sentence(
            "mend these rows, quote fields that hold the delimiter, or ",
            Set("delimiter", ";", "name another"),
        ),
    )


def _unclosed(name: str) -> DataError:
    return DataError(
        f"{name} can't be read: a quote is opened and not closed, or a row is too long",
        {"longest row": f"{BLOCK:,} bytes"},
        'close the quote, or write a quote inside a field twice ("")',
    )


def _fields(column: pa.Array, around: str, end: str) -> tuple[pa.Array, pa.Array]:
    """Return the different fields of a column with their line end, and each row's field number."""
    encoded = column.dictionary_encode()
    texts = _quoted(text_of(encoded.dictionary), around).cast(pa.large_string())
    texts = pa.concat_arrays([texts, pa.array([""], pa.large_string())])
    ended = pc.binary_join_element_wise(
        texts, pa.scalar(end, pa.large_string()), pa.scalar("", pa.large_string())
    )
    return ended, pc.fill_null(encoded.indices, len(encoded.dictionary))


def _quoted(texts: pa.Array, around: str) -> pa.Array:
    """Quote texts that would be misread without; among them a byte order mark in front."""
    misread = pc.match_substring_regex(texts, rf'["\r\n{around}]|^\s|\s$|^$|^\x{{FEFF}}')
    quoted = pc.binary_join_element_wise('"', pc.replace_substring(texts, '"', '""'), '"', "")
    return pc.if_else(misread, quoted, texts)
