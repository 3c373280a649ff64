"""Labelled tables: read files of SPSS (.sav, .zsav), Stata (.dta) and SAS (.sas7bdat, .xpt).

- A column whose values have labels is read as these labels: they are what people are shown, and
  what is published. Where fewer than half of its different values have one, it is a column of
  numbers, and a notice says so.
- Values that the file declares as missing (`refused`, `.a`) are missing, and counted in a notice.
- Texts of these programs know no missing value: an empty one is missing.

`pyreadstat` reads the bytes. Labels of SAS stand in a file of their own (.sas7bcat), which is not
read.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from shoal.adapters.cell_columns import column_of
from shoal.adapters.extras import loaded
from shoal.adapters.manner import Manner, with_manner
from shoal.adapters.plain_arrow import plain
from shoal.declare.memory import refuse_beyond_memory
from shoal.declare.understanding.missing import says_missing
from shoal.errors import DataError

SAS = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
MARKS = {
    b"$FL2": "SPSS",
    b"$FL3": "SPSS",
    b"<stata_dta>": "Stata",
    SAS: "SAS",
    b"HEADER RECORD*******LIB": "SAS transport",
}
OLD_STATA = (*range(102, 106), 108, *range(110, 116))  # first byte of the files before version 13
READERS = {
    "SPSS": "read_sav",
    "Stata": "read_dta",
    "SAS": "read_sas7bdat",
    "SAS transport": "read_xport",
}
PER_CELL = 48  # bytes of a value on its way to a column
UNKNOWN = 8  # times its bytes, for a file that does not say how many rows it has


def program_of(data: bytes) -> str | None:
    """Tell by its first bytes which program's file this is; None for another one."""
    for mark, program in MARKS.items():
        if data.startswith(mark):
            return program
    old = len(data) > 3 and data[0] in OLD_STATA and data[1] in (1, 2) and data[2] == 1
    return "Stata" if old and data[3] == 0 else None


def read_labelled(data: bytes, program: str, name: str, encoding: str | None = None) -> pa.Table:
    """Read the table in the bytes of a file, with labels and notices as its manner."""
    readstat = loaded("pyreadstat")
    read = getattr(readstat, READERS[program])
    asked: dict[str, Any] = {"output_format": "dict", "encoding": encoding}
    missing = {} if program == "SAS transport" else {"user_missing": True}
    try:
        about = read(io.BytesIO(data), metadataonly=True, **asked)[1]
        _refuse_beyond(about, data, name)
        columns, about = read(io.BytesIO(data), **asked, **missing)
    except DataError:
        raise
    except Exception as error:  # of several libraries; what they say may quote the file
        facts = {"bytes": len(data), "error": type(error).__name__}
        problem = f"{name} is a broken {program} file, or one of a version that is not known"
        raise DataError(problem, facts, "save it anew, or as CSV or Parquet") from None
    cells = {column: _LabelledCells(column, values, about) for column, values in columns.items()}
    table = pa.table([each.column() for each in cells.values()], names=list(cells))
    manner = Manner(
        variable_labels={c: label for c, label in about.column_names_to_labels.items() if label},
        value_labels={c: each.codes() for c, each in cells.items() if each.is_labelled()},
        missing_codes={c: codes for c, each in cells.items() if (codes := each.missing_codes())},
        notices=tuple((c, words) for c, each in cells.items() for words in each.notices()),
    )
    return with_manner(plain(table, name), manner)


def _refuse_beyond(about: Any, data: bytes, name: str) -> None:
    """Refuse a table beyond the memory, before it is there."""
    widths = sum((about.variable_storage_width or {}).values())
    rows = about.number_rows
    row = widths + PER_CELL * len(about.column_names)
    needed = UNKNOWN * len(data) if rows is None or rows < 0 else rows * row
    refuse_beyond_memory(needed, name, {"bytes": len(data), "columns": len(about.column_names)})


class _LabelledCells:
    """The values of one column, their labels, and those that the file calls missing."""

    def __init__(self, name: str, values: Sequence[object], about: Any) -> None:
        self.name = name
        numbers = about.readstat_variable_types.get(name) != "string"
        ranges = about.missing_ranges.get(name, ())
        self.called_missing = 0
        self.values = [None if value == "" else value for value in values]
        for place, value in enumerate(self.values):
            tagged = numbers and isinstance(value, str)
            if value is not None and (tagged or _within(value, ranges)):
                self.values[place] = None
                self.called_missing += 1
        labels = about.variable_value_labels.get(name, {})
        self.different = {value for value in self.values if value is not None}
        self.labels = _distinct({v: str(labels[v]) for v in labels if labels[v] and v in self})

    def __contains__(self, value: object) -> bool:
        return value in self.different

    def is_labelled(self) -> bool:
        """Tell whether labels stand for most of the different values."""
        return bool(self.labels) and 2 * len(self.labels) >= len(self.different)

    def column(self) -> pa.Array:
        """Return the labels, or else the values."""
        if not self.is_labelled():
            return column_of(self.values)
        return column_of([self._shown(value) for value in self.values])

    def codes(self) -> dict[str, float | str]:
        """Return the value of each label."""
        return {label: _code(value) for value, label in self.labels.items()}

    def missing_codes(self) -> tuple[str, ...]:
        """List the values among numbers whose labels say that they are missing."""
        if self.is_labelled():
            return ()
        return tuple(str(_code(v)) for v, label in self.labels.items() if says_missing(label))

    def notices(self) -> list[str]:
        said = []
        if self.called_missing:
            rows = f"{self.called_missing:,} row{'s' * (self.called_missing > 1)}"
            said.append(f"{rows} hold values that the file declares as missing")
        bare = len(self.different) - len(self.labels)
        if self.is_labelled() and bare:
            said.append(f"{bare:,} of its values have no label, and stay numbers")
        if self.labels and not self.is_labelled():
            said.append(
                f"{len(self.labels):,} of its {len(self.different):,} values have "
                "labels, which are left out: a column of numbers"
            )
        return said

    def _shown(self, value: object) -> object:
        if value is None or value in self.labels:
            return self.labels.get(value)
        return str(column_of([value, "a text"])[0])


def _within(value: object, ranges: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether a file calls a value missing."""
    return any(
        isinstance(value, str) == isinstance(each["lo"], str) and each["lo"] <= value <= each["hi"]
        for each in ranges
    )


def _distinct(labels: dict[object, str]) -> dict[object, str]:
    """Write the value behind labels that several values share, so that they stay apart."""
    times = Counter(labels.values())
    return {
        value: label if times[label] == 1 else f"{label} ({_code(value)})"
        for value, label in labels.items()
    }


def _code(value: object) -> float | str:
    if isinstance(value, str):
        return value
    number = float(value)  # type: ignore[arg-type]
    return int(number) if number.is_integer() else number
