"""Decimal commas: numbers of files whose fields stand between semicolons.

Programs in German, French and most European settings write `1234,5;Bonn`. Such a column is read as
numbers, and a release of the file is written so again. Only plain values get a comma. An interval
keeps its points, `[1.5, 2.5]`: between commas nobody could tell its ends apart.

Reading cells as texts gives the spelling that every certificate hashes, `1234.5`, whatever the sign
in the file. A column is read so if all of its cells are numbers or generalized cells of numbers,
and one of them has a comma that is no thousands separator.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from shoal.declare.columns import is_text, text_of, whole
from shoal.declare.understanding.spelled import COMMAS, THOUSANDS

SEMICOLON = ";"
UNCLEAR_POINTS = ";\t"  # delimiters of programs that may part thousands by points
VALUE = rf"^(?:{COMMAS.pattern})$"
POINTED = r"^-?(?:0|[1-9][0-9]{0,14})\.[0-9]+$"
SPELLED = r"^-?[0-9]+(?:\.[0-9]{3})*,[0-9]{1,2}(?: ?[€%]| EUR)?$"
END = r"-?[0-9]+(?:\.[0-9]+)?"
GENERALIZED = rf"\*|{END}\+|<={END}|\[(?:<=)?{END}, {END}\+?\]"
WRITTEN = rf"^(?:{END}|{GENERALIZED})$"
CELL = rf"^(?:{COMMAS.pattern}|{GENERALIZED})$"


def with_points(texts: pa.Array) -> pa.Array:
    """Spell the numbers of a column with decimal points, if it is one of decimal commas.

    >>> with_points(pa.array(["1,50", "[1.5, 2.5]", "3"])).to_pylist()
    ['1.5', '[1.5, 2.5]', '3']
    >>> with_points(pa.array(["1,5", "a text"])).to_pylist()
    ['1,5', 'a text']
    """
    encoded = pc.dictionary_encode(texts)
    different = encoded.dictionary
    if not len(different) or not _are_numbers(different):
        return texts
    plain = pc.match_substring_regex(different, VALUE)
    numbers = COMMAS.values(pc.if_else(plain, different, None))
    return pc.if_else(plain, text_of(numbers), different).take(encoded.indices)


def has_comma_numbers(texts: pa.ChunkedArray) -> bool:
    """Tell whether some cell of a column is a number with a decimal comma, also `1.234,50 €`."""
    return bool(pc.any(pc.match_substring_regex(texts, SPELLED)).as_py())


def with_commas(table: pa.Table) -> pa.Table | None:
    """Spell numbers with decimal commas; None where a file would then be read otherwise.

    So it is with a single column: no semicolon says there how its numbers are written.
    """
    if table.num_columns == 1:
        return None
    columns = []
    for column in table.columns:
        cells = whole(column)
        texts = text_of(cells)
        written = texts
        if not is_text(cells.type) or _all_match(texts, WRITTEN):
            dotted = pc.fill_null(pc.match_substring_regex(texts, POINTED), False)
            written = pc.if_else(dotted, pc.replace_substring(texts, ".", ","), texts)
        if not with_points(written).equals(texts):
            written = texts
        if not with_points(written).equals(texts):
            return None
        columns.append(cells if written is texts else written)
    return pa.table(columns, names=table.column_names)


def undisturbed(table: pa.Table) -> pa.Table | None:
    """Return a table, or None where some of its texts would be read as decimal commas."""
    texts = [text_of(whole(column)) for column in table.columns if is_text(column.type)]
    return table if all(with_points(each).equals(each) for each in texts) else None


def _are_numbers(different: pa.Array) -> bool:
    """Tell whether different cells are numbers with decimal commas, and nothing else."""
    if not _all_match(different, CELL):
        return False
    with_comma = different.filter(
        pc.and_(pc.match_substring_regex(different, VALUE), pc.match_substring(different, ","))
    )
    if not len(with_comma):
        return False
    clear = pc.invert(pc.match_substring_regex(with_comma, f"^(?:{THOUSANDS})$"))
    return bool(pc.any(clear).as_py()) or _has_generalized(different)


def _all_match(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def _has_generalized(texts: pa.Array) -> bool:
    return bool(pc.any(pc.match_substring_regex(texts, f"^(?:{GENERALIZED})$")).as_py())
