"""Table: understand the columns of a table in memory, as a recipe asks.

Quasi-identifiers are understood by themselves, unless a hierarchy that matches texts (a file,
masks ...) says how their cells are read, and so are columns that are rounded or capped. Other
published columns keep their cells, unless the user says what they are. Words that mean missing are
taken in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Counts
from shoal.declare.banded import marked
from shoal.declare.columns import is_text, whole
from shoal.declare.understanding.codes import FEW, Codes, may_be_named
from shoal.declare.understanding.column import HEAD, Understood, refuse_unclear, understand
from shoal.declare.understanding.dates import are_compact, are_midnights
from shoal.declare.understanding.missing import words_for
from shoal.groups import Note
from shoal.wording import Sentence, Set


@dataclass(frozen=True)
class ColumnsAsked:
    """Readings and words that a recipe asks for, and the columns that they may concern."""

    free: tuple[str, ...] = ()
    """Columns that are understood by themselves."""
    others: tuple[str, ...] = ()
    """Columns that keep their cells unless something was said about them."""
    read_as: Mapping[str, str] = field(default_factory=dict)
    na: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()
    """Columns of which was said how they are generalized: nothing is asked about their numbers."""

    def concerns(self, name: str, kind: pa.DataType) -> bool:
        """Tell whether a column of this type has to be looked at."""
        if name in self.read_as or self.na:
            return True
        looked_at = is_text(kind) or pa.types.is_integer(kind) or pa.types.is_timestamp(kind)
        return name in self.free and looked_at

    def understand(self, values: pa.Array, counts: Counts, name: str) -> Understood:
        """Understand one column by its different values."""
        words = words_for(name, self.na, (*self.free, *self.others))
        word = self.read_as.get(name)
        if word is None and name not in self.free and is_text(values.type):
            word = "text"
        column = understand(values, counts, name, word=word, words=words)
        return replace(column, coded=None) if name in self.settled else column


def understood(table: pa.Table, asked: ColumnsAsked) -> tuple[pa.Table, tuple[Understood, ...]]:
    """Return a table with understood columns, and what was understood of each that was looked at.

    Refuses columns that can be read in several ways.
    """
    names = [name for name in (*asked.free, *asked.others) if name in table.column_names]
    columns = []
    for name in names:
        cells = whole(table[name])
        if not asked.concerns(name, cells.type) or _is_plain(cells, name, asked):
            continue
        encoded = pc.dictionary_encode(cells)
        numbers = np.asarray(encoded.indices.drop_null(), np.int64)
        counts = np.bincount(numbers, minlength=len(encoded.dictionary)).astype(np.int64)
        column = asked.understand(encoded.dictionary, counts, name)
        columns.append(column)
        if column.changes:
            values = column.values(encoded.dictionary).take(encoded.indices)
            table = table.set_column(table.column_names.index(name), name, values)
    refuse_unclear(columns)
    came = {column.name: column.came for column in columns if column.came is not None}
    return marked(table, came), tuple(columns)


def notes_of(columns: Sequence[Understood]) -> tuple[Note, ...]:
    """Say what was understood, a line for each column where that is not obvious."""
    notes = []
    for column in columns:
        if column.may_be_codes:
            notes.append(Note("understood", _asked(column.name)))
        elif column.coded is not None and column.coded.hierarchy is not None:
            notes.append(Note("understood", _coded(column.name, column.coded)))
        elif column.proposed:
            notes.append(Note("understood", _hidden(column)))
        elif column.notable:
            notes.append(Note("understood", f"'{column.name}': {column.said}"))
        if column.words:
            words = ", ".join(column.words)
            notes.append(Note("understood", f"'{column.name}': missing where it says {words}"))
    return tuple(notes)


def _asked(name: str) -> Sentence:
    """Ask whether few whole numbers are codes: only the owner of a table knows."""
    said = f"'{name}' holds few whole numbers and is published as a number, in intervals; "
    return Sentence(said, "if they are codes: ", Set("read_as", {name: "code"}))


def _coded(name: str, like: Codes) -> Sentence:
    """Ask whether numbers that look like codes are some: in intervals they tell little."""
    said = f"'{name}' is published as a number, in intervals; if it holds {like.said}: "
    return Sentence(said, Set("hierarchies", {name: like.hierarchy}))


def _hidden(column: Understood) -> Sentence:
    """Name the words that may be why most cells of a column are not read as what they are."""
    words = [f"{column.name}={word}" for word in column.proposed]
    return Sentence(f"'{column.name}': {column.said}; if these mean missing: ", Set("na", words))


def _is_plain(cells: pa.Array, name: str, asked: ColumnsAsked) -> bool:
    """Tell by the first cells that a column is plain text or numbers, and nothing was asked of it.

    Most columns are told apart here, before all of their cells are encoded.
    """
    if name in asked.read_as or asked.na:
        return False
    head = cells.slice(0, HEAD).drop_null()
    if not len(head) or len(cells) <= HEAD:
        return False
    if pa.types.is_timestamp(cells.type):
        return not are_midnights(head)
    if not is_text(cells.type):
        odd = may_be_named(name) or are_compact(head.slice(0, FEW))
        return not odd and len(head.unique()) > FEW
    head = head.filter(pc.not_equal(pc.utf8_trim_whitespace(head), ""))
    if not len(head):
        return False
    with_digits = pc.match_substring_regex(head, "[0-9]")
    return not pc.any(with_digits).as_py()
