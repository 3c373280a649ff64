"""Writing labelled tables: releases as files of SPSS (.sav, .zsav), Stata (.dta), SAS (.xpt).

Columns that came with labels get them back: codes are written, with the labels that some row still
has and no others. Generalized columns are texts. Labels of columns are carried. The file tells
neither who made it nor when.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.adapters.exact_values import PLAINER, as_floats, refuse_changed, refuse_empty_texts
from shoal.adapters.extras import loaded
from shoal.adapters.labelled import program_of, read_labelled
from shoal.adapters.manner import Manner
from shoal.declare.columns import is_text, text_of, whole
from shoal.errors import DataError

ENDINGS = (".sav", ".zsav", ".dta", ".xpt")
WRITERS = {".sav": "write_sav", ".zsav": "write_sav", ".dta": "write_dta", ".xpt": "write_xport"}
FORMS = {".sav": "an SPSS file", ".zsav": "an SPSS file", ".dta": "a Stata file"}
NAMES = {
    ".sav": r"[^\W\d_][\w.@#$]{0,63}",
    ".dta": r"[^\W\d]\w{0,31}",
    ".xpt": "[A-Za-z_][A-Za-z0-9_]{0,31}",
}
HEADER = 1024  # bytes in which the time of writing stands
SPSS_TIME = slice(92, 109)
STATA_TIME = re.compile(rb"[0-3 ][0-9] [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}")
SAS_TIME = re.compile(rb"[0-9]{2}[A-Z]{3}[0-9]{2}(:[0-9]{2}){3}")


def write_labelled(table: pa.Table, path: Path, ending: str, manner: Manner) -> None:
    """Write a table in the format of an ending, and read it back."""
    form = FORMS.get(ending, "a SAS transport file")
    _refuse_names(table.column_names, ending, form)
    refuse_empty_texts(table, form)
    readstat = loaded("pyreadstat")
    columns = {}
    labels: dict[str, dict[float | str, str]] = {}
    for name, cells in zip(table.column_names, table.columns, strict=True):
        column = whole(cells)
        codes = None if ending == ".xpt" else _codes(column, manner.value_labels.get(name, {}))
        if codes is None:
            columns[name] = _written(column)
        else:
            columns[name], labels[name] = codes
    frame = loaded("polars").from_arrow(pa.table(columns))
    asked: dict[str, Any] = {"column_labels": manner.variable_labels}
    if ending != ".xpt":
        asked["variable_value_labels"] = labels
    if ending == ".zsav":
        asked["compress"] = True
    try:
        getattr(readstat, WRITERS[ending])(frame, str(path), **asked)
    except OSError:
        raise
    except Exception as error:  # of names that are too long, say; what they say may quote cells
        facts = {"error": type(error).__name__}
        raise DataError(f"{form} can't hold this table", facts, PLAINER) from None
    data = _timeless(path.read_bytes(), ending)
    path.write_bytes(data)
    program = program_of(data) or ""
    refuse_changed(table, lambda: read_labelled(data, program, "the release"), form)


def _refuse_names(names: Sequence[str], ending: str, form: str) -> None:
    """Refuse names of columns that a program does not know."""
    pattern = NAMES.get(ending, NAMES[".sav"])
    odd = [name for name in names if not re.fullmatch(pattern, name)]
    if odd:
        facts = {"columns": ", ".join(odd[:5])}
        remedy = f"names of a letter, then letters, digits and _, at most 32 signs; or {PLAINER}"
        raise DataError(f"{form} can't hold these names of columns", facts, remedy)


def _codes(
    column: pa.Array, codes: dict[str, float | str]
) -> tuple[pa.Array, dict[float | str, str]] | None:
    """Return the codes of labels, and the labels that stand in the column; None without."""
    if not codes or not is_text(column.type):
        return None
    used = column.drop_null().unique().to_pylist()
    known = [codes.get(label) for label in used]
    if any(code is None for code in known) or any(isinstance(code, str) for code in known):
        return None
    values = pa.array([codes.get(label) for label in column.to_pylist()], pa.float64())
    return values, dict(sorted((codes[label], label) for label in used))


def _written(column: pa.Array) -> pa.Array:
    """Return a column whose type the formats know: numbers, days, times, texts."""
    if pa.types.is_date(column.type):
        return column
    if pa.types.is_timestamp(column.type) and column.type.tz is None:
        return column
    floats = as_floats(column)
    return pc.fill_null(text_of(column), "") if floats is None else floats


def _timeless(data: bytes, ending: str) -> bytes:
    """Write the first second of 1970 as the time of writing."""
    head = data[:HEADER]
    if ending in (".sav", ".zsav"):
        head = head[: SPSS_TIME.start] + b"01 Jan 7000:00:00" + head[SPSS_TIME.stop :]
    elif ending == ".dta":
        head = STATA_TIME.sub(b"01 Jan 1970 00:00", head, count=1)
    else:
        head = SAS_TIME.sub(b"01JAN70:00:00:00", head)
    return head + data[HEADER:]
