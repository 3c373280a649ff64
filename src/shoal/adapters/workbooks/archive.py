"""Archive: look into a workbook before it is read, so that it can neither lie nor burst.

An .xlsx file is a zip archive of XML files. Three things about it are counted here first:

- the bytes that it unpacks to, block by block, whatever its directory says;
- the area of its sheets: one cell in the last row and column makes seventeen thousand million;
- the texts of its cells, where many cells share a long one.

Cells in which a formula failed (`#N/A`) are found here too: the reader would call them empty.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import join, normpath
from typing import NamedTuple
from xml.etree import ElementTree

from shoal.adapters.unpack_limits import BLOCK, DENSEST, SMALL
from shoal.declare import memory
from shoal.declare.memory import refuse_beyond_memory
from shoal.errors import DataError

ZIP = b"PK\x03\x04"
PER_CELL = 64  # bytes of a cell on its way to a column
SLICE = 1 << 24  # bytes of XML that are searched at a time
ADDRESS = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')
FORMULA = rb"(?:<(?:\w+:)?f\b[^>]*(?:/>|>[^<]*<[^>]*>))?"
FAILED = re.compile(
    rb'<(?:\w+:)?c\s([^<>]*\bt="e"[^<>]*)>' + FORMULA + rb"<(?:\w+:)?v>(#[A-Z0-9/!?_]{1,15})<"
)
SHARED = re.compile(rb'\bt="s"[^<>]*><(?:\w+:)?v>([0-9]{1,9})<')
LOCAL_HEADER = 30
OTHERS = {
    "xl/workbook.bin": "a binary Excel workbook (.xlsb)",
    "content.xml": "an OpenDocument file (.ods)",
}


class FailedCell(NamedTuple):
    """A cell in which a formula failed: its place, counted from 0, and the kind of failure."""

    row: int
    column: int
    word: str


@dataclass(frozen=True)
class WorkbookArchive:
    """The XML files of a workbook, unpacked."""

    parts: dict[str, bytes]
    name: str

    @classmethod
    def of(cls, data: bytes, name: str) -> WorkbookArchive:
        """Unpack a workbook; refuse what is none, or bursts."""
        try:
            entries = zipfile.ZipFile(io.BytesIO(data)).infolist()
        except (zipfile.BadZipFile, ValueError, OSError):
            raise _broken(name, data) from None
        names = {entry.filename for entry in entries}
        other = next((said for part, said in OTHERS.items() if part in names), None)
        if other or "xl/workbook.xml" not in names:
            remedy = "save the table as .xlsx, CSV or Parquet first"
            raise DataError(f"{name} is {other or 'a zip archive, and no workbook'}", None, remedy)
        try:
            return cls(_unpacked(data, entries, name), name)
        except (zlib.error, EOFError, IndexError):
            raise _broken(name, data) from None

    def sheet(self, title: str) -> bytes | None:
        """Return the XML of a sheet by its name; None where it can't be told."""
        try:
            book = _tree(self.parts["xl/workbook.xml"])
            links = _tree(self.parts["xl/_rels/workbook.xml.rels"])
        except (KeyError, ElementTree.ParseError):
            return None
        number = next(
            (_link_of(each) for each in book.iter() if _is(each, "sheet", "name", title)), None
        )
        target = next(
            (each.get("Target", "") for each in links.iter() if each.get("Id") == number), ""
        )
        place = target.lstrip("/") if target.startswith("/") else normpath(join("xl", target))
        return self.parts.get(place)

    def check(self, title: str) -> list[FailedCell]:
        """Refuse a sheet that would burst the memory; return its failed cells."""
        xml = self.sheet(title)
        if xml is None:
            problem = f"{self.name} has a sheet that can't be found in the file"
            raise DataError(problem, remedy="save the workbook again as .xlsx")
        columns: set[bytes] = set()
        last = 0
        cells = 0
        failed = []
        for piece in _pieces(xml):
            for column, row in ADDRESS.findall(piece):
                columns.add(column)
                last = max(last, int(row))
                cells += 1
            failed += [_failed(match) for match in FAILED.finditer(piece)]
        width = max((_number(column) for column in columns), default=0) + 1
        facts = {"sheet": title, "rows": last, "columns": width}
        refuse_beyond_memory(PER_CELL * last * width, self.name, facts)
        self._refuse_shared(xml, cells, facts)
        return list(dict.fromkeys(failed))

    def _refuse_shared(self, xml: bytes, cells: int, facts: dict[str, object]) -> None:
        """Refuse a sheet whose cells repeat texts beyond the memory."""
        there = memory.free()
        texts = self.parts.get("xl/sharedStrings.xml", b"")
        if there is None or cells * len(texts) < there:
            return
        lengths = [len(text) for text in re.split(rb"<(?:\w+:)?si\b", texts)[1:]]
        needed = 0
        for piece in _pieces(xml):
            for number in map(int, SHARED.findall(piece)):
                needed += lengths[number] if number < len(lengths) else 0
        refuse_beyond_memory(2 * needed, self.name, facts)


