"""Long CSV: reads a file part by part, many times, and never holds it in memory as a whole.

    first reading    is it text in its encoding, which delimiter and names has it, are there quotes?
    second reading   how many rows, and which types fit all values of each column?
    from then on     batches of typed columns

Types, values and refusals are those of `read_csv`. A packed file (gzip) is unpacked at every
reading.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

import pyarrow as pa
from pyarrow import csv as arrow_csv

from shoal.adapters.csv.commas import SEMICOLON, UNCLEAR_POINTS
from shoal.adapters.csv.encodings import utf8_blocks
from shoal.adapters.csv.table import (
    BLOCK,
    as_texts,
    check_quotes,
    has_line_ends,
    heading,
    ragged_or_unclosed,
    without_rows,
)
from shoal.declare.understanding.spelled import Guess, TypeRule
from shoal.errors import DataError
from shoal.groups import Watch, unwatched

GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class LongCsv:
    """A CSV file on disk, its columns, and what stands in the way of reading it in one go."""

    place: str
    name: str
    encoding: str | None
    delimiter: str
    names: tuple[str, ...]
    start: int  # bytes of UTF-8 before the first row
    quoted: bool

    @classmethod
    def of(
        cls, place: str, name: str, delimiter: str | None = None, encoding: str | None = None
    ) -> LongCsv:
        """Look at all bytes of a file."""
        head = b""
        quoted = False
        with _opened(place, name) as source:
            for block in _begun(utf8_blocks(source, encoding, name)):
                head += block if len(head) < BLOCK else b""
                quoted = quoted or b'"' in block
        delimiter, names, start = heading(head, delimiter, name)
        return cls(place, name, encoding, delimiter, tuple(names), start, quoted)

    def batches(
        self, wanted: Sequence[str] | None = None, watch: Watch = unwatched
    ) -> Iterator[pa.RecordBatch]:
        """Read the rows as texts, all columns or some; refuses rows of a wrong length."""
        options = as_texts(self.names, self.delimiter, quoted=self.quoted, wanted=wanted)
        size = os.stat(self.place).st_size
        try:
            with self._body() as body:
                for batch in _rows(body, options):
                    yield batch
                    watch(min(body.given / size, 1.0))  # about: bytes on disk may be packed
        except pa.ArrowInvalid:
            raise self._ragged() from None

    def typed(self, watch: Watch = unwatched) -> TypedCsv:
        """Look at all values, and return the file with its types."""
        guesses = [_guess(self.delimiter) for _ in self.names]
        rows = 0
        broken = False
        with ThreadPoolExecutor() as pool:
            for batch in self.batches(watch=watch):
                list(pool.map(Guess.look, guesses, batch.columns))
                broken = broken or (self.quoted and any(map(has_line_ends, batch.columns)))
                rows += batch.num_rows
        if not rows:
            raise without_rows(self.names, self.name)
        if broken:
            with self._body() as body:
                check_quotes(
                    io.BufferedReader(body), self.delimiter, len(self.names), rows, self.name
                )
        return TypedCsv(self, rows, tuple(guess.rule for guess in guesses))

    @contextmanager
    def _body(self) -> Iterator[_Blocks]:
        """Read what stands below the header, in UTF-8."""
        with _opened(self.place, self.name) as source:
            body = _Blocks(_begun(utf8_blocks(source, self.encoding, self.name)))
            body.read(self.start)
            yield body

    def _ragged(self) -> DataError:
        rows: list[arrow_csv.InvalidRow] = []
        options = as_texts(self.names, self.delimiter, quoted=self.quoted, ragged=rows)
        with suppress(pa.ArrowInvalid), self._body() as body:
            for _ in _rows(body, options):
                pass
        return ragged_or_unclosed(rows, self.names, self.delimiter, self.name)


@dataclass(frozen=True)
class TypedCsv:
    """A long CSV file of which the number of rows and the types are known."""

    file: LongCsv
    rows: int
    rules: tuple[TypeRule | None, ...]

    @property
    def schema(self) -> pa.Schema:
        """Return names and types of the columns."""
        none = pa.array([], pa.string())
        return pa.schema(
            [
                (name, _typed(rule, none).type)
                for name, rule in zip(self.file.names, self.rules, strict=True)
            ]
        )

    def tables(self, wanted: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Read the rows with their types, part by part."""
        rules = dict(zip(self.file.names, self.rules, strict=True))
        with ThreadPoolExecutor() as pool:
            for batch in self.file.batches(wanted):
                names = batch.schema.names
                yield pa.table(
                    list(pool.map(_typed, map(rules.get, names), batch.columns)), names=names
                )


def _guess(delimiter: str) -> Guess:
    return Guess(with_commas=delimiter == SEMICOLON, points_unclear=delimiter in UNCLEAR_POINTS)


def _typed(rule: TypeRule | None, texts: pa.Array) -> pa.Array:
    return texts if rule is None else rule.typed(texts)


def _rows(body: _Blocks, options: dict[str, Any]) -> Iterator[pa.RecordBatch]:
    """Read batches of a body; none of a body without rows."""
    try:
        reader = arrow_csv.open_csv(body, **options)
    except pa.ArrowInvalid as error:
        if "Empty CSV file" in str(error):
            return
        raise
    yield from reader


@contextmanager
def _opened(place: str, name: str) -> Iterator[BinaryIO]:
    """Read the bytes of a file block by block, unpacked."""
    with open(place, "rb") as source:
        packed = source.read(len(GZIP)) == GZIP
        source.seek(0)
        try:
            yield gzip.GzipFile(fileobj=source) if packed else source  # type: ignore[misc]
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise DataError(
                f"{name} is a broken gzip file", remedy="fetch or write it again"
            ) from None


def _begun(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Skip line ends at the top."""
    begun = False
    for block in blocks:
        rest = block if begun else block.lstrip(b"\r\n")
        begun = begun or bool(rest)
        if rest:
            yield rest


class _Blocks(io.RawIOBase):
    """Present blocks of bytes as a file to read from."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks = blocks
        self.left = memoryview(b"")
        self.given = 0

    def readable(self) -> bool:
        """Tell that the file is for reading."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as there are bytes; 0 at the end."""
        filled = 0
        space = memoryview(buffer)
        while filled < len(space):
            self.left = self.left or memoryview(next(self.blocks, b""))
            if not self.left:
                break
            count = min(len(self.left), len(space) - filled)
            space[filled : filled + count] = self.left[:count]
            self.left = self.left[count:]
            filled = filled + count
        self.given += filled
        return filled
