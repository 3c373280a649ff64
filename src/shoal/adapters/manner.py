"""Manner: what a file tells about the way its table was written, beside the cells.

It travels with a table that was read, as metadata of its schema, as far as the door; `plain` leaves
it behind there, and no file that is written holds it. A release takes it up again when it becomes a
file of the same kind: delimiter, byte order mark, line ends and decimal commas of a CSV file,
labels of variables and values of SPSS and Stata files.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec
import pyarrow as pa

from shoal.groups import Note

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
    notices: tuple[tuple[str, str], ...] = ()
    """What whoever made the file should know, without any cell: a column or none, and the words."""

    def notes_on(self, columns: Collection[str]) -> tuple[Note, ...]:
        """Return the notices about a whole file, and those about some of its columns."""
        return tuple(
            Note("understood", f"'{column}': {words}") if column else Note("file", words)
            for column, words in self.notices
            if not column or column in columns
        )


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