def _unpacked(data: bytes, entries: list[zipfile.ZipInfo], name: str) -> dict[str, bytes]:
    """Unpack all files of an archive, and count what they take."""
    there = memory.free()
    taken = 0
    parts = {}
    for entry in entries:
        blocks = []
        for block in _blocks(data, entry):
            taken += len(block)
            beyond = there is not None and 2 * taken > there
            if beyond or taken > max(DENSEST * len(data), SMALL):
                facts = {"bytes": len(data), "bytes unpacked": f"more than {taken:,}"}
                raise DataError(
                    f"{name} holds far more than it is long, or than fits into the memory of this "
                    "machine",
                    facts,
                    "save the table as Parquet or CSV first",
                )
            blocks.append(block)
        parts[entry.filename] = b"".join(blocks)
        if len(parts[entry.filename]) != entry.file_size:
            raise EOFError
    return parts


def _blocks(data: bytes, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Unpack one file of an archive block by block, from its bytes and not from what they claim."""
    at = entry.header_offset
    if data[at : at + 4] != ZIP or entry.compress_type not in (0, zipfile.ZIP_DEFLATED):
        raise EOFError
    names = int.from_bytes(data[at + 26 : at + 28], "little")
    extra = int.from_bytes(data[at + 28 : at + 30], "little")
    begin = at + LOCAL_HEADER + names + extra
    packed = data[begin : begin + entry.compress_size]
    if entry.compress_type == 0:
        yield packed
        return
    one = zlib.decompressobj(-zlib.MAX_WBITS)
    while not one.eof:
        block = one.decompress(packed, BLOCK)
        packed = one.unconsumed_tail
        if not block and not packed and not one.eof:
            raise EOFError
        yield block


def _pieces(xml: bytes) -> Iterator[bytes]:
    """Cut XML into pieces that end where a row does, so that nothing is cut apart."""
    at = 0
    while at < len(xml):
        end = xml.find(b"<row", at + SLICE) if len(xml) - at > SLICE else len(xml)
        end = len(xml) if end < 0 else end
        yield xml[at:end]
        at = end


def _failed(match: re.Match[bytes]) -> FailedCell:
    place = ADDRESS.search(b" " + match[1])
    if place is None:
        return FailedCell(-1, -1, match[2].decode())
    return FailedCell(int(place[2]) - 1, _number(place[1]), match[2].decode())


def _number(letters: bytes) -> int:
    """Return the number of a column, counted from 0, by its letters.

    >>> _number(b"A"), _number(b"XFD")
    (0, 16383)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number - 1


def _tree(xml: bytes) -> ElementTree.Element:
    if b"<!DOCTYPE" in xml or b"<!ENTITY" in xml:  # no workbook has one
        raise ElementTree.ParseError
    return ElementTree.fromstring(xml)


def _is(element: ElementTree.Element, tag: str, key: str, value: str) -> bool:
    return element.tag.rpartition("}")[2] == tag and element.get(key) == value


def _link_of(element: ElementTree.Element) -> str | None:
    """Return the number under which a sheet's file is listed, whatever the form of the standard."""
    return next((each for key, each in element.items() if key.rpartition("}")[2] == "id"), None)


def _broken(name: str, data: bytes) -> DataError:
    return DataError(
        f"{name} is a broken spreadsheet", {"bytes": len(data)}, "fetch it again, or save it anew"
    )
