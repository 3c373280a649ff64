"""Encodings: convert bytes of a text file to UTF-8, or refuse them.

Nothing is guessed: a wrong guess changes people's names.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from shoal.errors import DataError, RecipeError
from shoal.wording import OneOf, Remedy, Set

MARKS = (  # the longer marks first: UTF-32's begins like UTF-16's
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
BLOCK = 1 << 20


def utf8(data: bytes, encoding: str | None, name: str) -> bytes:
    """Convert a text to UTF-8 without a byte order mark."""
    encoding = encoding or _marked(data)
    try:
        if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
            data = data.removeprefix(codecs.BOM_UTF8)
            _check(data)
            return data
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except LookupError:
        raise _unknown(encoding) from None
    except UnicodeError as error:
        line = (
            data[: error.start].count(b"\n") + 1 if isinstance(error, UnicodeDecodeError) else None
        )
        raise _refusal(line, encoding, name) from None


def needs_mark(data: bytes, encoding: str | None) -> bool:
    """Tell whether programs that read a text need a byte order mark to read it as UTF-8.

    They do if it came with a mark, or in another encoding: spreadsheets take UTF-8 without a mark
    for that one.
    """
    if encoding is None:
        return _marked(data) != "utf-8"
    with suppress(LookupError):
        return codecs.lookup(encoding).name != "utf-8" or data.startswith(codecs.BOM_UTF8)
    return False


def utf8_blocks(source: BinaryIO, encoding: str | None, name: str) -> Iterator[bytes]:
    """Convert a file to UTF-8 block by block; a block holds whole characters."""
    block = source.read(BLOCK)
    lines = 0
    encoding = encoding or _marked(block)
    try:
        decoder = codecs.getincrementaldecoder("utf-8" if encoding == "utf-8-sig" else encoding)()
        text = decoder.decode(block, final=not block).removeprefix("\ufeff")
        while block:
            yield text.encode()
            lines = lines + block.count(b"\n")
            block = source.read(BLOCK)
            text = decoder.decode(block, final=not block)
        yield text.encode()
    except LookupError:
        raise _unknown(encoding) from None
    except UnicodeError as error:
        raise _refusal(_strange_line(error, lines, len(block)), encoding, name) from None


def _strange_line(error: UnicodeError, lines: int, size: int) -> int | None:
    """Find the line of the first strange byte, `lines` before a block of a size in bytes."""
    if not isinstance(error, UnicodeDecodeError):
        return None
    # Bytes that the decoder held back stand before the block.
    held = error.object[: len(error.object) - size].count(b"\n")
    return lines - held + error.object[: error.start].count(b"\n") + 1


def _marked(data: bytes) -> str:
    """Return the encoding that a byte order mark tells; UTF-8 without one."""
    return next((known for mark, known in MARKS if data.startswith(mark)), "utf-8")


OTHERS = ("latin-1", "cp1252", "utf-16")


def _unknown(encoding: str) -> RecipeError:
    return RecipeError(
        f"unknown encoding '{encoding}'", remedy=Remedy(Set("encoding", OneOf("utf-8", *OTHERS)))
    )


def _check(data: bytes) -> None:
    """Raise where bytes are not UTF-8, block by block.

    A decoded copy can be four times as large.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for start in range(0, len(data), BLOCK):
            decoder.decode(view[start : start + BLOCK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        data.decode()  # again, for the position in the whole


def _refusal(line: int | None, encoding: str, name: str) -> DataError:
    """Write a refusal: the line of the first strange byte, and what to type; never the bytes."""
    spelled = {"utf-8-sig": "UTF-8"}.get(encoding, encoding.upper())
    facts = {} if line is None else {"line": line}
    return DataError(
        f"{name} is not {spelled}",
        facts,
        Remedy(Set("encoding", OneOf(*OTHERS), "give its encoding")),
    )
