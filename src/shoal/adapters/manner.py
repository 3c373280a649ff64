"""Manner: what a file tells about the way its table was written, beside the cells.

It travels with a table that was read, as metadata of its schema, as far as the door; `plain` leaves
it behind there, and no file that is written holds it. A release takes it up again when it becomes a
file of the same kind: delimiter, byte order mark, line ends and decimal commas of a CSV file,
labels of variables and values of SPSS and Stata files.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec
import pyarrow as pa

from shoal.declare.understanding.missing import words_for
from shoal.groups import Note
from shoal.wording import Sentence, Set

KEY = b"shoal manner"


class Manner(msgspec.Struct, frozen=True, omit_defaults=True):
    """The way a table was written, and what was noticed while it was read."""

    delimiter: str | None = None
    """Between the fields of a CSV file; None where the table came in another form."""
    byte_order_mark: bool = False
    line_end: str = "\n"
    decimal_comma: bool = False
    variable_labels: dict[str, str] = {}
    """What a statistics program shows in place of a column's name."""
    value_labels: dict[str, dict[str, float | str]] = {}
    """The code of each label, by column."""
    error_cells: dict[str, dict[str, int]] = {}
    """Cells of a workbook in which a formula failed, counted by column and by word (`#N/A`)."""
    missing_codes: dict[str, tuple[str, ...]] = {}
    """Codes among the numbers of a column whose labels say that a value is missing."""
    notices: tuple[tuple[str, str], ...] = ()
    """What whoever made the file should know, without any cell: a column or none, and the words."""

    def notes_on(self, columns: Collection[str], na: Sequence[str] = ()) -> tuple[Note, ...]:
        """Return the notices about a whole file, and those about some of its columns.

        `na` are the words that mean missing: codes among them need no notice.
        """
        told = [
            Note("understood", f"'{column}': {words}") if column else Note("file", words)
            for column, words in self.notices
            if not column or column in columns
        ]
        for column, codes in self.missing_codes.items():
            if column in columns and not set(codes) <= set(words_for(column, na, [*columns])):
                told.append(Note("understood", _missing_by_label(column, codes)))
        return tuple(told)


def _missing_by_label(column: str, codes: Sequence[str]) -> Sentence:
    words = Set("na", [f"{column}={code}" for code in codes])
    return Sentence(f"'{column}': missing by label: ", words)


PLAIN = Manner()


def with_manner(table: pa.Table, manner: Manner) -> pa.Table:
    """Return a table that knows the manner in which it was written."""
    if manner == PLAIN:
        return table
    return table.replace_schema_metadata({KEY: msgspec.json.encode(manner)})


def manner_of(table: object) -> Manner:
    """Return the manner that a table came in; the plain one where nothing is known.

    >>> manner_of(with_manner(pa.table({"age": [1]}), Manner(delimiter=";"))).delimiter
    ';'
    """
    if not isinstance(table, pa.Table):
        return PLAIN
    told = (table.schema.metadata or {}).get(KEY)
    try:
        return PLAIN if told is None else msgspec.json.decode(told, type=Manner)
    except msgspec.MsgspecError:  # not ours
        return PLAIN
