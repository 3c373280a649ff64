"""Formulas: find texts that a spreadsheet would run when it opens a CSV file.

A spreadsheet takes a cell for a formula if it begins with `=`, `+`, `-` or `@` (East Asian versions
also with their wide forms), and some skip tabs, line ends and zero bytes before it. A formula may
fetch addresses or start programs on the machine of whoever opens the file, and someone who filled
in a form can have written it. So is refused:

| begins with | refused | harmless |
|---|---|---|
| `=`, `@` | if anything follows that has a letter, digit, quote or bracket | `=`, `@`, `==`, `=>` |
| `+`, `-` | a call, an operator, a reference: `-1+2`, `+f(x)`, `-A1`, `+a|b!c` | see below |

Harmless behind `+` and `-` are no operand at all (`-`, `--`, `+/-`), numbers (`-5,5`, `+49 30`,
`-5 %`, `-12**`, `-1;-2`) and plain words (`--z`, `-inf`, `- none`): a spreadsheet finds
only names in them that no CSV file defines.

What stands behind a comma, semicolon, tab, bar or line end is judged in the same way: a spreadsheet
may take any of them for the end of a cell, whatever the quotes around it. A space before the sign
makes it text. Cells are counted here and never shown. Nothing is put in front of them to disarm
them: a release holds the cells that were recounted, no others. Parquet, Arrow, Excel, SPSS, Stata
and SAS files and JSON lines say which cells are text, and are safe; so are databases. In an Excel
file that Shoal writes, cells of text have the format of text: they stay text when they are edited.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.arrays import Flags
from shoal.declare.columns import is_text
from shoal.errors import DataError

SIGNS = "+\\-＋－"  # inside brackets of a regular expression
MARKS = "=@＝＠"
SKIPPED = r"[\x00\t\r\n\x{FEFF}]*"
BEGINNING = f"[{SIGNS}{MARKS}]"
OPERAND = r"[\pL\pN(\[{'\"#$]"
NUMBER = r"[ ]*[$€£¥]?[ ]*(\pN[\pN .,'_]*|[.,]\pN+)([eE][+-]?\pN+)?[ ]*[%€£¥]?\**"
# several numbers in one text: -1;-2
NUMBERS = f"{NUMBER}([|,;][{SIGNS}]*{NUMBER})*"
WORDS = r"[ ]*\pL[\pL\pM\pN _.'’\-]*\**"
AFTER_SIGNS = f"^{SKIPPED}[{SIGNS}]+[ ]*"
REFERENCE = r"(?i)(^|[^\pL\pN])([a-z]{1,3}[0-9]{1,7}|r[0-9]+c[0-9]+)($|[^\pL\pN])"
# of a cell, for one spreadsheet or another, and a quote that the next begins with
ENDS = r"[,;\t\r\n]\"?"
ENDS_WITH_BAR = r"[,;\t|\r\n]\"?"
TABLES = (".parquet", ".arrow", ".feather", ".jsonl", ".ndjson")
PROGRAMS = (".xlsx", ".sav", ".zsav", ".dta", ".xpt")
SAFE = TABLES + PROGRAMS


def formulas(table: pa.Table) -> dict[str, int]:
    """Count the texts of each column that would be run, its name among them.

    Columns without any are left out.

    >>> formulas(pa.table({"note": ["=1+1", "-5", "well"], "age": [-1, 2, 3]}))
    {'note': 1}
    """
    counts = dict.fromkeys(table.column_names, 0)
    if counted(pa.array(table.column_names, pa.string())):
        counts = {name: counted(pa.array([name])) for name in table.column_names}
    for name, column in zip(table.column_names, table.columns, strict=True):
        counts[name] += counted(column) if is_text(column.type) else 0
    return {name: count for name, count in counts.items() if count}


def refuse_formulas(table: pa.Table, place: str | os.PathLike[str]) -> None:
    """Refuse to write a table with formulas as a CSV file of this name."""
    if Path(place).suffix.lower() in SAFE:
        return
    if counts := formulas(table):
        facts: dict[str, object] = {
            f"in '{name}'": count for name, count in list(counts.items())[:5]
        }
        facts["rows looked at"] = table.num_rows
        problem = (
            f"{sum(counts.values()):,} texts would be run as formulas by a spreadsheet that opens "
            "this release as CSV"
        )
        remedy = (
            "write a .parquet file instead, or take the signs (=, +, -, @) from the beginning of "
            "these texts"
        )
        raise DataError(problem, facts, remedy)


def counted(texts: pa.Array | pa.ChunkedArray) -> int:
    """Count the texts that would be run.

    >>> counted(pa.array(["x;=1+1", "x;-1", "-", None]))
    1
    """
    tally = pc.value_counts(texts)
    different = tally.field(0)
    suspect = pc.match_substring_regex(different, f'(^|[,;|\\t\\r\\n]"?){SKIPPED}{BEGINNING}')
    tally = tally.filter(pc.fill_null(suspect, False))
    if not len(tally):  # as nearly always: the other expressions take longer to make than to use
        return 0
    different = tally.field(0)
    # DDE writes `program|topic`, so a bar that ends no cell is judged too
    run = _runs(different) | _runs_inside(different, ENDS) | _runs_inside(different, ENDS_WITH_BAR)
    return int(np.asarray(tally.field(1))[run].sum())


def _runs(texts: pa.Array) -> Flags:
    """Flag the texts that are a formula from their first sign on."""
    begins = pc.match_substring_regex(texts, f"(?s)^{SKIPPED}{BEGINNING}.*{OPERAND}")
    numbers = pc.match_substring_regex(texts, f"{AFTER_SIGNS}({NUMBERS})$")
    words = pc.match_substring_regex(texts, f"{AFTER_SIGNS}({WORDS})$")
    harmless = pc.or_(numbers, pc.and_not(words, pc.match_substring_regex(texts, REFERENCE)))
    return np.asarray(pc.and_not(begins, harmless), np.bool_)


def _runs_inside(texts: pa.Array, ends: str) -> Flags:
    """Flag the texts that hold a formula behind what may end a cell."""
    running = np.zeros(len(texts), np.bool_)
    cells = pc.split_pattern_regex(texts, ends)
    parents = np.asarray(pc.list_parent_indices(cells))
    running[parents[_runs(pc.list_flatten(cells))]] = True
    return running
